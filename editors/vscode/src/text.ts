// Exact texts. VS Code gives every line of a document the same ending; the agent writes what it is sent, so
// a proposal with mixed line endings keeps them in the lines that the person leaves alone.

import * as vscode from 'vscode';

const normal = (text: string): string => text.replace(/\r\n?/g, '\n');

// Whether a document shows a text.
export function shows(document: vscode.TextDocument, text: string): boolean {
  return normal(document.getText()) === normal(text);
}

// Makes a document's changes in the exact text that it showed before them.
export function changed(
  text: string,
  changes: readonly vscode.TextDocumentContentChangeEvent[],
  document: vscode.TextDocument,
): string {
  let result = text;
  // The ranges of one event are all of the document before it.
  for (const { range, text: added } of [...changes].sort((one, other) => other.range.start.compareTo(one.range.start))) {
    const starts = lineStarts(result);
    const offset = ({ line, character }: vscode.Position): number => (starts[line] ?? result.length) + character;
    const inserted = result.includes('\r') ? added : normal(added);
    result = result.slice(0, offset(range.start)) + inserted + result.slice(offset(range.end));
  }
  return shows(document, result) ? result : document.getText();
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
}

// Replaces the part that differs, so that the cursor stays where it can. False if the person typed meanwhile.
export async function replace(document: vscode.TextDocument, text: string, before = document.getText()): Promise<boolean> {
  const old = normal(before);
  const goal = normal(text);
  if (old === goal) {
    return true;
  }
  let start = 0;
  while (start < old.length && start < goal.length && old[start] === goal[start]) {
    start += 1;
  }
  let rest = 0;
  while (rest < Math.min(old.length, goal.length) - start && old.at(-1 - rest) === goal.at(-1 - rest)) {
    rest += 1;
  }
  const position = (offset: number): vscode.Position => {
    const before = old.slice(0, offset).split('\n');
    return new vscode.Position(before.length - 1, before.at(-1)!.length);
  };
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(position(start), position(old.length - rest));
  edit.replace(document.uri, range, goal.slice(start, goal.length - rest));
  return vscode.workspace.applyEdit(edit);
}
