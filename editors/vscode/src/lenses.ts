// The lines above each change of a proposal: its state, what a click does, and in words what nobody sees.

import * as vscode from 'vscode';
import type { Hunk } from './protocol';
import { PROPOSAL, proposalUri, type Review, type Reviews } from './reviews';
import { hardToSee, isAboutUnseen } from './unseen';
import { lens } from './window';

// VS Code does not ask for the lenses of a diff editor that it has just opened.
const DELAY = 500;

// VS Code lays all lenses out: a proposal of more changes has only the first ones of each, and commands for the rest.
const MANY = 500;

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly reviews: Reviews) {
    this.subscriptions = [
      vscode.languages.registerCodeLensProvider({ scheme: PROPOSAL }, this),
      reviews.onDidChange(() => this.changes.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('diffEditor') && this.changes.fire()),
      vscode.window.onDidChangeVisibleTextEditors(() => setTimeout(() => this.changes.fire(), DELAY)),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.reviews.of(document.uri);
    if (!review) {
      return [];
    }
    // Each change says that by itself.
    const notes = review.display.notes.filter((note) => !isAboutUnseen(note)).map(({ text, warning }) => lens(0, warning ? 'warning' : 'info', text));
    const last = document.lineCount - 1;
    const offersBlanks = leavesOutBlanks(document);
    const hunks = review.hunks.flatMap((hunk, index) =>
      lensesOf(review, hunk, index, Math.min(hunk.current.start, last), offersBlanks));
    return [...notes, ...hunks];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changes).dispose();
  }
}

// The lens that is needed first stands first: half of a window has no place for all of it.
function lensesOf(review: Review, hunk: Hunk, index: number, line: number, offersBlanks: boolean): vscode.CodeLens[] {
  const given = [review.id, hunk];
  const found = [lens(line, '', stateOf(review, index))];
  if (hunk.state === 'dropped') {
    found.push(lens(line, 'add', 'Keep', 'alongside.keepHunk', [...given, true]));
    found.push(lens(line, 'eye', 'Show what was proposed', 'alongside.showProposed', given));
  } else {
    found.push(lens(line, 'discard', 'Drop', 'alongside.keepHunk', [...given, false]));
  }
  const words = hardToSee(review, index);
  if (words) {
    found.push(lens(line, 'warning', words));
  }
  if (review.hunks.length > MANY) {
    return found;
  }
  if (words && /blank|tab/.test(words) && offersBlanks) {
    found.push(lens(line, '', 'Show blanks', 'alongside.showBlanks'));
  }
  if (hunk.reason !== undefined) {
    found.push(lens(line, 'comment', `Why: ${hunk.reason.split('\n').join('; ')}`, 'alongside.dropWithReason', given));
  } else if (review.reasons && review.hunks.length === 1) {
    // Without its only change, nothing is left to accept.
    found.push(lens(line, 'comment', 'Reject with a reason…', 'alongside.rejectWithReason', [proposalUri(review)]));
  } else if (review.reasons && hunk.state !== 'dropped') {
    found.push(lens(line, 'comment', 'Drop with a reason…', 'alongside.dropWithReason', given));
  }
  if (hunk.state !== 'dropped' && Math.max(hunk.original.end - hunk.original.start, hunk.proposed.end - hunk.proposed.start) > 1) {
    found.push(lens(line, '', 'Split', 'alongside.splitHunk', given));
  }
  return found;
}

// Whether VS Code shows no difference where only blanks at both ends of a line differ: its default, but not in all languages.
const leavesOutBlanks = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('diffEditor', document).get<boolean>('ignoreTrimWhitespace') ?? true;

// The first line of a change's diff ends with `change 1 of 2: kept`.
export const stateOf = ({ display, hunks }: Review, index: number): string =>
  /change \d+ of \d+: .*/.exec(display.diff[index]?.split('\n')[0] ?? '')?.[0] ?? hunks[index]?.state ?? '';
