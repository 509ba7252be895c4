// The lines above each change of a proposal: its state, what a click does, and in words what nobody sees.

import * as vscode from 'vscode';
import type { Hunk, Lines } from '../companion/protocol';
import { BLANKS_AT_START, hardToSee, isAboutUnseen } from './hardToSee';
import { placesOf } from './hunkPositions';
import { lens } from '../messages/window';
import { PROPOSAL, proposalUri, type Review, type Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';
import { ignoresTrimWhitespace } from './whitespace';

// VS Code does not ask for the lenses of a diff editor that it has just opened.
const DELAY = 500;

// VS Code lays all lenses out: of a proposal of more changes, those have lenses that are near the screen, in lines.
const MANY = 300;
const NEAR = 400;

// Of words: half of a window has no place for more beside the actions.
const LONGEST = 24;
const LONG_NOTE = 48;

const LEFT_OUT = 'Your setting diffEditor.ignoreTrimWhitespace hides changes of blanks at both ends of a line. This shows them, here and in other diffs.';

// The notes about a file that is not as it was at the proposal.
const DIFFERS = /^The file changed on disk|^An editor holds unsaved/;

export class Lenses extends Subscriber implements vscode.CodeLensProvider {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  // The stretches of large proposals that have lenses.
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

// The lines around those on the screen, by which a scroll of a few lines changes nothing, and the last ones: with new lenses
// above them, these would leave the screen of a person who goes there.
export function stretches(shown: { start: number; end: number }[], lineCount: number): Lines[] {
  const near = shown.map(({ start, end }) => ({ start: (Math.floor(start / NEAR) - 1) * NEAR, end: (Math.floor(end / NEAR) + 2) * NEAR }));
  return [...near, { start: lineCount - NEAR, end: lineCount }];
}

function stretchesNear(document: vscode.TextDocument): Lines[] {
  const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  const shown = editors.flatMap(({ visibleRanges }) => visibleRanges.map(({ start, end }) => ({ start: start.line, end: end.line })));
  return stretches(shown, document.lineCount);
}

// Each change says by itself what is hard to see. Where a change has the same line, the notes leave it its place.
function notesOf(review: Review): vscode.CodeLens[] {
  const isBesideChange = placesOf(review).some(({ current: { start } }) => start === 0);
  const notes = review.display.notes.filter((note) => !isAboutUnseen(note) && !DIFFERS.test(note.text)).map(({ text, warning }) =>
    lens(0, warning ? 'warning' : 'info', isBesideChange ? shortened(text, LONG_NOTE) : text, '', [], text));
  if (review.original === undefined) {
    notes.unshift(lens(0, 'new-file', 'New file'));
  }
  const differs = review.display.notes.filter(({ text }) => DIFFERS.test(text)).map(({ text }) => text).join('\n');
  const why = review.stale ? 'Changed on disk' : 'Unsaved changes';
  const compares = review.stale || review.dirty;
  return compares ? [lens(0, 'warning', `${why}: Compare`, 'alongside.compareFile', [proposalUri(review)], differs), ...notes] : notes;
}

// The first action stands first: half of a window has no place for all of it. Words stand behind the line that they are about.
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
    found.push(lens(line, 'eye-closed', 'Show hidden blanks', 'alongside.showBlanks', [], LEFT_OUT));
  }
  if (hunk.state !== 'dropped' && Math.max(lineCount(hunk.original), lineCount(hunk.proposed)) > 1) {
    found.push(lens(line, '', 'Split', 'alongside.splitHunk', given));
  }
  // Of a text that only the person has written, the agent needs no reason.
  const isOwn = lineCount(hunk.original) + lineCount(hunk.proposed) === 0;
  if (hunk.reason !== undefined && hunk.state !== 'kept') {
    const reason = `Why: ${hunk.reason.split('\n').join('; ')}`;
    found.push(lens(line, 'comment', shortened(reason), 'alongside.dropWithReason', given, reason));
  } else if (review.reasons && review.hunks.length === 1 && !isOwn) {
    // Without its only change, nothing is left to accept.
    found.push(lens(line, 'comment', 'Reject with a reason…', 'alongside.rejectWithReason', [proposalUri(review)]));
  } else if (review.reasons && hunk.state !== 'dropped' && !isOwn) {
    found.push(lens(line, 'comment', 'Drop with a reason…', 'alongside.dropWithReason', given));
  }
  // The pointer on the line shows it, too: the reason has the place before it.
  if (hunk.state === 'dropped') {
    found.push(lens(line, 'eye', 'Show what was proposed', 'alongside.showProposed', given));
  }
  return found;
}

// The text on the right has no line for deleted ones: where several such changes meet, the line of the original tells them apart.
export function sideOf(review: Review, index: number): string {
  const places = placesOf(review);
  const { current: { start, end }, original } = places[index]!;
  const meets = [index - 1, index + 1].some((beside) => places[beside]?.current.start === start);
  return meets && start === end ? `deletes ${original.end - original.start === 1 ? 'line' : 'lines from'} ${original.start + 1}: ` : '';
}

const lineCount = ({ start, end }: Hunk['original']): number => end - start;

const shortened = (words: string, most = LONGEST): string => (words.length > most ? `${words.slice(0, most - 1).trimEnd()}…` : words);

// The companion's words about what is hard to see, or those about what VS Code leaves out.
export function wordsAbout(review: Review, index: number, leavesOut: boolean): string | undefined {
  const isLeftOut = leavesOut && review.hunks[index]!.state !== 'dropped' && placesOf(review)[index]!.isOnlyTrimmed;
  return hardToSee(review, index) ?? (isLeftOut ? BLANKS_AT_START : undefined);
}

// The first line of a change's diff ends with `change 1 of 2: kept`.
export const stateOf = ({ display, hunks }: Review, index: number): string =>
  /change \d+ of \d+: .*/.exec(display.diff[index]?.split('\n')[0] ?? '')?.[0] ?? hunks[index]?.state ?? '';
