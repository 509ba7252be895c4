// Texts that a person only reads, beside each other in the diff editor: a draft, a file as it was, a change that was accepted
// without them.

import * as vscode from 'vscode';
import { documentUri, showDiff } from './messages/window';

// Of a draft, and of every other text.
const [DRAFT, TEXT] = ['alongside-draft', 'alongside-text'];

const MOST = 50;

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, { text: string; file?: string }>();
  private readonly subscriptions = [DRAFT, TEXT].map((scheme) => vscode.workspace.registerTextDocumentContentProvider(scheme, this));
  private count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.texts.get(query)?.text ?? '';
  }

  // The name gives the language. A text can be that of a file, into which the person takes it.
  add(name: string, text: string, file?: string): vscode.Uri {
    this.count += 1;
    const query = String(this.count);
    this.texts.set(query, { text, file });
    this.texts.delete(String(this.count - MOST));
    return documentUri(file === undefined ? TEXT : DRAFT, name, query);
  }

  // Takes the text in front into its file, which is not saved: the person can undo that.
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

  // The text before a change on the left, and the one after it on the right.
  async compare(name: string, before: string, after: string, title: string): Promise<void> {
    await showDiff(this.add(name, before), this.add(name, after), title, { preview: true });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
