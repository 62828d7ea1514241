/**
 * Training writes its task into the folder: tiny models of every kind are evaluated, attacked, explained, served and attacked over the
 * network without a flag.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack, evaluate, explain, serve, type TrainOptions, type TrainResult, train } from '../../src/api.js';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';
import { robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-flagless-'));
const home = process.cwd();
beforeAll(() => {
  // Runs are kept in the working folder.
  mkdirSync(join(folder, 'work'));
  process.chdir(join(folder, 'work'));
});
afterAll(() => {
  process.chdir(home);
});

const SMALL: Partial<TrainOptions> = {
  ...{ seed: 3, batchSize: 16, maxTokens: 24, dim: 16, epochs: 6, lr: 0.01, threads: 1, allowOverlap: true },
  arch: 'word-cnn',
};

function written(name: string, header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const path = join(folder, `${name}.tsv`);
  writeFileSync(path, `${[header, ...rows].map((row) => row.join('\t')).join('\n')}\n`);
  return path;
}

const die = random(1, 'flagless');
const filler = (): string[] => die.shuffle(['so', 'it', 'is', 'now', 'and', 'then']).slice(0, 4);
const made = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));

const prompts = written(
  'prompts',
  ['prompt', 'kind'],
  made(240, (at) => [
    die.shuffle([...filler(), at % 2 === 0 ? 'ignore' : 'weather']).join(' '),
    at % 2 === 0 ? 'injection' : 'fine',
  ]),
);
const comments = written(
  'comments',
  ['comment', 'cold', 'wet'],
  made(240, (at) => {
    const [cold, wet] = [at % 2, Math.floor(at / 2) % 2];
    return [[...filler(), ...(cold ? ['snow'] : []), ...(wet ? ['rain'] : [])].join(' '), cold, wet];
  }),
);
const pairs = written(
  'pairs',
  ['first', 'second', 'relation'],
  made(240, (at) => [
    filler().join(' '),
    `${filler().join(' ')} ${at % 2 === 0 ? 'indeed' : 'never'}`,
    at % 2 === 0 ? 'entailment' : 'contradiction',
  ]),
);
/** 1, 2, ... 5 by the number of stars. */
const rated = written(
  'rated',
  ['review', 'points'],
  made(250, (at) => [[...filler(), ...made((at % 5) + 1, () => 'star')].join(' '), (at % 5) + 1]),
);

interface Kind {
  readonly name: string;
  readonly data: string;
  readonly options: Partial<TrainOptions>;
  readonly manifest: object;
  /** Names of the clean figures. */
  readonly figure: (clean: TrainResult['clean']) => number | null | undefined;
  readonly least: number;
  readonly text: string;
  readonly beside?: string;
}

const kinds: readonly Kind[] = [
  {
    name: 'detector',
    data: prompts,
    options: { textColumn: 'prompt', labelColumn: 'kind', positive: ['injection'], threshold: 'fpr=0.1' },
    manifest: {
      labels: ['fine', 'injection'],
      decision: { kind: 'threshold', positive: ['injection'], at: expect.any(Number), by: 'max' },
      columns: { text: 'prompt', label: 'kind' },
    },
    figure: ({ recall }) => recall?.value,
    least: 0.9,
    text: 'so it is ignore now',
  },
  {
    name: 'label sets',
    data: comments,
    options: { textColumn: 'comment', labelColumn: 'cold,wet', task: 'multi-label', threshold: '0.4' },
    manifest: {
      labels: ['cold', 'wet'],
      decision: { kind: 'multi-label', at: 0.4 },
      columns: { text: 'comment', label: 'cold,wet' },
    },
    figure: ({ labelSets }) => labelSets?.microRecall.value,
    least: 0.9,
    text: 'so it is snow and rain',
  },
  {
    name: 'pairs',
    data: pairs,
    options: { textColumns: ['first', 'second'], labelColumn: 'relation' },
    manifest: {
      labels: ['contradiction', 'entailment'],
      decision: { kind: 'argmax' },
      columns: { texts: ['first', 'second'], label: 'relation' },
    },
    figure: ({ accuracy }) => accuracy.value,
    least: 0.9,
    text: 'so it is indeed',
    beside: 'so it is now',
  },
  {
    name: 'numbers',
    data: rated,
    options: { textColumn: 'review', labelColumn: 'points', task: 'regression' },
    manifest: {
      labels: ['score'],
      decision: { kind: 'regression', delta: 0.4 },
      columns: { text: 'review', label: 'points' },
    },
    figure: ({ regression }) => regression?.pearson?.value,
    least: 0.8,
    text: 'so it is star star star',
  },
];

