// Beside the pointer on a dropped change stands what is not written, and nothing that is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines } from '../src/diff/droppedHover';

test('only the lines of the change are shown', () => {
  const diff = '@@ -2,3 +2,3 @@ change 1 of 2: dropped\n before\n-old\n+new\n\\ No newline at end of file\n \n after\n';
  assert.equal(changedLines(diff), '-old\n+new\n\\ No newline at end of file');
});
