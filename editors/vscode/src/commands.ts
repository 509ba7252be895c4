// The commands, each of which says so if there is no companion or no proposal.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import type { Decider } from './deciding';
import type { Node } from './overview';
import { findAgents, findProgram } from './program';
import { type Hunk, messageOf, type Status } from './protocol';
import type { Review, Reviews } from './reviews';
import { type Session, showOther } from './session';
import { activeUri, show } from './view';
import { choose, inform, runInTerminal, warn } from './window';

// A row of the view, or the document of a title bar.
type Given = Node | vscode.Uri | undefined;

export interface Parts {
  context: vscode.ExtensionContext;
  companion: Companion;
  reviews: Reviews;
  decider: Decider;
  session: Session;
  status(): Status | undefined;
}

export function registerCommands({ context, companion, reviews, decider, session, status }: Parts): vscode.Disposable {
  const command = (name: string, run: (...given: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`alongside.${name}`, (...given: never[]) => session.isReady() && run(...given));
  const withReview = (run: (review: Review, isNamed: boolean) => Promise<void>) => async (given: Given) => {
    const review = await chosen(reviews, given);
    await (review && run(review, given !== undefined && 'review' in given));
  };
  const next = (): unknown => {
    const waiting = reviews.list();
    const uri = activeUri();
    const here = reviews.of(uri);
    const at = waiting.findIndex((review) => review === here);
    // The one for the file in front, else the one after that in front, else the oldest.
    const review = here && uri?.scheme === 'file' ? here : waiting[(at + 1) % waiting.length];
    return review ? show(review) : sayNone();
  };
  return vscode.Disposable.from(
    command('show', withReview((review) => show(review))),
    command('next', next),
    command('glance', () => (reviews.list().length > 0 ? next() : vscode.commands.executeCommand('alongside.reviews.focus'))),
    command('accept', withReview((review, isNamed) => decider.accept(review, isNamed))),
    command('reject', withReview((review, isNamed) => decider.reject(review, isNamed))),
    command('keepHunk', (id: number, hunk: Hunk, keep: boolean) => {
      const review = reviews.get(id);
      return review && decider.keep(review, hunk, keep);
    }),
    command('toggleHunk', () => decider.toggle(reviews.of(activeUri()))),
    command('pause', () => companion.request('alongside/pauseContext', { paused: !status()?.paused }).catch(
      (error: unknown) => void warn(messageOf(error)),
    )),
    command('send', () => sendSelection(companion)),
    command('runAgent', async () => {
      const agents = findAgents();
      const choices = agents.map((value) => ({ label: value, value }));
      const agent = choices.length > 1 ? await choose('Which agent?', choices) : agents[0];
      if (agent) {
        runInTerminal(agent, agent, status()?.environment);
      }
    }),
    // The doctor finds reasons also where no companion runs.
    vscode.commands.registerCommand('alongside.doctor', () => {
      const program = findProgram(context) ?? 'alongside';
      runInTerminal('alongside doctor', `${/^[\w./-]+$/.test(program) ? program : `'${program.replaceAll("'", "'\\''")}'`} doctor`);
    }),
    vscode.commands.registerCommand('alongside.showOther', showOther),
  );
}

// The given review, else the one in front, else the one of this file, else the only one, else the person chooses.
async function chosen(reviews: Reviews, given: Given): Promise<Review | undefined> {
  if (given && 'review' in given) {
    return given.review.ended ? undefined : given.review;
  }
  // The review in front is being decided: no other one is meant.
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

// Adds the file, and the selected lines, to the prompt of an agent. The companion says to whom.
async function sendSelection(companion: Companion): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') {
    void inform('Go to the file that you want to send.');
    return;
  }
  const { document, selection: { isEmpty, start, end } } = editor;
  // A selection of whole lines ends before the next one.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const lines = isEmpty ? {} : { lines: { start: start.line, end: last } };
  try {
    await companion.request('alongside/mentionFile', { path: document.uri.fsPath, ...lines });
  } catch (error) {
    void warn(messageOf(error));
  }
}

function sayNone(): undefined {
  void inform('No proposal waits.');
}
