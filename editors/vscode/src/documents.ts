// The two documents of a review: the file on the left, and on the right the proposal, as a file that VS Code can
// edit. Saving that one decides nothing.

import * as vscode from 'vscode';
import { ORIGINAL, PROPOSAL, type Review, Reviews } from './reviews';

const BYTE_ORDER_MARK = '\uFEFF';

export class Documents implements vscode.FileSystemProvider, vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onDidChangeFile = this.changes.event;

  // `settled` is when every review that waits is here: VS Code restores tabs earlier.
  constructor(private readonly reviews: Reviews, private readonly settled: Promise<void>) {
    this.subscriptions = [
      vscode.workspace.registerFileSystemProvider(PROPOSAL, this, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(ORIGINAL, this),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return (await this.review(uri)).original ?? '';
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = this.file(await this.review(uri));
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { text } = this.file(await this.review(uri));
    const files = vscode.workspace.getConfiguration('files', uri);
    // The mark makes VS Code read UTF-8, whatever the encoding of the person's files is.
    const isUnmarked = files.get('encoding') === 'utf8' && files.get('autoGuessEncoding') !== true;
    return Buffer.from(isUnmarked ? text : BYTE_ORDER_MARK + text);
  }

  // The text itself is known: it goes to the companion as the person types.
  async writeFile(uri: vscode.Uri): Promise<void> {
    const review = await this.review(uri);
    review.saved = { text: review.text, mtime: this.file(review).mtime + 1 };
  }

  // VS Code takes another size and time than those of its own last save for a conflict.
  private file(review: Review): { text: string; mtime: number } {
    const { saved, text } = review;
    if (!saved || (saved.text !== text && !this.reviews.document(review))) {
      review.saved = { text, mtime: (saved?.mtime ?? 0) + 1 };
    }
    return review.saved!;
  }

  private async review(uri: vscode.Uri): Promise<Review> {
    if (!this.reviews.at(uri)) {
      await this.settled;
    }
    const review = this.reviews.at(uri);
    if (!review) {
      throw vscode.FileSystemError.FileNotFound('This review has ended.');
    }
    return review;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changes).dispose();
  }
}
