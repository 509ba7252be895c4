// Records which changes of a proposal were on the screen. Only proposals whose every change was seen are accepted
// together. A line is seen once an editor has shown it, and a change once all its lines, the line before and the line
// after it are seen. A change that the person types, or that another desk edits, is a new change.

import type { Lines } from '../companion/protocol';
import { type Columns, placesOf, type Texts } from '../diff/hunkPositions';

export interface SeenPart { seen: number; all: number; unit: 'changes' | 'lines' }

// The lines on the screen, whether the editor wraps long lines, and whether it shows changes of whitespace at both ends
// of lines.
export interface ScreenState { lines: ShownLines[]; isWrapped: boolean; showsWhitespace: boolean }

// Lines on the screen. A wrapped line at the top or at the end may be shown in part: `from` is a column of the first
// line, `to` one of the last.
export interface ShownLines extends Lines { from?: number; to?: number }

// The width of the narrowest editor, in columns: text further to the right may be outside it.
export const NARROW = 40;

// Returns how much was seen, in a few words; empty if all was seen.
export const seenWords = ({ seen, all, unit }: SeenPart): string =>
  (seen === all ? '' : seen === 0 ? 'not seen yet' : `seen ${seen} of ${all} ${unit}`);

// Returns how much was not seen: `18 of 25 changes not seen`.
export const unseenWords = ({ seen, all, unit }: SeenPart): string => `${all - seen} of ${all} ${unit} not seen`;

interface Part { key: string; from: number; to: number; first: number; columns: Columns[]; isWide: boolean; isOnlyTrimmed: boolean }

export class SeenChanges {
  private readonly seen = new Set<string>();
  // The seen lines of partly seen changes, counted from the first line of each change.
  private readonly lines = new Map<string, Set<number>>();

  // Records what is on the screen. Returns whether a change is seen that was not.
  record(texts: Texts, { lines: shown, isWrapped, showsWhitespace }: ScreenState): boolean {
    const before = this.seen.size;
    for (const { key, from, to, first, columns, isWide, isOnlyTrimmed } of partsOf(texts)) {
      if (this.seen.has(key) || (isWide && !isWrapped) || (isOnlyTrimmed && !showsWhitespace)) {
        continue;
      }
      const lines = this.lines.get(key) ?? new Set();
      for (const range of shown) {
        for (let line = Math.max(from, range.start); line < Math.min(to, range.end); line += 1) {
          if (hasColumns(range, line, columns[line - first])) {
            lines.add(line - from);
          }
        }
      }
      if (lines.size === to - from) {
        this.seen.add(key);
        this.lines.delete(key);
      } else if (lines.size > 0) {
        this.lines.set(key, lines);
      }
    }
    return this.seen.size > before;
  }

  // Returns how many changes were seen, and of how many; for a single change, how many of its lines.
  count(texts: Texts): SeenPart {
    const all = partsOf(texts);
    const [only] = all;
    if (all.length === 1 && only) {
      const lines = only.to - only.from;
      return { seen: this.seen.has(only.key) ? lines : this.lines.get(only.key)?.size ?? 0, all: lines, unit: 'lines' };
    }
    return { seen: all.filter(({ key }) => this.seen.has(key)).length, all: all.length, unit: 'changes' };
  }

  // Returns the first unseen change at or after an index, and its first unseen line.
  firstUnseen(texts: Texts, after = 0): { index: number; line: number } | undefined {
    const all = partsOf(texts);
    const index = all.findIndex(({ key }, at) => at >= after && !this.seen.has(key));
    const part = all[index];
    if (!part) {
      return undefined;
    }
    const seen = this.lines.get(part.key);
    let line = part.from;
    while (seen?.has(line - part.from) && line < part.to - 1) {
      line += 1;
    }
    return { index, line };
  }
}

// The most columns of a line that count: no screen shows more at once.
const MAX_COLUMNS = 400;

// Whether the changed columns of a line are on the screen: all of them, or as many as fit on a screen.
function hasColumns({ start, end, from = 0, to = Infinity }: ShownLines, line: number, changed: Columns | undefined): boolean {
  const [first, last] = [line === start ? from : 0, line === end - 1 ? to : Infinity];
  // A part of the line before or after a change is enough.
  return !changed || (first <= changed.from && Math.min(changed.to, changed.from + MAX_COLUMNS) <= last);
}

const parts = new WeakMap<object, { current: string; all: Part[] }>();

// Returns the changes with the lines that must be seen. A proposal without changes, such as a new file, counts as one
// change.
function partsOf(texts: Texts): Part[] {
  const { hunks, current } = texts;
  const known = parts.get(hunks);
  if (known?.current === current) {
    return known.all;
  }
  const lines = current.split('\n');
  // An editor shows an empty line after the last line ending.
  const count = lines.length;
  const isWide = lines.some((line) => line.length > NARROW);
  const whole: Part = { key: current, from: 0, to: count, first: 0, columns: lines.map((line) => ({ from: 0, to: line.length })), isWide, isOnlyTrimmed: false };
  const all = hunks.length === 0 ? [whole] : placesOf(texts).map(({ current: { start, end }, columns, lastColumn, isOnlyTrimmed }, index) => {
    const { original, proposed, state } = hunks[index]!;
    const place = [original.start, original.end, proposed.start, proposed.end].join();
    // A kept or dropped change has one of two known texts; an edited one has a new text, which is part of its key.
    const key = state === 'edited' ? `${place}\n${lines.slice(start, end).join('\n')}` : place;
    // A line that fills the screen leaves no room for the lines around it.
    const around = lastColumn > MAX_COLUMNS && end > start ? 0 : 1;
    const [from, to] = [Math.max(0, start - around), Math.min(count, end + around)];
    return { key, from, to, first: start, columns, isWide: lastColumn > NARROW, isOnlyTrimmed: isOnlyTrimmed && state !== 'dropped' };
  });
  parts.set(hunks, { current, all });
  return all;
}
