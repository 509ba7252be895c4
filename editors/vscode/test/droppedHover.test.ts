// The hover on a dropped change shows only its removed and added lines, no context lines.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines } from '../src/diff/droppedHover';

test('context lines are left out', () => {
  const diff = '@@ -2,3 +2,3 @@ change 1 of 2: dropped\n before\n-old\n+new\n\\ No newline at end of file\n \n after\n';
  assert.equal(changedLines(diff), '-old\n+new\n\\ No newline at end of file');
});
