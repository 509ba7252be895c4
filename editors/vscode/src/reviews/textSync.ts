// Keeps the text in the editor on the right equal to the companion's, which merges the edits of several desks.

import * as vscode from 'vscode';
import type { Companion } from '../companion/companion';
import { messageOf, refusal } from '../companion/protocol';
import { activeUri } from '../diff/diffEditor';
import { replace, shows } from './exactText';
import { warn } from '../messages/window';
import { type Review, type Reviews, textParams } from './reviews';
import { Subscriber } from '../subscriber';

// The delay after the last key, and the longest delay after the first one, in milliseconds.
const DELAY = 300;
const LONGEST_DELAY = 1000;

export class Sender extends Subscriber {
  private readonly timers = new Map<Review, NodeJS.Timeout>();
  // The time of the first unsent edit of a review.
  private readonly waiting = new Map<Review, number>();
  // The number of requests in flight for a review.
  private readonly sending = new Map<Review, number>();
  private readonly following = new Set<Review>();
  private hasWarned = false;

  constructor(private readonly reviews: Reviews, private readonly companion: Companion) {
    super();
    this.own(
      reviews.onDidEdit((review) => this.sendSoon(review)),
      reviews.onDidOpenDocument((review) => void this.follow(review)),
      // A document that was hidden by another one can be saved now.
      vscode.window.onDidChangeActiveTextEditor(() => reviews.list().forEach((review) => void this.follow(review))),
      { dispose: () => this.timers.forEach((timer) => clearTimeout(timer)) },
    );
  }

  private sendSoon(review: Review): void {
    const since = this.waiting.get(review) ?? Date.now();
    this.stop(review);
    if (review.decided === undefined) {
      this.waiting.set(review, since);
      const delay = Math.max(0, Math.min(DELAY, since + LONGEST_DELAY - Date.now()));
      this.timers.set(review, setTimeout(() => void this.send(review), delay));
    }
  }

  // Cancels a scheduled request: the review has ended, or the decision sends the text.
  stop(review: Review): void {
    clearTimeout(this.timers.get(review));
    this.timers.delete(review);
    this.waiting.delete(review);
  }

  // Sends the typed text. The server handles one text after the other.
  async send(review: Review): Promise<void> {
    this.stop(review);
    if (!review.unsent || review.ended) {
      return;
    }
    const { text } = review;
    this.count(review, 1);
    try {
      await this.companion.request('alongside/setReviewText', textParams(review));
      this.count(review, -1);
      await this.sent(review, text);
    } catch (error) {
      this.count(review, -1);
      await this.refused(review, error);
    }
  }

  private count(review: Review, change: number): void {
    this.sending.set(review, (this.sending.get(review) ?? 0) + change);
  }

  // Handles a reply: the companion has the text, merged with the changes of other desks, and its message about the
  // merged text came before the reply.
  private async sent(review: Review, text: string): Promise<void> {
    this.hasWarned = false;
    // Only the last reply counts.
    if (this.sending.get(review) || review.ended) {
      return;
    }
    const { current, revision } = review;
    if (review.text !== text) {
      // Later edits are based on this text; if it was merged, the server merges them in the same way.
      review.base = current === text ? revision : review.base;
      return this.send(review);
    }
    if (current === text || await this.show(review, current)) {
      review.unsent = review.text !== current;
      review.base = revision;
    }
    await this.follow(review);
  }

  private async refused(review: Review, error: unknown): Promise<void> {
    if (refusal(error) === 'stale' && review.base !== review.revision) {
      // The text is too old to be merged, so it replaces the newest text.
      review.base = review.revision;
      await this.send(review);
    } else if (refusal(error) && !review.ended && !this.hasWarned) {
      // An error without a refusal means that there is no server: the next one reports the review again and gets the
      // text.
      this.hasWarned = true;
      void warn(`Your text is only in this editor. ${messageOf(error)}`);
    }
  }

  // Shows the newest text, unless there are unsent edits, and saves the document, so that closing the tab loses
  // nothing.
  async follow(review: Review): Promise<void> {
    if (this.following.has(review)) {
      return;
    }
    this.following.add(review);
    let shown: number | undefined;
    while (shown !== review.revision && !review.unsent && !review.ended && !this.sending.get(review)) {
      const { current, revision } = review;
      shown = revision;
      if (await this.show(review, current) && !review.unsent) {
        review.base = revision;
      }
    }
    this.following.delete(review);
    await this.save(review);
  }

  // Shows a text in the document. Returns false if the person typed meanwhile.
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

  // Saves the document without the person's save actions, such as a formatter, which `document.save()` would run. The
  // command without them saves the document of the active tab, whichever side has the focus.
  private async save(review: Review): Promise<void> {
    const document = this.reviews.document(review);
    // `isDirty` is false if the person typed during the last save.
    const isDirty = document?.isDirty || (document && review.saved && !shows(document, review.saved.text));
    if (!document || !isDirty || review.unsent) {
      return;
    }
    if (activeUri()?.toString() === document.uri.toString()) {
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
    } else if (!isCleanedUp(document)) {
      await document.save();
    }
  }
}

// Whether VS Code changes a document before it saves it.
function isCleanedUp(document: vscode.TextDocument): boolean {
  const files = ['trimTrailingWhitespace', 'trimFinalNewlines', 'insertFinalNewline'];
  const isOn = (section: string, name: string): boolean => vscode.workspace.getConfiguration(section, document).get(name) === true;
  const actions = vscode.workspace.getConfiguration('editor', document).get<object>('codeActionsOnSave') ?? {};
  return isOn('editor', 'formatOnSave') || files.some((name) => isOn('files', name)) || Object.keys(actions).length > 0;
}
