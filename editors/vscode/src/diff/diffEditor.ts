// Reviews on the screen: VS Code's diff editor, and its tabs.

import * as vscode from 'vscode';
import { inform, showDiff, warn } from '../messages/window';
import { replace } from '../reviews/exactText';
import { originalUri, PROPOSAL, proposalUri, type Review, type Reviews } from '../reviews/reviews';

export async function show(review: Review, preserveFocus = false): Promise<void> {
  const shown = tabsOf(review)[0];
  // A tab that covers a text in which the person types would take their keys.
  const isBusy = preserveFocus && vscode.window.activeTextEditor;
  const aside = (): number =>
    allTabs().find((tab) => shownUri(tab)?.scheme === PROPOSAL)?.group.viewColumn ?? vscode.ViewColumn.Beside;
  const viewColumn = shown?.group.viewColumn ?? (isBusy ? aside() : vscode.ViewColumn.Active);
  // A preview tab: the next proposal replaces it, unless the person has edited the text.
  const options = { preview: true, preserveFocus, viewColumn } satisfies vscode.TextDocumentShowOptions;
  await showDiff(originalUri(review), proposalUri(review), titleOf(review), options);
}

// Returns the title of a review's tab. A narrow window cuts the title at its end, so the file's name comes first, and
// its folder only if another tab has the same name.
export function titleOf(review: Review): string {
  const { name, agent } = review.display;
  const last = name.lastIndexOf('/') + 1;
  const isNamesake = ({ path = '' }: Partial<vscode.Uri> = {}): boolean =>
    path !== proposalUri(review).path && path.endsWith(`/${name.slice(last)}`);
  const folder = allTabs().some((tab) => isNamesake(proposalOf(tab))) ? name.slice(0, last) : '';
  return `${name.slice(last)} (${[agent, folder].filter(Boolean).join(', ')})`;
}

// For a click on a message that is still shown after its review has ended.
export const sayEnded = ({ display }: Review): void => void inform(`${display.name}: the proposal has ended.`);

// Returns the editor that shows the text of a review.
export function editorOf(review: Review): vscode.TextEditor | undefined {
  const uri = proposalUri(review).toString();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri);
}

// Moves the cursor to a position and scrolls it into view: to the middle, or to the top.
export function goTo(editor: vscode.TextEditor, line: number, column: number, atTop = false): void {
  const last = editor.document.lineCount - 1;
  const place = editor.document.validatePosition(new vscode.Position(Math.min(line, last), column));
  editor.selection = new vscode.Selection(place, place);
  const { AtTop, InCenterIfOutsideViewport } = vscode.TextEditorRevealType;
  editor.revealRange(new vscode.Range(place, place), atTop ? AtTop : InCenterIfOutsideViewport);
}

const shownUri = ({ input }: vscode.Tab): vscode.Uri | undefined =>
  input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;

function proposalOf(tab: vscode.Tab): vscode.Uri | undefined {
  const uri = shownUri(tab);
  return uri?.scheme === PROPOSAL ? uri : undefined;
}

const allTabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

export function tabsOf(review: Review): vscode.Tab[] {
  const uri = proposalUri(review).toString();
  return allTabs().filter((tab) => shownUri(tab)?.toString() === uri);
}

export function activeUri(): vscode.Uri | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && shownUri(tab);
}

// The time without a key before a tab is closed, in milliseconds: after a decision in this window, and after another
// end.
const SHORT_PAUSE = 250;
const PAUSE = 1500;

const sleep = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

