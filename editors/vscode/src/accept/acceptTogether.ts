// Accepting seen proposals together: the list that the person confirms, and the sentence about the result, worded as at
// the terminal desk. Only the listed revisions are accepted: a proposal that changes or arrives later still waits.

import type { ReviewDisplay } from '../companion/protocol';
import { type SeenPart, seenWords } from './seenChanges';

// The parts of a proposal that the list shows.
interface Listable { revision: number; display: Pick<ReviewDisplay, 'name' | 'agent' | 'counts' | 'states' | 'obstacle'> }

export interface Listed<T> { review: T; revision: number; row: string; obstacle?: string }

export interface AcceptedTogether { accepted: number; changed: number; ended: number; others: number; refused: string[] }

// The most proposals that one list accepts, and the most others that it names. Proposals outside the list are not
// accepted.
const MAX_READY = 20;
const MAX_OTHERS = 8;

export function listed<T extends Listable>(review: T, seen: SeenPart): Listed<T> {
  const { name, agent, counts, states, obstacle } = review.display;
  const row = [`${name}: ${counts}`, agent, states].filter(Boolean).join(', ');
  return { review, revision: review.revision, row, obstacle: obstacle || seenWords(seen) || undefined };
}

export interface Question<T> { ready: Listed<T>[]; others: Listed<T>[]; text: string; detail: string; yes: string }

// Returns the question to the person; `yes` is empty if no proposal can be accepted.
export function question<T>(all: Listed<T>[]): Question<T> {
  const able = all.filter(({ obstacle }) => !obstacle);
  const ready = able.slice(0, MAX_READY);
  const overflow = able.slice(MAX_READY).map((proposal) => ({ ...proposal, obstacle: 'in the next list' }));
  const others = [...all.filter(({ obstacle }) => obstacle), ...overflow];
  const shown = others.slice(0, MAX_OTHERS);
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
