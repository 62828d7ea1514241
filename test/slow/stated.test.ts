/** Runs the command of every stated figure (test/stated.ts) and writes stated.tsv: when each last agreed. `-t PAGE` takes
those of a page; STATED_HOURS=1 those of `hours` too. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { agrees, beforeOf, near, type Printed, readPrinted, recordOf, stated } from '../stated.js';

const shared = join(packageRoot, '..', 'shared');
/** ROBUST_STATED keeps what the commands make. */
const above = process.env.ROBUST_STATED ?? mkdtempSync(join(tmpdir(), 'robust-stated-'));
const cwd = join(above, 'clone');
const file = join(packageRoot, 'test', 'slow', 'stated.tsv');

const hours = Boolean(process.env.STATED_HOURS);
/** What is compared now. */
const due = stated.filter(({ kind }) => kind !== 'judged' && (kind !== 'hours' || hours));

/** Records that agreed in this run. */
const agreed = new Set<string>();

beforeAll(() => {
  mkdirSync(cwd, { recursive: true });
  const link = (from: string, to: string) => existsSync(to) || symlinkSync(from, to);
  link(shared, join(above, 'shared'));
  link(join(shared, 'data'), join(cwd, 'data'));
  link(join(shared, 'models'), join(cwd, 'victims'));
  for (const name of ['bench', 'datasets', 'models']) link(join(packageRoot, name), join(cwd, name));
  writeFileSync(join(above, 'robust'), `#!/bin/sh\nexec node ${join(packageRoot, 'bin', 'run.js')} "$@"\n`, {
    mode: 0o755,
  });
});

afterAll(() => {
  // Read again: another page may have been compared meanwhile.
  const before = new Map(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
  const today = new Date().toISOString().slice(0, 10);
  const lines = stated
    .map(recordOf)
    .map((record) => `${agreed.has(record) ? today : (before.get(record) ?? 'never')}\t${record}`);
  writeFileSync(file, `${['agreed\tkind\tpage\tabout\tcommands\tfigures', ...lines].join('\n')}\n`);
});

/** What npm needs, without settings of robust or of vitest. */
const mine = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:CI$|ROBUST_|VITEST|NODE_ENV$)/.test(name)),
);

/** `npm run` needs the package. */
const placeOf = (command: string): string => (/^npm run (?!bench)/.test(command) ? packageRoot : cwd);

const run = (command: string, at = placeOf(command)): string =>
  execFileSync('bash', ['-c', command], {
    cwd: at,
    encoding: 'utf8',
    env: { ...mine, PATH: `${above}:${process.env.PATH}`, COLUMNS: '80' },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 29,
  });

const BENCH = /^([A-Z]+=\d+ )?npm run bench (\S+)(?: --)?/;
let compiled = false;
function bench(command: string): string {
  if (!compiled) run('node node_modules/typescript/bin/tsc -p bench', packageRoot);
  compiled = true;
  return run(command.replace(BENCH, `$1node ${packageRoot}/$2`));
}

const printed = new Map<string, Printed>();
function outputOf(command: string): Printed {
  let found = printed.get(command);
  if (found === undefined) {
    found = readPrinted(BENCH.test(command) ? bench(command) : run(command.replace(/^robust .*$/, '$& --json -q')));
    printed.set(command, found);
  }
  return found;
}

describe.skipIf(!existsSync(shared))('stated figures (absent: ../shared)', () => {
  describe.each([...new Set(due.map(({ page }) => page))])('%s', (page) => {
    beforeAll(() => {
      // Each names what it makes.
      for (const command of beforeOf(page, hours))
        if (!existsSync(join(cwd, / -o (\S+)/.exec(command)?.[1] ?? ''))) run(command);
    }, 1_800_000);

    const here = due.filter((each) => each.page === page);
    test.each(here.map((each) => ({ ...each, title: each.about || each.commands.join(' && ') })))('$title', (one) => {
      const all = one.commands.map(outputOf);
      const numbers = all.flatMap((each) => each.numbers);
      const rates = all.flatMap((each) => each.rates);
      const holds = one.kind === 'timed' ? near : agrees;
      const wrong = one.figures.filter((figure) => !holds(figure, { numbers, rates }));
      expect(wrong.map(({ written }) => written)).toEqual([]);
      agreed.add(recordOf(one));
    });
  });
});
