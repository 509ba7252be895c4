#!/usr/bin/env node
// Starts the program, which is in a separate package for each system. Hosts, hooks and the servers of editors start the
// program by its path, without this file.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const platform = `alongside-${process.platform}-${process.arch}`;
// npm installs one of the two, by the C library. A package manager that does not check the C library installs both.
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
// Starts `program`, or `other` if `program` does not start.
function start(program, other) {
  child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
  child.on('error', (error) => {
    // The system also reports a missing C library by this error.
    if (error.code === 'ENOENT' && other) start(other);
    else fail(`cannot start ${program}: ${error.message}`, 'install alongside again');
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    // The signal may arrive late, or may not end this process. A hook must not take such an end for a success.
    process.exitCode = 128 + (constants.signals[signal] ?? 0);
    process.kill(process.pid, signal);
  });
}
start(...programs);
// A terminal sends its signals to both processes. Only the program handles them.
for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
