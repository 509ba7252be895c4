// Texts that a person only reads, side by side in the diff editor: a draft, an earlier version of a file, a change that
// was accepted without a decision.

import * as vscode from 'vscode';
import { documentUri, showDiff } from './messages/window';

// The URI schemes of drafts, and of all other texts.
const [DRAFT, TEXT] = ['alongside-draft', 'alongside-text'];

const MAX_TEXTS = 50;

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, { text: string; file?: string }>();
  private readonly subscriptions = [DRAFT, TEXT].map((scheme) => vscode.workspace.registerTextDocumentContentProvider(scheme, this));
  private count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.texts.get(query)?.text ?? '';
  }

  // Adds a text. The name decides its language. With `file`, the text is a draft that the person can put into that
  // file.
  add(name: string, text: string, file?: string): vscode.Uri {
    this.count += 1;
    const query = String(this.count);
    this.texts.set(query, { text, file });
    this.texts.delete(String(this.count - MAX_TEXTS));
    return documentUri(file === undefined ? TEXT : DRAFT, name, query);
  }

  // Puts a draft into its file, without saving, so that the person can undo it.
  async take({ query }: vscode.Uri): Promise<void> {
    const { text, file } = this.texts.get(query) ?? {};
    if (text === undefined || file === undefined) {
      return;
    }
    const document = await vscode.workspace.openTextDocument(file);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  // Shows the text before a change on the left, and the text after it on the right.
  async compare(name: string, before: string, after: string, title: string): Promise<void> {
    await showDiff(this.add(name, before), this.add(name, after), title, { preview: true });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
