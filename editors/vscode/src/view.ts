// A review on the screen: VS Code's diff editor, with lenses above each change.

import * as vscode from 'vscode';
import { originalUri, PROPOSAL, proposalUri, type Review, type Reviews } from './reviews';

// VS Code does not ask for the lenses of a diff editor that it has just opened.
const LENS_DELAY = 500;

export async function show(review: Review, preserveFocus = false): Promise<void> {
  const shown = tabsOf(review)[0];
  // A tab in front of a text that the person edits would take their keys.
  const isBusy = preserveFocus && vscode.window.activeTextEditor?.document.uri.scheme !== PROPOSAL && vscode.window.activeTextEditor;
  const viewColumn = shown?.group.viewColumn ?? (isBusy ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
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

// The review has ended. Its tabs go, and a text that the companion lacks stays.
export async function putAway(reviews: Reviews, review: Review, text: string | undefined): Promise<void> {
  const document = reviews.document(review);
  const tabs = tabsOf(review);
  const wasInFront = tabs.some((tab) => tab.isActive && tab.group.isActive);
  if (document?.isDirty) {
    // VS Code would ask whether to save.
    await document.save();
  }
  await vscode.window.tabGroups.close(tabs, true);
  if (text !== undefined) {
    const copy = await vscode.workspace.openTextDocument({ content: text, ...(document && { language: document.languageId }) });
    await vscode.window.showTextDocument(copy, { preview: false, preserveFocus: !wasInFront });
    void vscode.window.showWarningMessage(`The review of ${review.display.name} has ended. Your text is in a new untitled document.`);
  }
}

// Closes the tabs of reviews that have ended while the window was closed.
export async function closeLeftovers(reviews: Reviews): Promise<void> {
  const isOver = (uri: vscode.Uri | undefined): boolean => uri?.scheme === PROPOSAL && !reviews.of(uri);
  await vscode.window.tabGroups.close(allTabs().filter((tab) => isOver(shownUri(tab))), true);
}

// Says once for each review that a closed tab decides nothing.
export class ClosedTabs implements vscode.Disposable {
  private readonly said = new WeakSet<Review>();
  private readonly subscription: vscode.Disposable;

  constructor(private readonly reviews: Reviews, private readonly reject: (review: Review) => Promise<void>) {
    this.subscription = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      const left = new Set(closed.map((tab) => this.reviews.of(shownUri(tab))));
      // A tab that moves to another group closes first.
      setTimeout(() => left.forEach((review) => review && void this.leave(review)), 200);
    });
  }

  private async leave(review: Review): Promise<void> {
    if (review.ended || review.decided !== undefined || tabsOf(review).length > 0 || this.said.has(review)) {
      return;
    }
    this.said.add(review);
    const answer = await vscode.window.showInformationMessage(`The review of ${review.display.name} waits on.`, 'Show', 'Reject');
    if (answer && !review.ended) {
      await (answer === 'Show' ? show(review) : this.reject(review));
    }
  }

  dispose(): void {
    this.subscription.dispose();
  }
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