// Closes the tabs of a review that has ended with the text `taken`; a text that was not taken is kept in a new
// document. VS Code asks before it closes a tab in which a key has just arrived, and its question would take the next
// keys. So a tab is closed in a pause, after the focus has left it.
export async function putAway(reviews: Reviews, review: Review, taken: string, decidedHere: boolean): Promise<void> {
  const end = Date.now();
  const rest = (): number =>
    Math.max(end, review.editedAt) + (decidedHere && review.text === taken ? SHORT_PAUSE : PAUSE) - Date.now();
  const isInFront = (): boolean => activeUri()?.toString() === proposalUri(review).toString();
  let hasFocus = false;
  while (reviews.document(review) && rest() > 0) {
    await sleep(rest());
    hasFocus = isInFront() && await isDiffFocused();
  }
  const document = reviews.document(review);
  const { text } = review;
  const copy = text === taken ? undefined : await keep(review, text, isInFront(), hasFocus);
  if (!copy && hasFocus && vscode.window.tabGroups.activeTabGroup.tabs.length > 1) {
    await vscode.commands.executeCommand('workbench.action.openPreviousRecentlyUsedEditorInGroup');
    // The command returns before the tab has changed.
    for (let tries = 0; tries < 20 && isInFront(); tries += 1) {
      await sleep(20);
    }
  }
  // Text that was typed before the focus left.
  const late = review.text;
  if (late !== text && copy) {
    for (let tries = 0; tries < 5 && !await replace(copy, late, text); tries += 1);
  } else if (late !== text) {
    await keep(review, late, false, false);
  }
  // Otherwise VS Code would ask whether to save.
  await document?.save();
  await vscode.window.tabGroups.close(tabsOf(review), !(hasFocus && isInFront()));
}

// Whether the diff editor has the focus, and not, for example, the quick open. Only this command reports that.
const isDiffFocused = async (): Promise<boolean> =>
  Boolean(await vscode.commands.executeCommand('diffEditor.switchSide', { dryRun: true }));

async function keep({ display }: Review, text: string, isInFront: boolean, hasFocus: boolean): Promise<vscode.TextDocument> {
  const { document, selection } = (isInFront ? vscode.window.activeTextEditor : undefined) ?? {};
  const copy = await vscode.workspace.openTextDocument({ content: text, language: document?.languageId });
  const options = { preview: false, background: !isInFront, preserveFocus: !hasFocus, selection };
  await vscode.commands.executeCommand('vscode.open', copy.uri, options);
  void warn(`${display.name}: the proposal has ended. Your text is here.`);
  return copy;
}

// Closes the tabs of reviews that ended while the window was closed.
export async function closeLeftovers(reviews: Reviews): Promise<void> {
  const isOver = (uri: vscode.Uri | undefined): boolean => uri?.scheme === PROPOSAL && !reviews.of(uri);
  await vscode.window.tabGroups.close(allTabs().filter((tab) => isOver(shownUri(tab))), true);
}

// The time in which a moved tab opens again, in milliseconds.
const MOVE_TIME = 200;

// Shows a message, once for each review, when a tab is closed: that decides nothing.
export function watchClosedTabs(reviews: Reviews, reject: (review: Review) => Promise<void>): vscode.Disposable {
  const said = new WeakSet<Review>();
  const leave = async (review: Review, isReplaced: boolean): Promise<void> => {
    if (isReplaced || review.ended || review.decided !== undefined || tabsOf(review).length > 0 || said.has(review)) {
      return;
    }
    said.add(review);
    const answer = await inform(`The proposal for ${review.display.name} waits on.`, 'Show', 'Reject');
    if (answer) {
      await (review.ended ? sayEnded(review) : answer === 'Show' ? show(review) : reject(review));
    }
  };
  let opened = 0;
  return vscode.window.tabGroups.onDidChangeTabs((event) => {
    opened = event.opened.length > 0 ? Date.now() : opened;
    const left = event.closed.map((tab) => ({ review: reviews.of(proposalOf(tab)), isPreview: tab.isPreview }));
    // VS Code closes and reopens a tab that moves to another group. A preview tab that another tab replaces does not
    // count as closed.
    setTimeout(() => left.forEach(({ review, isPreview }) =>
      review && void leave(review, isPreview && Date.now() - opened < 2 * MOVE_TIME)), MOVE_TIME);
  });
}
