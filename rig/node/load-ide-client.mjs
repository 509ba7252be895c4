// Finds the IdeClient class and its context store inside a release, however it was packed. Which way it was shows in
// what lies there, so that forks and releases yet to come need no line here.

import fs from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// `IdeClient` and `ideContextStore`; early releases have the store under another name, or none.
export async function load(packageDir) {
  const at = (...parts) => path.join(packageDir, ...parts);
  if (fs.existsSync(at('dist/src/ide/ide-client.js'))) return modules(at('dist/src/ide'));
  for (const chunks of [at('chunks'), at('bundle')]) {
    if (fs.existsSync(chunks)) return chunk(chunks);
  }
  for (const bundle of [at('cli.js'), at('dist/cli.js')]) {
    if (fs.existsSync(bundle)) return wholeBundle(bundle);
  }
  throw new Error(`nothing in ${packageDir} looks like a release with IDE mode`);
}

async function modules(directory) {
  const module = (name) => import(pathToFileURL(path.join(directory, name)));
  const [{ IdeClient }, { ideContextStore, ideContext }] = await Promise.all([
    module('ide-client.js'),
    module('ideContext.js'),
  ]);
  return { IdeClient, ideContextStore: ideContextStore ?? ideContext };
}

// Newer bundles are split into chunks. Several may hold a copy of the class; any that exports it with its store will do.
async function chunk(directory) {
  const names = fs.readdirSync(directory).filter((name) => name.endsWith('.js')).sort();
  const exported = (source, name) => new RegExp(`^ {2}${name}[,\n]`, 'm').test(source);
  const holds = (name) => {
    const source = fs.readFileSync(path.join(directory, name), 'utf8');
    const all = ['IdeClient', 'ideContextStore'];
    return source.includes('class _IdeClient') && all.every((one) => exported(source, one));
  };
  const found = names.find(holds);
  if (!found) throw new Error(`no chunk in ${directory} exports IdeClient`);
  return import(pathToFileURL(path.join(directory, found)));
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
