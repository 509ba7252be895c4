// Navigation between the changes of a proposal, including those that VS Code's own keys skip because it does not colour
// them: dropped changes and changes of whitespace. And navigation between proposals.

import * as vscode from 'vscode';
import type { SeenReviews } from '../accept/seenReviews';
import type { Hunk } from '../companion/protocol';
import { activeUri, editorOf, goTo, show } from './diffEditor';
import { placesOf } from './hunkPositions';
import { inform, say } from '../messages/window';
import { ORIGINAL, PROPOSAL, type Review, type Reviews } from '../reviews/reviews';

export const sayNone = (): undefined => void inform('No proposal waits.');

export class Navigation {
  // The change that was reached last, because several changes can be at one line.
  private last: { review: Review; index: number; line: number } | undefined;

  constructor(private readonly reviews: Reviews, private readonly seen: SeenReviews) {}

  // Shows the next or the previous proposal.
  next(by: 1 | -1): unknown {
    const waiting = this.reviews.list();
    const uri = activeUri();
    const here = this.reviews.of(uri);
    const at = here ? waiting.indexOf(here) : by > 0 ? -1 : 0;
    // Chooses the proposal for the active file, otherwise the one after that in the active tab, otherwise the oldest.
    const review = here && uri?.scheme === 'file' ? here : waiting[(at + by + waiting.length) % waiting.length];
    return review ? show(review) : sayNone();
  }

  // Goes to the next or the previous change of the proposal in the active tab.
  async nextChange(by: 1 | -1): Promise<void> {
    const review = this.reviews.of(activeUri());
    const editor = review && editorOf(review);
    if (!review || !editor || review.hunks.length === 0) {
      say('Changes are in a proposal: Alt+N shows the next one.');
      return;
    }
    const count = review.hunks.length;
    const at = this.position(review, editor, by);
    const index = (at + count) % count;
    if (index !== at) {
      say(by > 0 ? 'After the last change: the first one.' : 'Before the first change: the last one.');
    }
    await this.goToChange(review, editor, index);
  }

  // Goes to the next unseen change, also in another proposal.
  async nextUnseen(): Promise<void> {
    const front = this.reviews.of(activeUri());
    const editor = front && editorOf(front);
    if (front && editor && !this.seen.isSeen(front)) {
      const after = front.hunks.length > 0 ? this.position(front, editor, 1) : 0;
      return this.showUnseen(front, after);
    }
    const review = this.reviews.list().find((candidate) => !this.seen.isSeen(candidate));
    if (review) {
      return this.showUnseen(review);
    }
    return this.reviews.list().length > 0 ? void inform('You have seen every change that waits.') : sayNone();
  }

  // Shows the first unseen change of a proposal, starting at a change.
  async showUnseen(review: Review, after = 0): Promise<void> {
    const place = this.seen.firstUnseen(review, after) ?? this.seen.firstUnseen(review);
    await show(review);
    const editor = editorOf(review);
    if (!place || !editor) {
      return;
    }
    const painted = review.hunks.length > 0 ? placesOf(review)[place.index] : undefined;
    if (painted && place.line <= painted.current.start) {
      await this.goToChange(review, editor, place.index);
    } else {
      // The unseen rest of a change that is larger than the screen.
      goTo(editor, place.line, 0, true);
    }
  }

  // Returns the change that was reached last, if the cursor touches it and is in no other change.
  changeHere(review: Review): Hunk | undefined {
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    const at = selection?.active.line;
    if (this.last?.review !== review || document?.uri.scheme !== PROPOSAL || at === undefined) {
      return undefined;
    }
    const { index } = this.last;
    const here = placesOf(review).flatMap(({ current: { start, end } }, of) => (start <= at && at <= end ? [{ of, isIn: at < end }] : []));
    const isFree = here.every(({ of, isIn }) => of === index || !isIn);
    return isFree && here.some(({ of }) => of === index) ? review.hunks[index] : undefined;
  }

  private async goToChange(review: Review, editor: vscode.TextEditor, index: number): Promise<void> {
    if (vscode.window.activeTextEditor?.document.uri.scheme === ORIGINAL) {
      await vscode.commands.executeCommand('diffEditor.switchSide');
    }
    const { first: { line, column } } = placesOf(review)[index]!;
    goTo(editor, line, column);
    this.last = { review, index, line: editor.selection.active.line };
  }

  // Returns the index after or before the change at the cursor; it may be outside the list.
  private position(review: Review, editor: vscode.TextEditor, by: 1 | -1): number {
    const { line } = editor.selection.active;
    if (this.last?.review === review && this.last.line === line && this.last.index < review.hunks.length) {
      return this.last.index + by;
    }
    const places = placesOf(review);
    if (by > 0) {
      const next = places.findIndex(({ first }) => first.line > line);
      return next < 0 ? places.length : next;
    }
    return places.findLastIndex(({ first }) => first.line < line);
  }
}
