// Accepting, rejecting, keeping and dropping: only by commands that the person gives.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import { messageOf, refusal } from './protocol';
import { proposalUri, type Review } from './reviews';
import type { Sender } from './sending';
import { activeUri, show, tabsOf } from './view';

// A key or a click that comes twice must not decide the proposal that comes to the front meanwhile, in milliseconds.
const GLANCE = 400;

export class Decider implements vscode.Disposable {
  private front = '';
  private frontSince = 0;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly companion: Companion, private readonly sender: Sender) {
    this.subscription = vscode.window.tabGroups.onDidChangeTabs(() => {
      const front = activeUri()?.toString() ?? '';
      if (front !== this.front) {
        this.front = front;
        this.frontSince = Date.now();
      }
    });
  }

  // Whether the person means this review: it is in front, or its file is, or they have named it in a list. Any
  // other one is shown first.
  private async isMeant(review: Review, isNamed: boolean, verb: 'accept' | 'reject'): Promise<boolean> {
    const uri = activeUri();
    if (uri?.toString() === proposalUri(review).toString()) {
      const isSeen = isNamed || Date.now() - this.frontSince > GLANCE;
      if (!isSeen) {
        vscode.window.setStatusBarMessage(`${review.display.name} has just come to the front. To ${verb} it, do that again.`, 5000);
      }
      return isSeen;
    }
    const isHere = uri?.scheme === 'file' && uri.fsPath === review.file;
    if ((isNamed || isHere) && (verb === 'reject' || tabsOf(review).length > 0)) {
      return true;
    }
    await show(review);
    void vscode.window.showInformationMessage(`Look at ${review.display.name} first, then ${verb} it.`);
    return false;
  }

  async accept(review: Review, isNamed: boolean): Promise<void> {
    const { name, notes } = review.display;
    if (!await this.isMeant(review, isNamed, 'accept')) {
      return;
    }
    const warnings = notes.filter(({ warning }) => warning).map(({ text }) => text);
    if (warnings.length === 0 || await ask(`Accept ${name} all the same?`, warnings.join('\n'), 'Accept')) {
      await this.decide(review, 'accept');
    }
  }

  async reject(review: Review, isNamed: boolean): Promise<void> {
    const { name } = review.display;
    if (!await this.isMeant(review, isNamed, 'reject')) {
      return;
    }
    const isEdited = review.unsent || review.hunks.some(({ state }) => state === 'edited')
      || (review.hunks.length === 0 && review.text !== review.proposed);
    if (!isEdited || await ask(`${name} has your edits.`, 'Rejecting moves them to the drafts.', 'Reject')) {
      await this.decide(review, 'reject');
    }
  }

  private async decide(review: Review, decision: 'accept' | 'reject'): Promise<void> {
    if (review.ended || review.decided !== undefined) {
      return;
    }
    // The decision has the text.
    this.sender.stop(review);
    const { id, base, text } = review;
    review.decided = text;
    try {
      await this.companion.request('alongside/decideReview', { id, revision: base, text, decision });
    } catch (error) {
      review.decided = undefined;
      void this.sender.send(review);
      const why = refusal(error);
      const ways = why === 'unchanged' || why === 'empty' ? ['Reject'] : [];
      if (await vscode.window.showWarningMessage(messageOf(error), ...ways) && !review.ended) {
        await this.decide(review, 'reject');
      }
    }
  }

  // `count` is how many changes the person saw.
  async keep(review: Review, count: number, index: number, keep: boolean): Promise<void> {
    await this.sender.send(review);
    if (review.unsent || review.hunks.length !== count) {
      return;
    }
    const { id, revision } = review;
    try {
      await this.companion.request('alongside/keepHunks', { id, revision, hunks: [index], keep });
    } catch (error) {
      void vscode.window.showWarningMessage(messageOf(error));
    }
  }

  async toggle(review: Review, line: number): Promise<void> {
    const index = review.hunks.findIndex(({ current: { start, end } }) => start <= line && line < Math.max(end, start + 1));
    const hunk = review.hunks[index];
    if (hunk) {
      await this.keep(review, review.hunks.length, index, hunk.state === 'dropped');
    } else {
      vscode.window.setStatusBarMessage('No change is at the cursor.', 3000);
    }
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

async function ask(question: string, detail: string, yes: string): Promise<boolean> {
  return await vscode.window.showWarningMessage(question, { modal: true, detail }, yes) === yes;
}
