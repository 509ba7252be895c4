// Accepting together what the person has seen: watches which changes come on the screen, asks once, and says the end.

import * as vscode from 'vscode';
import type { Decider } from './deciding';
import { PROPOSAL, type Review, type Reviews } from './reviews';
import { SeenChanges, type SeenPart } from './seen';
import { type AcceptedTogether, listed, question, sentence } from './together';
import { ask, inform, tell, warn } from './window';

export class SeenReviews implements vscode.Disposable {
  private readonly seen = new WeakMap<Review, SeenChanges>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly reviews: Reviews) {
    const look = (): void => vscode.window.visibleTextEditors.forEach((editor) => this.look(editor));
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.look(textEditor)),
      vscode.window.onDidChangeVisibleTextEditors(look),
      reviews.onDidChange(look),
    ];
  }

  // How much of a review was on the screen as it is now.
  count(review: Review): SeenPart {
    return this.of(review).count(review);
  }

  private of(review: Review): SeenChanges {
    const known = this.seen.get(review) ?? new SeenChanges();
    this.seen.set(review, known);
    return known;
  }

  private look({ document, visibleRanges }: vscode.TextEditor): void {
    const review = document.uri.scheme === PROPOSAL ? this.reviews.of(document.uri) : undefined;
    // Between a change and the text that shows it, lines have other places.
    if (review && review.text === review.current
      && this.of(review).look(review, visibleRanges.map(({ start, end }) => ({ start: start.line, end: end.line + 1 })))) {
      this.changes.fire();
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changes).dispose();
  }
}

// The list stays as it is while the person reads it.
export async function acceptSeen(reviews: Reviews, seen: SeenReviews, decider: Decider): Promise<void> {
  const { ready, others, text, detail, yes } = question(reviews.list().map((review) => listed(review, seen.count(review))));
  if (!yes) {
    void tell(text, detail);
    return;
  }
  if (!await ask(text, detail, yes)) {
    return;
  }
  const end: AcceptedTogether = { accepted: 0, changed: 0, ended: 0, others: others.length, refused: [] };
  for (const { review, revision } of ready) {
    const waits = await decider.acceptListed(review, revision);
    if (waits === undefined) {
      end.accepted += 1;
    } else if (typeof waits === 'string') {
      end[waits] += 1;
    } else {
      end.refused.push(waits.why);
    }
  }
  void (end.changed + end.ended + end.refused.length > 0 ? warn : inform)(sentence(end));
}
