// A person reads for which files they accept ahead.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderWords } from '../src/accept/acceptAhead';

test('the folder has its name, and the one of the project is all of it', () => {
  assert.equal(folderWords('src/util/helpers.py'), 'src/util/, with all below it');
  assert.equal(folderWords('README.md'), 'the whole project');
});
