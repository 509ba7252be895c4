// A change is where VS Code paints it, and where keys find it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hunk } from '../src/companion/protocol';
import { indexAt, placesOf } from '../src/diff/hunkPositions';

const lines = (start: number, end: number): { start: number; end: number } => ({ start, end });

function hunk(original: [number, number], current: [number, number], state: Hunk['state'] = 'kept'): Hunk {
  return { original: lines(...original), proposed: lines(...current), current: lines(...current), state };
}

// As `import sys`, and two empty lines before the next function.
const original = 'import math\nimport sys\n\n\ndef f():\n    return 1\n';
const current = 'import math\nimport sys\n\nlog = 1\n\n\ndef f():\n    return 1\n';

test('added lines stand where VS Code paints them', () => {
  const texts = { original, current, hunks: [hunk([3, 3], [3, 5])] };
  assert.deepEqual(placesOf(texts)[0]?.current, lines(2, 4));
  assert.deepEqual(placesOf(texts)[0]?.original, lines(2, 2));
  // Dropped ones are not painted at all.
  assert.deepEqual(placesOf({ original, current: original, hunks: [hunk([3, 3], [3, 3], 'dropped')] })[0]?.current, lines(3, 3));
});

test('less indentation around them decides', () => {
  const old = 'a {\n  b\n}\n';
  const now = 'a {\n  b\n}\na {\n  b\n}\n';
  assert.deepEqual(placesOf({ original: old, current: now, hunks: [hunk([2, 2], [2, 5])] })[0]?.current, lines(0, 3));
});

test('a key finds the change at its lines, and beside them', () => {
  const texts = { original, current, hunks: [hunk([3, 3], [3, 5])] };
  const found = [0, 1, 2, 3, 4, 5, 6].map((line) => indexAt(texts, 'current', line, 8));
  assert.deepEqual(found, [undefined, 0, 0, 0, 0, 0, undefined]);
  const two = { original: 'a\nb\n', current: 'A\nB\n', hunks: [hunk([0, 1], [0, 1]), hunk([1, 2], [1, 2])] };
  assert.equal(indexAt(two, 'current', 1, 2), 1, 'at a line, before beside it');
});

test('the cursor goes to the column that differs', () => {
  const texts = { original: 'same\nvalue = 1\n', current: 'same\nvalue = 2\n', hunks: [hunk([0, 2], [0, 2])] };
  const [place] = placesOf(texts);
  assert.deepEqual(place?.first, { line: 1, column: 8 });
  assert.equal(place?.lastColumn, 9);
});

test('a change of blanks only is told', () => {
  const texts = { original: '  a\n  b\n', current: '    a\n  c\n', hunks: [hunk([0, 1], [0, 1]), hunk([1, 2], [1, 2])] };
  assert.deepEqual(placesOf(texts).map(({ isOnlyTrimmed, hasTrimmed }) => [isOnlyTrimmed, hasTrimmed]), [[true, true], [false, false]]);
});
