// The positions of the changes on the screen. VS Code computes its own diff: if lines are added or removed next to
// equal lines, it may colour others than the companion names. This file follows the rule of VS Code, so that the lens
// above a change, the keys and the colours agree.

import type { Hunk, Lines } from '../companion/protocol';

export interface Texts { original?: string; current: string; hunks: Hunk[] }

export interface Columns { from: number; to: number }

// The lines of a change on both sides, and its changed columns.
export interface Place {
  original: Lines;
  current: Lines;
  // The first changed line of the text, with its first changed column.
  first: { line: number; column: number };
  // The changed columns of each line, and the last changed column of all lines.
  columns: Columns[];
  lastColumn: number;
  // Whether only whitespace at both ends of lines differs, which VS Code may hide.
  isOnlyTrimmed: boolean;
  // Whether only such whitespace differs in some of the lines.
  hasTrimmed: boolean;
}

// The most lines by which VS Code shifts a change.
const MAX_SHIFT = 100;

const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

const places = new WeakMap<Hunk[], { current: string; places: Place[] }>();

export function placesOf(texts: Texts): Place[] {
  const { original = '', current, hunks } = texts;
  const known = places.get(hunks);
  if (known?.current === current) {
    return known.places;
  }
  const [old, now] = [linesOf(original), linesOf(current)];
  const taken = hunks.filter(({ state }) => state !== 'dropped');
  const next = new Map(taken.map((hunk, index) => [hunk, { before: taken[index - 1], after: taken[index + 1] }]));
  const found = hunks.map((hunk) => place(old, now, hunk, next.get(hunk)));
  places.set(hunks, { current, places: found });
  return found;
}

function place(old: string[], now: string[], hunk: Hunk, beside?: { before?: Hunk; after?: Hunk }): Place {
  const moved = beside ? shift(old, now, hunk, beside) : 0;
  const along = ({ start, end }: Lines): Lines => ({ start: start + moved, end: end + moved });
  const [original, current] = [along(hunk.original), along(hunk.current)];
  const [before, after] = [old.slice(original.start, original.end), now.slice(current.start, current.end)];
  let first: Place['first'] | undefined;
  const columns = after.map((line, index) => columnsOf(after.length === before.length ? before[index] : undefined, line));
  const lastColumn = Math.max(0, ...columns.map(({ to }) => to));
  columns.forEach(({ from, to }, index) => {
    if (to > 0 || before[index] !== after[index]) {
      first ??= { line: current.start + index, column: from };
    }
  });
  const trimmed = (lines: string[]): string => lines.map((line) => line.trim()).join('\n');
  const [exact, blankless] = [new Set(before), new Set(before.map((line) => line.trim()))];
  const hasTrimmed = after.some((line) => !exact.has(line) && blankless.has(line.trim()));
  const isOnlyTrimmed = before.length === after.length && before.length > 0 && trimmed(before) === trimmed(after);
  return { original, current, first: first ?? { line: current.start, column: 0 }, columns, lastColumn, isOnlyTrimmed, hasTrimmed };
}

// The columns between which a line differs from the line that it replaces.
function columnsOf(old: string | undefined, now: string): Columns {
  if (old === undefined) {
    return { from: 0, to: now.length };
  }
  if (old === now) {
    return { from: 0, to: 0 };
  }
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from < most && old[from] === now[from]) {
    from += 1;
  }
  let rest = 0;
  while (rest < most - from && old[old.length - 1 - rest] === now[now.length - 1 - rest]) {
    rest += 1;
  }
  return { from, to: Math.max(from + 1, now.length - rest) };
}

// Returns the number of lines by which VS Code shifts added or removed lines: to where the indentation around them is
// smallest, as far up as possible.
function shift(old: string[], now: string[], hunk: Hunk, { before, after }: { before?: Hunk; after?: Hunk }): number {
  const isAdded = hunk.original.start === hunk.original.end;
  if (isAdded === (hunk.current.start === hunk.current.end)) {
    return 0;
  }
  const [mine, others] = isAdded ? ['current', 'original'] as const : ['original', 'current'] as const;
  const [text, other] = isAdded ? [now, old] : [old, now];
  const { [mine]: { start, end }, [others]: { start: at } } = hunk;
  const floor = (side: 'original' | 'current'): number => (before ? before[side].end + 1 : 0);
  const roof = (side: 'original' | 'current', all: string[]): number => (after ? after[side].start - 1 : all.length);
  let up = 0;
  while (up < MAX_SHIFT && start - up > floor(mine) && at - up > floor(others) && text[start - up - 1] === text[end - up - 1]) {
    up += 1;
  }
  let down = 0;
  while (down < MAX_SHIFT && end + down < roof(mine, text) && at + down < roof(others, other) && text[start + down] === text[end + down]) {
    down += 1;
  }
  let best = { score: -Infinity, by: 0 };
  for (let by = -up; by <= down; by += 1) {
    const score = -(depth(other, at + by) + depth(text, start + by) + depth(text, end + by));
    best = score > best.score ? { score, by } : best;
  }
  return best.by;
}

// The sum of the indentations before and after a position between two lines.
const depth = (lines: string[], at: number): number => indentation(lines[at - 1]) + indentation(lines[at]);

const indentation = (line = ''): number => /^[ \t]*/.exec(line)![0].length;

// Returns the change at a line of one side, otherwise one next to it; undefined if there is none.
export function indexAt(texts: Texts, side: 'original' | 'current', line: number, last: number): number | undefined {
  const all = placesOf(texts).map(({ [side]: painted }, index) => [painted, texts.hunks[index]![side]]);
  const within = (more: number) => ({ start, end }: Lines): boolean =>
    Math.min(start, last) - more <= line && line < Math.max(end, start + 1) + more;
  // The empty line after the last line ending belongs to no change, but has the colour of the last change.
  for (const more of [0, 1]) {
    const index = all.findIndex((ranges) => ranges.some(within(more)));
    if (index >= 0) {
      return index;
    }
  }
  return undefined;
}
