// Buttons of a message that is still shown later: they decide nothing that the person does not see.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Decider } from '../src/reviews/decisions';
import { originalUri, proposalUri, type Review } from '../src/reviews/reviews';
import { click, shown, TabInputTextDiff, window } from './vscode';

const asked: string[] = [];

// Refuses each acceptance.
const companion = {
  request: (_: string, { decision }: { decision: string }): Promise<void> => {
    asked.push(decision);
    return decision === 'accept' ? Promise.reject(Object.assign(new Error('none of its changes is kept'), { data: { why: 'unchanged' } })) : Promise.resolve();
  },
};
const seen = { count: () => ({ seen: 1, all: 1 }) };
const sender = { stop: () => undefined, send: () => undefined };
const decider = new Decider(...([companion, sender, {}, seen, {}] as unknown as ConstructorParameters<typeof Decider>));

function proposal(): Review {
  const text = 'one\n';
  const hunks = [{ state: 'dropped' }];
  const review = { id: 1, revision: 1, base: 1, current: text, text, proposed: 'two\n', hunks, unsent: false, ended: false, file: '/a.txt', agent: { since: 1 }, display: { name: 'a.txt', notes: [] } } as unknown as Review;
  const tab = { isActive: true, input: new TabInputTextDiff(originalUri(review), proposalUri(review)) };
  window.tabGroups.all = [{ tabs: [tab] }];
  window.tabGroups.activeTabGroup.activeTab = tab;
  return review;
}

const turn = (): Promise<void> => new Promise(setImmediate);

beforeEach(() => {
  shown.length = 0;
  asked.length = 0;
});

test('a refusal offers to reject, and rejects the refused review', async () => {
  void decider.accept(proposal(), true);
  await turn();
  assert.deepEqual(shown, ['None of its changes is kept [Reject]']);
  click('Reject');
  await turn();
  assert.deepEqual(asked, ['accept', 'reject']);
});

test('a button of an ended review shows that it has ended', async () => {
  const review = proposal();
  void decider.accept(review, true);
  await turn();
  review.ended = true;
  click('Reject');
  await turn();
  assert.deepEqual([shown.slice(1), asked], [['a.txt: the proposal has ended.'], ['accept']]);
});

test('a button that was shown before the person typed asks first', async () => {
  const review = proposal();
  void decider.accept(review, true);
  await turn();
  review.hunks[0]!.state = 'edited';
  click('Reject');
  await turn();
  assert.deepEqual([shown.slice(1), asked], [['a.txt has your edits. [Reject]'], ['accept']]);
});
