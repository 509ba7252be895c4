// Exact texts. VS Code gives every line of a document the same ending, but the agent writes the text that it gets, so a
// proposal with mixed line endings must keep them in lines that the person does not edit.

import * as vscode from 'vscode';
import type { Replacement } from '../companion/protocol';

const withLf = (text: string): string => text.replace(/\r\n?/g, '\n');

// Whether a document shows a text.
export function shows(document: vscode.TextDocument, text: string): boolean {
  return withLf(document.getText()) === withLf(text);
}

// Applies a document's changes to the exact text that it showed before them.
export function applyChanges(
  text: string,
  changes: readonly vscode.TextDocumentContentChangeEvent[],
  document: vscode.TextDocument,
): string {
  const starts = lineStarts(text);
  const offset = ({ line, character }: vscode.Position): number => (starts[line] ?? text.length) + character;
  const form = text.includes('\r') ? (added: string): string => added : withLf;
  const parts: string[] = [];
  let at = 0;
  // The ranges of one event refer to the document before the event.
  for (const { range, text: added } of [...changes].sort((one, other) => one.range.start.compareTo(other.range.start))) {
    parts.push(text.slice(at, offset(range.start)), form(added));
    at = offset(range.end);
  }
  const result = [...parts, text.slice(at)].join('');
  return shows(document, result) ? result : document.getText();
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
}

// Returns the number of equal elements at the start of two texts, and of further equal elements at their end.
function commonEnds(old: ArrayLike<string>, goal: ArrayLike<string>): { start: number; rest: number } {
  const most = Math.min(old.length, goal.length);
  let start = 0;
  while (start < most && old[start] === goal[start]) {
    start += 1;
  }
  let rest = 0;
  while (rest < most - start && old[old.length - 1 - rest] === goal[goal.length - 1 - rest]) {
    rest += 1;
  }
  return { start, rest };
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/));

// Returns the replacement that turns one text into another; undefined if they are equal.
export function replacement(before: string, after: string): Replacement | undefined {
  if (before === after) {
    return undefined;
  }
  const [old, goal] = [linesOf(before), linesOf(after)];
  const { start, rest } = commonEnds(old, goal);
  const lines = { start, end: old.length - rest };
  return { lines, text: goal.slice(start, goal.length - rest).join('') };
}

export function replaced(before: string, { lines: { start, end }, text }: Replacement): string {
  const lines = linesOf(before);
  return [...lines.slice(0, start), text, ...lines.slice(end)].join('');
}

// Replaces only the part of a document that differs, so that the cursor stays where possible. Returns false if the
// person typed meanwhile.
export async function replace(document: vscode.TextDocument, text: string, before = document.getText()): Promise<boolean> {
  const old = withLf(before);
  const goal = withLf(text);
  if (old === goal) {
    return true;
  }
  const { start, rest } = commonEnds(old, goal);
  const position = (offset: number): vscode.Position => {
    const before = old.slice(0, offset).split('\n');
    return new vscode.Position(before.length - 1, before.at(-1)!.length);
  };
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(position(start), position(old.length - rest));
  edit.replace(document.uri, range, goal.slice(start, goal.length - rest));
  return vscode.workspace.applyEdit(edit);
}
