// Changes of blanks at both ends of a line, which VS Code's diff editor can leave out.

import * as vscode from 'vscode';

// Whether it does: a setting, which some languages have otherwise.
export const leavesOutBlanks = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('diffEditor', document).get<boolean>('ignoreTrimWhitespace') ?? true;

export const showBlanks = (): Thenable<void> =>
  vscode.workspace.getConfiguration('diffEditor').update('ignoreTrimWhitespace', false, vscode.ConfigurationTarget.Global);
