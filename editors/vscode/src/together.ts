// Accepting together what was seen: the list that the person confirms, and the sentence about its end, in the words of
// the terminal desk. Only the listed revisions are accepted: a proposal that changes or comes later waits.

import type { Hunk } from './protocol';
import { type SeenPart, seenWords } from './seen';

// The words of the list about a proposal.
export interface Listable {
  revision: number;
  hunks: Hunk[];
  original?: string;
  proposed: string;
  current: string;
  stale: boolean;
  dirty: boolean;
  display: { name: string; agent: string; states: string; notes: { text: string; warning: boolean }[] };
}

export interface Listed<T> { review: T; revision: number; row: string; obstacle?: string }

export interface AcceptedTogether { accepted: number; changed: number; ended: number; others: number; refused: string[] }

// The list of a question has so many rows to accept, and so many of others: what is not in it is not accepted.
const MOST = 20;
const MOST_OTHERS = 8;

const lineCount = (text: string): number => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0));

// Lines that accepting adds and removes, as `+3 -1`.
export function lineCounts({ hunks, original, current }: Listable): string {
  if (original === undefined && hunks.length === 0) {
    return `+${lineCount(current)} -0`;
  }
  const taken = hunks.filter(({ state }) => state !== 'dropped');
  const sum = (side: 'current' | 'original'): number => taken.reduce((all, { [side]: { start, end } }) => all + end - start, 0);
  return `+${sum('current')} -${sum('original')}`;
}

// The counts, or in words what they do not say.
export function changeWords(review: Listable): string {
  const { original, current } = review;
  const isSame = original === current && review.hunks.length === 0;
  const isAboutEnds = review.display.notes.some(({ text }) => /line end|line break|LF/.test(text));
  return original !== undefined && original !== '' && current === '' ? 'empties the file'
    : isSame ? (isAboutEnds ? 'line ends only' : 'no line changes')
      : original === undefined ? `new file, ${lineCounts(review)}` : lineCounts(review);
}

// The companion's words for the states, without those that stand in others already.
export const notSaid = (states: string, words: string): string => states.split(', ').filter((state) => !words.includes(state)).join(', ');

export function listed<T extends Listable>(review: T, seen: SeenPart): Listed<T> {
  const { name, agent, states } = review.display;
  const words = changeWords(review);
  const row = [`${name}: ${words}`, agent, notSaid(states, words)].filter(Boolean).join(', ');
  const obstacle = obstacleOf(review) || seenWords(seen) || unchanged(review);
  return { review, revision: review.revision, row, obstacle };
}

function obstacleOf({ stale, dirty, display }: Listable): string | undefined {
  return stale ? 'the file changed on disk; accepting undoes that change'
    : dirty ? 'an editor holds unsaved changes to the file'
      : display.notes.some(({ warning }) => warning) ? 'it has a warning; accept it alone' : undefined;
}

// The companion refuses these.
function unchanged({ original, proposed, current }: Listable): string | undefined {
  return current === '' && proposed !== '' ? 'its text is empty, which agents do not take'
    : original === current && current !== proposed ? 'none of its changes is kept' : undefined;
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
