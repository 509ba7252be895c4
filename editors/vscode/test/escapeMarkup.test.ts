// No text leaves its block of Markdown. rig/tests/editors/vscode_names.rs holds the names that VS Code must not obey.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fenced, plain } from '../src/messages/escapeMarkup';

test('a text cannot leave its block', () => {
  const diff = ' ```\n+````js\n+[link](command:x)\n';
  assert.equal(fenced(diff), '`````diff\n ```\n+````js\n+[link]\\(command:x)\n`````');
  assert.ok(fenced('+a\n').startsWith('```diff\n+a\n'));
});

test('hidden characters are shown', () => {
  assert.equal(plain('a\u202eb\u200bc\n'), 'a\\u{202e}b\\u{200b}c\\n');
});
