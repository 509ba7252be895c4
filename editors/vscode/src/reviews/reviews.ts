// The waiting proposals, each with the text that the person sees.

import * as vscode from 'vscode';
import type { ChangedReview, OpenedReview } from '../companion/protocol';
import { applyChanges, replaced, replacement, shows } from './exactText';
import { documentUri } from '../messages/window';
import { Subscriber } from '../subscriber';

export const PROPOSAL = 'alongside-proposal';
export const ORIGINAL = 'alongside-original';

export interface Review extends OpenedReview {
  // The text in the editor on the right, also while no tab shows it.
  text: string;
  // The revision on which this text is based.
  base: number;
  // Whether the companion lacks a part of this text.
  unsent: boolean;
  // The file as VS Code has last read or saved it.
  saved?: { text: string; mtime: number };
  // A text that the document is about to get from the companion.
  incoming?: string;
  // The text that the person has decided on.
  decided?: string;
  // The time of the person's last edit, in milliseconds; 0 if there was none.
  editedAt: number;
  // Whether it was accepted together with others, so that one sentence reports all of them.
  isTogether?: boolean;
  // Whether the server has reported it since its start.
  known: boolean;
  ended: boolean;
}

// The last part of the path is the file's name, which decides the language. Each companion numbers its reviews from 1,
// and VS Code restores tabs, so `agent.since` keeps a restored tab from showing another review.
const uriOf = (scheme: string, { id, agent, display }: OpenedReview): vscode.Uri =>
  documentUri(scheme, display.name, `${agent.since}-${id}`);

export const proposalUri = (review: OpenedReview): vscode.Uri => uriOf(PROPOSAL, review);
export const originalUri = (review: OpenedReview): vscode.Uri => uriOf(ORIGINAL, review);

// Returns the parameters of a request that describe the person's text by its difference from the newest text.
export const textParams = ({ id, base, revision, current, text }: Review): object =>
  ({ id, revision: base, from: revision, replacement: replacement(current, text) });

export class Reviews extends Subscriber {
  private readonly all = new Map<string, Review>();
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly edits = new vscode.EventEmitter<Review>();
  private readonly openings = new vscode.EventEmitter<Review>();
  readonly onDidChange = this.changes.event;
  // Fires when the person has typed.
  readonly onDidEdit = this.edits.event;
  // Fires when a document opens, whose text may be outdated.
  readonly onDidOpenDocument = this.openings.event;

  constructor() {
    super();
    this.own(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => this.edited(document, contentChanges)),
      vscode.workspace.onDidOpenTextDocument((document) => this.documentOpened(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.at(document.uri)?.ended) {
          this.all.delete(keyOf(document.uri));
        }
      }),
      this.changes, this.edits, this.openings,
    );
  }

  list(): Review[] {
    return [...this.all.values()].filter((review) => !review.ended);
  }

  get(id: number): Review | undefined {
    return this.list().find((review) => review.id === id);
  }

  // Returns the review of a document, also after the review's end.
  at(uri: vscode.Uri | undefined): Review | undefined {
    return uri && this.all.get(keyOf(uri));
  }

  // Returns the waiting review of a document or a file.
  of(uri: vscode.Uri | undefined): Review | undefined {
    const shown = this.at(uri);
    return shown ? this.get(shown.id) : this.list().find(({ file }) => uri?.scheme === 'file' && file === uri.fsPath);
  }

  // Adds a review and returns it; undefined if it is known, because a new server reports waiting reviews again.
  open(news: OpenedReview): Review | undefined {
    const key = keyOf(proposalUri(news));
    const old = this.all.get(key);
    if (old && !old.ended) {
      const based = old.unsent ? { base: news.revision } : {};
      Object.assign(old, news, based, { known: true });
      this.changes.fire();
      return undefined;
    }
    const state = { text: news.current, base: news.revision, unsent: false, editedAt: 0, known: true, ended: false };
    const review: Review = { ...news, ...state };
    this.all.set(key, review);
    this.changes.fire();
    return review;
  }

  change({ id, replacement: change, revision, hunks, stale, dirty, reason, display }: ChangedReview): Review | undefined {
    const review = this.get(id);
    if (review) {
      const current = change ? replaced(review.current, change) : review.current;
      Object.assign(review, { current, revision, hunks, stale, dirty, reason, display });
      this.changes.fire();
    }
    return review;
  }

  end(id: number): Review | undefined {
    const review = this.get(id);
    if (review) {
      review.ended = true;
      if (!this.document(review)) {
        this.all.delete(keyOf(proposalUri(review)));
      }
      this.changes.fire();
    }
    return review;
  }

  document(review: Review): vscode.TextDocument | undefined {
    const key = keyOf(proposalUri(review));
    return vscode.workspace.textDocuments.find(({ uri, isClosed }) => !isClosed && uri.scheme === PROPOSAL && keyOf(uri) === key);
  }

  private documentOpened(document: vscode.TextDocument): void {
    const review = document.uri.scheme === PROPOSAL ? this.at(document.uri) : undefined;
    if (review?.saved && !shows(document, review.saved.text)) {
      // VS Code has restored an unsaved text.
      this.edited(document, []);
    } else if (review) {
      this.openings.fire(review);
    }
  }

  private edited(document: vscode.TextDocument, changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const review = document.uri.scheme === PROPOSAL ? this.at(document.uri) : undefined;
    if (!review) {
      return;
    }
    const before = review.text;
    review.text = applyChanges(before, changes, document);
    if (review.incoming !== undefined && shows(document, review.incoming)) {
      review.text = review.incoming;
    } else if (review.text !== before) {
      review.editedAt = Date.now();
      if (!review.ended) {
        review.unsent = true;
        this.edits.fire(review);
      }
    }
  }
}

const keyOf = (uri: vscode.Uri): string => `${uri.path}?${uri.query}`;
