// Proposals that arrive together share an announcement, and no announcement covers another message.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Announcer } from '../src/messages/announcements';
import type { Review, Reviews } from '../src/reviews/reviews';
import { click, executedCommands, shown } from './vscode';

beforeEach(() => {
  shown.length = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => mock.timers.reset());

function proposal(name: string, isHard = false): Review {
  const display = { name, agent: 'Gemini CLI', messages: [`${name}: Gemini CLI proposes 1 change`], notes: isHard ? [{ text: 'Hard to see: a tab in place of blanks.', warning: false }] : [] };
  return { id: 1, ended: false, display, agent: { since: 1 } } as unknown as Review;
}

function announcer(): Announcer {
  return new Announcer({ onDidChange: () => ({ dispose: () => undefined }) } as unknown as Reviews);
}

test('proposals that arrive together have one message', () => {
  const announcing = announcer();
  ['a.txt', 'b.txt', 'c.txt'].forEach((name) => announcing.announce(proposal(name)));
  assert.deepEqual(shown, []);
  mock.timers.tick(400);
  assert.deepEqual(shown, ['Gemini CLI: 3 proposals: a.txt, b.txt, c.txt [Show]']);
});

test('a proposal with a warning is named first', () => {
  const announcing = announcer();
  ['a', 'b', 'c', 'd', 'e', 'f'].forEach((name) => announcing.announce(proposal(name, name === 'e')));
  mock.timers.tick(400);
  assert.deepEqual(shown, ['Gemini CLI: 6 proposals: ⚠ e, a, b, c, 2 more [Show]']);
});

test('a later proposal waits until the message has gone', () => {
  const announcing = announcer();
  announcing.announce(proposal('a.txt'));
  mock.timers.tick(400);
  announcing.announce(proposal('b.txt'));
  mock.timers.tick(5000);
  assert.deepEqual(shown, ['a.txt: Gemini CLI proposes 1 change [Show]']);
  mock.timers.tick(5000);
  assert.deepEqual(shown.slice(1), ['b.txt: Gemini CLI proposes 1 change [Show]']);
});

test('the message about an ended proposal shows no other proposal', async () => {
  const announcing = announcer();
  const gone = proposal('a.txt');
  announcing.announce(gone);
  mock.timers.tick(400);
  gone.ended = true;
  click('Show');
  await new Promise(setImmediate);
  assert.deepEqual([shown[1], executedCommands], ['a.txt: the proposal has ended.', []]);
});
