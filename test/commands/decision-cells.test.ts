/**
 * Every kind of decision by the commands around an attack: explain, serve, an attack on the served model, the page's playground, the
 * library and its matcher. Figures are computed by hand; no command uses a word of another decision.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Api from '../../src/api.js';
import { packageRoot } from '../../src/core/package-root.js';
import type * as Matchers from '../../src/vitest.js';
import { folder, robust } from './cli.js';
import { ATTACK, expectRates, KINDS } from './decision-kinds.js';

const built = (file: string): string => pathToFileURL(join(packageRoot, 'dist', 'bundle', file)).href;
let api: typeof Api;
let matchers: typeof Matchers;
beforeAll(async () => {
  api = await import(built('api.js'));
  matchers = await import(built('vitest.js'));
});

const GOOD = 'a good one to flip';
const PLAIN = 'some plain thing';

interface Cells {
  /** Words of other decisions. */
  readonly foreign: RegExp;
  /** The heading of explain, and its name for the quantity that words raise. */
  readonly explained: readonly [answer: string, raised: string];
  /** The weight of "good", and the answer without it. */
  readonly weight: readonly [weight: number, without: number];
  /** The decision that serve states. */
  readonly served: string | undefined;
  /** The scores of GOOD and of PLAIN. */
  readonly scores: readonly [Readonly<Record<string, number>>, Readonly<Record<string, number>>];
  /** The page's answers to GOOD and PLAIN, and the outcome of the attack on GOOD. */
  readonly page: readonly [good: string, plain: string, attacked: string];
  /** A metric of the gate, its value, and its number of examples. */
  readonly judged: readonly [metric: string, percent: string, n: number];
}

const LABELLED = {
  weight: [0.8, 0.1],
  scores: [
    { negative: 0.1, positive: 0.9 },
    { negative: 0.9, positive: 0.1 },
  ],
} as const;
const OF_LABELS: Cells = {
  ...LABELLED,
  foreign: /recall|precision|threshold|evasion|alarm|\bmiss(?:ed|es)?\b|detected|label sets?|\bmoved|delta|within 0/i,
  explained: ['model: positive 0.90\n', 'the probability of positive'],
  served: undefined,
  page: ['<b>positive</b>', '<b>negative</b>', 'The attack succeeded'],
  judged: ['overall.accuracyUnderAttack', '66.7 %', 9],
};

const CELLS: Readonly<Record<string, Cells>> = {
  single: OF_LABELS,
  pairs: OF_LABELS,
  detector: {
    ...LABELLED,
    foreign: /accuracy|label sets?|\bmoved|delta|within 0|most probable/i,
    explained: ['model: positive 0.90, reaches its threshold of 0.50\n', 'the probability of positive'],
    served: 'positive from a score of 0.5 on',
    page: ['positive: detected', 'positive: not detected', 'Missed: the attack got past the detector'],
    judged: ['overall.recallUnderAttack', '62.5 %', 8],
  },
  'label sets': {
    foreign: /accuracy|recall under attack|evasion|alarm|\bmissed|\bdetected:|\bmoved|delta|within 0|most probable/i,
    explained: ['model: nice 0.90, reaches its threshold of 0.50\n', 'the probability of nice'],
    weight: [0.8, 0.1],
    served: 'each label from a score of 0.5 on',
    scores: [
      { bad: 0.1, nice: 0.9 },
      { bad: 0.1, nice: 0.1 },
    ],
    page: ['<b>nice</b>', '<b>no label</b>', 'The attack removed a label'],
    judged: ['overall.accuracyUnderAttack', '62.5 %', 8],
  },
  number: {
    foreign: /accuracy|recall|precision|threshold|evasion|alarm|\bmissed|\bdetected:|label sets?|probab/i,
    explained: ['model: score 1.000\n', 'the number of score'],
    weight: [1, 0],
    served: 'a number',
    scores: [{ score: 1 }, { score: 0 }],
    page: ['<b>1.000</b>', '<b>0.000</b>', 'The attack succeeded'],
    judged: ['overall.accuracyUnderAttack', '66.7 %', 9],
  },
};

/** The text of a page without its markup. */
const visible = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ');

