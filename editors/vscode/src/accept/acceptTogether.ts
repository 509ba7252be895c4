// Accepting together what was seen: the list that the person confirms, and the sentence about its end, in the words of
// the terminal desk. Only the listed revisions are accepted: a proposal that changes or comes later waits.

import type { ReviewDisplay } from '../companion/protocol';
import { type SeenPart, seenWords } from './seenChanges';

// The words of the list about a proposal.
interface Listable { revision: number; display: Pick<ReviewDisplay, 'name' | 'agent' | 'counts' | 'states' | 'obstacle'> }

export interface Listed<T> { review: T; revision: number; row: string; obstacle?: string }

export interface AcceptedTogether { accepted: number; changed: number; ended: number; others: number; refused: string[] }

// The list of a question has so many rows to accept, and so many of others: what is not in it is not accepted.
const MOST = 20;
const MOST_OTHERS = 8;

export function listed<T extends Listable>(review: T, seen: SeenPart): Listed<T> {
  const { name, agent, counts, states, obstacle } = review.display;
  const row = [`${name}: ${counts}`, agent, states].filter(Boolean).join(', ');
  return { review, revision: review.revision, row, obstacle: obstacle || seenWords(seen) || undefined };
}

export interface Question<T> { ready: Listed<T>[]; others: Listed<T>[]; text: string; detail: string; yes: string }

// The question to the person; it has no `yes` if there is nothing to accept.
export function question<T>(all: Listed<T>[]): Question<T> {
  const able = all.filter(({ obstacle }) => !obstacle);
  const ready = able.slice(0, MOST);
  const late = able.slice(MOST).map((one) => ({ ...one, obstacle: 'in the next list' }));
  const others = [...all.filter(({ obstacle }) => obstacle), ...late];
  const shown = others.slice(0, MOST_OTHERS);
  const more = others.length - shown.length;
  const detail = [
    ...(ready.length > 0 ? ['To accept, as they stand now:', ...ready.map(({ row }) => row)] : []),
    ...(ready.length > 0 && others.length > 0 ? [''] : []),
    ...(others.length > 0 ? ['Not accepted; these wait on:', ...shown.map(({ row, obstacle }) => `${row}: ${obstacle}`)] : []),
    ...(more > 0 ? [`and ${more} ${more === 1 ? 'other' : 'others'}`] : []),
  ].join('\n');
  const text = ready.length === 0 ? 'No proposal can be accepted together with others.'
    : ready.length === 1 ? 'Accept this proposal?' : `Accept these ${ready.length} proposals?`;
  return { ready, others, text, detail, yes: ready.length > 0 ? 'Accept' : '' };
}

export function sentence({ accepted, changed, ended, others, refused }: AcceptedTogether): string {
  const wait = (count: number, verb: string): string[] => (count > 0 ? [`${count} ${verb} ${count === 1 ? 'waits' : 'wait'}`] : []);
  const parts = [
    accepted > 0 ? `${accepted} accepted` : 'Nothing accepted',
    ...wait(changed, 'changed meanwhile and'),
    ...wait(others, others === 1 ? 'other' : 'others'),
    ...(ended > 0 ? [`${ended} ended meanwhile`] : []),
    ...refused,
  ];
  return `${parts.join('; ').replace(/\.$/, '')}.`;
}
