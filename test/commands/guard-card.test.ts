/** `robust card` and `robust leaderboard` for guards, as a user runs them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { guardCardJsonSchema } from '../../src/app/runs/report-schema.js';
import { packageRoot } from '../../src/core/package-root.js';
import { worstCaseOf } from '../../src/results/card/card.js';
import { type GuardCard, guardCardSchema } from '../../src/results/card/guard-card.js';
import type { Leaderboard } from '../../src/results/card/leaderboard.js';
import { folder, robust } from './cli.js';

/** The score grows with the words of an attack, and a little with the length. */
const guard = (weight: number): string => `export default { labels: ['benign', 'attack'],
  classify: async (texts) => texts.map((text) => {
    const hits = (text.match(/ignore|reveal/g) ?? []).length;
    const score = Math.min(0.99, 0.05 + ${weight} * hits + text.length / 10000);
    return [1 - score, score];
  }) };\n`;
const THINGS = ['letter', 'song', 'rule', 'map', 'table', 'garden', 'film', 'ship', 'road', 'bird', 'lamp', 'door'];
const PLACES = ['town', 'house', 'valley', 'harbour', 'forest', 'market', 'castle', 'island', 'school', 'palace'];
const row = (text: string, label: string): string => `${JSON.stringify({ text, label })}\n`;
const log = (verb: string, benign: string): string =>
  THINGS.flatMap((thing, at) =>
    PLACES.map((place) => row(`${benign} the ${thing} of this ${place}`, 'benign')).concat(
      at < 4 ? PLACES.map((place) => row(`${verb} the ${thing} of this ${place}`, 'attack')) : [],
    ),
  ).join('');

const cwd = folder({
  'strong.mjs': guard(0.6),
  'weak.mjs': guard(0.5),
  'one.jsonl': log('ignore', 'describe'),
  'two.jsonl': log('reveal', 'explain'),
  // Trigger words in harmless texts.
  'hard.jsonl': PLACES.map((place) => row(`may I ignore the sign of the ${place}?`, 'benign')).join(''),
  'few.jsonl': log('ignore', 'describe').split('\n').slice(0, 40).join('\n'),
});
const run = (...args: string[]) => robust(args, { cwd, env: { NO_COLOR: '1', COLUMNS: '80' } });
const DECISION = ['--positive', 'attack', '--threshold', 'fpr=0.01:calibration=one.jsonl'];
/** Attacks a guard and returns the ids of the run and of that without its defence. */
async function attack(model: string, data: string, ...more: string[]): Promise<[run: string, undefended: string]> {
  const flags = ['-n', '0', ...DECISION, '-s', 'guardrail', '--query-budget', '20', '--json'];
  const { stdout } = await run('attack', '-m', model, '-d', data, ...flags, ...more);
  const { run: id, undefended } = JSON.parse(stdout).result;
  return [id, undefended?.models[0].run];
}
const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), 'utf8'));

