// A click shows blanks, and never hides them.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { showBlanks } from '../src/diff/whitespace';
import { ran, settings } from './vscode';

beforeEach(() => { ran.length = 0; });

test('the setting is turned off where it hides blanks', async () => {
  settings['diffEditor.ignoreTrimWhitespace'] = true;
  await showBlanks();
  assert.deepEqual(ran, ['toggle.diff.ignoreTrimWhitespace']);
});

test('one that only a language has is shown, and nothing is turned on', async () => {
  settings['diffEditor.ignoreTrimWhitespace'] = false;
  await showBlanks();
  assert.deepEqual(ran, ['workbench.action.openSettings']);
});
