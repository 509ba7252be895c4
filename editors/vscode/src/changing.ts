// Work on the changes of a proposal: keeping, dropping, splitting, reasons, undo. The companion gets what the person typed
// first, and finds the changes anew: each of these names the change that the person saw.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import { type Hunk, messageOf } from './protocol';
import type { Reasons } from './reasons';
import { ORIGINAL, type Review } from './reviews';
import type { Sender } from './sending';
import { say, warn } from './window';

export class Changer {
  constructor(private readonly companion: Companion, private readonly sender: Sender, private readonly reasons: Reasons) {}

  async keep(review: Review, seen: Hunk, keep: boolean): Promise<void> {
    const index = await this.find(review, seen);
    if (index !== undefined) {
      await this.change(review, 'alongside/keepHunks', { hunks: [index], keep });
    }
  }

  async toggle(review: Review, hunk: Hunk): Promise<void> {
    await this.keep(review, hunk, hunk.state === 'dropped');
  }

  // The reason of a change that is kept drops it, too.
  async dropWithReason(review: Review, seen: Hunk): Promise<void> {
    const reason = await this.reasons.ask(review, seen, seen.state === 'kept' ? 'Enter drops the change.' : '');
    if (reason === undefined) {
      return;
    }
    const index = await this.find(review, seen);
    if (index === undefined) {
      return this.reasons.keep(reason);
    }
    const isKept = review.hunks[index]?.state === 'kept';
    if (!await this.reasons.set(review, index, reason) || reason === '') {
      return;
    }
    if (!isKept) {
      say(review.reasons === 'withRejection' ? 'Reason noted. It is read only if you reject.' : 'Reason noted.');
    } else if (await this.change(review, 'alongside/keepHunks', { hunks: [index], keep: false })) {
      say('Dropped, with your reason.');
    }
  }

  async split(review: Review, seen: Hunk): Promise<void> {
    const before = review.hunks.length;
    const index = await this.find(review, seen);
    if (index !== undefined && await this.change(review, 'alongside/splitHunk', { hunk: index })) {
      say(`Split into ${review.hunks.length + 1 - before} changes.`);
    }
  }

  // The last edit of any desk. In the text itself, VS Code's own undo does that, too.
  async undo(review: Review): Promise<void> {
    await this.sender.send(review);
    if (await this.change(review, 'alongside/undoReview', {})) {
      say('Undone.');
    }
  }

  async redo(review: Review): Promise<void> {
    await this.sender.send(review);
    if (await this.change(review, 'alongside/redoReview', {})) {
      say('Redone.');
    }
  }

  // The change at the cursor, on either side.
  async atCursor(review: Review | undefined): Promise<Hunk | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!review || !editor) {
      return undefined;
    }
    await this.sender.send(review);
    const hunk = hunkAt(review, editor.document, editor.selection.active.line);
    return hunk ?? void say('No change is at the cursor.');
  }

  private async find(review: Review, seen: Hunk): Promise<number | undefined> {
    await this.sender.send(review);
    const index = review.hunks.findIndex((hunk) => placeOf(hunk) === placeOf(seen));
    if (review.unsent || index < 0) {
      say(`${review.unsent ? 'The companion lacks your text' : 'Your text has altered this change'}: look at it again.`);
      return undefined;
    }
    return index;
  }

  private async change({ id, revision }: Review, method: string, params: object): Promise<boolean> {
    try {
      await this.companion.request(method, { id, revision, ...params });
      return true;
    } catch (error) {
      void warn(messageOf(error));
      return false;
    }
  }
}

export function hunkAt(review: Review, document: vscode.TextDocument, line: number): Hunk | undefined {
  // The empty line after the last line ending belongs to no change, but is shown in the colour of the last one.
  const last = document.lineCount - 1;
  const isAfter = line === last && document.lineAt(line).text === '';
  const side = document.uri.scheme === ORIGINAL ? 'original' : 'current';
  return review.hunks.find(({ [side]: { start, end } }) =>
    (Math.min(start, last) <= line && line < Math.max(end, start + 1)) || (isAfter && end === last));
}

// This stays while the text around a change changes.
const placeOf = ({ original, proposed }: Hunk): string => [original.start, original.end, proposed.start, proposed.end].join();
