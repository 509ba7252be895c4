// The parts of a change that nobody sees, in the words of every desk: `Hard to see: a tab in place of blanks.` The server puts the
// sentence below the diff of each change, where a backslash begins it, and one about all changes among the notes.

import type { Hunk, ReviewDisplay } from './protocol';

const BEGINNING = 'Hard to see: ';

interface Texts { original?: string; current: string; hunks: Hunk[]; display: ReviewDisplay }

// Why lines of a change differ that look the same; nothing if none do. No line of a text in a diff begins with a backslash.
export function hardToSee({ display }: Texts, index: number): string | undefined {
  const diff = display.diff[index] ?? '';
  const at = diff.indexOf(`\n\\ ${BEGINNING}`);
  return at < 0 ? undefined : diff.slice(at + 3).split('\n', 1)[0];
}

export const isAboutUnseen = ({ text }: { text: string }): boolean => text.startsWith(BEGINNING);

// Where the sentence about a change stands in the text: at its first line that is not the one that it replaces.
export function unseenMarks(texts: Texts): { line: number; words: string }[] {
  const [old, now] = [(texts.original ?? '').split('\n'), texts.current.split('\n')];
  return texts.hunks.flatMap(({ state, original, current: { start, end } }, index) => {
    const words = state === 'dropped' ? undefined : hardToSee(texts, index);
    const lines = Array.from({ length: end - start }, (_, line) => line);
    const first = lines.find((line) => old[original.start + line] !== now[start + line]) ?? 0;
    return words ? [{ line: start + first, words }] : [];
  });
}
