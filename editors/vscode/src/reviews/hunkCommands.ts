// Work on the changes of a proposal: keeping, dropping, splitting, reasons, undo. The companion gets what the person typed
// first, and finds the changes anew: each of these names the change that the person saw.

import * as vscode from 'vscode';
import type { Companion } from '../companion/companion';
import type { Hunk } from '../companion/protocol';
import { indexAt } from '../diff/hunkPositions';
import type { Navigation } from '../diff/navigation';
import { inform, say } from '../messages/window';
import type { Reasons } from './reasons';
import { ORIGINAL, type Review } from './reviews';
import type { Sender } from './textSync';

export class Changer {
  // The reasons of changes that were dropped or edited.
  private readonly dropped = new WeakMap<Review, Set<string>>();

  constructor(
    private readonly companion: Companion,
    private readonly sender: Sender,
    private readonly reasons: Reasons,
    private readonly navigation: Navigation,
  ) {}

  async keep(review: Review, seen: Hunk, keep: boolean): Promise<void> {
    const index = await this.find(review, seen);
    if (index !== undefined) {
      await this.change(review, 'alongside/keepHunks', { hunks: [index], keep });
    }
  }

  // A reason was given for dropping or editing a change: of one that is kept again, no agent is to read it.
  async forgetReasons(review: Review): Promise<void> {
    const known = this.dropped.get(review) ?? new Set<string>();
    this.dropped.set(review, known);
    for (const [index, hunk] of review.hunks.entries()) {
      const key = `${placeOf(hunk)}\n${hunk.reason}`;
      if (hunk.reason !== undefined && hunk.state !== 'kept') {
        known.add(key);
      } else if (hunk.reason !== undefined && known.delete(key)) {
        // The answer brings the next one. Another desk may be faster.
        const params = { id: review.id, revision: review.revision, hunk: index, reason: '' };
        return void await this.companion.request('alongside/setReason', params).catch(() => undefined);
      }
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
    const hunk = this.navigation.changeHere(review) ?? hunkAt(review, editor.document, editor.selection.active.line);
    return hunk ?? void inform('No change is at the cursor. Alt+F5 goes to the next one.');
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

  private change({ id, revision }: Review, method: string, params: object): Promise<boolean> {
    return this.companion.ask(method, { id, revision, ...params });
  }
}

// The change at a line of either side, else the one beside it.
export function hunkAt(review: Review, document: vscode.TextDocument, line: number): Hunk | undefined {
  const index = indexAt(review, document.uri.scheme === ORIGINAL ? 'original' : 'current', line, document.lineCount - 1);
  return index === undefined ? undefined : review.hunks[index];
}

// This stays while the text around a change changes.
const placeOf = ({ original, proposed }: Hunk): string => [original.start, original.end, proposed.start, proposed.end].join();
