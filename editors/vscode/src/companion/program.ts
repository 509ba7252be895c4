// Finds programs: `alongside` itself, and the agents. A window that was started from a desktop has a short PATH, so
// other folders are searched as well.

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

const setting = <T>(name: string, fallback: T): T =>
  vscode.workspace.getConfiguration('alongside').get<T>(name) ?? fallback;

// Returns the program that the person has set, otherwise the one that installed the extension, otherwise one in PATH.
export function findProgram(context: vscode.ExtensionContext): string | undefined {
  const chosen = setting('program', '').trim();
  const wanted = chosen || installer(context) || 'alongside';
  return find(wanted, [path.join(homedir(), '.cargo', 'bin'), path.join(homedir(), '.local', 'bin')]);
}

// Returns the sentence for a program that was not found.
export function missing(): string {
  const chosen = setting('program', '').trim();
  return chosen === '' ? 'VS Code does not find the program alongside: it is not in the PATH of VS Code, in ~/.cargo/bin or in ~/.local/bin.'
    : `VS Code does not find the program ${chosen}, which the settings name.`;
}

// Returns the agents of the setting that are in PATH; all of them if none is, because a shell may have a longer PATH.
export function findAgents(): string[] {
  const all = setting<unknown[]>('agents', []).filter((agent) => typeof agent === 'string' && agent.trim() !== '') as string[];
  const found = all.filter((agent) => find(agent.trim().split(/\s/)[0] ?? ''));
  return found.length > 0 ? found : all;
}

// Returns the program that installed the extension, from the file that `alongside install` adds to the package.
function installer(context: vscode.ExtensionContext): string | undefined {
  try {
    const noted = readFileSync(path.join(context.extensionPath, 'program'), 'utf8').trim();
    return find(noted);
  } catch {
    return undefined;
  }
}

function find(name: string, more: string[] = []): string | undefined {
  const file = name.replace(/^~(?=\/)/, homedir());
  if (path.isAbsolute(file)) {
    return isProgram(file) ? file : undefined;
  }
  if (file === '' || file.includes('/')) {
    return undefined;
  }
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...more].filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, file)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
