// The entry: connects the parts.

import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { Companion } from './companion';
import { ContextReporter } from './context';
import { Decider } from './deciding';
import { Documents } from './documents';
import { Overview } from './overview';
import type { ClosedReview, OpenedReview, Status } from './protocol';
import { Reviews } from './reviews';
import { Sender } from './sending';
import { Session } from './session';
import { closeLeftovers, ClosedTabs, Lenses, putAway, show } from './view';

// A server names every waiting review as soon as it is connected.
const SETTLING = 3000;

let companion: Companion | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const reviews = new Reviews();
  const overview = new Overview(reviews);
  const variables = context.environmentVariableCollection;
  // They hold a token.
  variables.persistent = false;
  variables.description = 'Leads agents to this window.';
  let last: Status | undefined;

  companion = new Companion(context, {
    started: () => {
      session.started();
      reviews.list().forEach((review) => { review.known = false; });
      reporter.repeat();
      setTimeout(() => void settle(), SETTLING);
    },
    failed: (message) => session.fail(message),
    opened: (news) => void announce(news),
    changed: (news) => {
      const review = reviews.change(news);
      if (review) {
        void sender.follow(review);
      }
    },
    closed: (news) => void close(news),
    status: (status) => {
      overview.showStatus(status);
      if (JSON.stringify(status.environment) !== JSON.stringify(last?.environment)) {
        variables.clear();
        Object.entries(status.environment).forEach(([name, value]) => variables.replace(name, value));
      }
      last = status;
    },
    flush: (id) => sender.flush(id),
  });
  const sender = new Sender(reviews, companion);
  const decider = new Decider(companion, sender);
  const reporter = new ContextReporter(companion);
  const session = new Session(context, companion, overview, () => {
    variables.clear();
    last = undefined;
    void settle(true);
  });

  // VS Code restores tabs before their reviews are known.
  let settled = (): void => undefined;
  const settling = new Promise<void>((resolve) => { settled = resolve; });

  // Every waiting review is known now, or there is no companion.
  async function settle(endsAll = false): Promise<void> {
    for (const { id } of reviews.list().filter(({ known }) => endsAll || !known)) {
      await close({ id, closing: 'interrupted', display: { messages: [] } });
    }
    settled();
    await closeLeftovers(reviews);
  }

  async function announce(news: OpenedReview): Promise<void> {
    const review = reviews.open(news);
    if (!review) {
      sender.sendAgain();
      return;
    }
    if (vscode.workspace.getConfiguration('alongside').get<boolean>('showReviews')) {
      await show(review, true);
      return;
    }
    for (const message of news.display.messages) {
      const answer = await vscode.window.showInformationMessage(message, 'Show');
      if (answer && !review.ended) {
        await show(review);
      }
    }
  }

  async function close({ id, decidedHere }: ClosedReview): Promise<void> {
    const review = reviews.end(id);
    if (review) {
      sender.stop(review);
      const taken = decidedHere ? review.decided ?? review.text : review.current;
      await putAway(reviews, review, review.text === taken ? undefined : review.text);
    }
  }

  context.subscriptions.push(
    reviews, overview, sender, reporter, session,
    new Documents(reviews, settling), new Lenses(reviews), new ClosedTabs(reviews, (review) => decider.reject(review)),
    registerCommands({
      context, companion, reviews, decider, session,
      isPaused: () => last?.paused ?? false,
      environment: () => last?.environment ?? {},
    }),
  );
  session.update();
}

export function deactivate(): Promise<void> | undefined {
  return companion?.stop();
}
