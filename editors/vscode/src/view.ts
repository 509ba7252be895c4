// A review on the screen: VS Code's diff editor, with lenses above each change.

import * as vscode from 'vscode';
import { originalUri, PROPOSAL, proposalUri, type Review, type Reviews } from './reviews';
import { replace, shows } from './text';

// VS Code does not ask for the lenses of a diff editor that it has just opened.
const LENS_DELAY = 500;

export async function show(review: Review, preserveFocus = false): Promise<void> {
  const shown = tabsOf(review)[0];
  // A tab in front of a text that the person edits would take their keys.
  const isBusy = preserveFocus && vscode.window.activeTextEditor;
  const aside = (): number =>
    allTabs().find((tab) => shownUri(tab)?.scheme === PROPOSAL)?.group.viewColumn ?? vscode.ViewColumn.Beside;
  const viewColumn = shown?.group.viewColumn ?? (isBusy ? aside() : vscode.ViewColumn.Active);
  const options = { preview: false, preserveFocus, viewColumn } satisfies vscode.TextDocumentShowOptions;
  await vscode.commands.executeCommand('vscode.diff', originalUri(review), proposalUri(review), review.display.title, options);
}

const shownUri = ({ input }: vscode.Tab): vscode.Uri | undefined =>
  input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;

const allTabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

export function tabsOf(review: Review): vscode.Tab[] {
  const uri = proposalUri(review).toString();
  return allTabs().filter((tab) => shownUri(tab)?.toString() === uri);
}

export function activeUri(): vscode.Uri | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && shownUri(tab);
}

// A pause after the last key in which a tab may go, in milliseconds.
const PAUSE = 1500;

// The review has ended with a text that was `taken`. Its tabs go, and a text that was not taken stays. A person who
// decided here goes to the next tab. Another one may be typing, and types on.
export async function putAway(reviews: Reviews, review: Review, taken: string, decidedHere: boolean): Promise<void> {
  const document = reviews.document(review);
  for (let rest = 1; document && !decidedHere && rest > 0; rest = review.editedAt + PAUSE - Date.now()) {
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
  const leaves = decidedHere && activeUri()?.toString() === proposalUri(review).toString();
  // VS Code would ask whether to save.
  await document?.save();
  const kept = review.text !== taken ? await keep(review, document) : undefined;
  await vscode.window.tabGroups.close(tabsOf(review), !leaves);
  if (kept && shows(kept.document, kept.text)) {
    await replace(kept.document, review.text);
  } else if (review.text !== taken) {
    await keep(review, document);
  }
}

async function keep(review: Review, document: vscode.TextDocument | undefined): Promise<{ document: vscode.TextDocument; text: string }> {
  const { text, display } = review;
  const editor = vscode.window.activeTextEditor;
  const isInFront = document !== undefined && editor?.document === document;
  const copy = await vscode.workspace.openTextDocument({ content: text, ...(document && { language: document.languageId }) });
  const options = { preview: false, preserveFocus: !isInFront, ...(isInFront && { selection: editor?.selection }) };
  await vscode.window.showTextDocument(copy, options);
  void vscode.window.showWarningMessage(`${display.name}: the review has ended. Your text is here.`);
  return { document: copy, text };
}

// Closes the tabs of reviews that have ended while the window was closed.
export async function closeLeftovers(reviews: Reviews): Promise<void> {
  const isOver = (uri: vscode.Uri | undefined): boolean => uri?.scheme === PROPOSAL && !reviews.of(uri);
  await vscode.window.tabGroups.close(allTabs().filter((tab) => isOver(shownUri(tab))), true);
}

// Says once for each review that a closed tab decides nothing.
export function watchClosedTabs(reviews: Reviews, reject: (review: Review) => Promise<void>): vscode.Disposable {
  const said = new WeakSet<Review>();
  const leave = async (review: Review): Promise<void> => {
    if (review.ended || review.decided !== undefined || tabsOf(review).length > 0 || said.has(review)) {
      return;
    }
    said.add(review);
    const answer = await vscode.window.showInformationMessage(`The review of ${review.display.name} waits on.`, 'Show', 'Reject');
    if (answer && !review.ended) {
      await (answer === 'Show' ? show(review) : reject(review));
    }
  };
  return vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    const left = new Set(closed.map((tab) => shownUri(tab)).filter((uri) => uri?.scheme === PROPOSAL).map((uri) => reviews.of(uri)));
    // A tab that moves to another group closes first.
    setTimeout(() => left.forEach((review) => review && void leave(review)), 200);
  });
}

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly reviews: Reviews) {
    this.subscriptions = [
      vscode.languages.registerCodeLensProvider({ scheme: PROPOSAL }, this),
      reviews.onDidChange(() => this.changes.fire()),
      vscode.window.onDidChangeVisibleTextEditors(() => setTimeout(() => this.changes.fire(), LENS_DELAY)),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.reviews.of(document.uri);
    if (!review) {
      return [];
    }
    const lens = (line: number, title: string, command = '', given: unknown[] = []): vscode.CodeLens => {
      const at = Math.min(line, document.lineCount - 1);
      return new vscode.CodeLens(new vscode.Range(at, 0, at, 0), { title, command, arguments: given });
    };
    const notes = review.display.notes.map(({ text, warning }) => lens(0, `$(${warning ? 'warning' : 'info'}) ${text}`));
    const hunks = review.hunks.flatMap(({ current, state }, index) => {
      const keep = state === 'dropped';
      // The first line of a change's diff ends with `change 1 of 2: kept`.
      const title = /change \d+ of \d+: .*/.exec(review.display.diff[index]?.split('\n')[0] ?? '')?.[0] ?? state;
      const toggle = keep ? '$(add) Keep this change' : '$(discard) Drop this change';
      return [
        lens(current.start, toggle, 'alongside.keepHunk', [review.id, review.hunks.length, index, keep]),
        lens(current.start, title),
      ];
    });
    return [...notes, ...hunks];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changes).dispose();
  }
}
