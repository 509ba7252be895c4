// Text from outside cannot end its Markdown code block, nor become a link. rig/tests/editors/vscode_names.rs holds the names
// that VS Code must not obey.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeMarkup, fencedDiff } from '../src/messages/escapeMarkup';

test('backticks in a diff do not close its code block', () => {
  const diff = ' ```\n+````js\n+[link](command:x)\n';
  assert.equal(fencedDiff(diff), '`````diff\n ```\n+````js\n+[link]\\(command:x)\n`````');
  assert.ok(fencedDiff('+a\n').startsWith('```diff\n+a\n'));
});

test('hidden characters are escaped', () => {
  assert.equal(escapeMarkup('a\u202eb\u200bc\n'), 'a\\u{202e}b\\u{200b}c\\n');
});
