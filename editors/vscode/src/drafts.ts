// The drafts: texts that the person typed in a review and that did not reach their file. The program lists them.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { choose, inform, runInTerminal, shellLine, showDiff } from './window';

interface Draft { file: string; agent: string; savedAtMs: number; state: string; path: string; reasons?: string }

// The list has all of two weeks.
const MOST_BYTES = 16 * 1024 * 1024;

// The draft is on the left: the diff editor takes lines over into the file, on the right.
export async function showDrafts(program: string): Promise<void> {
  let drafts: Draft[];
  try {
    const { stdout } = await promisify(execFile)(program, ['drafts', 'list', '--json'], { maxBuffer: MOST_BYTES });
    drafts = JSON.parse(stdout);
  } catch {
    // An older program prints no JSON.
    return runInTerminal('alongside drafts', shellLine(program, 'drafts'));
  }
  if (drafts.length === 0) {
    void inform('There are no drafts.');
    return;
  }
  const choices = drafts.map((value) => ({
    label: vscode.workspace.asRelativePath(value.file),
    description: `${value.agent}, ${age(value.savedAtMs)}`,
    detail: [value.state, ...(value.reasons?.split('\n') ?? [])].filter(Boolean).join('; '),
    value,
  }));
  const draft = await choose('Which draft? The text is beside the file as it is.', choices);
  if (draft && existsSync(draft.file)) {
    const name = vscode.workspace.asRelativePath(draft.file);
    await showDiff(vscode.Uri.file(draft.path), vscode.Uri.file(draft.file), `${name}: your draft, and the file`, { preview: false });
  } else if (draft) {
    await vscode.window.showTextDocument(vscode.Uri.file(draft.path), { preview: false });
  }
}

function age(since: number): string {
  const minutes = Math.floor((Date.now() - since) / 60_000);
  return minutes < 1 ? 'just now' : minutes < 60 ? `${minutes} min ago` : minutes < 2880 ? `${Math.floor(minutes / 60)} h ago`
    : `${Math.floor(minutes / 1440)} days ago`;
}
