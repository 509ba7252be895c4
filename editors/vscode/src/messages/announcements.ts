// The announcements of proposals. Of several that come at once, one message says how many: none covers another one.

import { sayEnded, show, tabsOf } from '../diff/diffEditor';
import { isAboutUnseen } from '../diff/hardToSee';
import type { Review, Reviews } from '../reviews/reviews';
import { Subscriber } from '../subscriber';
import { inform } from './window';

// How long VS Code shows a message by itself, in milliseconds.
const SHOWN = 10_000;

// So many files are named.
const NAMED = 4;

// How long the first one waits for those that come with it.
const GATHERING = 400;

export class Announcer extends Subscriber {
  // The ones that a message on the screen names.
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
    }, GATHERING);
  }

  // The message on the screen is over once one of its proposals was shown, or all have ended.
  private go(): void {
    this.gathered = this.gathered.filter((review) => !review.ended && tabsOf(review).length === 0);
    const isOver = this.open.every(({ ended }) => ended) || this.open.some((review) => tabsOf(review).length > 0);
    if (this.gathering === undefined && isOver && this.gathered.length > 0) {
      [this.open, this.gathered] = [this.gathered, []];
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.open = [];
        this.go();
      }, SHOWN);
      void this.say(this.open);
    }
  }

  private async say(news: Review[]): Promise<void> {
    const [first] = news;
    const text = news.length === 1 && first ? wordsOf(first) : wordsOfAll(news);
    const answer = await inform(text, 'Show');
    if (this.open === news) {
      this.open = [];
    }
    // Another one than the message names would be a surprise.
    const review = news.find(({ ended }) => !ended);
    if (answer && review) {
      await show(review);
    } else if (answer && first) {
      sayEnded(first);
    }
    this.go();
  }
}

// Of several, those first that a person must look at twice.
function wordsOfAll(news: Review[]): string {
  const agents = [...new Set(news.map(({ display }) => display.agent))].join(', ');
  const warns = ({ display: { notes } }: Review): boolean => notes.some((note) => note.warning || isAboutUnseen(note));
  const names = [...news.filter(warns).map(({ display }) => `⚠ ${display.name}`), ...news.filter((one) => !warns(one)).map(({ display }) => display.name)];
  return `${agents}: ${news.length} proposals: ${someOf(names)}`;
}

export function someOf(names: string[]): string {
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

// With the file's path, as in the sentences about the end.
function wordsOf({ display: { name, messages, notes } }: Review): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const named = messages.map((message) => (message.startsWith(`${last}: `) ? name + message.slice(last.length) : message));
  return [...named, ...notes.filter(isAboutUnseen).map(({ text }) => text)].join('. ');
}
