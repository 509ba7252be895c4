// The lines above changes: of thousands, those near the screen have theirs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stretches } from '../src/lenses';

test('of a large proposal, the lines around the screen and the last ones have lenses', () => {
  const [near, last] = stretches([{ start: 7010, end: 7060 }], 15_000);
  assert.deepEqual(near, { start: 6400, end: 7600 });
  assert.deepEqual(last, { start: 14_600, end: 15_000 });
  assert.deepEqual(stretches([{ start: 7020, end: 7070 }], 15_000)[0], near, 'a scroll of a few lines changes nothing');
});
