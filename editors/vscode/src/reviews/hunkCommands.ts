// Commands on the changes of a proposal: keep, drop, split, give a reason, undo. The companion first gets the typed
// text and may find other changes then, so each command identifies the change that the person saw.

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
  // The reasons of dropped or edited changes.
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

  // Removes the reasons of changes that are kept again: the agent must not read them.
  async forgetReasons(review: Review): Promise<void> {
    const known = this.dropped.get(review) ?? new Set<string>();
    this.dropped.set(review, known);
    for (const [index, hunk] of review.hunks.entries()) {
      const key = `${placeOf(hunk)}\n${hunk.reason}`;
      if (hunk.reason !== undefined && hunk.state !== 'kept') {
        known.add(key);
      } else if (hunk.reason !== undefined && known.delete(key)) {
        // The reply of the companion calls this function again for the next reason. Another desk may already have
        // removed the reason.
        const params = { id: review.id, revision: review.revision, hunk: index, reason: '' };
        return void await this.companion.request('alongside/setReason', params).catch(() => undefined);
      }
    }
  }

  async toggle(review: Review, hunk: Hunk): Promise<void> {
    await this.keep(review, hunk, hunk.state === 'dropped');
  }

  // Asks for a reason, which also drops a kept change.
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

  // Undoes the last edit of any desk. VS Code's own undo in the text undoes the person's edits.
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

  // Returns the change at the cursor, on either side.
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

// Returns the change at a line of either side, otherwise one next to it.
export function hunkAt(review: Review, document: vscode.TextDocument, line: number): Hunk | undefined {
  const index = indexAt(review, document.uri.scheme === ORIGINAL ? 'original' : 'current', line, document.lineCount - 1);
  return index === undefined ? undefined : review.hunks[index];
}

// Identifies a change: its lines in original and proposal stay while the text is edited.
const placeOf = ({ original, proposed }: Hunk): string => [original.start, original.end, proposed.start, proposed.end].join();
