/**
 * Reruns the commands behind the documents' figures of current behaviour. `npm run test:slow -- test/slow/figures.test.ts -u` writes the
 * tables; the output of commands is copied by hand.
 *
 * - `<!-- figures: robust attack ... -->` before a table: its rows are the attacks of that run.
 * - `<!-- bench: FILE.js -->` and `<!-- /bench -->`: between them stands what that benchmark prints.
 * - `<!-- printed by: robust ... -->` before an indented block: each of its lines is printed by that command, in this order.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import type { AttackMetrics } from '../../src/results/measures/attack-metrics.js';
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
function printed(command: string, ...more: readonly string[]): string {
  const words = Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? (bare as string));
  const args = [join(packageRoot, 'bin', 'run.js'), ...words.slice(1), ...more];
  return execFileSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: above, COLUMNS: '80' },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
}

const percent = (share: number | null | undefined): string => (100 * (share ?? Number.NaN)).toFixed(1);
const withInterval = ({ value, low, high }: Rate): string => `${percent(value)} (${percent(low)}-${percent(high)})`;

/** Output of a benchmark, without blank lines at its ends. */
function bench(name: string): string {
  execFileSync(process.execPath, [join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'bench'], {
    cwd: packageRoot,
    stdio: 'ignore',
  });
  const file = join(packageRoot, 'dist', 'bench', name);
  return `${execFileSync(process.execPath, [file], { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()}\n`;
}

/** A run as a table. */
function table(command: string): string {
  const { result } = JSON.parse(printed(command, '--json', '-q')) as {
    result: { attacks: readonly AttackMetrics[] };
  };
  const rows = result.attacks.map(({ name, accuracyUnderAttack, attackSuccessRate, perturbedWords, queries }) => [
    `\`${name}\``,
    withInterval(accuracyUnderAttack),
    `${attackSuccessRate.n}`,
    withInterval(attackSuccessRate),
    percent(perturbedWords),
    queries.asked.toFixed(1),
  ]);
  const head = ['attack', 'accuracy under attack, %', 'attacked', 'success rate, %', 'words changed, %', 'queries'];
  return [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |\n`)
    .join('');
}

const BENCH = /(<!-- bench: (\S+) -->\n)[\s\S]*?(?=<!-- \/bench -->)/g;
const FIGURES = /(<!-- figures: (robust .*?) -->\n\n)((?:\|.*\n)*)/g;
const PRINTED = /<!-- printed by: (robust .*?) -->\n\n((?:(?: {4}.*)?\n)+)/g;

describe.skipIf(!existsSync(shared))('tables (absent: ../shared)', () => {
  const withTables = pages.filter((file) => /<!-- (?:figures|bench): /.test(document(file)));
  test('there are some', () => expect(withTables.length).toBeGreaterThan(0));

  test.each(withTables)('%s has the figures of its commands', async (file) => {
    const text = document(file)
      .replace(FIGURES, (_, before: string, command: string) => before + table(command))
      .replace(BENCH, (_, before: string, name: string) => before + bench(name));
    await expect(text).toMatchFileSnapshot(join(packageRoot, file));
  });
});

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
