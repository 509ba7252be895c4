// The entry point: creates the parts of the extension and connects them.

import * as vscode from 'vscode';
import { Ahead } from './accept/acceptAhead';
import { SeenReviews } from './accept/seenReviews';
import { registerCommands } from './commands';
import { Companion } from './companion/companion';
import { ContextReporter } from './companion/context';
import { findProgram } from './companion/program';
import type { ClosedReview, OpenedReview, Status } from './companion/protocol';
import { Session } from './companion/session';
import { Lenses } from './diff/codeLenses';
import { activeUri, closeLeftovers, putAway, show, tabsOf, watchClosedTabs } from './diff/diffEditor';
import { DroppedHover } from './diff/droppedHover';
import { Navigation } from './diff/navigation';
import { Overview } from './lists/statusBar';
import { Badges } from './lists/tabBadges';
import { Announcer } from './messages/announcements';
import { Outcomes } from './messages/outcomes';
import { Texts } from './readOnlyTexts';
import { Decider } from './reviews/decisions';
import { Documents } from './reviews/documents';
import { Changer } from './reviews/hunkCommands';
import { Reasons } from './reviews/reasons';
import { PROPOSAL, Reviews } from './reviews/reviews';
import { Sender } from './reviews/textSync';

// The time after a connection in which the server reports every waiting review, in milliseconds.
const SETTLE_TIME = 3000;

let companion: Companion | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const reviews = new Reviews();
  const seen = new SeenReviews(reviews);
  const overview = new Overview(reviews, seen);
  const navigation = new Navigation(reviews, seen);
  const announcer = new Announcer(reviews);
  const texts = new Texts();
  const program = (): string => findProgram(context) ?? 'alongside';
  const outcomes = new Outcomes(reviews, navigation, texts, program);
  const variables = context.environmentVariableCollection;
  // The variables contain a token, so VS Code must not store them.
  variables.persistent = false;
  variables.description = 'Leads agents to this window.';
  let last: Status | undefined;

  companion = new Companion(context, {
    started: () => {
      session.started();
      reporter.repeat();
      setTimeout(() => void settle(), SETTLE_TIME);
    },
    lost: () => {
      reviews.list().forEach((review) => { review.known = false; });
      ahead.forget();
    },
    failed: (message) => session.fail(message),
    opened: (news) => void announce(news),
    changed: (news) => {
      const review = reviews.change(news);
      if (review) {
        void sender.follow(review);
        void changer.forgetReasons(review);
      }
    },
    lastWord: (word) => void outcomes.sayLastWord(word),
    closed: (news) => void close(news),
    status: (status) => {
      overview.showStatus(status);
      status.display.messages.forEach((message) => outcomes.sayEnd({ name: '', message }));
      if (JSON.stringify(status.environment) !== JSON.stringify(last?.environment)) {
        variables.clear();
        Object.entries(status.environment).forEach(([name, value]) => variables.replace(name, value));
      }
      last = status;
    },
    acceptedByRule: (accepted) => ahead.add(accepted),
    flush: async (id) => {
      const review = reviews.get(id);
      await (review && sender.send(review));
    },
  });
  const sender = new Sender(reviews, companion);
  const ahead = new Ahead(companion, texts);
  const reasons = new Reasons(companion);
  const decider = new Decider(companion, sender, reasons, seen, navigation);
  const changer = new Changer(companion, sender, reasons, navigation);
  const reporter = new ContextReporter(companion);
  const session = new Session(context, companion, overview, () => {
    variables.clear();
    last = undefined;
    void settle(true);
  });

  // VS Code restores tabs before their reviews are known, so their documents wait for this promise.
  let settled = (): void => undefined;
  const settling = new Promise<void>((resolve) => { settled = resolve; });

  // Ends the reviews that the server has not reported; with `endsAll`, all of them, because there is no companion.
  async function settle(endsAll = false): Promise<void> {
    for (const { id } of reviews.list().filter(({ known }) => endsAll || !known)) {
      await close({ id, display: { messages: [] } });
    }
    settled();
    await closeLeftovers(reviews);
  }

  async function announce(news: OpenedReview): Promise<void> {
    const review = reviews.open(news);
    if (!review) {
      // The review waits again at a new server, which lacks the text typed meanwhile.
      const waiting = reviews.get(news.id);
      void (waiting && sender.send(waiting).then(() => sender.follow(waiting)));
      return;
    }
    const isInProposal = activeUri()?.scheme === PROPOSAL;
    if (vscode.workspace.getConfiguration('alongside').get<boolean>('showReviews') && !isInProposal) {
      return show(review, true);
    }
    // After a reload of the window, VS Code may already show the review.
    if (tabsOf(review).length === 0) {
      announcer.announce(review);
    }
  }

  async function close({ id, closing, decidedHere, draft, display }: ClosedReview): Promise<void> {
    const review = reviews.end(id);
    const message = display.messages.join(' ');
    if (message && review && !decidedHere) {
      outcomes.sayEnd({ name: review.display.name, message, draft });
    } else if (message && !(review?.isTogether && closing === 'accepted')) {
      void outcomes.sayDecided(message, draft);
    }
    if (review) {
      sender.stop(review);
      await putAway(reviews, review, (decidedHere ? review.decided : undefined) ?? review.current, decidedHere ?? false);
      documents.forget(review);
    }
  }

  const documents = new Documents(reviews, settling);
  const droppedHover = new DroppedHover(reviews);
  context.subscriptions.push(
    reviews, seen, overview, announcer, texts, sender, decider, reporter, session,
    documents, droppedHover, new Badges(reviews), new Lenses(reviews), watchClosedTabs(reviews, (review) => decider.reject(review, true)),
    registerCommands({ companion, reviews, seen, sender, decider, changer, droppedHover, ahead, navigation, texts, program, session, status: () => last }),
  );
  session.update();
}

export function deactivate(): Promise<void> | undefined {
  return companion?.stop();
}
