// Changes of whitespace at both ends of a line, which VS Code's diff editor can hide.

import * as vscode from 'vscode';

// Whether the diff editor hides them for a document: the setting may differ for a language.
export const ignoresTrimWhitespace = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('diffEditor', document).get<boolean>('ignoreTrimWhitespace') ?? true;

// Turns the setting off with VS Code's command, which toggles the general setting. If only a language turns the setting
// on, the command would turn it on for all, so the settings are opened instead.
export const showWhitespace = (): Thenable<unknown> =>
  (vscode.workspace.getConfiguration('diffEditor').get<boolean>('ignoreTrimWhitespace')
    ? vscode.commands.executeCommand('toggle.diff.ignoreTrimWhitespace')
    : vscode.commands.executeCommand('workbench.action.openSettings', 'diffEditor.ignoreTrimWhitespace'));
