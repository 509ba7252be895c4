// Accepting, rejecting, keeping and dropping: only by commands that the person gives.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import { type Hunk, messageOf, refusal } from './protocol';
import { ORIGINAL, proposalUri, type Review, textParams } from './reviews';
import type { Sender } from './sending';
import { activeUri, show, tabsOf } from './view';
import { ask, inform, say, warn } from './window';

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

  // Whether the person means this review: it is in front, or its file is, or they have named it in a list. A proposal
  // that no one sees is shown before it is accepted, and any other one before it is rejected, too.
  private async isMeant(review: Review, isNamed: boolean, verb: 'accept' | 'reject'): Promise<boolean> {
    const uri = activeUri();
    if (uri?.toString() === proposalUri(review).toString()) {
      const isSeen = isNamed || Date.now() - this.frontSince > GLANCE;
      if (!isSeen) {
        say(`${review.display.name} has just come to the front. To ${verb} it, do that again.`);
      }
      return isSeen;
    }
    const isHere = uri?.scheme === 'file' && uri.fsPath === review.file;
    if ((isNamed || isHere) && (verb === 'reject' || tabsOf(review).some(({ isActive }) => isActive))) {
      return true;
    }
    await show(review);
    void inform(`Look at ${review.display.name} first, then ${verb} it.`);
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
    review.decided = review.text;
    try {
      await this.companion.request('alongside/decideReview', { ...textParams(review), decision });
    } catch (error) {
      review.decided = undefined;
      void this.sender.send(review);
      const why = refusal(error);
      const ways = why === 'unchanged' || why === 'empty' ? ['Reject'] : [];
      if (await warn(messageOf(error), ...ways) && !review.ended) {
        await this.decide(review, 'reject');
      }
    }
  }

  // The companion gets what the person typed first, and finds the changes anew. `seen` is the change that the person saw.
  async keep(review: Review, seen: Hunk, keep: boolean): Promise<void> {
    await this.sender.send(review);
    const index = review.hunks.findIndex((hunk) => placeOf(hunk) === placeOf(seen));
    if (review.unsent || index < 0) {
      return say(`${review.unsent ? 'The companion lacks your text' : 'Your text has altered this change'}: look at it again.`);
    }
    const { id, revision } = review;
    try {
      await this.companion.request('alongside/keepHunks', { id, revision, hunks: [index], keep });
    } catch (error) {
      void warn(messageOf(error));
    }
  }

  async toggle(review: Review | undefined): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!review || !editor) {
      return;
    }
    await this.sender.send(review);
    const { document, selection: { active: { line } } } = editor;
    // The empty line after the last line ending belongs to no change, but is shown in the colour of the last one.
    const last = document.lineCount - 1;
    const isAfter = line === last && document.lineAt(line).text === '';
    const side = document.uri.scheme === ORIGINAL ? 'original' : 'current';
    const hunk = review.hunks.find(({ [side]: { start, end } }) =>
      (Math.min(start, last) <= line && line < Math.max(end, start + 1)) || (isAfter && end === last));
    await (hunk ? this.keep(review, hunk, hunk.state === 'dropped') : say('No change is at the cursor.'));
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

// This stays while the text around a change changes.
const placeOf = ({ original, proposed }: Hunk): string => [original.start, original.end, proposed.start, proposed.end].join();
