// Texts that the diff editor does not show. A dropped change has the original's lines on both sides: a dotted line
// marks its place, and a hover or a command shows the proposed text. After a line that looks like the one that it
// replaces, a text says what is hard to see.

import * as vscode from 'vscode';
import { stateOf, wordsAbout } from './codeLenses';
import type { Hunk } from '../companion/protocol';
import { editorOf, goTo } from './diffEditor';
import { BLANKS_AT_START, inShort, unseenMarks } from './hardToSee';
import { placesOf } from './hunkPositions';
import { hover, type Mark, Marks } from '../messages/window';
import { shows } from '../reviews/exactText';
import { hunkAt } from '../reviews/hunkCommands';
import { ORIGINAL, PROPOSAL, type Review, type Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';
import { ignoresTrimWhitespace } from './whitespace';

// The most marks for differences that are hard to see, because VS Code draws each.
const MAX_MARKS = 500;

export class DroppedHover extends Subscriber implements vscode.HoverProvider {
  private readonly dropped = new Marks(true);
  private readonly unseen = new Marks(false);

  constructor(private readonly reviews: Reviews) {
    super();
    this.own(
      vscode.languages.registerHoverProvider([{ scheme: PROPOSAL }, { scheme: ORIGINAL }], this),
      reviews.onDidChange(() => this.mark()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.mark()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('diffEditor') && this.mark()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === PROPOSAL && this.mark()),
      this.dropped, this.unseen,
    );
  }

  provideHover(document: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    const review = this.reviews.of(document.uri);
    const hunk = review && hunkAt(review, document, line);
    if (!review || !hunk) {
      return undefined;
    }
    const index = review.hunks.indexOf(hunk);
    const words = wordsAbout(review, index, ignoresTrimWhitespace(document));
    if (hunk.state !== 'dropped') {
      return words ? hover([words], '') : undefined;
    }
    const diff = review.display.diff[index] ?? '';
    return hover([stateOf(review, index), 'Proposed, and not written:'], changedLines(diff));
  }

  // Shows the hover at the change, after moving the cursor there.
  async show(review: Review, { current: { start } }: Hunk): Promise<void> {
    const editor = editorOf(review);
    if (editor) {
      goTo(editor, start, 0);
      await vscode.commands.executeCommand('editor.action.showHover');
    }
  }

  private mark(): void {
    for (const editor of vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === PROPOSAL)) {
      const review = this.reviews.of(editor.document.uri);
      const isShown = review !== undefined && shows(editor.document, review.current);
      const last = editor.document.lineCount - 1;
      const dropped = review?.hunks.filter(({ state }) => state === 'dropped') ?? [];
      this.dropped.show(editor, dropped.map(({ current: { start } }) => ({ line: Math.min(start, last) })));
      // Until the editor shows a changed text, its lines have other positions.
      this.unseen.show(editor, isShown ? marksOf(review, ignoresTrimWhitespace(editor.document)).filter(({ line }) => line <= last) : []);
    }
  }
}

// Returns the changed lines of a diff, without its first line, which has the state, and without the context lines,
// which are on the screen.
export const changedLines = (diff: string): string => diff.split('\n').slice(1).filter((line) => /^[-+\\]/.test(line)).join('\n');

// The cache of marks, by the changes of a revision.
const known = new WeakMap<Hunk[], Map<boolean, Mark[]>>();

function marksOf(review: Review, leavesOut: boolean): Mark[] {
  const marks = known.get(review.hunks) ?? new Map<boolean, Mark[]>();
  known.set(review.hunks, marks);
  const found = marks.get(leavesOut) ?? [...unseenMarks(review), ...(leavesOut ? leftOut(review) : [])].slice(0, MAX_MARKS);
  marks.set(leavesOut, found);
  return found;
}

// The marks of lines whose changes of whitespace VS Code hides.
const leftOut = (review: Review): Mark[] =>
  placesOf(review).flatMap(({ current: { start, end } }, index) => {
    const words = wordsAbout(review, index, true);
    return words === BLANKS_AT_START ? Array.from({ length: end - start }, (_, line) => ({ line: start + line, words: inShort(words) })) : [];
  });
