#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Before anything is loaded that older versions cannot read.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `robust needs Node.js 20.19 or newer, and this is ${process.version}. Install a newer one: https://nodejs.org`,
  );
  process.exit(3);
}

// V8 lets garbage pile up to a multiple of what lives; a run holds little, so it need not. 100,000 examples then peak 35 MB above 1,000,
// instead of 95 (berttiny, three queries each), for 7 % more wall time. While a run starts, what is loaded only grows.
setTimeout(() => setFlagsFromString('--heap-growing-percent=20'), 2000).unref();

// oclif formats help for the terminal's width, which it asks for when it is loaded, and does not know COLUMNS.
if (process.env.COLUMNS) process.env.OCLIF_COLUMNS = process.env.OCLIF_COLUMNS || process.env.COLUMNS;

// oclif asks the system for the user's shell, which fails for a user id without a name, as containers have.
if (process.platform !== 'win32') process.env.SHELL = process.env.SHELL || '/bin/sh';

// Warnings of Node's say nothing to a user; a developer asks for them.
if (![...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').includes('--trace-warnings'))
  process.removeAllListeners('warning');

const bundled = (name) => import(new URL(`../dist/bundle/commands/_shared/${name}.js`, import.meta.url).href);

// Before anything is printed: nothing that strangers wrote may act on the terminal or command the runner of a CI job.
const { guardStreams, writeResult } = await bundled('guarded');
process.on('exit', guardStreams(process));

const { guardExit } = await bundled('exit-guard');
const guard = guardExit(process.argv.slice(2));

// A crash must never look like exit code 1, which means "the gate failed": anything unexpected leaves with 70 (EX_SOFTWARE), and what code of
// the user's threw with 3.
const crash = async (error) => {
  guard.crashed(error);
  const { reportFailure } = await bundled('failure');
  const report = () => {
    reportFailure(error, process.argv.slice(2), []);
    leave(process.exitCode);
  };
  // Stops running work as after Ctrl-C and reports the error: process.exit would abort inside the threads that run the model.
  if (!(/** @type {import('node:events').EventEmitter} */ (process).emit('crash', error))) report();
  else setTimeout(report, 10_000).unref();
};
const leave = (code) => {
  guard.ended(code);
  process.exit(code);
};
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

// oclif knows --help only as a word of its own.
const words = process.argv.slice(2).flatMap((word) => (word === '--help=all' ? ['--help', 'all'] : [word]));
const { Config, run } = await bundled('oclif');
// It throws what stdout cannot take, but a full disk is no crash. A reader that went away is not even an error: the verdict is in the
// exit code, whoever reads the rest.
process.stdout.removeAllListeners('error');
let over = false;
process.stdout.on('error', ({ code }) => {
  if (code === 'EPIPE') return;
  process.exitCode = 3;
  if (over) guard.ended(3);
});
process.stderr.on('error', () => {});
try {
  await run(words, import.meta.url);
} catch (error) {
  // Commands report their errors; this reports errors of finding one.
  const { reportFailure } = await bundled('failure');
  const { commandIDs } = await Config.load(import.meta.url);
  reportFailure(error, process.argv.slice(2), commandIDs);
}
over = true;
guard.ended(Number(process.exitCode ?? 0));
// A plugin may leave sockets or timers behind; the work is done once stdout has been written.
writeResult('', () => process.exit());
