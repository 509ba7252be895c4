// Changes of whitespace at both ends of a line, which VS Code's diff editor can leave out.

import * as vscode from 'vscode';

// Whether the diff editor leaves them out for a document: a setting may differ for a language.
export const ignoresTrimWhitespace = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('diffEditor', document).get<boolean>('ignoreTrimWhitespace') ?? true;

// VS Code's own command toggles the general setting. It would turn that on where only the setting of a language is on.
export const showWhitespace = (): Thenable<unknown> =>
  (vscode.workspace.getConfiguration('diffEditor').get<boolean>('ignoreTrimWhitespace')
    ? vscode.commands.executeCommand('toggle.diff.ignoreTrimWhitespace')
    : vscode.commands.executeCommand('workbench.action.openSettings', 'diffEditor.ignoreTrimWhitespace'));
