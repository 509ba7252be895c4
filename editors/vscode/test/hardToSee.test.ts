// The sentences about differences that are hard to see come from the server; no text in a diff is mistaken for one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardToSee, isAboutUnseen, unseenMarks } from '../src/diff/hardToSee';

const SENTENCE = 'Hard to see: a tab in place of blanks.';

const texts = (diff: string) =>
  ({ display: { messages: [], title: '', name: '', agent: '', counts: '', states: '', notes: [], hardToSee: [], diff: [diff] } });

test('a change has the sentence of its diff', () => {
  assert.equal(hardToSee(texts(`@@ -2,2 +2,2 @@\n-    c\n+\tc\n\\ ${SENTENCE}\n`), 0), SENTENCE);
  assert.equal(hardToSee(texts('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'), 0), undefined);
  assert.equal(hardToSee(texts(`@@ -1 +1 @@\n-\\ ${SENTENCE}\n+${SENTENCE}\n ${SENTENCE}\n`), 0), undefined, 'a text says so');
});

test('the text after a line is short', () => {
  const display = { ...texts('').display, hardToSee: [{ line: 2, words: 'a tab in place of blanks' }, { line: 4, words: 'Cyrillic с (U+0441) in place of c' }] };
  assert.deepEqual(unseenMarks({ display }), [{ line: 2, words: '⚠ a tab in place of blanks' }, { line: 4, words: '⚠ Cyrillic с (U+0441) for c' }]);
  assert.ok(isAboutUnseen({ text: SENTENCE }) && !isAboutUnseen({ text: 'The file changed on disk.' }));
});
