// No proposal is accepted together with others if it has unseen changes or needs a decision of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, question, sentence } from '../src/accept/acceptTogether';
import { SeenChanges, type SeenPart, seenWords, type ShownLines } from '../src/accept/seenChanges';
import type { Hunk } from '../src/companion/protocol';
import type { Texts } from '../src/diff/hunkPositions';

const hunk = (start: number, end: number, state: Hunk['state'] = 'kept'): Hunk =>
  ({ original: { start, end }, proposed: { start, end }, current: { start, end }, state });

const review = (name = 'a.md', obstacle?: string) =>
  ({ revision: 1, display: { name, agent: 'Codex', counts: '+1 -1', states: '1 kept', obstacle } });

const look = (seen: SeenChanges, texts: Texts, start: number, end: number, how = {}): boolean =>
  seen.record(texts, { lines: [{ start, end }], isWrapped: false, showsWhitespace: true, ...how });

const all: SeenPart = { seen: 1, all: 1, unit: 'changes' };

test('only a proposal that was wholly seen has no obstacle', () => {
  const obstacle = (seen: SeenPart, told?: string): string | undefined => listed(review('a.md', told), seen).obstacle;
  assert.equal(obstacle(all), undefined);
  assert.equal(obstacle({ seen: 0, all: 20, unit: 'changes' }), 'not seen yet');
  assert.equal(obstacle({ seen: 3, all: 20, unit: 'changes' }), 'seen 3 of 20 changes');
  assert.equal(obstacle(all, 'an editor holds unsaved changes'), 'an editor holds unsaved changes');
});

test('the list names the proposals to accept, and why the others wait', () => {
  const two = [listed(review(), all), listed(review('b.md'), { seen: 0, all: 1, unit: 'changes' })];
  const { text, detail, yes } = question(two);
  assert.equal(text, 'Accept this proposal?');
  assert.deepEqual(detail.split('\n'), [
    'To accept, as they stand now:', 'a.md: +1 -1, Codex, 1 kept', '',
    'Not accepted; these wait on:', 'b.md: +1 -1, Codex, 1 kept: not seen yet',
  ]);
  assert.equal(yes, 'Accept');
  assert.equal(question([two[1]!]).yes, '', 'nothing to accept');
});

test('a proposal that the list leaves out is not accepted', () => {
  const { ready, others, detail } = question(Array.from({ length: 31 }, (_, index) => listed(review(`${index}.md`), all)));
  assert.deepEqual([ready.length, others.length], [20, 11]);
  assert.ok(detail.includes('20.md: +1 -1, Codex, 1 kept: in the next list') && detail.endsWith('and 3 others'));
});

test('the result is one sentence', () => {
  assert.equal(sentence({ accepted: 3, changed: 1, ended: 0, others: 0, refused: [] }), '3 accepted; 1 changed meanwhile and waits.');
  const end = { accepted: 0, changed: 0, ended: 1, others: 2, refused: ['a waits: The companion has stopped'] };
  assert.equal(sentence(end), 'Nothing accepted; 2 others wait; 1 ended meanwhile; a waits: The companion has stopped.');
});

test('a change is seen once all of its lines were on the screen', () => {
  const current = Array.from({ length: 100 }, (_, line) => `${line}\n`).join('');
  const seen = new SeenChanges();
  const one = { hunks: [hunk(10, 60), hunk(80, 81)], current };
  assert.ok(!look(seen, one, 0, 40));
  assert.deepEqual(seen.count(one), { seen: 0, all: 2, unit: 'changes' });
  assert.ok(look(seen, one, 40, 61), 'the second screen');
  assert.deepEqual(seen.count(one), { seen: 1, all: 2, unit: 'changes' });
  assert.ok(look(seen, one, 79, 82));
  assert.deepEqual(seen.count(one), { seen: 2, all: 2, unit: 'changes' });
  // Another desk edits the change.
  const edited = { hunks: [hunk(10, 60), hunk(80, 81, 'edited')], current: current.replace('80\n', 'eighty\n') };
  assert.deepEqual(seen.count(edited), { seen: 1, all: 2, unit: 'changes' });
});

test('a change to the right of the screen is not seen before its line wraps', () => {
  const line = (end: string): string => `${'-'.repeat(200)}${end}\n`;
  const wide = { hunks: [hunk(1, 2), hunk(2, 3)], original: `a\n${line('1')}b\n`, current: `a\n${line('2')}c\n` };
  const seen = new SeenChanges();
  look(seen, wide, 0, 5);
  assert.deepEqual(seen.count(wide), { seen: 1, all: 2, unit: 'changes' });
  assert.deepEqual(seen.firstUnseen(wide), { index: 0, line: 0 });
  look(seen, wide, 0, 5, { isWrapped: true });
  assert.equal(seen.count(wide).seen, 2);
});

test('the changed columns of a wrapped line must be on the screen', () => {
  const line = (end: string): string => `${'-'.repeat(900)}${end}\n`;
  const wide = { hunks: [hunk(1, 2), hunk(3, 4)], original: `a\n${line('1')}b\nc\n`, current: `a\n${line('2')}b\nd\n` };
  const seen = new SeenChanges();
  const see = (lines: ShownLines): boolean => seen.record(wide, { lines: [lines], isWrapped: true, showsWhitespace: true });
  see({ start: 0, end: 2, to: 500 });
  see({ start: 2, end: 4 });
  assert.equal(seen.count(wide).seen, 0, 'the rest of the line was below the screen');
  assert.ok(see({ start: 1, end: 3, from: 450, to: 1 }), 'one screen further down');
});

test('a change of whitespace is not seen while VS Code hides it', () => {
  const deeper = { hunks: [hunk(1, 2), hunk(3, 4)], original: 'a\n  b\nc\nd\n', current: 'a\n    b\nc\nD\n' };
  const seen = new SeenChanges();
  look(seen, deeper, 0, 5, { showsWhitespace: false });
  assert.equal(seenWords(seen.count(deeper)), 'seen 1 of 2 changes');
  look(seen, deeper, 0, 5);
  assert.equal(seenWords(seen.count(deeper)), '');
});

test('a change that is dropped and kept again stays seen', () => {
  const seen = new SeenChanges();
  const one = { hunks: [hunk(1, 2), hunk(3, 4)], original: 'a\nb\nc\nd\n', current: 'a\nB\nc\nD\n' };
  look(seen, one, 0, 5);
  const dropped = { ...one, hunks: [hunk(1, 2, 'dropped'), hunk(3, 4)], current: 'a\nb\nc\nD\n' };
  assert.equal(seen.count(dropped).seen, 2);
});

test('a new file is seen with its last line', () => {
  const seen = new SeenChanges();
  const file = { hunks: [], current: 'a\nb\nc\n' };
  assert.ok(!look(seen, file, 0, 3));
  assert.equal(seenWords(seen.count(file)), 'seen 3 of 4 lines');
  assert.ok(look(seen, file, 3, 4));
  assert.equal(seenWords(seen.count(file)), '');
});
