// Packs the IdeClient of a release that npm does not have, from a checkout of its source, as npm's packages have it:
//
//   node pack-from-source.mjs <checkout> <output> <node_modules with esbuild>
//
// The output is a package directory with `dist/src/ide/`; the libraries it needs are its dependencies, in the releases that
// the source asks for. Install them with `npm install` there. Only type annotations are taken away, and modules of
// the same source put into one file.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [checkout, output, tools] = process.argv.slice(2);
const esbuild = createRequire(path.join(path.resolve(tools), 'any.js'))('esbuild');
const packages = fs.readdirSync(path.join(checkout, 'packages')).map((name) => path.join(checkout, 'packages', name));
const home = packages.find((directory) => fs.existsSync(path.join(directory, 'src/ide/ide-client.ts')));
if (!home) throw new Error(`no package in ${checkout} has src/ide/ide-client.ts`);

const manifest = (directory) => JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
const own = new Map(packages.filter((one) => fs.existsSync(path.join(one, 'package.json'))).map((one) => [manifest(one).name, one]));

// Packages of the same repository are source, everything else is a library.
const sameSource = {
  name: 'same-source',
  setup(build) {
    build.onResolve({ filter: /^@[^/]+\/|^[a-z]/ }, ({ path: wanted }) => {
      const name = [...own.keys()].find((one) => wanted === one || wanted.startsWith(`${one}/`));
      if (!name) return { path: wanted, external: true };
      const rest = wanted.slice(name.length + 1).replace(/\.js$/, '.ts') || 'index.ts';
      const places = ['', 'src'].map((below) => path.join(own.get(name), below, rest));
      return { path: path.resolve(places.find((place) => fs.existsSync(place)) ?? places[0]) };
    });
  },
};

const { name, version } = manifest(home);
const { metafile } = await esbuild.build({
  entryPoints: ['ide-client', 'ideContext'].map((entry) => path.join(home, 'src/ide', `${entry}.ts`)),
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  outdir: path.join(output, 'dist/src/ide'),
  metafile: true,
  logLevel: 'error',
  plugins: [sameSource],
});

// Every library that some package of the source imports and asks for.
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map((one) => one.path));
const asked = Object.assign({}, ...[...own.values()].map((one) => manifest(one).dependencies), manifest(home).dependencies);
const library = (wanted) => wanted.match(/^(@[^/]+\/)?[^/]+/)?.[0];
const dependencies = Object.fromEntries(imported.map(library).filter((one) => asked[one]).map((one) => [one, asked[one]]));
fs.writeFileSync(
  path.join(output, 'package.json'),
  `${JSON.stringify({ name, version, type: 'module', private: true, dependencies }, null, 2)}\n`,
);
