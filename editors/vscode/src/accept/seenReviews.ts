// Watches which changes of proposals come on the screen, and stay long enough to be read.

import * as vscode from 'vscode';
import { activeUri, editorOf } from '../diff/diffEditor';
import { Wrapping } from '../diff/lineWrapping';
import { ignoresTrimWhitespace } from '../diff/whitespace';
import { ORIGINAL, PROPOSAL, type Review, type Reviews } from '../reviews/reviews';
import { SeenChanges, type SeenPart, type Shown } from './seenChanges';
import { Subscriber } from '../subscriber';

// How long a part of the text stands still before it counts, in milliseconds: a page that rushes by was not seen.
const GLANCE = 300;

export class SeenReviews extends Subscriber {
  private readonly seen = new WeakMap<Review, SeenChanges>();
  // When they typed the last text that counted at once, in milliseconds.
  private readonly typed = new WeakMap<Review, number>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;
  private readonly wrapping: Wrapping;
  // The lines that have been on the screen since the timer began.
  private still: { uri: string; revision: number; lines: Shown[] } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly reviews: Reviews) {
    super();
    const look = (): void => this.look();
    this.wrapping = new Wrapping(reviews, () => {
      // Other lines are on the screen now.
      this.still = undefined;
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

  // How much of a review was on the screen as it is now.
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

  // The proposal that the person looks at: in front, in the window with the focus, beside no text in which they type.
  private front(): { review: Review; editor: vscode.TextEditor } | undefined {
    const review = vscode.window.state.focused ? this.reviews.at(activeUri()) : undefined;
    const editor = review && editorOf(review);
    const { scheme } = vscode.window.activeTextEditor?.document.uri ?? {};
    // Between a change and the text that shows it, lines have other places.
    const isShown = review && editor && !review.ended && review.text === review.current;
    return isShown && (scheme === PROPOSAL || scheme === ORIGINAL) ? { review, editor } : undefined;
  }

  private look(): void {
    const front = this.front();
    const now = front && { uri: front.editor.document.uri.toString(), revision: front.review.revision, lines: linesIn(front.editor) };
    // The person sees the text that they type.
    if (front && front.review.editedAt > (this.typed.get(front.review) ?? 0)) {
      this.typed.set(front.review, front.review.editedAt);
      this.mark(front.review, front.editor, linesIn(front.editor));
    }
    if (now && this.still?.uri === now.uri && this.still.revision === now.revision) {
      this.still.lines = common(this.still.lines, now.lines);
      return;
    }
    clearTimeout(this.timer);
    this.still = now;
    this.timer = now && setTimeout(() => this.settle(), GLANCE);
  }

  private settle(): void {
    const { still } = this;
    this.still = undefined;
    const front = this.front();
    if (still && front?.editor.document.uri.toString() === still.uri && front.review.revision === still.revision) {
      const now = linesIn(front.editor);
      this.mark(front.review, front.editor, common(still.lines, now));
      if (JSON.stringify(now) !== JSON.stringify(still.lines)) {
        this.look();
      }
    }
  }

  private mark(review: Review, { document }: vscode.TextEditor, lines: Shown[]): void {
    const look = { lines, isWrapped: this.wrapping.isWrapped(document), showsWhitespace: !ignoresTrimWhitespace(document) };
    const before = this.count(review).seen;
    if (this.of(review).look(review, look) || this.count(review).seen !== before) {
      this.changes.fire();
    }
  }
}

const linesIn = ({ visibleRanges }: vscode.TextEditor): Shown[] =>
  visibleRanges.map(({ start, end }) => ({ start: start.line, end: end.line + 1, from: start.character, to: end.character }));

// The lines, and of the first and the last one the columns, that are in both.
const common = (some: Shown[], others: Shown[]): Shown[] =>
  some.flatMap((one) => others.map((other) => {
    const [start, end] = [Math.max(one.start, other.start), Math.min(one.end, other.end)];
    const from = Math.max(...[one, other].map((shown) => (shown.start === start ? shown.from ?? 0 : 0)));
    const to = Math.min(...[one, other].map((shown) => (shown.end === end ? shown.to ?? Infinity : Infinity)));
    return { start, end, from, to };
  })).filter(({ start, end }) => start < end);
