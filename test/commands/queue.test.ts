/** Coordinator, workers and `robust queue` from outside, on a Redis of Debian's. */
import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { covered } from '../cover.js';
import { hasRedis, type TestRedis, testRedis } from '../fleet/redis.js';
import { maskedFolder } from '../model/masked-toy.js';
import { type Ended, folder, robust, robustProcess, toy } from './cli.js';

const rows = ['a good film\t1', 'a dull film\t0', 'such a good and moving day\t1', 'no thanks, never again\t0'];
const data = `text\tlabel\n${[0, 1, 2].flatMap((i) => rows.map((row) => row.replace('\t', ` ${'really '.repeat(i)}\t`))).join('\n')}\n`;

test.each([
  ['attack --shard 1/2', 'QUEUE_UNSUPPORTED'],
  ['attack --query-budget run=5', 'QUEUE_UNSUPPORTED'],
  ['attack -a ./own.mjs', 'QUEUE_UNSUPPORTED'],
  [`attack -m ${toy} --force`, 'QUEUE_UNSUPPORTED'],
  ['attack -m ./large', 'QUEUE_UNSUPPORTED'],
  ['attack -a deepwordbug --defend spelling:texts=data.tsv', 'QUEUE_UNSUPPORTED'],
  ['worker --lock 1', 'FLAG_INVALID'],
  ['queue explode', 'NAME_NOT_FOUND'],
])('robust %s cannot be on a queue', async (line, code) => {
  const own =
    "export default { kind: 'evasion', name: 'own', summary: '', level: 'word', needs: 'scores', options: z.strictObject({}), create: () => ({ constraints: [], run() {} }) };";
  const cwd = folder({ 'data.tsv': data, 'own.mjs': `import { z } from 'robust-text/plugin';\n${own}` });
  cpSync(join(packageRoot, 'models', 'bert-mini'), join(cwd, 'large'), { recursive: true });
  // Above what Redis carries, and no less a tokenizer.
  appendFileSync(join(cwd, 'large', 'tokenizer.json'), ' '.repeat(8 << 20));
  const inputs = line.startsWith('attack')
    ? [...(line.includes('-m') ? [] : ['-m', 'bert-mini']), '-d', 'data.tsv']
    : [];
  const ended = await robust([...line.split(' '), ...inputs, '--queue', 'redis://127.0.0.1:1', '--json'], { cwd });
  expect({ exit: ended.code, code: JSON.parse(ended.stdout).error.code }).toMatchObject({ exit: 2, code });
});

