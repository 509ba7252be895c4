// The messages about the end of a proposal, with buttons for the next step.

import * as vscode from 'vscode';
import { someOf } from './announcements';
import type { LastWord } from '../companion/protocol';
import type { Navigation } from '../diff/navigation';
import { showDraftOf, showDrafts } from '../drafts';
import type { Texts } from '../readOnlyTexts';
import type { Reviews } from '../reviews/reviews';
import { inform, warn } from './window';

// Replaces shell commands in the companion's messages with the names that they have in VS Code.
export const inWindow = (message: string): string =>
  message.replace(/Your edits are in \S.*? \(`alongside drafts`\)/, 'Your edits are in the drafts').replaceAll('in `alongside drafts`', 'in the drafts');

// The time that the first message waits for others, in milliseconds.
const GATHERING_TIME = 400;

// The end of a review that was not decided in this window, or of an agent. The message begins with the name.
interface End { name: string; message: string; draft?: string }

const openDraft = (draft: string): Thenable<unknown> => vscode.window.showTextDocument(vscode.Uri.file(draft), { preview: false });

export class Outcomes {
  private readonly ends: End[] = [];

  constructor(
    private readonly reviews: Reviews,
    private readonly navigation: Navigation,
    private readonly texts: Texts,
    private readonly program: () => string,
  ) {}

  // Shows ends that arrive together, as when an agent exits, in one message.
  sayEnd(end: End): void {
    if (this.ends.push(end) === 1) {
      setTimeout(() => void this.sayEnds(this.ends.splice(0)), GATHERING_TIME);
    }
  }

  private async sayEnds(ends: End[]): Promise<void> {
    const names = new Map<string, string[]>();
    for (const { name, message } of ends) {
      const at = message.startsWith(`${name}: `) ? name.length : 0;
      const rest = inWindow(message.slice(at));
      const of = names.get(rest) ?? [];
      names.set(rest, at > 0 ? [...of, message.slice(0, at)] : of);
    }
    const all = [...names].map(([rest, of]) => `${someOf(of)}${rest}`);
    // The message about an agent's end is part of those about its proposals.
    const sentences = all.filter((one) => !all.some((other) => other !== one && other.includes(one)));
    const drafts = ends.flatMap(({ draft }) => draft ?? []);
    const ways = drafts.length === 0 ? [] : [drafts.length === 1 ? 'Open Draft' : 'Show Drafts'];
    if (await inform(sentences.join(' '), ...ways)) {
      await (drafts.length === 1 ? openDraft(drafts[0]!) : showDrafts(this.program(), this.texts));
    }
  }

  async sayDecided(message: string, draft: string | undefined): Promise<void> {
    const waiting = this.reviews.list().length;
    const goesOn = waiting > 0;
    if (goesOn && vscode.workspace.getConfiguration('alongside').get<boolean>('showNext')) {
      void this.navigation.next(1);
    }
    const next = `Next (${waiting})`;
    const ways = [...(goesOn ? [next] : []), ...(draft ? ['Open Draft'] : [])];
    const answer = await inform(inWindow(message), ...ways);
    if (answer === next) {
      await this.navigation.next(1);
    } else if (answer && draft) {
      await openDraft(draft);
    }
  }

  // Shows the state of the file after the decision.
  async sayLastWord({ word, file, display: { messages: [message] } }: LastWord): Promise<void> {
    if (message && word !== 'somethingElse') {
      void inform(inWindow(message));
    } else if (message && await warn(inWindow(message), 'Show Difference')) {
      await showDraftOf(this.program(), this.texts, file);
    }
  }
}
