// The code lenses above changes. In a large proposal, only changes near the screen have lenses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hunk } from '../src/companion/protocol';
import { sideOf, stretches } from '../src/diff/codeLenses';
import type { Review } from '../src/reviews/reviews';

test('in a large proposal, lines near the screen and the last lines have lenses', () => {
  const [near, last] = stretches([{ start: 7010, end: 7060 }], 15_000);
  assert.deepEqual(near, { start: 6400, end: 7600 });
  assert.deepEqual(last, { start: 14_600, end: 15_000 });
  assert.deepEqual(stretches([{ start: 7020, end: 7070 }], 15_000)[0], near, 'a scroll of a few lines changes nothing');
});

test('the lens of deletions at one place names the line of the original', () => {
  const deleted = (line: number): Hunk => ({ original: { start: line, end: line + 1 }, proposed: { start: 1, end: 1 }, current: { start: 1, end: 1 }, state: 'kept' });
  const texts = (...hunks: Hunk[]) => ({ original: 'a\nb\nc\nd\n', current: 'a\nd\n', hunks }) as Review;
  const halves = texts(deleted(1), deleted(2));
  assert.deepEqual([sideOf(halves, 0), sideOf(halves, 1)], ['deletes line 2: ', 'deletes line 3: ']);
  const whole = texts({ ...deleted(1), original: { start: 1, end: 3 } });
  assert.equal(sideOf(whole, 0), '');
});
