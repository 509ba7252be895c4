// The announcements of proposals. Proposals that arrive together share one message, so that none covers another.

import { sayEnded, show, tabsOf } from '../diff/diffEditor';
import { isAboutUnseen } from '../diff/hardToSee';
import type { Review, Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';
import { inform } from './window';

// The time for which VS Code shows a message, in milliseconds.
const MESSAGE_TIME = 10_000;

// The most files that a message names.
const MAX_NAMES = 4;

// The time that the first proposal waits for others, in milliseconds.
const GATHERING_TIME = 400;

export class Announcer extends Subscriber {
  // The proposals that the message on the screen names.
  private open: Review[] = [];
  private gathered: Review[] = [];
  private timer: NodeJS.Timeout | undefined;
  private gathering: NodeJS.Timeout | undefined;

  constructor(reviews: Reviews) {
    super();
    const clearTimers = (): void => [this.timer, this.gathering].forEach((timer) => clearTimeout(timer));
    this.own(reviews.onDidChange(() => this.go()), { dispose: clearTimers });
  }

  announce(review: Review): void {
    this.gathered.push(review);
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.go();
    }, GATHERING_TIME);
  }

  // Shows the next message once a proposal of the current one was shown or all of them have ended.
  private go(): void {
    this.gathered = this.gathered.filter((review) => !review.ended && tabsOf(review).length === 0);
    const isOver = this.open.every(({ ended }) => ended) || this.open.some((review) => tabsOf(review).length > 0);
    if (this.gathering === undefined && isOver && this.gathered.length > 0) {
      [this.open, this.gathered] = [this.gathered, []];
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.open = [];
        this.go();
      }, MESSAGE_TIME);
      void this.say(this.open);
    }
  }

  private async say(news: Review[]): Promise<void> {
    const [first] = news;
    const text = news.length === 1 && first ? announcementOf(first) : announcementOfAll(news);
    const answer = await inform(text, 'Show');
    if (this.open === news) {
      this.open = [];
    }
    // Only a proposal that the message names is shown.
    const review = news.find(({ ended }) => !ended);
    if (answer && review) {
      await show(review);
    } else if (answer && first) {
      sayEnded(first);
    }
    this.go();
  }
}

// Names first the proposals with warnings.
function announcementOfAll(news: Review[]): string {
  const agents = [...new Set(news.map(({ display }) => display.agent))].join(', ');
  const warns = ({ display: { notes } }: Review): boolean => notes.some((note) => note.warning || isAboutUnseen(note));
  const names = [...news.filter(warns).map(({ display }) => `⚠ ${display.name}`), ...news.filter((one) => !warns(one)).map(({ display }) => display.name)];
  return `${agents}: ${news.length} proposals: ${someOf(names)}`;
}

export function someOf(names: string[]): string {
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

// Names the file with its path, as the messages about its end do.
function announcementOf({ display: { name, messages, notes } }: Review): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const named = messages.map((message) => (message.startsWith(`${last}: `) ? name + message.slice(last.length) : message));
  return [...named, ...notes.filter(isAboutUnseen).map(({ text }) => text)].join('. ');
}
