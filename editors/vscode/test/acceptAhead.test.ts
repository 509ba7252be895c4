// The question before accepting ahead names the files.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderWords } from '../src/accept/acceptAhead';

test('a folder is named, and the top folder is the whole project', () => {
  assert.equal(folderWords('src/util/helpers.py'), 'src/util/, with all below it');
  assert.equal(folderWords('README.md'), 'the whole project');
});
