// A change that was accepted without the person is shown in its file if the file still contains it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reverted, sidesOf } from '../src/accept/diffSides';

const diff = '@@ -2 +2,2 @@\n-b\n+B\n+and\n@@ -4,0 +6 @@\n+e\n';

test('the text before the change is computed', () => {
  assert.equal(reverted('a\nB\nand\nc\nd\ne\n', diff), 'a\nb\nc\nd\n');
  assert.equal(reverted('a\nother\nand\nc\nd\ne\n', diff), undefined, 'the file holds something else');
  assert.equal(reverted('a\nc\n', '@@ -2 +1,0 @@\n-b\n'), 'a\nb\nc\n');
});

test('only the changed lines are shown if the file no longer contains the change', () => {
  assert.deepEqual(sidesOf(diff), ['b\n⋯\n', 'B\nand\n⋯\ne']);
});
