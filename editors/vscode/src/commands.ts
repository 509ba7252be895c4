// The commands. Each shows a message if it needs a companion or a proposal and there is none.

import * as vscode from 'vscode';
import type { Ahead } from './accept/acceptAhead';
import { acceptSeen } from './accept/acceptSeen';
import type { SeenReviews } from './accept/seenReviews';
import type { Companion } from './companion/companion';
import { findAgents } from './companion/program';
import type { Hunk, Status } from './companion/protocol';
import { openSettings, type Session, showOther } from './companion/session';
import { activeUri, show } from './diff/diffEditor';
import type { DroppedHover } from './diff/droppedHover';
import { type Navigation, sayNone } from './diff/navigation';
import { showWhitespace } from './diff/whitespace';
import { showDrafts } from './drafts';
import type { ReviewNode } from './lists/treeRows';
import { choose, inform, runInTerminal, say, shellLine, showDiff } from './messages/window';
import type { Texts } from './readOnlyTexts';
import type { Decider } from './reviews/decisions';
import type { Changer } from './reviews/hunkCommands';
import type { Review, Reviews } from './reviews/reviews';
import type { Sender } from './reviews/textSync';

// The argument of a command: a row of the view, or the document of a title bar.
type Given = ReviewNode | vscode.Uri | undefined;

