// The discovery files of both published contracts, written when the server listens, removed when it stops.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function publish(project, port, token) {
  const ideInfo = { name: 'baseline', displayName: 'Baseline' };
  const record = { port, workspacePath: project, authToken: token, ideInfo };
  const locks = path.join(os.homedir(), '.qwen/ide');
  const files = [
    [path.join(os.tmpdir(), 'gemini/ide', `gemini-ide-server-${process.pid}-${port}.json`), record],
    [path.join(os.tmpdir(), 'qwen/ide', `qwen-code-ide-server-${process.pid}-${port}.json`), record],
    [path.join(locks, `${port}.lock`), { ...record, ppid: process.pid, ideName: 'Baseline' }],
  ];
  for (const [file, content] of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  }
  return files.map(([file]) => file);
}

export function withdraw(files) {
  for (const file of files) fs.rmSync(file, { force: true });
}
