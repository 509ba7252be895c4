// Keeps the text on the right equal to the companion's, which merges what several desks type.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import { messageOf, refusal, type SetText } from './protocol';
import { proposalUri, type Review, type Reviews } from './reviews';
import { replace, shows } from './text';

// After the last key, in milliseconds.
const DELAY = 300;

export class Sender implements vscode.Disposable {
  private readonly timers = new Map<Review, NodeJS.Timeout>();
  // How many texts of a review are on their way.
  private readonly sending = new Map<Review, number>();
  private readonly following = new Set<Review>();
  private readonly subscriptions: vscode.Disposable[];
  private hasWarned = false;

  constructor(private readonly reviews: Reviews, private readonly companion: Companion) {
    this.subscriptions = [
      reviews.onDidEdit((review) => this.sendSoon(review)),
      reviews.onDidOpenDocument((review) => void this.follow(review)),
      // The document that was behind another one can be saved now.
      vscode.window.onDidChangeActiveTextEditor(() => this.reviews.list().forEach((review) => void this.follow(review))),
    ];
  }

  private sendSoon(review: Review): void {
    clearTimeout(this.timers.get(review));
    this.timers.delete(review);
    if (review.decided === undefined) {
      this.timers.set(review, setTimeout(() => void this.send(review), DELAY));
    }
  }

  // Sends nothing more: the review has ended, or the decision has the text.
  stop(review: Review): void {
    clearTimeout(this.timers.get(review));
    this.timers.delete(review);
  }

  // Sends what the person typed. Unless it has to be `now`, a text waits for an earlier one that is on its way.
  async send(review: Review, now = false): Promise<void> {
    this.stop(review);
    const count = this.sending.get(review) ?? 0;
    if (!review.unsent || review.ended || (count > 0 && !now)) {
      return;
    }
    const { id, base, text } = review;
    this.sending.set(review, count + 1);
    const answer = await this.companion.request<SetText>('alongside/setReviewText', { id, revision: base, text }).then(
      (set) => () => this.sent(review, text, set),
      (error: unknown) => () => this.refused(review, error),
    );
    this.sending.set(review, (this.sending.get(review) ?? 1) - 1);
    await answer();
  }

  private async sent(review: Review, text: string, answer: SetText): Promise<void> {
    this.hasWarned = false;
    if (this.sending.get(review) || review.ended) {
      // A later answer counts.
      return;
    }
    if (review.text !== text) {
      // Later edits are based on this text, or are merged with what it was merged with.
      review.base = answer.text === undefined ? answer.revision : review.base;
      return this.send(review);
    }
    if (answer.text === undefined || await this.show(review, answer.text)) {
      review.unsent = review.text !== (answer.text ?? text);
      review.base = answer.revision;
    }
    await this.follow(review);
  }

  private async refused(review: Review, error: unknown): Promise<void> {
    if (review.ended) {
      return;
    }
    if (refusal(error) === 'stale' && review.base !== review.revision) {
      // The text is too old to be merged: it wins.
      review.base = review.revision;
      return this.send(review);
    }
    // A server that returns names the review again, and gets the text then.
    if (!this.hasWarned) {
      this.hasWarned = true;
      void vscode.window.showWarningMessage(`Your text is only in this editor. ${messageOf(error)}`);
    }
  }

  // Shows the newest text, unless there are unsent edits, and saves it: closing the tab loses nothing.
  async follow(review: Review): Promise<void> {
    if (this.following.has(review)) {
      return;
    }
    this.following.add(review);
    while (!review.unsent && !review.ended && !this.sending.get(review)) {
      const { current, revision } = review;
      if (await this.show(review, current) && !review.unsent) {
        review.base = revision;
      }
      if (review.revision === revision) {
        break;
      }
    }
    this.following.delete(review);
    await this.save(review);
  }

  private async show(review: Review, text: string): Promise<boolean> {
    const document = this.reviews.document(review);
    review.incoming = text;
    const isShown = !document || await replace(document, text);
    review.incoming = undefined;
    if (isShown && (!document || shows(document, text))) {
      review.text = text;
    }
    return isShown;
  }

  // `document.save()` would run what the person wants before each save of a file, such as a formatter.
  private async save(review: Review): Promise<void> {
    const document = this.reviews.document(review);
    const isInFront = vscode.window.activeTextEditor?.document === document && vscode.window.state.focused;
    if (document?.isDirty && !review.unsent && isInFront && proposalUri(review).toString() === document.uri.toString()) {
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
    }
  }

  // The agent is about to take the text.
  async flush(id: number): Promise<void> {
    const review = this.reviews.get(id);
    if (review) {
      await this.send(review, true);
    }
  }

  // The server is here again, and lacks what was typed meanwhile.
  sendAgain(): void {
    this.reviews.list().filter(({ unsent }) => unsent).forEach((review) => this.sendSoon(review));
  }

  dispose(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
