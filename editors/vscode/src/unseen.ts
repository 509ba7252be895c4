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

// VS Code leaves out blanks at the start of a line, too, which everybody else sees.
export const BLANKS_AT_START = `${BEGINNING}blanks at the start of the line.`;

export interface UnseenMark { line: number; words: string }

// Half of a window has no place for more behind a line.
const LONG = 30;

// The words in short: the pointer on the line shows all of them.
export function inShort(words: string): string {
  const kinds = words.slice(BEGINNING.length).replace(/\.$/, '');
  return `⚠ ${kinds.length > LONG ? kinds.replaceAll(' in place of ', ' for ') : kinds}`;
}

// Behind which lines of the text the sentence about a change stands, each with the part that is about it.
export function unseenMarks(texts: Texts): UnseenMark[] {
  const [old, now] = [linesOf(texts.original ?? ''), linesOf(texts.current)];
  return texts.hunks.flatMap(({ state, original, current }, index) => {
    const sentence = state === 'dropped' ? undefined : hardToSee(texts, index);
    return sentence ? marksOf(sentence, old.slice(original.start, original.end), now.slice(current.start, current.end), current.start) : [];
  });
}

const linesOf = (text: string): string[] => text.split('\n');

function marksOf(sentence: string, before: string[], after: string[], start: number): UnseenMark[] {
  const kinds = sentence.slice(BEGINNING.length).replace(/\.$/, '').split(', ').map((kind) => kind.replace(/ \(\d+ lines\)$/, ''));
  const partner = (index: number): string =>
    (before.length === after.length ? before[index] : before.find((line) => shape(line) === shape(after[index]!) && line !== after[index])) ?? '';
  const pairs = after.map((line, index) => ({ line: start + index, old: partner(index), now: line })).filter(({ old, now }) => old !== now);
  const found = new Map<number, string[]>();
  for (const kind of kinds) {
    const places = pairs.filter((pair) => isAbout(kind, pair.old, pair.now));
    for (const { line } of places.length > 0 ? places : [pairs[0] ?? { line: start }]) {
      found.set(line, [...(found.get(line) ?? []), kind]);
    }
  }
  return [...found].map(([line, words]) => ({ line, words: inShort(`${BEGINNING}${words.join(', ')}.`) })).sort((one, other) => one.line - other.line);
}

const shape = (line: string): string => line.normalize('NFC').replace(/\s/g, '');

const ending = (line: string): string => /\s*$/.exec(line)![0];

const count = (line: string, character: string): number => line.split(character).length;

// Whether a kind of difference is one of these two lines. Those that are not known here are none of them.
function isAbout(kind: string, old: string, now: string): boolean {
  const codes = [...kind.matchAll(/U\+([0-9A-F]+)/g)].map(([, code]) => String.fromCodePoint(parseInt(code!, 16)));
  if (codes.length > 0) {
    return codes.some((character) => count(old, character) !== count(now, character));
  }
  const isBlank = old.trim() === '' && now.trim() === '';
  return /empty line/.test(kind) ? isBlank
    : /end of the line/.test(kind) ? !isBlank && ending(old) !== ending(now)
      : /\btabs?\b/.test(kind) ? !isBlank && count(old.trimEnd(), '\t') !== count(now.trimEnd(), '\t')
        : /accents/.test(kind) && old.normalize('NFC') === now.normalize('NFC');
}
