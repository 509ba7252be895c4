// Proposals that are accepted without a decision: the person accepts ahead all that an agent still proposes for a file
// or a folder, and sees what was accepted by such a grant or by a rule of the settings. Nothing here interrupts the
// person.

import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Companion } from '../companion/companion';
import type { AcceptedByRule } from '../companion/protocol';
import { reverted, sidesOf } from './diffSides';
import { choose, inform, say } from '../messages/window';
import type { Texts } from '../readOnlyTexts';
import type { Review } from '../reviews/reviews';

// The number of accepted changes that the companion reports after a start.
const MAX_ACCEPTED = 100;

// The folder of a file in words. For a file in the project's top folder, that is the whole project.
export const folderWords = (name: string): string =>
  (name.includes('/') ? `${name.slice(0, name.lastIndexOf('/') + 1)}, with all below it` : 'the whole project');

export class Ahead {
  private accepted: AcceptedByRule[] = [];

  constructor(private readonly companion: Companion, private readonly texts: Texts) {}

  // Adds an accepted change; the list begins with the newest.
  add(news: AcceptedByRule): void {
    if (!news.isEarlier) {
      say(`${vscode.workspace.asRelativePath(news.file)}: accepted without you. “Show What Was Accepted Without You” lists it.`);
    }
    this.accepted = [news, ...this.accepted.filter(({ number }) => number !== news.number)].slice(0, MAX_ACCEPTED);
  }

  // Clears the list, because another companion numbers the changes again, and reports those that it has accepted.
  forget(): void {
    this.accepted = [];
  }

  async accept({ id, display }: Review): Promise<void> {
    const choices = [
      { label: 'This file', description: display.name, value: 'file' },
      { label: 'Its folder', description: folderWords(display.name), value: 'folder' },
    ];
    const scope = await choose(`Accept all that ${display.agent} still proposes, until it ends: for which files?`, choices);
    // The companion confirms the grant with a notice.
    await (scope && this.companion.ask('alongside/grant', { id, scope }));
  }

  async withdraw(): Promise<void> {
    if (await this.companion.ask('alongside/withdrawGrants', {})) {
      say('Nothing is accepted ahead any more.');
    }
  }

  async show(): Promise<void> {
    if (this.accepted.length === 0) {
      void inform('Nothing was accepted without you.');
      return;
    }
    const choices = this.accepted.map((value) => ({
      label: vscode.workspace.asRelativePath(value.file),
      description: `${value.kind}, +${value.added} -${value.removed}, ${value.agent}`,
      detail: value.isBrokenOff ? `${value.by}; not written, because its patch was broken off` : value.by,
      value,
    }));
    const chosen = await choose('Accepted without you. Which change?', choices);
    await (chosen && this.showChange(chosen));
  }

  // Shows the whole file before and after the change if the file still contains the change, otherwise only the changed
  // lines.
  private async showChange({ file, diff }: AcceptedByRule): Promise<void> {
    const now = await readFile(file, 'utf8').catch(() => '');
    const before = reverted(now, diff);
    const [left, right] = before === undefined ? sidesOf(diff) : [before, now];
    const name = vscode.workspace.asRelativePath(file);
    await this.texts.compare(name, left, right, `${name} (accepted without you)`);
  }
}
