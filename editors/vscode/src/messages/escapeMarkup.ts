// Escapes text from outside, such as the names of files and agents, so that VS Code shows every character and
// interprets none. Agents, repositories and other extensions choose such text.

// VS Code shows `[text](target)` as a link and `$(name)` as an icon. A backslash prevents both, and is understood as an
// escape, because the companion escapes characters in the same way.
const MARKUP = /[\]$](?=\()/g;

// Characters that are invisible or reorder others. Joiners and variation selectors are parts of emoji and words.
const HIDDEN = /(?![\u200c\u200d\p{Variation_Selector}])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const SHORT_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  return SHORT_ESCAPES[character] ?? (code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
}

// Escapes a text of one line.
export const escapeMarkup = (text: string): string => text.replace(HIDDEN, escape).replace(MARKUP, '$&\\');

// Escapes a message, which may have several lines.
export const escapeLines = (text: string): string => text.split('\n').map(escapeMarkup).join('\n');

// Returns a diff as a code block of Markdown, whose content is not interpreted. The fence is longer than every run of
// backticks in the diff.
export function fencedDiff(diff: string): string {
  const runs = [...diff.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return `${fence}diff\n${escapeLines(diff).trimEnd()}\n${fence}`;
}
