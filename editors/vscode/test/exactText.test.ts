// Applies the changes of one event of VS Code to a text. All ranges of an event refer to the document before the event.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextDocument, TextDocumentContentChangeEvent } from 'vscode';
import { applyChanges } from '../src/reviews/exactText';
import { Range } from './vscode';

const replaceInLine = (line: number, start: number, end: number, text: string) =>
  ({ range: new Range(line, start, line, end), text }) as unknown as TextDocumentContentChangeEvent;

test('several changes of one event keep the line endings of untouched lines', () => {
  const document = { getText: () => 'A\nb\nC!\n' } as TextDocument;
  assert.equal(applyChanges('a\r\nb\nc\n', [replaceInLine(2, 0, 1, 'C'), replaceInLine(2, 1, 1, '!'), replaceInLine(0, 0, 1, 'A')], document), 'A\r\nb\nC!\n');
});

test('20,000 changes of one event take less than two seconds', () => {
  const count = 20_000;
  const text = 'line \n'.repeat(count);
  const changes = Array.from({ length: count }, (_, line) => replaceInLine(line, 4, 5, ''));
  const start = performance.now();
  assert.equal(applyChanges(text, changes, { getText: () => 'line\n'.repeat(count) } as TextDocument), 'line\n'.repeat(count));
  // Splitting the text again for each change takes more than ten seconds.
  assert.ok(performance.now() - start < 2000);
});
