// Which changes of a proposal were on the screen. The proposals that are accepted together are those of which every
// change was: a line counts once an editor has shown it, and a change once all of its lines count, with the line before
// and the one after it. A change whose text becomes another one has not been seen.

import type { Hunk, Lines } from './protocol';

export interface Seeable { hunks: Hunk[]; current: string }

export interface SeenPart { seen: number; all: number; unit: 'changes' | 'lines' }

// In a few words; empty if all was seen.
export const seenWords = ({ seen, all, unit }: SeenPart): string =>
  (seen === all ? '' : seen === 0 ? 'not seen yet' : `seen ${seen} of ${all} ${unit}`);

interface Part { key: string; from: number; to: number }

export class SeenChanges {
  private readonly seen = new Set<string>();
  // The lines of changes that are larger than the screen, counted from the first one of each.
  private readonly lines = new Map<string, Set<number>>();

  // These lines of the text are on the screen. Returns whether a change counts now that did not.
  look(review: Seeable, shown: Lines[]): boolean {
    const before = this.seen.size;
    for (const { key, from, to } of parts(review).filter((part) => !this.seen.has(part.key))) {
      const lines = this.lines.get(key) ?? new Set();
      for (const { start, end } of shown) {
        for (let line = Math.max(from, start); line < Math.min(to, end); line += 1) {
          lines.add(line - from);
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
  count(review: Seeable): SeenPart {
    const all = parts(review);
    const [only] = all;
    if (all.length === 1 && only) {
      const lines = only.to - only.from;
      return { seen: this.seen.has(only.key) ? lines : this.lines.get(only.key)?.size ?? 0, all: lines, unit: 'lines' };
    }
    return { seen: all.filter(({ key }) => this.seen.has(key)).length, all: all.length, unit: 'changes' };
  }
}

// The changes with the lines to see. A proposal without changes, such as a new file, is one.
function parts({ hunks, current }: Seeable): Part[] {
  const lines = current.split('\n');
  // An editor shows a line after the last line ending.
  const count = lines.length;
  if (hunks.length === 0) {
    return [{ key: current, from: 0, to: count }];
  }
  return hunks.map(({ original, proposed, current: { start, end } }) => {
    const place = [original.start, original.end, proposed.start, proposed.end].join();
    return { key: `${place}\n${lines.slice(start, end).join('\n')}`, from: Math.max(0, start - 1), to: Math.min(count, end + 1) };
  });
}
