// Proposals without a decision: the person accepts ahead all that an agent still proposes for a file or a folder, and sees
// what was accepted without them, by that or by a rule of the settings. Nothing of it interrupts.

import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Companion } from '../companion/companion';
import type { AcceptedByRule } from '../companion/protocol';
import { reverted, sidesOf } from './diffSides';
import { choose, inform, say } from '../messages/window';
import type { Texts } from '../readOnlyTexts';
import type { Review } from '../reviews/reviews';

// As many as the companion names after a start.
const MOST = 100;

// A folder in words: that of a file in the project's own one is all of it.
export const folderWords = (name: string): string =>
  (name.includes('/') ? `${name.slice(0, name.lastIndexOf('/') + 1)}, with all below it` : 'the whole project');

export class Ahead {
  private accepted: AcceptedByRule[] = [];

  constructor(private readonly companion: Companion, private readonly texts: Texts) {}

  // The newest first.
  add(news: AcceptedByRule): void {
    if (!news.isEarlier) {
      say(`${vscode.workspace.asRelativePath(news.file)}: accepted without you. “Show What Was Accepted Without You” lists it.`);
    }
    this.accepted = [news, ...this.accepted.filter(({ number }) => number !== news.number)].slice(0, MOST);
  }

  // Another companion counts anew, and names what it has accepted.
  forget(): void {
    this.accepted = [];
  }

  async accept({ id, display }: Review): Promise<void> {
    const choices = [
      { label: 'This file', description: display.name, value: 'file' },
      { label: 'Its folder', description: folderWords(display.name), value: 'folder' },
    ];
    const scope = await choose(`Accept all that ${display.agent} still proposes, until it ends: for which files?`, choices);
    // A notice says what is accepted ahead now.
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
    const one = await choose('Accepted without you. Which change?', choices);
    await (one && this.showChange(one));
  }

  // The whole file, if it still holds the change; else the lines of the change.
  private async showChange({ file, diff }: AcceptedByRule): Promise<void> {
    const now = await readFile(file, 'utf8').catch(() => '');
    const before = reverted(now, diff);
    const [left, right] = before === undefined ? sidesOf(diff) : [before, now];
    const name = vscode.workspace.asRelativePath(file);
    await this.texts.compare(name, left, right, `${name} (accepted without you)`);
  }
}
