// Wraps long lines of a proposal, so that no change is beyond the right edge: VS Code does not report the horizontal
// scroll position to extensions. The wrapping of one document can only be toggled by a command, so this file records
// which documents are wrapped.

import * as vscode from 'vscode';
import { NARROW } from '../accept/seenChanges';
import { unseenMarks } from './hardToSee';
import { placesOf } from './hunkPositions';
import { ORIGINAL, PROPOSAL, proposalUri, type Review, type Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';

export class Wrapping extends Subscriber {
  private readonly wrapped = new Set<string>();
  private isBusy = false;
  // Documents whose wrapping the person has toggled: they are no longer wrapped automatically.
  private readonly chosen = new Set<string>();

  constructor(private readonly reviews: Reviews, private readonly changed: () => void) {
    super();
    this.own(
      vscode.window.onDidChangeActiveTextEditor(() => void this.wrap()),
      reviews.onDidChange(() => void this.wrap()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.wrapped.delete(uri.toString());
        this.chosen.delete(uri.toString());
      }),
    );
  }

  isWrapped(document: vscode.TextDocument): boolean {
    return this.wrapped.has(document.uri.toString()) !== wrapsAnyway(document);
  }

  async toggle(): Promise<void> {
    const review = this.front();
    if (review) {
      this.chosen.add(proposalUri(review).toString());
      await this.flip(review);
    }
  }

  private async wrap(): Promise<void> {
    const review = this.front();
    const document = review && this.reviews.document(review);
    if (review && document && isWide(review) && !this.isWrapped(document) && !this.chosen.has(document.uri.toString())) {
      await this.flip(review);
    }
  }

  private async flip(review: Review): Promise<void> {
    const uri = proposalUri(review).toString();
    // Other events may arrive while the command runs.
    if (this.isBusy) {
      return;
    }
    this.isBusy = true;
    await vscode.commands.executeCommand('editor.action.toggleWordWrap');
    this.isBusy = false;
    if (!this.wrapped.delete(uri)) {
      this.wrapped.add(uri);
    }
    this.changed();
    // Another proposal may be in the active tab now.
    await this.wrap();
  }

  // The proposal to which the command applies.
  private front(): Review | undefined {
    const { document } = vscode.window.activeTextEditor ?? {};
    return document && [PROPOSAL, ORIGINAL].includes(document.uri.scheme) ? this.reviews.of(document.uri) : undefined;
  }
}

const isWide = (review: Review): boolean =>
  (review.hunks.length === 0 ? review.current.split('\n').some((line) => line.length > NARROW)
    : placesOf(review).some(({ lastColumn }) => lastColumn > NARROW) || hasWideMarks(review));

const wide = new WeakMap<object, boolean>();

// Whether a line is too long together with the text after it, which wraps with the line.
function hasWideMarks(review: Review): boolean {
  const known = wide.get(review.hunks);
  if (known !== undefined) {
    return known;
  }
  const lines = review.current.split('\n');
  const found = unseenMarks(review).some(({ line, words }) => (lines[line] ?? '').length + words.length > NARROW);
  wide.set(review.hunks, found);
  return found;
}

// Whether the person's settings wrap the lines of a document; they may differ for its language.
function wrapsAnyway(document: vscode.TextDocument): boolean {
  const value = (section: string): string => vscode.workspace.getConfiguration(section, document).get<string>('wordWrap') ?? '';
  const inDiffs = value('diffEditor');
  return (inDiffs === 'on' || inDiffs === 'off' ? inDiffs : value('editor')) !== 'off';
}
