// The sentences about the end of a proposal, and the way on from there.

import * as vscode from 'vscode';
import { showDraftOf } from './drafts';
import type { Navigation } from './navigation';
import type { Reviews } from './reviews';
import type { Texts } from './texts';
import { inform, warn } from './window';

// The companion's words name commands of a shell, which have a name of their own here.
export const inWindow = (message: string): string =>
  message.replace(/Your edits are in \S.*? \(`alongside drafts`\)/, 'Your edits are in the drafts').replaceAll('in `alongside drafts`', 'in the drafts');

const DIFFERS = /^(.*): holds something else than you accepted/;

export class Outcomes {
  constructor(
    private readonly reviews: Reviews,
    private readonly navigation: Navigation,
    private readonly texts: Texts,
    private readonly program: () => string,
  ) {}

  async sayClosed(message: string, draft: string | undefined, decidedHere: boolean): Promise<void> {
    const waiting = this.reviews.list().length;
    const goesOn = decidedHere && waiting > 0;
    if (goesOn && vscode.workspace.getConfiguration('alongside').get<boolean>('showNext')) {
      void this.navigation.next(1);
    }
    const next = `Next (${waiting})`;
    const ways = [...(goesOn ? [next] : []), ...(draft ? ['Open Draft'] : [])];
    const answer = message && await inform(inWindow(message), ...ways);
    if (answer === next) {
      await this.navigation.next(1);
    } else if (answer && draft) {
      await vscode.window.showTextDocument(vscode.Uri.file(draft), { preview: false });
    }
  }

  // The file as it is after the decision.
  async sayLastWord(message: string): Promise<void> {
    const name = DIFFERS.exec(message)?.[1];
    if (name === undefined) {
      void inform(inWindow(message));
    } else if (await warn(inWindow(message), 'Show Difference')) {
      await showDraftOf(this.program(), this.texts, name);
    }
  }
}
