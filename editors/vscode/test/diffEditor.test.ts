// The titles of tabs, which a narrow window cuts at their end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleOf } from '../src/diff/diffEditor';
import { originalUri, proposalUri, type Review } from '../src/reviews/reviews';
import { TabInputTextDiff, window } from './vscode';

const review = (name: string): Review => ({ id: 1, agent: { since: 1 }, display: { name, agent: 'Codex' } }) as unknown as Review;

test('a title has the folder only if another tab has the same file name', () => {
  const [one, other] = [review('src/list.ts'), review('src/pages/list.ts')];
  assert.equal(titleOf(one), 'list.ts (Codex)');
  window.tabGroups.all = [{ tabs: [{ input: new TabInputTextDiff(originalUri(one), proposalUri(one)) }] }];
  assert.equal(titleOf(one), 'list.ts (Codex)', 'its own tab is no other one');
  assert.equal(titleOf(other), 'list.ts (Codex, src/pages/)');
  assert.equal(titleOf(review('my_list.ts')), 'my_list.ts (Codex)');
});
