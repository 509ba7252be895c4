// Finds the IdeClient class and its context store inside a release as npm delivers it.

import fs from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export function load(family, packageDir) {
  return { gemini, qwen }[family](packageDir);
}

async function gemini(packageDir) {
  const module = (name) => import(pathToFileURL(path.join(packageDir, 'dist/src/ide', name)));
  const [{ IdeClient }, context] = await Promise.all([module('ide-client.js'), module('ideContext.js')]);
  return { IdeClient, ideContextStore: context.ideContextStore };
}

// Qwen Code is a bundle: newer releases split it into chunks, one of which exports the class.
async function qwen(packageDir) {
  const chunks = path.join(packageDir, 'chunks');
  if (!fs.existsSync(chunks)) return wholeBundle(path.join(packageDir, 'cli.js'));
  const names = fs.readdirSync(chunks).filter((name) => name.endsWith('.js'));
  const holds = (name) => fs.readFileSync(path.join(chunks, name)).includes('class _IdeClient');
  const chunk = names.find(holds);
  if (!chunk) throw new Error(`no chunk in ${chunks} defines IdeClient`);
  return import(pathToFileURL(path.join(chunks, chunk)));
}

// Older ones are a single file that exports nothing and starts the CLI at its end. It is loaded with that end
// replaced: the call of main() gives way to the exports.
function wholeBundle(file) {
  const url = pathToFileURL(file).href;
  registerHooks({
    load(loading, context, next) {
      if (loading !== url) return next(loading, context);
      const source = fs.readFileSync(file, 'utf8');
      const end = source.lastIndexOf('\nmain().catch(');
      if (end < 0) throw new Error(`${file} does not end in a call of main()`);
      const exports = 'init_ide_client(); init_ideContext(); export { IdeClient, ideContextStore };';
      return { format: 'module', shortCircuit: true, source: `${source.slice(0, end)}\n${exports}\n` };
    },
  });
  return import(url);
}
