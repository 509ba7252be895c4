// Text from outside, such as the names of files and agents, in a form of which VS Code shows every character and
// obeys none. Agents, repositories and other extensions choose it.

// VS Code makes a link of `[text](target)`, and an icon of `$(name)`. A backslash breaks both, and is seen as what it
// is: the companion escapes characters in the same way.
const OBEYED = /[\]$](?=\()/g;

// Characters that show nothing or reorder others. Joiners and selectors are parts of emoji and of words.
const HIDDEN = /(?![\u200c\u200d\p{Variation_Selector}])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  return NAMED[character] ?? (code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
}

// One line.
export const escapeMarkup = (text: string): string => text.replace(HIDDEN, escape).replace(OBEYED, '$&\\');

// A message, which may have several lines.
export const escapeLines = (text: string): string => text.split('\n').map(escapeMarkup).join('\n');

// A diff as a block of Markdown, in which nothing is obeyed. Its fence is longer than every run of backticks in it.
export function fencedDiff(diff: string): string {
  const runs = [...diff.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return `${fence}diff\n${escapeLines(diff).trimEnd()}\n${fence}`;
}
