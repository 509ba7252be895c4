// The code lenses above each change of a proposal: its state, the actions, and a sentence about what is hard to see.

import * as vscode from 'vscode';
import type { Hunk, Lines } from '../companion/protocol';
import { BLANKS_AT_START, hardToSee, isAboutUnseen } from './hardToSee';
import { placesOf } from './hunkPositions';
import { lens } from '../messages/window';
import { PROPOSAL, proposalUri, type Review, type Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';
import { ignoresTrimWhitespace } from './whitespace';

// The delay until VS Code requests the lenses of a newly opened diff editor, which it does not do by itself, in
// milliseconds.
const DELAY = 500;

// VS Code lays out all lenses. In a proposal of more than MANY changes, only changes within NEAR lines of the screen
// have lenses.
const MANY = 300;
const NEAR = 400;

// The most characters of a text in a lens: half of a window has no room for more beside the actions.
const MAX_TEXT = 24;
const MAX_NOTE = 48;

const HIDDEN_WHITESPACE = 'Your setting diffEditor.ignoreTrimWhitespace hides changes of blanks at both ends of a line. This shows them, here and in other diffs.';

// The notes about a file that has changed since the proposal.
const DIFFERS = /^The file changed on disk|^An editor holds unsaved/;

export class Lenses extends Subscriber implements vscode.CodeLensProvider {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  // The ranges of lines of large proposals that have lenses.
  private readonly near = new WeakMap<vscode.TextDocument, Lines[]>();

  constructor(private readonly reviews: Reviews) {
    super();
    this.own(
      vscode.languages.registerCodeLensProvider({ scheme: PROPOSAL }, this),
      reviews.onDidChange(() => this.changes.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('diffEditor') && this.changes.fire()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor: { document } }) => this.scrolled(document)),
      vscode.window.onDidChangeVisibleTextEditors(() => setTimeout(() => this.changes.fire(), DELAY)),
      this.changes,
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.reviews.of(document.uri);
    if (!review) {
      return [];
    }
    const last = document.lineCount - 1;
    const leavesOut = ignoresTrimWhitespace(document);
    const near = review.hunks.length > MANY ? stretchesNear(document) : [{ start: 0, end: Infinity }];
    this.near.set(document, near);
    const hunks = placesOf(review).flatMap(({ current: { start } }, index) =>
      (near.some((lines) => lines.start <= start && start < lines.end) ? lensesOf(review, index, Math.min(start, last), leavesOut) : []));
    return [...notesOf(review), ...hunks];
  }

  private scrolled(document: vscode.TextDocument): void {
    const [first] = this.near.get(document) ?? [];
    if (first && first.end !== Infinity && JSON.stringify(this.near.get(document)) !== JSON.stringify(stretchesNear(document))) {
      this.changes.fire();
    }
  }
}

// Returns the ranges of lines that have lenses: those around the screen, in steps so that a short scroll changes
// nothing, and the last lines. New lenses above the last lines would otherwise push them off the screen of a person who
// goes there.
export function stretches(shown: { start: number; end: number }[], lineCount: number): Lines[] {
  const near = shown.map(({ start, end }) => ({ start: (Math.floor(start / NEAR) - 1) * NEAR, end: (Math.floor(end / NEAR) + 2) * NEAR }));
  return [...near, { start: lineCount - NEAR, end: lineCount }];
}

function stretchesNear(document: vscode.TextDocument): Lines[] {
  const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  const shown = editors.flatMap(({ visibleRanges }) => visibleRanges.map(({ start, end }) => ({ start: start.line, end: end.line })));
  return stretches(shown, document.lineCount);
}

// The lenses of notes about the whole proposal. Notes about hidden differences are left to the changes. If a change
// begins at the first line, the notes are shortened to leave room.
function notesOf(review: Review): vscode.CodeLens[] {
  const isBesideChange = placesOf(review).some(({ current: { start } }) => start === 0);
  const notes = review.display.notes.filter((note) => !isAboutUnseen(note) && !DIFFERS.test(note.text)).map(({ text, warning }) =>
    lens(0, warning ? 'warning' : 'info', isBesideChange ? shortened(text, MAX_NOTE) : text, '', [], text));
  if (review.original === undefined) {
    notes.unshift(lens(0, 'new-file', 'New file'));
  }
  const differs = review.display.notes.filter(({ text }) => DIFFERS.test(text)).map(({ text }) => text).join('\n');
  const why = review.stale ? 'Changed on disk' : 'Unsaved changes';
  const compares = review.stale || review.dirty;
  return compares ? [lens(0, 'warning', `${why}: Compare`, 'alongside.compareFile', [proposalUri(review)], differs), ...notes] : notes;
}