describe.each(KINDS)('$name', (kind) => {
  const { name, model, data, flags, choice, labelColumn, rates } = kind;
  const { foreign, explained, weight, served, scores, page, judged } = CELLS[name] as Cells;
  const pairs = name === 'pairs';
  const cwd = folder({
    ...{ 'model.mjs': model, 'told.mjs': ATTACK },
    // All texts are within reach, so that the gate has a verdict.
    ...{ 'data.tsv': data.replaceAll('numb', 'keep') },
  });
  const at = (file: string): string => join(cwd, file);
  const options = {
    ...{ model: at('model.mjs'), data: at('data.tsv'), attacks: [at('told.mjs')], numExamples: 0, maxErrorRate: 0.5 },
    ...{ ...choice, ...(labelColumn !== undefined && { labelColumn }) },
  };
  const inFolder = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = process.cwd();
    process.chdir(cwd);
    return work().finally(() => process.chdir(before));
  };

  test('explain', async () => {
    const decided = flags.map((flag) => flag.replace(/:delta=.*/, ''));
    const beside = pairs ? ['--beside', 'the first'] : [];
    const columns = decided.indexOf('--columns');
    const args = [...(columns < 0 ? decided : decided.toSpliced(columns, 2)), ...beside, '--method', 'shap', GOOD];
    const { code, stdout } = await robust(['explain', '-m', './model.mjs', ...args, '-o', 'e.json'], { cwd });
    expect({ code, foreign: foreign.exec(stdout) }).toEqual({ code: 0, foreign: null });
    const [answer, raised] = explained;
    expect(stdout).toContain(answer);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`raise ${raised};`);
    const [{ words, check }] = JSON.parse(readFileSync(at('e.json'), 'utf8')).result.methods;
    const [good, without] = weight;
    for (const { word, weight } of words) expect(weight, word).toBeCloseTo(word === 'good' ? good : 0, 6);
    expect(check.baseValue).toBeCloseTo(without, 6);
    expect(check.value).toBeCloseTo(without + good, 6);
  });

  test('serve and an attack on what it serves', async () => {
    const server = await inFolder(() => api.serve({ model: './model.mjs', port: 0, ...choice }));
    try {
      expect({ decision: server.decision, pairs: server.pairs }).toEqual({
        ...{ decision: served, pairs: pairs ? true : undefined },
      });
      const ask = async (texts: readonly unknown[]) => {
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ texts }),
        };
        const response = await fetch(server.url, init);
        return { status: response.status, body: await response.json() };
      };
      const asked = [GOOD, PLAIN].map((text) => (pairs ? ['the first', text] : text));
      const { status, body } = await ask(asked);
      expect(status).toBe(200);
      const { labels, answers } = body as { labels: string[]; answers: { scores: number[] }[] };
      const found = answers.map((answer) =>
        Object.fromEntries(answer.scores.map((score, at) => [labels[at], Number(score.toFixed(6))])),
      );
      expect(found).toEqual(scores);
      if (pairs) {
        // Only an endpoint file says how a pair is sent, so that there is no command to print.
        expect({ attack: server.attack, single: (await ask([GOOD])).status }).toEqual({
          attack: undefined,
          single: 400,
        });
        return;
      }

      const spec = /--model (\S+)/.exec(server.attack ?? '')?.[1] as string;
      const columns = labelColumn === undefined ? [] : ['--columns', `label=${labelColumn}`];
      const args = ['-d', 'data.tsv', '-n', '0', '-a', './told.mjs', '--max-error-rate', '0.5', '-o', 'remote.json'];
      const attacked = await robust(['attack', '-m', spec, ...args, ...columns, '-q'], { cwd });
      expect({ code: attacked.code, foreign: foreign.exec(attacked.stdout) }).toEqual({ code: 0, foreign: null });
      const { result } = JSON.parse(readFileSync(at('remote.json'), 'utf8'));
      expectRates(result.attacks[0], rates);
      expectRates(result.overall, rates);
    } finally {
      await server.close();
    }
  });

  describe('the page', () => {
    let server: Api.RunningUi;
    let cookie: string;
    beforeAll(async () => {
      server = await inFolder(() => api.ui({ model: [at('model.mjs')], port: 0, ...choice }));
      const { headers } = await fetch(server.url, { redirect: 'manual' });
      cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    });
    afterAll(() => server.close());
    const ask = async (path: string, text: string, others: Readonly<Record<string, string>> = {}): Promise<string> => {
      const query = { model: at('model.mjs'), text, ...(pairs && { first: 'the first' }), ...others };
      const url = new URL(`/live/${path}?${new URLSearchParams(query)}`, server.url);
      const response = await fetch(url, { headers: { cookie } });
      expect(response.status).toBe(200);
      return response.text();
    };

    test('says what is decided, and what an attack did', async () => {
      const [good, plain, attacked] = page;
      const answers = [await ask('answers', GOOD), await ask('answers', PLAIN)];
      expect(answers).toEqual([expect.stringContaining(good), expect.stringContaining(plain)]);
      const [, end = '{}'] =
        /event: end\ndata: (.*)\n/.exec(await ask('attack', GOOD, { attack: 'deepwordbug' })) ?? [];
      const { status, html } = JSON.parse(end);
      expect({ status, html }).toEqual({ status: 'succeeded', html: expect.stringContaining(attacked) });
      for (const said of [...answers, html]) expect(foreign.exec(visible(said))).toBeNull();
    });
  });

  test('the library', async () => {
    const report = await inFolder(() => api.attack(options));
    expectRates(report.attacks[0] as object, rates);
    expectRates(report.overall, rates);
  });

  test('the matcher', async () => {
    const [metric, percent, n] = judged;
    const { model: spec, ...rest } = options;
    const limited = (limit: string, ci: 'interval' | 'value' = 'value') =>
      inFolder(() => matchers.toBeRobust(spec, { ...rest, minExamples: 1, ci, require: [`${metric} ${limit}`] }));
    expect(await limited('>= 0.6')).toMatchObject({ pass: true });
    const failed = await limited('>= 0.7');
    expect(failed.pass).toBe(false);
    expect(failed.message()).toMatch(
      new RegExp(`failed: ${metric} at least 70 %, got ${percent} \\(\\d+-\\d+\\), n = ${n}`),
    );
    // The limits are inside the interval of so few texts.
    await expect(limited('>= 0.6', 'interval')).rejects.toMatchObject({ code: 'INCONCLUSIVE' });
  });
});
