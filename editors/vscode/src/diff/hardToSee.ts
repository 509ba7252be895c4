// The parts of a change that nobody sees, in the words of every desk: `Hard to see: a tab in place of blanks.` The server puts the
// sentence below the diff of each change, where a backslash begins it, one about all changes among the notes, and names the lines.

import type { ReviewDisplay } from '../companion/protocol';

const BEGINNING = 'Hard to see: ';

// Why lines of a change differ that look the same; nothing if none do. No line of a text in a diff begins with a backslash.
export function hardToSee({ display }: { display: ReviewDisplay }, index: number): string | undefined {
  const diff = display.diff[index] ?? '';
  const at = diff.indexOf(`\n\\ ${BEGINNING}`);
  return at < 0 ? undefined : diff.slice(at + 3).split('\n', 1)[0];
}

export const isAboutUnseen = ({ text }: { text: string }): boolean => text.startsWith(BEGINNING);

// VS Code leaves out blanks at the start of a line, too, which everybody else sees.
export const BLANKS_AT_START = `${BEGINNING}blanks at the start of the line.`;

export interface UnseenMark { line: number; words: string }

// Half of a window has no place for more behind a line.
const LONG = 30;

// The words in short: the pointer on the line shows all of them.
export function inShort(words: string): string {
  const kinds = words.replace(BEGINNING, '').replace(/\.$/, '');
  return `⚠ ${kinds.length > LONG ? kinds.replaceAll(' in place of ', ' for ') : kinds}`;
}

// Behind which lines of the text the companion's words stand.
export const unseenMarks = ({ display }: { display: ReviewDisplay }): UnseenMark[] =>
  display.hardToSee.map(({ line, words }) => ({ line, words: inShort(words) }));