export interface Parts {
  companion: Companion;
  reviews: Reviews;
  seen: SeenReviews;
  sender: Sender;
  decider: Decider;
  changer: Changer;
  droppedHover: DroppedHover;
  ahead: Ahead;
  navigation: Navigation;
  texts: Texts;
  program(): string;
  session: Session;
  status(): Status | undefined;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const { companion, reviews, seen, sender, decider, changer, droppedHover, ahead, navigation, texts, program, session, status } = parts;
  const anyTime = (name: string, run: (...given: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`alongside.${name}`, run);
  const command = (name: string, run: (...given: never[]) => unknown): vscode.Disposable =>
    anyTime(name, (...given: never[]) => session.isReady() && run(...given));
  const withReview = (run: (review: Review, isNamed: boolean) => Promise<void>) => async (given: Given) => {
    const review = await chosen(reviews, given);
    await (review && run(review, given !== undefined && 'review' in given));
  };
  // A code lens passes its change as an argument; a key acts on the change at the cursor.
  const withHunk = (run: (review: Review, hunk: Hunk) => Promise<void>) => async (id?: number, named?: Hunk) => {
    const review = named ? reviews.get(id!) : reviews.of(activeUri());
    const hunk = named ?? await changer.atCursor(review);
    await (review && hunk && run(review, hunk));
  };
  const inTerminal = (words: string) => () => runInTerminal(`alongside ${words}`, shellLine(program(), words), undefined, true);
  // VS Code shows an icon instead of the title in a title bar, and the key beside the title elsewhere, so some commands
  // have two names.
  return vscode.Disposable.from(
    command('show', withReview((review) => show(review))),
    command('next', () => navigation.next(1)),
    command('previous', () => navigation.next(-1)),
    command('glance', () => (reviews.list().length > 0 ? navigation.next(1) : vscode.commands.executeCommand('alongside.agents.focus'))),
    ...['accept', 'acceptShown'].map((name) => command(name, withReview((review, isNamed) => decider.accept(review, isNamed)))),
    ...['reject', 'rejectShown'].map((name) => command(name, withReview((review, isNamed) => decider.reject(review, isNamed)))),
    command('rejectWithReason', withReview((review, isNamed) => decider.rejectWithReason(review, isNamed))),
    command('acceptSeen', async () => {
      await Promise.all(reviews.list().map((review) => sender.send(review)));
      await (reviews.list().length > 0 ? acceptSeen(reviews, seen, decider) : sayNone());
    }),
    command('keepHunk', (id: number, hunk: Hunk, keep: boolean) => {
      const review = reviews.get(id);
      return review && changer.keep(review, hunk, keep);
    }),
    command('toggleHunk', withHunk((review, hunk) => changer.toggle(review, hunk))),
    command('dropWithReason', withHunk((review, hunk) => changer.dropWithReason(review, hunk))),
    command('splitHunk', withHunk((review, hunk) => changer.split(review, hunk))),
    command('showProposed', withHunk(async (review, hunk) =>
      (hunk.state === 'dropped' ? droppedHover.show(review, hunk) : say('This change is not dropped: its text is here.')))),
    command('nextChange', () => navigation.nextChange(1)),
    command('previousChange', () => navigation.nextChange(-1)),
    command('nextUnseen', () => navigation.nextUnseen()),
    command('toggleWrap', () => seen.toggleWrap()),
    command('compareFile', withReview((review) => compareFile(review, texts))),
    command('undo', withReview((review) => changer.undo(review))),
    command('redo', withReview((review) => changer.redo(review))),
    command('acceptAhead', withReview((review) => ahead.accept(review))),
    command('withdrawAhead', () => ahead.withdraw()),
    command('showAccepted', () => ahead.show()),
    command('showBlanks', showWhitespace),
    command('pause', () => companion.ask('alongside/pauseContext', { paused: !status()?.paused })),
    command('send', () => sendSelection(companion)),
    command('runAgent', async () => {
      const agents = findAgents();
      const choices = agents.map((value) => ({ label: value, value }));
      const agent = choices.length > 1 ? await choose('Which agent?', choices) : agents[0];
      if (agent) {
        runInTerminal(agent, agent, status()?.environment);
      }
    }),
    // These commands also work without a companion.
    anyTime('setUpAgents', inTerminal('install agent')),
    anyTime('doctor', inTerminal('doctor')),
    anyTime('drafts', () => showDrafts(program(), texts)),
    anyTime('takeDraft', (uri: vscode.Uri | undefined) => texts.take(uri ?? activeUri()!)),
    anyTime('keys', () => vscode.commands.executeCommand('workbench.action.openGlobalKeybindings', 'alongside')),
    anyTime('tryAgain', () => session.tryAgain()),
    anyTime('openSettings', openSettings),
    anyTime('showOther', showOther),
  );
}
// Returns the given review, otherwise the one in the active tab, that of the active file, the only one, or the one that
// the person chooses.
async function chosen(reviews: Reviews, given: Given): Promise<Review | undefined> {
  if (given && 'review' in given) {
    return given.review.ended ? undefined : given.review;
  }
  // The review in the active tab has ended or is being decided, and the person means no other review.
  const front = reviews.at(given instanceof vscode.Uri ? given : activeUri());
  if (front && (front.ended || front.decided !== undefined)) {
    return undefined;
  }
  const waiting = reviews.list();
  const here = reviews.of(given instanceof vscode.Uri ? given : activeUri());
  if (here || waiting.length < 2) {
    return here ?? waiting[0] ?? sayNone();
  }
  const choices = waiting.map((value) => ({ label: value.display.title, description: value.file, value }));
  return choose('Which proposal?', choices);
}

// Adds the file, with the selected lines, to the prompt of an agent. The companion reports which agent got it.
async function sendSelection(companion: Companion): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') {
    void inform('Go to the file that you want to send.');
    return;
  }
  const { document, selection: { isEmpty, start, end } } = editor;
  // A selection of whole lines ends at the start of the line after it.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const lines = isEmpty ? {} : { lines: { start: start.line, end: last } };
  await companion.ask('alongside/mentionFile', { path: document.uri.fsPath, ...lines });
}

// Compares the file at the time of the proposal with the file now, whose changes would be lost if the proposal is
// accepted.
async function compareFile(review: Review, texts: Texts): Promise<void> {
  const { name } = review.display;
  await showDiff(texts.add(name, review.original ?? ''), vscode.Uri.file(review.file), `${name} (at the proposal, and now)`, { preview: false });
}
