// The drafts: texts that the person typed in a review and that were not written to their file. The program lists them.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { choose, inform, runInTerminal, shellLine, showDiff } from './messages/window';
import type { Texts } from './readOnlyTexts';

interface Draft { file: string; agent: string; savedAtMs: number; state: string; path: string; reasons?: string }

// The longest output of the program, which lists the drafts of two weeks.
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const list = async (program: string): Promise<Draft[]> =>
  JSON.parse((await promisify(execFile)(program, ['drafts', 'list', '--json'], { maxBuffer: MAX_OUTPUT_BYTES })).stdout);

export async function showDrafts(program: string, texts: Texts): Promise<void> {
  let drafts: Draft[];
  try {
    drafts = await list(program);
  } catch {
    // An older program prints no JSON.
    return runInTerminal('alongside drafts', shellLine(program, 'drafts'), undefined, true);
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
  const draft = await choose('Which draft? It is shown beside the file as it is.', choices);
  await (draft && show(draft, texts));
}

// Shows the newest draft of a file, as after a write that differs from it.
export async function showDraftOf(program: string, texts: Texts, file: string): Promise<void> {
  const drafts = await list(program).catch(() => []);
  const draft = drafts.find((candidate) => candidate.file === file);
  await (draft ? show(draft, texts) : showDrafts(program, texts));
}

// Shows the file on the left and the draft on the right, in the colours of a proposal.
async function show({ file, path }: Draft, texts: Texts): Promise<void> {
  const name = vscode.workspace.asRelativePath(file);
  const exists = existsSync(file);
  const draft = texts.add(name, await readFile(path, 'utf8'), exists ? file : undefined);
  const left = exists ? vscode.Uri.file(file) : texts.add(name, '');
  await showDiff(left, draft, `${name}: the file, and your draft`, { preview: false });
}

function age(since: number): string {
  const minutes = Math.floor((Date.now() - since) / 60_000);
  return minutes < 1 ? 'just now' : minutes < 60 ? `${minutes} min ago` : minutes < 2880 ? `${Math.floor(minutes / 60)} h ago`
    : `${Math.floor(minutes / 1440)} days ago`;
}