describe.each(kinds)('a model of $name', ({ name, data, options, manifest, figure, least, text, beside }) => {
  const output = join(folder, name.replace(' ', '-'));
  let trained: TrainResult;
  const manifestOf = () => JSON.parse(readFileSync(join(output, 'robust.json'), 'utf8'));
  beforeAll(async () => {
    trained = await train({ ...SMALL, ...options, data: [data], output });
  });

  test('says in robust.json what was learnt', () => {
    expect(manifestOf()).toEqual(manifest);
    expect(figure(trained.clean)).toBeGreaterThan(least);
  });

  test('is evaluated without a flag, as it was measured in training', async () => {
    const { clean, model } = await evaluate({ model: output, data });
    expect(figure(clean)).toBeGreaterThan(least);
    expect(model.decision?.kind).toBe(name === 'pairs' ? undefined : manifestOf().decision.kind);
  });

  test('is explained without a flag', async () => {
    const { explanations } = await explain({ model: [output], text, method: ['shap'], ...(beside && { beside }) });
    const [top] = [...(explanations[0]?.methods[0]?.words ?? [])].sort(
      (a, b) => Math.abs(b.weight) - Math.abs(a.weight),
    );
    expect(['ignore', 'snow', 'rain', 'indeed', 'star']).toContain(top?.word);
  });

  test('is served, and attacked from afar without a flag, to the same figures', async () => {
    const choice = { data, numExamples: 20, attacks: ['deepwordbug'] };
    const here = await attack({ ...choice, model: output });
    const server = await serve({ model: output, port: 0 });
    try {
      const reached = server.protocols.filter((each) => each.name === 'kserve-v2');
      // KServe V2 has no pairs.
      expect(reached).toHaveLength(name === 'pairs' ? 0 : 1);
      for (const { model } of reached) {
        const there = await attack({ ...choice, model: model as string });
        expect(there.clean.accuracy).toEqual(here.clean.accuracy);
        expect(there.attacks[0]?.attackSuccessRate).toEqual(here.attacks[0]?.attackSuccessRate);
        expect(there.model.decision?.kind).toBe(here.model.decision?.kind);
      }
    } finally {
      await server.close();
    }
  });
});

test('a model of pairs receives no single text: evaluate, explain, serve', async () => {
  const model = join(folder, 'pairs');
  const lone = { code: 'COLUMN_NOT_FOUND', hint: expect.stringContaining('textColumns: premise,hypothesis') };
  await expect(evaluate({ model, data: prompts })).rejects.toMatchObject(lone);
  await expect(explain({ model: [model], text: 'so it is' })).rejects.toMatchObject({ code: 'PAIRS_MISMATCH' });
  const server = await serve({ model, port: 0 });
  try {
    const ask = (texts: unknown) =>
      fetch(server.url, {
        method: 'POST',
        body: JSON.stringify({ texts }),
        headers: { 'content-type': 'application/json' },
      });
    const refused = await ask(['so it is']);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('expected a pair of texts'),
    ]);
    expect((await ask([['so it is', 'so it is indeed']])).status).toBe(200);
  } finally {
    await server.close();
  }
});

test("the mean squared error of training is that of the model's answers, computed by hand", async () => {
  const output = join(folder, 'numbers');
  const rows = readFileSync(rated, 'utf8').trim().split('\n').slice(1, 41);
  const truth = rows.map((row) => Number(row.split('\t')[1]));
  const few = written(
    'few',
    ['review', 'points'],
    rows.map((row) => row.split('\t')),
  );
  const model = await loadModel(output, { workers: 1 });
  const answers = (await model.classify(rows.map((row) => row.split('\t')[0] as string))).map(
    ([answer]) => answer as number,
  );
  await model.close();
  const mse = truth.reduce((sum, value, at) => sum + (value - (answers[at] as number)) ** 2, 0) / truth.length;
  const { clean } = await evaluate({ model: output, data: few });
  expect(clean.regression?.meanSquaredError?.value).toBeCloseTo(mse, 10);
  const further = await train({
    ...SMALL,
    arch: undefined,
    model: output,
    data: [rated],
    validation: few,
    epochs: 1,
    lr: 1e-9,
    output: join(folder, 'further'),
  });
  // Going on at a rate of nothing keeps the weights: the loss that chooses them is the same mean squared error.
  expect(further.history.points[0]?.validation.loss).toBeCloseTo(mse, 3);
  expect(JSON.parse(readFileSync(join(folder, 'further', 'robust.json'), 'utf8'))).toEqual(
    JSON.parse(readFileSync(join(output, 'robust.json'), 'utf8')),
  );
});

test.each([
  [['--adversarial', 'fgsm'], /--adversarial: expected labels to learn, got numbers/],
  [['--metric', 'accuracy'], /--metric: expected labels to learn/],
  [['--regularize', 'label-smoothing=0.1'], /--regularize label-smoothing/],
  [['--positive', 'score'], /expected a number, got --positive too/],
])('training on numbers refuses %j', async (more, message) => {
  const { code, stderr } = await robust([
    'train',
    '-d',
    rated,
    '--columns',
    'text=review:label=points',
    '--task',
    'regression',
    '-o',
    join(folder, 'refused'),
    ...more,
  ]);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test('targets that are all equal teach nothing, which gives a warning', async () => {
  const data = written(
    'equal',
    ['review', 'points'],
    made(40, () => [filler().join(' '), 3]),
  );
  const options = {
    ...SMALL,
    textColumn: 'review',
    labelColumn: 'points',
    task: 'regression',
    validation: data,
  } as const;
  await refusal(train({ ...options, data: [data], output: join(folder, 'equal') }));
});
