// The person's reasons, which the agent's model reads: for one change, or for the decision on the whole proposal. A
// reason decides nothing, and a typed reason is never lost.

import * as vscode from 'vscode';
import type { Companion } from '../companion/companion';
import { type Hunk, messageOf } from '../companion/protocol';
import { askText, inform, say, warn } from '../messages/window';
import type { Review } from './reviews';

const inOneLine = (reason: string): string => reason.split('\n').map((line) => line.trim()).filter(Boolean).join('; ');

export class Reasons {
  // A reason that could not be sent: the next question begins with it.
  private unsent = '';

  constructor(private readonly companion: Companion) {}

  // Asks for a reason. Returns the typed text, which is empty to remove an existing reason; undefined to do nothing.
  async ask(review: Review, hunk: Hunk | undefined, verb: string): Promise<string | undefined> {
    if (!review.reasons) {
      const { agent } = review.display;
      const sentence = `${agent} reads no reason here: its protocol carries none. “Set Up Agents” offers its hook.`;
      if (await warn(sentence, 'Set Up Agents')) {
        await vscode.commands.executeCommand('alongside.setUpAgents');
      }
      return undefined;
    }
    const index = hunk ? review.hunks.indexOf(hunk) : -1;
    const title = index < 0 ? `${review.display.name}: why?` : `${review.display.name}: why not change ${index + 1} of ${review.hunks.length}?`;
    const hint = review.reasons === 'withRejection' ? ' It is read only if you reject.' : '';
    const known = inOneLine((hunk ?? review).reason ?? '');
    const typed = await askText(title, `${review.display.agent} reads it. ${verb}${hint}`, this.unsent || known);
    const reason = typed?.trim();
    if (reason === undefined || (reason === '' && known === '')) {
      return undefined;
    }
    if (review.ended) {
      this.keep(reason);
      void inform(`${review.display.name}: the proposal has ended. The next question brings back what you typed.`);
      return undefined;
    }
    this.unsent = '';
    return reason;
  }

  // Sends a reason. Returns whether the review has it now.
  async set({ id, revision }: Review, hunk: number | undefined, reason: string): Promise<boolean> {
    try {
      await this.companion.request('alongside/setReason', { id, revision, reason, ...(hunk === undefined ? {} : { hunk }) });
    } catch (error) {
      this.keep(reason);
      void warn(`${messageOf(error)}. The next question brings back what you typed.`);
      return false;
    }
    if (reason === '') {
      say('Reason removed.');
    }
    return true;
  }

  keep(reason: string): void {
    this.unsent = reason;
  }
}
