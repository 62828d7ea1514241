/**
 * Reruns the commands whose output the documents quote: `<!-- printed by: robust ... -->` before an indented block, each of whose lines that
 * command prints, in this order. Figures in prose and tables: stated.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { documents } from '../documents.js';

const shared = join(packageRoot, '..', 'shared');
const above = mkdtempSync(join(tmpdir(), 'robust-figures-'));
/** Where all commands run, with the data and victims of the research notes, and the victim of the quick start. */
const cwd = join(above, 'clone');

beforeAll(() => {
  mkdirSync(cwd);
  for (const [folder, name] of [
    ['data', 'data'],
    ['models', 'victims'],
  ] as const) {
    if (existsSync(shared)) symlinkSync(join(shared, folder), join(cwd, name));
  }
  const [, victim] = /^```js\n(.*?)^```/ms.exec(document('docs/quick-start.md')) as unknown as [string, string];
  writeFileSync(join(cwd, 'victim.mjs'), victim);
});

const document = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
const pages = ['README.md', ...documents];

/** Output of `robust` for the words of a command line, which may quote. */
function printed(command: string): string {
  const words = Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? (bare as string));
  const args = [join(packageRoot, 'bin', 'run.js'), ...words.slice(1)];
  return execFileSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: above, COLUMNS: '80' },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
}

const PRINTED = /<!-- printed by: (robust .*?) -->\n\n((?:(?: {4}.*)?\n)+)/g;

const blocks = pages.flatMap((file) =>
  Array.from(document(file).matchAll(PRINTED), ([, command, block]) => ({
    file,
    command: command as string,
    block: block as string,
  })),
);
test('documents quote what commands print', () => expect(blocks.length).toBeGreaterThan(3));

/** Without what depends on the width of the screen. */
const words = (text: string): string => text.replace(/[\s█▌│─]+/g, ' ').trim();

test.each(blocks)('$file: $command', ({ command, block }) => {
  const all = words(printed(command));
  let from = 0;
  for (const line of block.split('\n').map(words)) {
    const at = all.indexOf(line, from);
    expect(at, `expected "${line}" after "${all.slice(Math.max(0, from - 80), from)}"`).toBeGreaterThanOrEqual(0);
    from = at + line.length;
  }
});
