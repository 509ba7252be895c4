// The positions of changes agree with VS Code's colours, and keys find them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hunk } from '../src/companion/protocol';
import { indexAt, placesOf } from '../src/diff/hunkPositions';

const lines = (start: number, end: number): { start: number; end: number } => ({ start, end });

function hunk(original: [number, number], current: [number, number], state: Hunk['state'] = 'kept'): Hunk {
  return { original: lines(...original), proposed: lines(...current), current: lines(...current), state };
}

// `log = 1` and an empty line are added; VS Code may colour either of two ranges.
const original = 'import math\nimport sys\n\n\ndef f():\n    return 1\n';
const current = 'import math\nimport sys\n\nlog = 1\n\n\ndef f():\n    return 1\n';

test('added lines are where VS Code colours them', () => {
  const texts = { original, current, hunks: [hunk([3, 3], [3, 5])] };
  assert.deepEqual(placesOf(texts)[0]?.current, lines(2, 4));
  assert.deepEqual(placesOf(texts)[0]?.original, lines(2, 2));
  // Dropped changes have no colour.
  assert.deepEqual(placesOf({ original, current: original, hunks: [hunk([3, 3], [3, 3], 'dropped')] })[0]?.current, lines(3, 3));
});

test('the place with the smallest indentation around it counts', () => {
  const old = 'a {\n  b\n}\n';
  const now = 'a {\n  b\n}\na {\n  b\n}\n';
  assert.deepEqual(placesOf({ original: old, current: now, hunks: [hunk([2, 2], [2, 5])] })[0]?.current, lines(0, 3));
});

test('a key finds the change at its lines and next to them', () => {
  const texts = { original, current, hunks: [hunk([3, 3], [3, 5])] };
  const found = [0, 1, 2, 3, 4, 5, 6].map((line) => indexAt(texts, 'current', line, 8));
  assert.deepEqual(found, [undefined, 0, 0, 0, 0, 0, undefined]);
  const two = { original: 'a\nb\n', current: 'A\nB\n', hunks: [hunk([0, 1], [0, 1]), hunk([1, 2], [1, 2])] };
  assert.equal(indexAt(two, 'current', 1, 2), 1, 'at a line, before beside it');
});

test('the first changed column is found', () => {
  const texts = { original: 'same\nvalue = 1\n', current: 'same\nvalue = 2\n', hunks: [hunk([0, 2], [0, 2])] };
  const [place] = placesOf(texts);
  assert.deepEqual(place?.first, { line: 1, column: 8 });
  assert.equal(place?.lastColumn, 9);
});

test('a change of whitespace only is recognised', () => {
  const texts = { original: '  a\n  b\n', current: '    a\n  c\n', hunks: [hunk([0, 1], [0, 1]), hunk([1, 2], [1, 2])] };
  assert.deepEqual(placesOf(texts).map(({ isOnlyTrimmed, hasTrimmed }) => [isOnlyTrimmed, hasTrimmed]), [[true, true], [false, false]]);
});
