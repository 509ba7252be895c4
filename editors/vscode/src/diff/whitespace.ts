// Changes of blanks at both ends of a line, which VS Code's diff editor can leave out.

import * as vscode from 'vscode';

// Whether it does: a setting, which some languages have otherwise.
export const leavesOutBlanks = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('diffEditor', document).get<boolean>('ignoreTrimWhitespace') ?? true;

// VS Code's own command changes the setting where it is made. It would turn on one that only a language has.
export const showBlanks = (): Thenable<unknown> =>
  (vscode.workspace.getConfiguration('diffEditor').get<boolean>('ignoreTrimWhitespace')
    ? vscode.commands.executeCommand('toggle.diff.ignoreTrimWhitespace')
    : vscode.commands.executeCommand('workbench.action.openSettings', 'diffEditor.ignoreTrimWhitespace'));
