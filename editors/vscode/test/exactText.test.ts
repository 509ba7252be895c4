// The exact text after the changes of one event, which name the lines before all of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextDocument, TextDocumentContentChangeEvent } from 'vscode';
import { changed } from '../src/reviews/exactText';
import { Range } from './vscode';

const change = (line: number, from: number, to: number, text: string) =>
  ({ range: new Range(line, from, line, to), text }) as unknown as TextDocumentContentChangeEvent;

test('several changes of one event keep the line endings of the rest', () => {
  const document = { getText: () => 'A\nb\nC!\n' } as TextDocument;
  assert.equal(changed('a\r\nb\nc\n', [change(2, 0, 1, 'C'), change(2, 1, 1, '!'), change(0, 0, 1, 'A')], document), 'A\r\nb\nC!\n');
});

test('thousands of changes of one event take no time', () => {
  const count = 20_000;
  const text = 'line \n'.repeat(count);
  const changes = Array.from({ length: count }, (_, line) => change(line, 4, 5, ''));
  const start = performance.now();
  assert.equal(changed(text, changes, { getText: () => 'line\n'.repeat(count) } as TextDocument), 'line\n'.repeat(count));
  // Line by line anew, this takes more than ten seconds.
  assert.ok(performance.now() - start < 2000);
});
