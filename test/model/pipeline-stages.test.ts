/** Which stage of a pipeline decided: planted weaknesses are found, and named by the report. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { suiteNamed } from '../../attacks/index.js';
import { fileFormats } from '../../reports/index.js';
import { attack } from '../../src/app/attack.js';
import { evaluate } from '../../src/app/evaluate.js';
import type { Outcome } from '../../src/core/outcome.js';
import { loadModel } from '../../src/model/load.js';
import { GraphBuilder } from '../../src/onnx/builder.js';
import { DataType } from '../../src/onnx/data-type.js';
import { shieldParts } from '../../src/shield/index.js';
import { config, folder as modelFolder, vocabulary, wordPiece } from './toy.js';

let home: string;
const before = process.cwd();
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'robust-stages-'));
  process.chdir(home);
});
afterAll(() => {
  process.chdir(before);
});

/** Detects one word, wherever it is within the first 64 tokens. */
function detector(word: string): string {
  const g = new GraphBuilder({ opset: 17 });
  const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
  const rows = vocabulary.flatMap((each) => [1, each === word ? 4 : -4]);
  const table = g.initializer('table', [vocabulary.length, 2], Float32Array.from(rows));
  const logits = g.op('ReduceMax', [g.op('Gather', [table, ids])], { axes: [1], keepdims: 0 });
  g.output(g.ops('Identity', [logits], ['logits'])[0]!, DataType.float, ['batch', 2]);
  return modelFolder({
    'model.onnx': g.build(),
    'config.json': config(['benign', 'attack'], { max_position_embeddings: 64 }),
    'tokenizer.json': wordPiece(),
  });
}

function pipeline(content: object, name: string): string {
  writeFileSync(join(home, `${name}.yaml`), JSON.stringify({ positive: 'attack', negative: 'benign', ...content }));
  return `pipeline:${name}.yaml`;
}

const TEXTS = ['the film is bad', 'a bad day at the film', 'what a bad old film', 'hello, the bad film again'];

function data(): string {
  const rows = [...TEXTS.map((text) => `${text}\tattack`), 'good morning\tbenign', 'a nice day\tbenign'];
  writeFileSync(join(home, 'texts.tsv'), `text\tlabel\n${rows.join('\n')}\n`);
  return 'texts.tsv';
}

async function attacked(content: object, name: string, protect?: readonly string[]) {
  const report = await attack({
    model: pipeline(content, name),
    data: data(),
    attacks: [...suiteNamed('guardrail')!.attacks, 'context-beam'],
    positive: ['attack'],
    numExamples: 0,
    ...(protect && { protect: [...protect] }),
  });
  const outcomes: Outcome[] = [];
  for await (const outcome of report.examples) outcomes.push(outcome);
  return { report, outcomes };
}

const RULE = { name: 'words', rules: { words: ['bad'] } };
const model = (word: string, name = 'detector') => ({ name, model: detector(word), positive: 'attack' });

describe('a planted weakness is found and named', () => {
  test.each([
    ['a rule alone', () => ({ stages: [RULE] }), undefined, ['words']],
    ['a detector cut at 64 tokens', () => ({ stages: [model('bad')] }), ['bad'], ['detector (cut at 64 tokens)']],
    [
      'a shield without invisible characters',
      () => ({
        stages: [
          { name: 'shield', normalise: shieldParts.filter((part) => part !== 'invisible') },
          { rules: { patterns: ['(?i)b[ .-]*a[ .-]*d'] } },
        ],
      }),
      undefined,
      ['shield (without invisible)'],
    ],
    [
      'two stages that are blind to the same disguise',
      () => ({ stages: [RULE, model('bad')], combine: 'any' }),
      undefined,
      ['words and detector'],
    ],
    [
      'a cascade whose first stage lets too much pass',
      () => ({
        stages: [
          { ...model('film', 'quick'), threshold: 0.99, passes: 0.5 },
          { name: 'slow', rules: { words: ['bad'] } },
        ],
        combine: 'cascade',
      }),
      ['bad'],
      ['quick (early exit)'],
    ],
  ] as const)('%s', async (name, content, protect, leaks) => {
    const { report, outcomes } = await attacked(content(), name.replaceAll(' ', '-'), protect);
    const evaded = outcomes.filter(({ status }) => status === 'succeeded');
    for (const { stages } of evaded) expect(stages).toMatchObject({ after: [] });
    const leaky = evaded.filter(({ stages }) => stages?.leaked?.join(' and ') === leaks[0]);
    expect(new Set(leaky.map(({ text }) => text))).toEqual(new Set(TEXTS));
    for (const format of fileFormats.filter((each) => ['markdown', 'html'].includes(each.name))) {
      const parts: string[] = [];
      for await (const part of format.render(report)) parts.push(part);
      expect(parts.join(''), format.name).toContain('Leaks by stage: ');
    }
  });

  test('a pipeline that no edit gets past is not flipped, and the blocking stage flags each text', async () => {
    const content = { stages: [RULE, { name: 'long', rules: { longest: 3 } }] };
    const { outcomes } = await attacked(content, 'holds');
    const attackedTexts = outcomes.filter(({ status }) => status !== 'skipped');
    expect(new Set(attackedTexts.map(({ text }) => text))).toEqual(new Set(TEXTS));
    for (const { status, stages } of attackedTexts) {
      expect(status).toBe('failed');
      expect(stages?.after).toContain('long');
    }
  });
});

