// The command that shows changes of whitespace in the diff editor never hides them.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { showWhitespace } from '../src/diff/whitespace';
import { executedCommands, settings } from './vscode';

beforeEach(() => { executedCommands.length = 0; });

test('turns `ignoreTrimWhitespace` off if it is on', async () => {
  settings['diffEditor.ignoreTrimWhitespace'] = true;
  await showWhitespace();
  assert.deepEqual(executedCommands, ['toggle.diff.ignoreTrimWhitespace']);
});

test('opens the settings if only a language turns `ignoreTrimWhitespace` on, because a toggle would turn it on everywhere', async () => {
  // The configuration without a document lacks the setting of its language.
  settings['diffEditor.ignoreTrimWhitespace'] = false;
  await showWhitespace();
  assert.deepEqual(executedCommands, ['workbench.action.openSettings']);
});
