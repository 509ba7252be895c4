// Reports about the person's files.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ContextReporter } from '../src/companion/context';
import { window, workspace } from './vscode';

test('a saved file is reported, and no other saved document', () => {
  const nothing = { dispose: () => undefined };
  const ignored = () => nothing;
  let saved: (document: object) => void = () => undefined;
  Object.assign(window, {
    onDidChangeActiveTextEditor: ignored, onDidChangeTextEditorSelection: ignored, onDidChangeWindowState: ignored,
  });
  Object.assign(window.tabGroups, { onDidChangeTabs: ignored });
  Object.assign(workspace, {
    onDidGrantWorkspaceTrust: ignored,
    onDidChangeConfiguration: ignored,
    onDidSaveTextDocument: (then: typeof saved) => {
      saved = then;
      return nothing;
    },
  });
  const told: unknown[] = [];
  const companion = { notify: (method: string, params: object) => told.push([method, params]) };
  void new ContextReporter(companion as unknown as ConstructorParameters<typeof ContextReporter>[0]);
  saved({ uri: { scheme: 'file', fsPath: '/p/a.txt' } });
  saved({ uri: { scheme: 'alongside-proposal', fsPath: '/p/a.txt' } });
  assert.deepEqual(told, [['alongside/didSave', { path: '/p/a.txt' }]]);
});