describe('a cascade', () => {
  const stages = [
    { ...model('bad', 'quick'), threshold: 0.9, passes: 0.5 },
    { name: 'words', rules: { words: ['film'] } },
  ];
  // The toy answers 0.95 for "bad", else 0.007: never in between.
  test.each([
    ['the bad film', true, ['quick', 'words']],
    ['a nice film', false, []],
  ])('%j', async (given, flagged, by) => {
    const loaded = await loadModel(pipeline({ stages, combine: 'cascade' }, 'cascade'));
    const [row] = await loaded.classify([given]);
    expect(row![1]! >= 0.5).toBe(flagged);
    expect(await loaded.stages!.flaggedBy(given)).toEqual(by);
    await loaded.close();
  });

  test('asks further stages about what the first leaves open', async () => {
    const open = [{ ...stages[0], threshold: 0.99, passes: 0.001 }, stages[1]];
    const loaded = await loadModel(pipeline({ stages: open, combine: 'cascade' }, 'open'));
    const rows = await loaded.classify(['a nice film', 'a bad day']);
    expect(rows.map((row) => row[1]! >= 0.5)).toEqual([true, false]);
    await loaded.close();
  });
});

test('rules that are never the reason are named', async () => {
  const warnings: string[] = [];
  const stages = [{ name: 'words', rules: { words: ['bad', 'awful', 'evil'], longest: 900 } }];
  const loaded = await loadModel(pipeline({ stages }, 'rules'), { onWarning: (line) => warnings.push(line) });
  await loaded.classify(['a bad film', 'an awful, evil day', 'fine']);
  await loaded.close();
  expect(warnings).toEqual([
    'rules.yaml: without words: word "awful" or words: word "evil" or words: longest, none of the 3 texts read would have been decided otherwise',
  ]);
});

describe('a false positive rate', () => {
  const evaluated = (fpr: number, warnings: string[] = []) =>
    evaluate({
      model: pipeline({ stages: [{ name: 'words', rules: { words: ['bad', 'evil'] } }, model('film')] }, 'hard'),
      data: 'benign.tsv',
      positive: ['attack'],
      threshold: `fpr=${fpr}`,
      numExamples: 0,
      onWarning: (line: string) => warnings.push(line),
    });
  beforeAll(() => {
    const rows = Array.from(
      { length: 40 },
      (_, at) => `${at < 4 ? 'a bad evil morning' : 'good morning'} ${at}\tbenign`,
    );
    writeFileSync(join(home, 'benign.tsv'), `text\tlabel\n${[...rows, 'bad film\tattack'].join('\n')}\n`);
  });

  test('below that of the rules is out of reach, which is reported with an interval', () =>
    expect(evaluated(0.05)).rejects.toMatchObject({
      code: 'DECISION_INVALID',
      message: expect.stringMatching(
        /flag 4 of the 40 benign texts of benign.*, 10\.0 % \(95 % interval 2\.8 % to 23\.7 %\)/,
      ),
      hint: expect.stringContaining('fpr=0.1'),
    }));

  test('above it leaves the rules as they are', async () => {
    const warnings: string[] = [];
    const { clean, model: described } = await evaluated(0.1, warnings);
    expect(described.decision).toMatchObject({ calibration: { falsePositiveRate: { value: 0.1, n: 40 } } });
    expect(clean.recall?.value).toBe(1);
    expect(warnings.join('\n')).not.toContain('at threshold');
  });

  test('is found for the other stages alone where one is fixed', async () => {
    const fixed = { ...model('film'), name: 'fixed', threshold: 0.4, fixed: true };
    const loaded = await loadModel(pipeline({ stages: [fixed, model('other')] }, 'fixed'));
    const verdicts = async (): Promise<readonly string[][]> =>
      Promise.all(['a film', 'good morning'].map((text) => loaded.stages!.flaggedBy(text)));
    const before = (await verdicts()).map((names) => names.includes('fixed'));
    for (const threshold of [0.01, 0.5, 0.99]) {
      loaded.stages!.threshold = threshold;
      expect((await verdicts()).map((names) => names.includes('fixed'))).toEqual(before);
    }
    await loaded.close();
  });

  test('a threshold above the score of a rule is warned about', async () => {
    const warnings: string[] = [];
    const loaded = await loadModel(pipeline({ stages: [RULE] }, 'above'), { onWarning: (line) => warnings.push(line) });
    loaded.stages!.threshold = 0.999;
    expect(warnings).toEqual(['above.yaml: at threshold 0.999, a text that words flags alone (score 0.995) passes']);
    await loaded.close();
  });
});
