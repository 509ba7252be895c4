// The sentences about differences that are hard to see, such as `Hard to see: a tab in place of blanks.` The server
// sends the sentence of a change as a line of its diff that begins with a backslash, and a sentence about all changes
// as a note. It also names the lines.

import type { ReviewDisplay } from '../companion/protocol';

const PREFIX = 'Hard to see: ';

// Returns the sentence about a change; undefined if there is none. No text line of a diff begins with a backslash.
export function hardToSee({ display }: { display: ReviewDisplay }, index: number): string | undefined {
  const diff = display.diff[index] ?? '';
  const at = diff.indexOf(`\n\\ ${PREFIX}`);
  return at < 0 ? undefined : diff.slice(at + 3).split('\n', 1)[0];
}

export const isAboutUnseen = ({ text }: { text: string }): boolean => text.startsWith(PREFIX);

// VS Code also hides changes of whitespace at the start of a line, which the companion does not count as hard to see.
export const BLANKS_AT_START = `${PREFIX}blanks at the start of the line.`;

export interface UnseenMark { line: number; words: string }

// The most characters after a line, because half of a window has no room for more.
const MAX_LENGTH = 30;

// Returns a short form of the sentence; a hover on the line shows all of it.
export function inShort(words: string): string {
  const kinds = words.replace(PREFIX, '').replace(/\.$/, '');
  return `⚠ ${kinds.length > MAX_LENGTH ? kinds.replaceAll(' in place of ', ' for ') : kinds}`;
}

// Returns the lines of the text with the companion's sentences about them.
export const unseenMarks = ({ display }: { display: ReviewDisplay }): UnseenMark[] =>
  display.hardToSee.map(({ line, words }) => ({ line, words: inShort(words) }));
