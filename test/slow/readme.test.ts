/** The README's commands, in its order, in one fresh folder, each as a process of its own: as somebody follows them who has only that page. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { commandsOf } from '../commands/documented-commands.js';

const above = mkdtempSync(join(tmpdir(), 'robust-readme-'));
const cwd = join(above, 'project');
/** Runs until it is stopped. */
const SERVERS = /^ui\b/;
/** What a gate may answer, and the tagger of the goldens, whose weights are random; everything else succeeds. */
const exitCodes = (command: string): number[] => (/^gate\b|pii-model/.test(command) ? [0, 1, 4] : [0]);

const commands = commandsOf('README.md');

beforeAll(() => {
  mkdirSync(cwd);
  const model = (from: string, name: string) =>
    cpSync(join(packageRoot, from), join(cwd, name), { recursive: true, filter: (path) => !path.endsWith('.md') });
  for (const name of ['my-model', 'new']) model('models/distilbert', name);
  for (const name of ['old', 'downloaded']) model('models/bert-mini', name);
  model('test/tags/goldens/bert', 'pii-model');
  const [head, ...rows] = readFileSync(join(packageRoot, 'datasets', 'data', 'reviews.tsv'), 'utf8')
    .trim()
    .split('\n');
  const table = (name: string, from: number, to?: number) =>
    writeFileSync(join(cwd, name), `${[head, ...rows.slice(from, to)].join('\n')}\n`);
  table('dev.tsv', 0, 120);
  table('train.tsv', 120);
  const spans = [{ start: 12, end: 19, type: 'PER' }];
  const notes = Array.from({ length: 40 }, (_, at) =>
    JSON.stringify({ text: `Please call Ann Lee about bill ${at}`, spans }),
  );
  writeFileSync(join(cwd, 'notes.jsonl'), `${notes.join('\n')}\n`);
});

/** Runs it; a server until it has printed where it listens. */
function run(words: readonly string[]): Promise<{ code: number | null; output: string; seconds: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'run.js'), ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: above, COLUMNS: '80' },
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

test('there are commands', () => expect(commands.length).toBeGreaterThan(12));

test.each(commands)('$where: robust $words', async ({ words }) => {
  const { code, output, seconds } = await run(words);
  console.log(`${Math.round(seconds)} s, exit code ${code}: robust ${words.join(' ')}`);
  if (SERVERS.test(words.join(' '))) expect(output).toMatch(/http:\/\//);
  else expect([exitCodes(words.join(' ')), output]).toEqual([expect.arrayContaining([code]), output]);
});

test('the files that the page names are there', () => {
  for (const name of ['report.html', 'robust.config.yaml', 'hardened/model.onnx', '.robust/runs'])
    expect([name, existsSync(join(cwd, name))]).toEqual([name, true]);
  expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toContain('<!doctype html>');
});