// The lenses of a change. The most important action comes first, because half of a window has no room for all actions.
function lensesOf(review: Review, index: number, line: number, leavesOut: boolean): vscode.CodeLens[] {
  const hunk = review.hunks[index]!;
  const given = [review.id, hunk];
  const found = [lens(line, '', `${sideOf(review, index)}${stateOf(review, index)}`)];
  if (hunk.state === 'dropped') {
    found.push(lens(line, 'add', 'Keep', 'alongside.keepHunk', [...given, true]));
  } else {
    found.push(lens(line, 'discard', 'Drop', 'alongside.keepHunk', [...given, false]));
  }
  const words = wordsAbout(review, index, leavesOut);
  if (leavesOut && hunk.state !== 'dropped' && (placesOf(review)[index]!.hasTrimmed || /blank|tab/.test(words ?? ''))) {
    found.push(lens(line, 'eye-closed', 'Show hidden blanks', 'alongside.showBlanks', [], HIDDEN_WHITESPACE));
  }
  if (hunk.state !== 'dropped' && Math.max(lineCount(hunk.original), lineCount(hunk.proposed)) > 1) {
    found.push(lens(line, '', 'Split', 'alongside.splitHunk', given));
  }
  // A change that only the person has written needs no reason for the agent.
  const isOwn = lineCount(hunk.original) + lineCount(hunk.proposed) === 0;
  if (hunk.reason !== undefined && hunk.state !== 'kept') {
    const reason = `Why: ${hunk.reason.split('\n').join('; ')}`;
    found.push(lens(line, 'comment', shortened(reason), 'alongside.dropWithReason', given, reason));
  } else if (review.reasons && review.hunks.length === 1 && !isOwn) {
    // Without its only change, a proposal has nothing to accept.
    found.push(lens(line, 'comment', 'Reject with a reason…', 'alongside.rejectWithReason', [proposalUri(review)]));
  } else if (review.reasons && hunk.state !== 'dropped' && !isOwn) {
    found.push(lens(line, 'comment', 'Drop with a reason…', 'alongside.dropWithReason', given));
  }
  // A hover shows the proposed text as well, so the reason comes before this action.
  if (hunk.state === 'dropped') {
    found.push(lens(line, 'eye', 'Show what was proposed', 'alongside.showProposed', given));
  }
  return found;
}

// Returns a label for deleted lines: they have no line in the text on the right, so the line number of the original
// distinguishes several deletions at one place.
export function sideOf(review: Review, index: number): string {
  const places = placesOf(review);
  const { current: { start, end }, original } = places[index]!;
  const meets = [index - 1, index + 1].some((beside) => places[beside]?.current.start === start);
  return meets && start === end ? `deletes ${original.end - original.start === 1 ? 'line' : 'lines from'} ${original.start + 1}: ` : '';
}

const lineCount = ({ start, end }: Hunk['original']): number => end - start;

const shortened = (words: string, most = MAX_TEXT): string => (words.length > most ? `${words.slice(0, most - 1).trimEnd()}…` : words);

// Returns the companion's sentence about what is hard to see in a change, or a sentence about whitespace that VS Code
// hides.
export function wordsAbout(review: Review, index: number, leavesOut: boolean): string | undefined {
  const isLeftOut = leavesOut && review.hunks[index]!.state !== 'dropped' && placesOf(review)[index]!.isOnlyTrimmed;
  return hardToSee(review, index) ?? (isLeftOut ? BLANKS_AT_START : undefined);
}

// Returns the state of a change, from the first line of its diff: `change 1 of 2: kept`.
export const stateOf = ({ display, hunks }: Review, index: number): string =>
  /change \d+ of \d+: .*/.exec(display.diff[index]?.split('\n')[0] ?? '')?.[0] ?? hunks[index]?.state ?? '';
