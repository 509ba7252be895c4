// Watches which changes of proposals are on the screen long enough to be read.

import * as vscode from 'vscode';
import { activeUri, editorOf } from '../diff/diffEditor';
import { Wrapping } from '../diff/lineWrapping';
import { ignoresTrimWhitespace } from '../diff/whitespace';
import { ORIGINAL, PROPOSAL, type Review, type Reviews } from '../reviews/reviews';
import { SeenChanges, type SeenPart, type ShownLines } from './seenChanges';
import { Subscriber } from '../subscriber';

// The time that lines must stay on the screen before they count as seen, in milliseconds, so that fast scrolling does
// not count.
const GLANCE = 300;

export class SeenReviews extends Subscriber {
  private readonly seen = new WeakMap<Review, SeenChanges>();
  // The time of the last typed text that was counted as seen at once, in milliseconds.
  private readonly typed = new WeakMap<Review, number>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;
  private readonly wrapping: Wrapping;
  // The lines that have been on the screen since the timer was started.
  private steadyLines: { uri: string; revision: number; lines: ShownLines[] } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly reviews: Reviews) {
    super();
    const look = (): void => this.look();
    this.wrapping = new Wrapping(reviews, () => {
      // Wrapping moves lines, so the timer starts again.
      this.steadyLines = undefined;
      this.look();
    });
    this.own(
      vscode.window.onDidChangeTextEditorVisibleRanges(look),
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.window.onDidChangeActiveTextEditor(look),
      vscode.window.onDidChangeWindowState(look),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('diffEditor') && look()),
      reviews.onDidChange(look),
      this.wrapping, this.changes, { dispose: () => clearTimeout(this.timer) },
    );
  }

  // Returns how much of the current text of a review was on the screen.
  count(review: Review): SeenPart {
    return this.of(review).count(review);
  }

  isSeen(review: Review): boolean {
    const { seen, all } = this.count(review);
    return seen === all;
  }

  firstUnseen(review: Review, after = 0): { index: number; line: number } | undefined {
    return this.of(review).firstUnseen(review, after);
  }

  toggleWrap(): Promise<void> {
    return this.wrapping.toggle();
  }

  private of(review: Review): SeenChanges {
    const known = this.seen.get(review) ?? new SeenChanges();
    this.seen.set(review, known);
    return known;
  }

  // Returns the proposal that the person looks at: in the active tab of the focused window, while they type in no other
  // text.
  private front(): { review: Review; editor: vscode.TextEditor } | undefined {
    const review = vscode.window.state.focused ? this.reviews.at(activeUri()) : undefined;
    const editor = review && editorOf(review);
    const { scheme } = vscode.window.activeTextEditor?.document.uri ?? {};
    // Until the editor shows a changed text, its lines have other positions.
    const isShown = review && editor && !review.ended && review.text === review.current;
    return isShown && (scheme === PROPOSAL || scheme === ORIGINAL) ? { review, editor } : undefined;
  }

  private look(): void {
    const front = this.front();
    const now = front && { uri: front.editor.document.uri.toString(), revision: front.review.revision, lines: linesIn(front.editor) };
    // Text that the person types counts as seen at once.
    if (front && front.review.editedAt > (this.typed.get(front.review) ?? 0)) {
      this.typed.set(front.review, front.review.editedAt);
      this.mark(front.review, front.editor, linesIn(front.editor));
    }
    if (now && this.steadyLines?.uri === now.uri && this.steadyLines.revision === now.revision) {
      this.steadyLines.lines = common(this.steadyLines.lines, now.lines);
      return;
    }
    clearTimeout(this.timer);
    this.steadyLines = now;
    this.timer = now && setTimeout(() => this.settle(), GLANCE);
  }

  private settle(): void {
    const { steadyLines } = this;
    this.steadyLines = undefined;
    const front = this.front();
    if (steadyLines && front?.editor.document.uri.toString() === steadyLines.uri && front.review.revision === steadyLines.revision) {
      const now = linesIn(front.editor);
      this.mark(front.review, front.editor, common(steadyLines.lines, now));
      if (JSON.stringify(now) !== JSON.stringify(steadyLines.lines)) {
        this.look();
      }
    }
  }

  private mark(review: Review, { document }: vscode.TextEditor, lines: ShownLines[]): void {
    const screen = { lines, isWrapped: this.wrapping.isWrapped(document), showsWhitespace: !ignoresTrimWhitespace(document) };
    const before = this.count(review).seen;
    if (this.of(review).record(review, screen) || this.count(review).seen !== before) {
      this.changes.fire();
    }
  }
}

const linesIn = ({ visibleRanges }: vscode.TextEditor): ShownLines[] =>
  visibleRanges.map(({ start, end }) => ({ start: start.line, end: end.line + 1, from: start.character, to: end.character }));

// Returns the lines that are in both lists, with the columns of the first and last line that are in both.
const common = (some: ShownLines[], others: ShownLines[]): ShownLines[] =>
  some.flatMap((one) => others.map((other) => {
    const [start, end] = [Math.max(one.start, other.start), Math.min(one.end, other.end)];
    const from = Math.max(...[one, other].map((shown) => (shown.start === start ? shown.from ?? 0 : 0)));
    const to = Math.min(...[one, other].map((shown) => (shown.end === end ? shown.to ?? Infinity : Infinity)));
    return { start, end, from, to };
  })).filter(({ start, end }) => start < end);
