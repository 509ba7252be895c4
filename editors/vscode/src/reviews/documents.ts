// The two documents of a review, as files: the read-only original on the left, and the proposal on the right. As files
// they survive a reload of the window. Saving the proposal decides nothing.

import * as vscode from 'vscode';
import { ORIGINAL, PROPOSAL, proposalUri, type Review, Reviews } from './reviews';
import { Subscriber } from '../subscriber';

const BYTE_ORDER_MARK = '\uFEFF';

export class Documents extends Subscriber implements vscode.FileSystemProvider {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  // `settled` resolves when every waiting review is known: VS Code restores tabs earlier.
  constructor(private readonly reviews: Reviews, private readonly settled: Promise<void>) {
    super();
    this.own(
      vscode.workspace.registerFileSystemProvider(PROPOSAL, this, { isCaseSensitive: true }),
      vscode.workspace.registerFileSystemProvider(ORIGINAL, this, { isCaseSensitive: true, isReadonly: true }),
      this.changes,
    );
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.file(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { text } = await this.file(uri);
    const files = vscode.workspace.getConfiguration('files', uri);
    // The byte-order mark makes VS Code read UTF-8, whatever encoding the person has set for files.
    const isUnmarked = files.get('encoding') === 'utf8' && files.get('autoGuessEncoding') !== true;
    return Buffer.from(isUnmarked ? text : BYTE_ORDER_MARK + text);
  }

  // Only records the save: the companion gets the text as the person types.
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { mtime } = await this.file(uri);
    const text = Buffer.from(content).toString().replace(BYTE_ORDER_MARK, '');
    (await this.review(uri)).saved = { text, mtime: mtime + 1 };
  }

  // Returns the text and the time of a document. VS Code reports a conflict if size or time differ from its last save.
  private async file(uri: vscode.Uri): Promise<{ text: string; mtime: number }> {
    const review = await this.review(uri);
    if (uri.scheme === ORIGINAL) {
      return { text: review.original ?? '', mtime: 0 };
    }
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
      throw vscode.FileSystemError.FileNotFound('This proposal has ended.');
    }
    return review;
  }

  // Reports an ended review as deleted, so that VS Code does not offer to reopen its closed tabs.
  forget(review: Review): void {
    this.changes.fire([{ type: vscode.FileChangeType.Deleted, uri: proposalUri(review) }]);
  }

  readonly watch = (): vscode.Disposable => new vscode.Disposable(() => undefined);
  readonly readDirectory = (): [string, vscode.FileType][] => [];
  readonly createDirectory = refuse;
  readonly delete = refuse;
  readonly rename = refuse;
}

function refuse(): never {
  throw vscode.FileSystemError.NoPermissions();
}
