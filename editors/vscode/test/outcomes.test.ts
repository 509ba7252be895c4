// Ends that arrive together share a message.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Outcomes } from '../src/messages/outcomes';
import { shown } from './vscode';

const outcomes = (): Outcomes => new Outcomes(...([] as unknown as ConstructorParameters<typeof Outcomes>));

const left = (name: string, draft?: string) =>
  ({ name, draft, message: `${name}: closed, because Codex has left.${draft ? ` Your edits are in ${draft} (\`alongside drafts\`).` : ''}` });

beforeEach(() => {
  shown.length = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => mock.timers.reset());

test('the exit of an agent has one message about all its proposals', () => {
  const ends = outcomes();
  ['a.txt', 'b.txt', 'c.txt'].forEach((name) => ends.sayEnd(left(name)));
  assert.deepEqual(shown, []);
  mock.timers.tick(400);
  assert.deepEqual(shown, ['a.txt, b.txt, c.txt: closed, because Codex has left.']);
  ends.sayEnd(left('d.txt'));
  mock.timers.tick(400);
  assert.deepEqual(shown.slice(1), ['d.txt: closed, because Codex has left.']);
});

test('the end of the agent itself is shown once', () => {
  const ends = outcomes();
  [left('a.txt'), { name: '', message: 'Codex has left.' }].forEach((end) => ends.sayEnd(end));
  mock.timers.tick(400);
  assert.deepEqual(shown, ['a.txt: closed, because Codex has left.']);
});

test('equal messages about two sessions of an agent are shown once', () => {
  const ends = outcomes();
  ['Gemini CLI is connected.', 'Gemini CLI is connected.'].forEach((message) => ends.sayEnd({ name: '', message }));
  mock.timers.tick(400);
  assert.deepEqual(shown, ['Gemini CLI is connected.']);
});

test('a draft is named, and opens from the message', () => {
  const ends = outcomes();
  [left('a.txt'), left('b.txt', '/drafts/b.txt'), left('c.txt')].forEach((end) => ends.sayEnd(end));
  mock.timers.tick(400);
  const sentences = 'a.txt, c.txt: closed, because Codex has left. b.txt: closed, because Codex has left. Your edits are in the drafts.';
  assert.deepEqual(shown, [`${sentences} [Open Draft]`]);
});