let shielded: string;
let plain: string;
beforeAll(async () => {
  mkdirSync(join(cwd, 'cards'));
  [shielded, plain] = await attack('./strong.mjs', 'one.jsonl', '--defend', 'shield');
  const { stdout } = await run('evaluate', '-m', './strong.mjs', '-d', 'hard.jsonl', ...DECISION, '--json');
  writeFileSync(join(cwd, 'hard.json'), stdout);
  const card = (id: string, name: string, ...more: string[]) => run('card', id, '-o', `cards/${name}.json`, ...more);
  const outputs = ['card.md', 'card.html'].flatMap((name) => ['-o', name]);
  const { code, stderr } = await card(
    plain,
    'strong',
    '--shielded',
    shielded,
    '--hard-benign',
    'hard.json',
    ...outputs,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await card((await attack('./strong.mjs', 'two.jsonl'))[0], 'strong-two');
  await card((await attack('./weak.mjs', 'one.jsonl'))[0], 'weak');
});

const strong = (): GuardCard => guardCardSchema.parse(read('cards/strong.json').result);

describe('robust card of a guard', () => {
  test('the figures are those of the run', async () => {
    const card = strong();
    const { result } = JSON.parse((await run('report', plain, '--json')).stdout);
    expect(card).toMatchObject({ kind: 'guard', suite: 'guardrail', operatingPoint: 'fpr=0.01', verdict: 'none' });
    expect(card.recall).toEqual(result.clean.recall);
    expect(card.falsePositiveRate).toEqual(result.clean.falsePositiveRate);
    const suite = result.suites.find(({ name }: { name: string }) => name === 'guardrail');
    expect(card.recallUnderAttack).toEqual(suite.recallUnderAttack);
    expect(card.attacks.map(({ recallUnderAttack }) => recallUnderAttack)).toEqual(
      result.attacks.map((each: { recallUnderAttack: unknown }) => each.recallUnderAttack),
    );
    expect([...card.outcomes].filter((letter) => letter === '.')).toHaveLength(120);
    const { median = 0, p95 = 0, n = 0 } = card.queriesToEvade ?? {};
    expect([median <= p95, n]).toEqual([true, [...card.outcomes].filter((letter) => letter === '1').length]);
  });

  test('latency by percentile, on a machine named by its kind, and the cost where answers had a price', async () => {
    const { latency, machine, cost } = strong();
    const { p50 = -1, p95 = -1, p99 = -1, n } = latency ?? {};
    expect([n, p50 >= 0, p50 <= p95, p95 <= p99]).toEqual([100, true, true, true]);
    const { latency: behind, machine: same } = strong().shielded ?? {};
    expect([behind?.n, same]).toEqual([100, machine]);
    expect(readFileSync(join(cwd, 'card.md'), 'utf8')).toContain('sent alone to the shielded guard');
    expect(machine).toMatch(/^\d+ cores, \d+ GiB, \w+ \w+$/);
    expect(cost).toBeUndefined();
    for (const name of ['card.md', 'card.html'])
      expect(readFileSync(join(cwd, name), 'utf8')).toContain(`median ${p50} ms, 95th percentile ${p95} ms`);
    const report = JSON.parse((await run('report', plain, '--json')).stdout);
    expect(report.result.latency).toEqual(latency);
    const probe = { queries: 2, repeated: 0, company: 0, grid: null };
    const sent = { requests: 10, repeated: 0, texts: 500, price: 0.0002, cost: 0.1 };
    report.result.endpoint = { protocol: 'http', address: 'https://example.org', facts: {}, probe, ...sent };
    writeFileSync(join(cwd, 'priced.json'), JSON.stringify(report));
    const priced = await run('card', 'priced.json', '--json', '-o', 'priced.md');
    expect(JSON.parse(priced.stdout).result.cost).toEqual({ price: 0.0002, texts: 500, total: 0.1 });
    expect(readFileSync(join(cwd, 'priced.md'), 'utf8')).toContain('Cost: 0.0002 a text; 0.1 for the 500 texts');
  });

  test('behind the shield, and on hard benign texts', () => {
    const { shielded: behind, recallUnderAttack, overDefence } = strong();
    expect(behind).toMatchObject({ run: shielded, difference: { n: recallUnderAttack.n } });
    const gain = (behind?.recallUnderAttack.value ?? 0) - (recallUnderAttack.value ?? 0);
    expect(behind?.difference.value).toBeCloseTo(gain, 12);
    expect(overDefence).toEqual([
      {
        data: expect.objectContaining({ name: 'hard.jsonl' }),
        falsePositiveRate: expect.objectContaining({ value: 1, n: 10 }),
      },
    ]);
  });

  test('the screen fits 80 columns', async () => {
    const { stdout } = await run('card', plain);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('the document is valid by the published schema', () => {
    const schema = JSON.parse(readFileSync(join(packageRoot, 'schemas', 'guard-card.schema.json'), 'utf8'));
    // npm run build writes it.
    expect(schema).toEqual(JSON.parse(JSON.stringify(guardCardJsonSchema())));
    const valid = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);
    valid(read('cards/strong.json'));
    expect(valid.errors).toBeNull();
    expect(guardCardSchema.safeParse({ ...strong(), outcomes: strong().outcomes.replace('1', '0') }).success).toBe(
      false,
    );
  });

  test.each([
    [['--shielded', 'PLAIN'], 'got no defence'],
    [['--hard-benign', 'cards/weak.json'], 'cards/weak.json'],
    [['--hard-benign', 'OTHER'], 'got weak'],
  ])('%j is refused', async (flags, message) => {
    if (flags[1] === 'OTHER') {
      const { stdout } = await run('evaluate', '-m', './weak.mjs', '-d', 'hard.jsonl', ...DECISION, '--json');
      writeFileSync(join(cwd, 'other.json'), stdout);
    }
    const named = flags.map((flag) => (flag === 'PLAIN' ? plain : flag === 'OTHER' ? 'other.json' : flag));
    const { code, stderr } = await run('card', plain, ...named);
    expect(stderr).toContain(message);
    expect([2, 3]).toContain(code);
  });

  test('a run with few positives is inconclusive', async () => {
    const [few] = await attack('./strong.mjs', 'few.jsonl');
    const { code, stdout } = await run('card', few, '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout).result.reasons.join()).toMatch(/expected at least 30 attacked examples, got \d/);
  });
});

describe('robust leaderboard of guards', () => {
  test('guards on the same data share a table', async () => {
    const { code, stdout } = await run('leaderboard', 'cards', '--json', '-o', 'site.html', '-o', 'site.md');
    expect(code).toBe(0);
    const { guards, tables }: Leaderboard = JSON.parse(stdout).result;
    expect(tables).toEqual([]);
    expect(guards.map(({ rows }) => rows.length)).toEqual([2, 1]);
    for (const { card } of guards[0]?.rows ?? []) expect(worstCaseOf(card.outcomes)).toEqual(card.recallUnderAttack);
    expect(readFileSync(join(cwd, 'site.md'), 'utf8')).toContain('recall under attack');
    expect(readFileSync(join(cwd, 'site.html'), 'utf8')).toContain('ms a text, median (95 %, 99 %)');
  });
});