describe.skipIf(!hasRedis)('on a Redis (redis-server)', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await testRedis('--maxmemory-policy', 'noeviction');
  });
  afterAll(() => redis?.kill());

  test('the files of a model, and of masked ones, travel to workers by their hashes, and the run and the rates are those of one process', async () => {
    const home = folder({ 'data.tsv': data });
    const [mlm, other] = [maskedFolder(), maskedFolder()];
    cpSync(join(packageRoot, 'models', 'bert-mini'), join(home, 'model'), { recursive: true });
    const attacks =
      `-a deepwordbug -a pruthi -a bae:ranking=unk -a bae:mode=insert:mlm=${other} --constraint none --language en:mlm=${mlm}`.split(
        ' ',
      );
    const selection = ['-n', 'shuffle=true', '-n', 'offset=2'];
    const detector = ['--positive', 'positive', '--threshold', '0.6'];
    const args = ['attack', '-m', './model', '-d', 'data.tsv', ...detector, ...selection, ...attacks, '--json', '-q'];
    const store = folder();
    const runs: Promise<Ended>[] = [];
    const stops: (() => void)[] = [];
    for (let at = 0; at < 2; at++) {
      const cwd = folder();
      const more = ['--cache', join(cwd, 'cache'), '--runtime', 'workers=1', '--store', store];
      runs.push(
        robustProcess(['worker', '--queue', redis.url, '--json', ...more], {
          cwd,
          watch: (child) => stops.push(() => child.kill('SIGTERM')),
        }),
      );
    }
    const [local, queued] = await Promise.all([
      robust(args, { cwd: home }),
      robustProcess([...args, '--store', store], { cwd: home, env: { ROBUST_QUEUE: redis.url } }),
    ]);
    expect(queued).toMatchObject({ code: 0, stderr: '' });
    const bytes = ({ stdout }: Ended): string => {
      const { run } = JSON.parse(stdout).result as { run: string };
      return readFileSync(join(home, '.robust', 'runs', run, 'results.jsonl'), 'utf8');
    };
    expect(bytes(queued)).toBe(bytes(local));
    const rates = ({ stdout }: Ended): unknown => {
      const { attacks: each, overall } = JSON.parse(stdout).result;
      return { overall, attacks: each.map((entry: object) => ({ ...entry, seconds: 0 })) };
    };
    expect(rates(queued)).toEqual(rates(local));
    expect(rates(queued)).toMatchObject({ overall: { originalRecall: { n: 5 }, recallUnderAttack: { n: 5 } } });
    expect(queued.stdout).not.toContain(`127.0.0.1:${redis.port}`);
    const status = await robust(['queue', 'status', '--queue', redis.url, '--json']);
    expect(JSON.parse(status.stdout).result).toMatchObject({ jobs: { waiting: 0, active: 0, failed: 0 }, runs: [] });
    expect((await robust(['queue', 'status', '--queue', redis.url])).stdout).toContain('0 jobs wait, 0 are worked on');
    for (const stop of stops) stop();
    const ends = await Promise.all(runs);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const outcomes = ends.map(({ stdout }) => JSON.parse(stdout).result.outcomes as number);
    expect((outcomes[0] as number) + (outcomes[1] as number)).toBe(40);
  });

  test('a model that tags has the outcomes of one process, with its reading of spans and its goal', async () => {
    const notes = ['Ann Lee met Bob in York.', 'the cat of Ann left York', 'bob met Lee'].map((text) => ({
      text,
      spans: [...text.matchAll(/Ann Lee|Ann|Bob|York|Lee/g)].map(({ 0: found, index }) => ({
        start: index,
        end: index + found.length,
        type: found === 'York' ? 'LOC' : 'PER',
      })),
    }));
    const home = folder({ 'notes.jsonl': notes.map((row) => JSON.stringify(row)).join('\n') });
    const golden = join(packageRoot, 'test', 'tags', 'goldens', 'bert');
    expect((await robust(['convert', golden, '-o', 'tagger'], { cwd: home })).code).toBe(0);
    const stops: (() => void)[] = [];
    const cwd = folder();
    const store = folder();
    const worker = robustProcess(
      ['worker', '--queue', redis.url, '--cache', join(cwd, 'cache'), '--runtime', 'workers=1', '--store', store],
      { cwd, watch: (child) => stops.push(() => child.kill('SIGTERM')) },
    );
    const task = ['--task', 'tags:aggregation=first:touch=both', '--threshold', 'PER=0.1,0.2', '--task', 'windows=max'];
    const common = ['attack', '-m', './tagger', '-d', 'notes.jsonl', ...task, '-a', 'deepwordbug', '--force', '-q'];
    for (const goal of covered(['lose', 'leak=0.5'], 0, 2)) {
      const args = [...common, '--goal', goal, '--json'];
      const local = await robust(args, { cwd: home });
      const queued = await robustProcess([...args, '--store', store], { cwd: home, env: { ROBUST_QUEUE: redis.url } });
      expect(queued).toMatchObject({ code: local.code });
      const result = ({ stdout }: Ended) => JSON.parse(stdout).result as { run: string; tags: object };
      const bytes = (ended: Ended) =>
        readFileSync(join(home, '.robust', 'runs', result(ended).run, 'results.jsonl'), 'utf8');
      expect(bytes(queued)).toBe(bytes(local));
      expect(bytes(local)).toContain('"tags"');
      expect(result(queued).tags).toEqual(result(local).tags);
    }
    for (const stop of stops) stop();
    await worker;
  });
});
