#!/usr/bin/env node
// Starts the program, which a package of its own has for each system. Hosts, hooks and the servers of editors start
// that program by its path, without this file.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const platform = `alongside-${process.platform}-${process.arch}`;
// npm takes one of the two by the C library; a package manager that knows none takes both.
const packages = [platform, `${platform}-musl`];

function fail(what, hint) {
  process.stderr.write(`alongside: ${what}\n  hint: ${hint}\n`);
  process.exit(1);
}

const program = process.platform === 'win32' ? 'alongside.exe' : 'alongside';
const programs = packages.flatMap((name) => {
  try {
    return [require.resolve(`${name}/bin/${program}`)];
  } catch {
    return [];
  }
});
if (programs.length === 0) {
  fail(`the package ${platform} is not installed`,
    'if npm has it, install alongside again, with optional dependencies; else build alongside from source with Rust');
}

let child;
function start(program, other) {
  child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
  child.on('error', (error) => {
    // So the system says that a C library is missing.
    if (error.code === 'ENOENT' && other) start(other);
    else fail(`cannot start ${program}: ${error.message}`, 'install alongside again');
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    // The signal may arrive late, or not end this process: hooks must not take that for a success.
    process.exitCode = 128 + (constants.signals[signal] ?? 0);
    process.kill(process.pid, signal);
  });
}
start(...programs);
// A terminal sends its signals to both processes, and the program answers them.
for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
