// Reports the open files of the window to the companion.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import { Subscriber } from '../subscriber';

// The shortest time between two reports, in milliseconds. The first report is sent at once, because the companion
// itself debounces reports.
const MIN_INTERVAL = 50;

export class ContextReporter extends Subscriber {
  // The files in the order of their last use.
  private readonly used = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private last = '';
  private reported = -Infinity;
  private active: vscode.TextEditor | undefined;

  constructor(private readonly companion: Companion) {
    super();
    const soon = (): void => this.soon();
    this.own(
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(soon),
      vscode.window.tabGroups.onDidChangeTabs(soon),
      vscode.workspace.onDidGrantWorkspaceTrust(soon),
      vscode.workspace.onDidChangeConfiguration(soon),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === 'file') {
          this.companion.notify('alongside/didSave', { path: uri.fsPath });
        }
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          this.companion.notify('alongside/didFocus', {});
        }
      }),
      { dispose: () => clearTimeout(this.timer) },
    );
  }

  // Sends the next report even if it equals the last one.
  repeat(): void {
    this.last = '';
    this.soon();
    if (vscode.window.state.focused) {
      this.companion.notify('alongside/didFocus', {});
    }
  }

  private soon(): void {
    this.timer ??= setTimeout(() => this.report(), Math.max(0, this.reported + MIN_INTERVAL - performance.now()));
  }

  private report(): void {
    this.timer = undefined;
    this.reported = performance.now();
    const isOn = vscode.workspace.getConfiguration('alongside').get<boolean>('reportFiles') ?? true;
    const active = isOn ? this.activeFile() : undefined;
    const openFiles = isOn ? this.openFiles() : [];
    const report = { openFiles, ...(active && { active }), trusted: vscode.workspace.isTrusted };
    const text = JSON.stringify(report);
    if (text !== this.last) {
      this.last = text;
      this.companion.notify('alongside/didChangeContext', report);
    }
  }

  private openFiles(): { path: string; dirty: boolean }[] {
    const files = new Map<string, boolean>();
    for (const { input, isDirty } of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
      const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook
        || input instanceof vscode.TabInputCustom;
      if (isFile && input.uri.scheme === 'file') {
        files.set(input.uri.fsPath, isDirty);
      }
    }
    const order = [...this.used].reverse().filter((path) => files.has(path));
    return [...new Set([...order, ...files.keys()])].map((path) => ({ path, dirty: files.get(path) ?? false }));
  }

  private activeFile(): object | undefined {
    const editor = vscode.window.activeTextEditor;
    // In a terminal or a review, the last used file stays the active one.
    if (editor?.document.uri.scheme === 'file') {
      this.active = editor;
      this.used.delete(editor.document.uri.fsPath);
      this.used.add(editor.document.uri.fsPath);
    }
    const { active } = this;
    if (!active || active.document.isClosed) {
      return undefined;
    }
    const { document, selection } = active;
    const place = ({ line, character }: vscode.Position) => ({ line, character });
    return {
      path: document.uri.fsPath,
      cursor: place(selection.active),
      ...(selection.isEmpty ? {} : { anchor: place(selection.anchor), selectedText: document.getText(selection) }),
    };
  }
}
