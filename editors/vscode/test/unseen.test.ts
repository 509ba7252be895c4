// The words about what nobody sees are the server's, and no text in a diff is taken for them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hunk } from '../src/protocol';
import { hardToSee, isAboutUnseen, unseenMarks } from '../src/unseen';

const SENTENCE = 'Hard to see: a tab in place of blanks.';

function texts(diff: string, state: Hunk['state'] = 'kept') {
  const lines = { start: 1, end: 3 };
  const hunks: Hunk[] = [{ original: lines, proposed: lines, current: lines, state }];
  const display = { messages: [], title: '', name: '', agent: '', counts: '', states: '', notes: [], diff: [diff] };
  return { original: 'a\nb\n    c\n', current: 'a\nb\n\tc\n', hunks, display };
}

test('a change has the sentence of its diff', () => {
  assert.equal(hardToSee(texts(`@@ -2,2 +2,2 @@\n-    c\n+\tc\n\\ ${SENTENCE}\n`), 0), SENTENCE);
  assert.equal(hardToSee(texts('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'), 0), undefined);
  assert.equal(hardToSee(texts(`@@ -1 +1 @@\n-\\ ${SENTENCE}\n+${SENTENCE}\n ${SENTENCE}\n`), 0), undefined, 'a text says so');
});

test('it stands behind the first line that differs', () => {
  const diff = `@@ -2,2 +2,2 @@\n\\ ${SENTENCE}\n`;
  assert.deepEqual(unseenMarks(texts(diff)), [{ line: 2, words: '⚠ a tab in place of blanks' }]);
  assert.deepEqual(unseenMarks(texts(diff, 'dropped')), []);
  assert.ok(isAboutUnseen({ text: SENTENCE }) && !isAboutUnseen({ text: 'The file changed on disk.' }));
});

test('each line has the words that are about it', () => {
  const sentence = 'Hard to see: Cyrillic с (U+0441) in place of c, a tab in place of blanks, blanks at the end of the line (2 lines).';
  const lines = { start: 0, end: 4 };
  const hunks: Hunk[] = [{ original: lines, proposed: lines, current: lines, state: 'kept' }];
  const display = { messages: [], title: '', name: '', agent: '', counts: '', states: '', notes: [], diff: [`@@ -1,4 +1,4 @@\n\\ ${sentence}\n`] };
  const given = { original: '    a\ncat\nend\nend\n', current: '\ta\nсat\nend \nend  \n', hunks, display };
  assert.deepEqual(unseenMarks(given), [
    { line: 0, words: '⚠ a tab in place of blanks' },
    { line: 1, words: '⚠ Cyrillic с (U+0441) for c' },
    { line: 2, words: '⚠ blanks at the end of the line' },
    { line: 3, words: '⚠ blanks at the end of the line' },
  ]);
});
