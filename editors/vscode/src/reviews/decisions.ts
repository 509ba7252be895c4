// Accepting and rejecting: only commands of the person decide.

import * as vscode from 'vscode';
import { unseenWords } from '../accept/seenChanges';
import type { SeenReviews } from '../accept/seenReviews';
import type { Companion } from '../companion/companion';
import { messageOf, refusal } from '../companion/protocol';
import { activeUri, sayEnded, show, tabsOf } from '../diff/diffEditor';
import type { Navigation } from '../diff/navigation';
import { ask, askWhich, say, warn } from '../messages/window';
import type { Reasons } from './reasons';
import { proposalUri, type Review, textParams } from './reviews';
import { Subscriber } from '../subscriber';
import type { Sender } from './textSync';

// The time in which a newly shown proposal cannot be decided, in milliseconds: the second of two keys or clicks must
// not decide it.
const GLANCE = 400;

export class Decider extends Subscriber {
  private front = '';
  private frontSince = 0;

  constructor(
    private readonly companion: Companion,
    private readonly sender: Sender,
    private readonly reasons: Reasons,
    private readonly seen: SeenReviews,
    private readonly navigation: Navigation,
  ) {
    super();
    this.own(vscode.window.tabGroups.onDidChangeTabs(() => {
      const front = activeUri()?.toString() ?? '';
      if (front !== this.front) {
        this.front = front;
        this.frontSince = Date.now();
      }
    }));
  }

  // Whether the person means this review: it is in the active tab, or its file is, or they have named it in a list. A
  // proposal that is not visible is shown before it is accepted; before a rejection, only one that the person has not
  // named is shown.
  private async isMeant(review: Review, isNamed: boolean, verb: 'accept' | 'reject'): Promise<boolean> {
    const uri = activeUri();
    if (uri?.toString() === proposalUri(review).toString()) {
      const isSeen = isNamed || Date.now() - this.frontSince > GLANCE;
      if (!isSeen) {
        say(`${review.display.name} has just come to the front. To ${verb} it, do that again.`);
      }
      return isSeen;
    }
    const isHere = uri?.scheme === 'file' && uri.fsPath === review.file;
    if ((isNamed || isHere) && (verb === 'reject' || tabsOf(review).some(({ isActive }) => isActive))) {
      return true;
    }
    await show(review);
    say(`Look at ${review.display.name} first, then ${verb} it.`);
    return false;
  }

  async accept(review: Review, isNamed: boolean): Promise<void> {
    const { notes } = review.display;
    if (!await this.isMeant(review, isNamed, 'accept')) {
      return;
    }
    const warnings = notes.filter(({ warning }) => warning).map(({ text }) => text);
    if (await this.isSure(review, warnings.join('\n'))) {
      await this.decide(review, 'accept');
    }
  }

  // Asks about unseen changes and about warnings. The Enter key shows them, and does not accept.
  private async isSure(review: Review, warnings: string): Promise<boolean> {
    const { name } = review.display;
    const part = this.seen.count(review);
    const asks = vscode.workspace.getConfiguration('alongside').get<boolean>('askAboutUnseen') ?? true;
    if (asks && part.seen < part.all) {
      const way = await askWhich(`${name}: ${unseenWords(part)}.`, warnings, 'Go to the First', 'Accept');
      if (way === 'Go to the First') {
        await this.navigation.showUnseen(review);
      }
      return way === 'Accept';
    }
    if (warnings && (review.stale || review.dirty)) {
      const way = await askWhich(`Accept ${name} all the same?`, warnings, 'Compare With the File', 'Accept');
      if (way === 'Compare With the File') {
        await vscode.commands.executeCommand('alongside.compareFile', proposalUri(review));
      }
      return way === 'Accept';
    }
    return warnings === '' || ask(`Accept ${name} all the same?`, warnings, 'Accept');
  }

  async reject(review: Review, isNamed: boolean): Promise<void> {
    const { name } = review.display;
    if (!await this.isMeant(review, isNamed, 'reject')) {
      return;
    }
    if (!isEdited(review) || await ask(`${name} has your edits.`, 'Rejecting moves them to the drafts.', 'Reject')) {
      await this.decide(review, 'reject');
    }
  }

  async rejectWithReason(review: Review, isNamed: boolean): Promise<void> {
    if (!await this.isMeant(review, isNamed, 'reject')) {
      return;
    }
    const drafts = isEdited(review) ? ' Your edits go to the drafts.' : '';
    const reason = await this.reasons.ask(review, undefined, `Enter rejects the proposal.${drafts}`);
    await this.sender.send(review);
    if (reason !== undefined && await this.reasons.set(review, undefined, reason) && reason !== '') {
      await this.decide(review, 'reject');
    }
  }

  // Accepts a review of the confirmed list at its listed revision. Returns why it still waits; undefined if it is
  // accepted.
  async acceptListed(review: Review, revision: number): Promise<'changed' | 'ended' | { why: string } | undefined> {
    if (review.ended || review.decided !== undefined) {
      return 'ended';
    }
    if (review.unsent || review.revision !== revision) {
      return 'changed';
    }
    review.decided = review.text;
    review.isTogether = true;
    try {
      await this.companion.request('alongside/decideReview', { ...textParams(review), decision: 'accept' });
      return undefined;
    } catch (error) {
      review.decided = undefined;
      review.isTogether = false;
      const why = refusal(error);
      return why === 'stale' ? 'changed' : why === 'noSuchReview' ? 'ended' : { why: `${review.display.name} waits: ${messageOf(error)}` };
    }
  }

  private async decide(review: Review, decision: 'accept' | 'reject'): Promise<void> {
    if (review.ended) {
      sayEnded(review);
    }
    if (review.ended || review.decided !== undefined) {
      return;
    }
    // The decision itself sends the text.
    this.sender.stop(review);
    review.decided = review.text;
    try {
      await this.companion.request('alongside/decideReview', { ...textParams(review), decision });
    } catch (error) {
      review.decided = undefined;
      void this.sender.send(review);
      const why = refusal(error);
      const ways = why === 'unchanged' || why === 'empty' ? ['Reject'] : [];
      // `reject` asks again, because the person may have typed since.
      if (await warn(messageOf(error), ...ways)) {
        await this.reject(review, true);
      }
    }
  }
}

const isEdited = ({ unsent, hunks, text, proposed }: Review): boolean =>
  unsent || hunks.some(({ state }) => state === 'edited') || (hunks.length === 0 && text !== proposed);
