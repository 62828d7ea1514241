/**
 * The commands of README and the guides as they are printed, in their order, each page in a fresh folder that has the files it names: as
 * somebody follows it who has only that page. `npm run test:slow -- test/slow/guides.test.ts -t docs/ci.md`
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { commandsOf } from '../commands/documented-commands.js';
import { guard, SMALL, workspace } from '../commands/workspace.js';
import { guides, readDocument } from '../documents.js';

/** What needs more than a page and a machine without a network. */
const ELSEWHERE: readonly (readonly [reason: string, what: RegExp])[] = [
  ['a placeholder', /\[|(?:^| )(?:NAME|RUN|MODEL|SHIELDED_RUN)(?: |$)|\.\.\.|org\/name|owner\/name/],
  ['the network: test/remote, test/fleet', /hf:|hf-inference|openai|:\/\/|endpoint\.yaml|--store|^worker/],
  ['a GPU: test/slow/device.test.ts', /cuda/],
  ['other machines: test/run', /--shard|--merge|^gate latest$/],
  ['a reviewed run: test/commands/review.test.ts', /validSuccessRate/],
  ['a server behind the victim: test/serve/guard.test.ts', /guard\.mjs/],
  ['a browser', /--open/],
  ['a model of the reader: test/model, packages/onnx/test/convert', /checkpoint|llama-guard|adapter|jailbreak/],
  ['a finished run of hours: test/commands/standing.test.ts', /^(?:card|leaderboard)\b|-s all\b|verify --?\S* ?2$/],
];
/** `ROBUST_NUM_EXAMPLES=3` for the order of the commands alone, in a tenth of the time. */
const FEW = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'ROBUST_NUM_EXAMPLES'));
/** Runs until it is stopped. */
const SERVERS = /^(?:ui|serve)\b/;
/** What a verdict may be, and the tagger of the goldens, whose weights are random; everything else succeeds. Few examples decide nothing. */
const exitCodes = (command: string): number[] =>
  /^gate\b|--gate|pii-model|ner-model/.test(command) || FEW.ROBUST_NUM_EXAMPLES ? [0, 1, 4] : [0];

const [head, ...rows] = readFileSync(join(packageRoot, 'datasets', 'data', 'reviews.tsv'), 'utf8')
  .trim()
  .split('\n');
const table = (from: number, to?: number): string => `${[head, ...rows.slice(from, to)].join('\n')}\n`;
const notes = Array.from({ length: 40 }, (_, at) =>
  JSON.stringify({
    text: `Please call Ann Lee about bill ${at}`,
    spans: [{ start: 12, end: 19, type: 'PER' }],
  }),
);

/** Real texts of which no two parts share one. */
function files(page: string): string {
  const home = workspace(SMALL, {
    ...{
      'dev.tsv': table(0, 120),
      'train.tsv': table(120, page === 'README.md' ? undefined : 400),
      'test.tsv': table(400, 500),
      'clean.tsv': table(500),
    },
    ...{ 'half.tsv': table(120, 260), 'dev.csv': '', 'notes.jsonl': `${notes.join('\n')}\n` },
  });
  const csv = rows
    .slice(0, 120)
    .map((row) => row.split('\t').map((field) => JSON.stringify(field).replaceAll('\\"', '""')));
  writeFileSync(
    join(home, 'dev.csv'),
    `${[head?.replaceAll('\t', ','), ...csv.map((row) => row.join(','))].join('\n')}\n`,
  );
  guard(home, /\.\/guard .*--positive (\w+)/.exec(readDocument(page))?.[1] ?? 'attack');
  // Texts to calibrate by are harmless ones.
  const everyday = readFileSync(join(home, 'everyday.jsonl'), 'utf8').split('\n');
  writeFileSync(join(home, 'everyday.jsonl'), everyday.filter((line) => line.includes('"benign"')).join('\n'));
  rmSync(join(home, 'my-model'));
  cpSync(join(packageRoot, 'models', 'distilbert'), join(home, 'my-model'), { recursive: true });
  return home;
}

/** Runs it; a server until it has printed where it listens. */
function run(cwd: string, words: readonly string[]): Promise<{ code: number | null; output: string; seconds: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'run.js'), ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, COLUMNS: '80', ...FEW },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const hear = (chunk: Buffer): void => {
    output += chunk.toString();
    if (SERVERS.test(words.join(' ')) && /http:\/\/\S+/.test(output)) child.kill('SIGTERM');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output, seconds: (performance.now() - begun) / 1000 }));
  });
}

/** Processor seconds of the processes that this one has waited for; 0 where the system does not tell. */
function childrenSeconds(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

const pages = ['README.md', ...guides].map((page) => ({
  page,
  commands: commandsOf(page)
    .filter(({ inBlock }) => inBlock)
    .map(({ where, words }) => ({ where, words, command: words.join(' ') }))
    .filter(({ command }) => !ELSEWHERE.some(([, what]) => what.test(command))),
}));

describe.each(pages.filter(({ commands }) => commands.length > 0))('$page', ({ page, commands }) => {
  let cwd: string;
  beforeAll(() => {
    cwd = files(page);
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  test.each(commands)('$where: robust $command', async ({ words, command }) => {
    const before = childrenSeconds();
    const { code, output, seconds } = await run(cwd, words);
    const processor = childrenSeconds() - before;
    console.log(
      `${Math.round(seconds)} s (processor ${Math.round(processor)} s), exit code ${code}: robust ${command}`,
    );
    if (SERVERS.test(command)) expect(output).toMatch(/http:\/\//);
    else expect([exitCodes(command), output]).toEqual([expect.arrayContaining([code]), output]);
  });

  test.runIf(page === 'README.md')('the files that the page names are there', () => {
    for (const name of ['report.html', 'robust.config.yaml', 'hardened/model.onnx', '.robust/runs'])
      expect([name, existsSync(join(cwd, name))]).toEqual([name, true]);
    expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toContain('<!doctype html>');
  });
});
