// Which changes of a proposal were on the screen. The proposals that are accepted together are those of which every
// change was: a line counts once an editor has shown it, and a change once all of its lines count, with the line before
// and the one after it. A change that the person types, or that another desk edits, has not been seen before.

import type { Lines } from '../companion/protocol';
import { type Columns, placesOf, type Texts } from '../diff/hunkPositions';

export interface SeenPart { seen: number; all: number; unit: 'changes' | 'lines' }

// The lines on the screen, and whether it wraps long lines, and paints changes of blanks at both ends of lines.
export interface Look { lines: Shown[]; isWrapped: boolean; showsWhitespace: boolean }

// Lines, of which a wrapped one at the top or the end may be there in part: from a column of the first one, to one of the last.
export interface Shown extends Lines { from?: number; to?: number }

// The narrowest view that is reckoned with: what is further to the right may be beyond it.
export const NARROW = 40;

// In a few words; empty if all was seen.
export const seenWords = ({ seen, all, unit }: SeenPart): string =>
  (seen === all ? '' : seen === 0 ? 'not seen yet' : `seen ${seen} of ${all} ${unit}`);

// The same for what is left: `18 of 25 changes not seen`.
export const unseenWords = ({ seen, all, unit }: SeenPart): string => `${all - seen} of ${all} ${unit} not seen`;

interface Part { key: string; from: number; to: number; first: number; columns: Columns[]; isWide: boolean; isOnlyTrimmed: boolean }

export class SeenChanges {
  private readonly seen = new Set<string>();
  // The lines of changes that are larger than the screen, counted from the first one of each.
  private readonly lines = new Map<string, Set<number>>();

  // This is on the screen. Returns whether a change counts now that did not.
  look(texts: Texts, { lines: shown, isWrapped, showsWhitespace }: Look): boolean {
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

  // How many changes count, and of how many; of a single one, how many of its lines.
  count(texts: Texts): SeenPart {
    const all = partsOf(texts);
    const [only] = all;
    if (all.length === 1 && only) {
      const lines = only.to - only.from;
      return { seen: this.seen.has(only.key) ? lines : this.lines.get(only.key)?.size ?? 0, all: lines, unit: 'lines' };
    }
    return { seen: all.filter(({ key }) => this.seen.has(key)).length, all: all.length, unit: 'changes' };
  }

  // The first change that was not seen, at or after an index, and the first line of it that was not.
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

// No screen shows more of a line at once.
const MOST_COLUMNS = 400;

// Whether what differs in a line is on the screen: all of it, or as much as a screen has place for.
function hasColumns({ start, end, from = 0, to = Infinity }: Shown, line: number, changed: Columns | undefined): boolean {
  const [first, last] = [line === start ? from : 0, line === end - 1 ? to : Infinity];
  // Of the lines around a change, a part is enough.
  return !changed || (first <= changed.from && Math.min(changed.to, changed.from + MOST_COLUMNS) <= last);
}

const parts = new WeakMap<object, { current: string; all: Part[] }>();

// The changes with the lines to see. A proposal without changes, such as a new file, is one.
function partsOf(texts: Texts): Part[] {
  const { hunks, current } = texts;
  const known = parts.get(hunks);
  if (known?.current === current) {
    return known.all;
  }
  const lines = current.split('\n');
  // An editor shows a line after the last line ending.
  const count = lines.length;
  const isWide = lines.some((line) => line.length > NARROW);
  const whole: Part = { key: current, from: 0, to: count, first: 0, columns: lines.map((line) => ({ from: 0, to: line.length })), isWide, isOnlyTrimmed: false };
  const all = hunks.length === 0 ? [whole] : placesOf(texts).map(({ current: { start, end }, columns, lastColumn, isOnlyTrimmed }, index) => {
    const { original, proposed, state } = hunks[index]!;
    const place = [original.start, original.end, proposed.start, proposed.end].join();
    // Keeping and dropping show one of two texts that are known; typing makes another one.
    const key = state === 'edited' ? `${place}\n${lines.slice(start, end).join('\n')}` : place;
    // No screen has place for a tall line and those around it.
    const around = lastColumn > MOST_COLUMNS && end > start ? 0 : 1;
    const [from, to] = [Math.max(0, start - around), Math.min(count, end + around)];
    return { key, from, to, first: start, columns, isWide: lastColumn > NARROW, isOnlyTrimmed: isOnlyTrimmed && state !== 'dropped' };
  });
  parts.set(hunks, { current, all });
  return all;
}
