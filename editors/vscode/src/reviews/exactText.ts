// Exact texts. VS Code gives every line of a document the same ending; the agent writes what it is sent, so
// a proposal with mixed line endings keeps them in the lines that the person leaves alone.

import * as vscode from 'vscode';
import type { Replacement } from '../companion/protocol';

const normal = (text: string): string => text.replace(/\r\n?/g, '\n');

// Whether a document shows a text.
export function shows(document: vscode.TextDocument, text: string): boolean {
  return normal(document.getText()) === normal(text);
}

// Makes a document's changes in the exact text that it showed before them.
export function applyChanges(
  text: string,
  changes: readonly vscode.TextDocumentContentChangeEvent[],
  document: vscode.TextDocument,
): string {
  const starts = lineStarts(text);
  const offset = ({ line, character }: vscode.Position): number => (starts[line] ?? text.length) + character;
  const form = text.includes('\r') ? (added: string): string => added : normal;
  const parts: string[] = [];
  let at = 0;
  // The ranges of one event are all of the document before it.
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

// How many elements two texts begin with alike, and how many of the others they end with alike.
function alike(old: ArrayLike<string>, goal: ArrayLike<string>): { start: number; rest: number } {
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

// The replacement that makes one text of another; undefined if they are the same.
export function replacement(before: string, after: string): Replacement | undefined {
  if (before === after) {
    return undefined;
  }
  const [old, goal] = [linesOf(before), linesOf(after)];
  const { start, rest } = alike(old, goal);
  const lines = { start, end: old.length - rest };
  return { lines, text: goal.slice(start, goal.length - rest).join('') };
}

export function replaced(before: string, { lines: { start, end }, text }: Replacement): string {
  const lines = linesOf(before);
  return [...lines.slice(0, start), text, ...lines.slice(end)].join('');
}

// Replaces the part that differs, so that the cursor stays where it can. False if the person typed meanwhile.
export async function replace(document: vscode.TextDocument, text: string, before = document.getText()): Promise<boolean> {
  const old = normal(before);
  const goal = normal(text);
  if (old === goal) {
    return true;
  }
  const { start, rest } = alike(old, goal);
  const position = (offset: number): vscode.Position => {
    const before = old.slice(0, offset).split('\n');
    return new vscode.Position(before.length - 1, before.at(-1)!.length);
  };
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(position(start), position(old.length - rest));
  edit.replace(document.uri, range, goal.slice(start, goal.length - rest));
  return vscode.workspace.applyEdit(edit);
}
