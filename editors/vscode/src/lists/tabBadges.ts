// The badge with the number of changes on the tab of a proposal, whose title may be cut. Splitting a change updates it.

import * as vscode from 'vscode';
import { badge } from '../messages/window';
import { PROPOSAL, proposalUri, type Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';

export class Badges extends Subscriber implements vscode.FileDecorationProvider {
  private readonly changes = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changes.event;

  constructor(private readonly reviews: Reviews) {
    super();
    this.own(
      vscode.window.registerFileDecorationProvider(this),
      reviews.onDidChange(() => this.changes.fire(reviews.list().map(proposalUri))),
      this.changes,
    );
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const count = (uri.scheme === PROPOSAL && this.reviews.of(uri)?.hunks.length) || 0;
    return count > 0 ? badge(count, count === 1 ? '1 change' : `${count} changes`) : undefined;
  }
}
