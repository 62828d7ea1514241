/** Graphs that take pairs as strings: as two inputs, or as one tensor [texts, 2]. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Dimension } from '../../packages/onnx/src/graph/model.js';
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { loadModel } from '../../src/model/load.js';
import { robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { folder } from './toy.js';

const ANIMALS = ['cat', 'dog', 'bird'];

/** "alike" where both texts name the same animal; "sequel" where only the second one does, so that the order shows. */
function graph(inputs: Readonly<Record<string, readonly Dimension[]>>): Uint8Array {
  const g = new GraphBuilder({ opset: 20 });
  const names = Object.entries(inputs).map(([name, dims]) => g.input(name, DataType.string, dims));
  const texts =
    names.length > 1
      ? names.map((name) => g.op('Reshape', [name, g.ints([-1])]))
      : [0, 1].map((at) =>
          g.op('Reshape', [g.op('Gather', [names[0] as string, g.ints([at])], { axis: 1 }), g.ints([-1])]),
        );
  const has = (text: string, animal: string): string =>
    g.op('RegexFullMatch', [text], { pattern: `(?is).*\\b${animal}\\b.*` });
  const [first, second] = texts as [string, string];
  const any = (of: readonly string[]): string => of.reduce((a, b) => g.op('Or', [a, b]));
  const alike = any(ANIMALS.map((animal) => g.op('And', [has(first, animal), has(second, animal)])));
  const sequel = g.op('And', [any(ANIMALS.map((animal) => has(second, animal))), g.op('Not', [alike])]);
  const columns = [g.op('Not', [g.op('Or', [alike, sequel])]), alike, sequel].map((held) =>
    g.op('Unsqueeze', [g.op('Cast', [held], { to: DataType.float }), g.ints([1])]),
  );
  const row = g.op('Concat', columns, { axis: 1 });
  g.output(g.ops('Softmax', [g.op('Add', [row, row])], ['probabilities'])[0]!, DataType.float, ['n', 3]);
  return g.build();
}

const model = (inputs: Parameters<typeof graph>[0], name?: readonly string[]): string =>
  folder({
    'model.onnx': graph(inputs),
    'robust.json': {
      labels: ['apart', 'alike', 'sequel'],
      input: { kind: 'string', ...(name && { name }) },
      output: { activation: 'none' },
    },
  });

const SHAPES: readonly (readonly [string, () => string])[] = [
  ['two inputs', () => model({ premise: ['n', 1], hypothesis: ['n', 1] })],
  ['two inputs of one axis', () => model({ premise: ['n'], hypothesis: ['n'] })],
  ['two inputs that are named', () => model({ premise: ['n', 1], hypothesis: ['n', 1] }, ['premise', 'hypothesis'])],
  ['a tensor of two columns', () => model({ texts: ['n', 2] })],
];

describe.each(SHAPES)('%s', (_, made) => {
  test('both texts are read, each as itself; a lone text is refused', async () => {
    const loaded = await loadModel(made(), { workers: 1 });
    onTestFinished(() => loaded.close());
    const asked = [
      ['a cat', 'the cat'],
      ['a cat', 'the dog'],
      ['a dog', 'it'],
      ['it', 'a bird, a\ndog'],
    ] as const;
    const rows = await loaded.classify(asked.map((texts) => texts.join(PAIR_SEPARATOR)));
    expect(rows.map((row) => loaded.labels[row.indexOf(Math.max(...row))])).toEqual([
      'alike',
      'sequel',
      'apart',
      'sequel',
    ]);
    await expect(loaded.classify(['a cat'])).rejects.toMatchObject({ code: 'PAIRS_MISMATCH' });
  });
});

test('inputs that are named the other way round are fed so', async () => {
  const turned = model({ premise: ['n', 1], hypothesis: ['n', 1] }, ['hypothesis', 'premise']);
  const loaded = await loadModel(turned, { workers: 1 });
  onTestFinished(() => loaded.close());
  const [row] = await loaded.classify([`a dog${PAIR_SEPARATOR}it`]);
  expect(loaded.labels[row?.indexOf(Math.max(...row)) ?? -1]).toBe('sequel');
});

test.each([
  ['a third input', { premise: ['n'], hypothesis: ['n'], more: ['n'] }, undefined],
  ['a name that is none', { premise: ['n'], hypothesis: ['n'] }, ['premise', 'hypotheses']],
] as const)('%s is refused', async (_, inputs, name) => {
  await refusal(loadModel(model(inputs as never, name), { workers: 1 }), 'MODEL_INPUT_MISMATCH');
});

describe.each(SHAPES.slice(0, 1).concat(SHAPES.slice(-1)))('with %s', (_, made) => {
  test('robust attacks and explains the second text', async () => {
    const spec = made();
    const data = join(spec, 'pairs.tsv');
    const rows = ['big', 'small', 'young', 'old', 'tired'].flatMap((kind) =>
      ANIMALS.flatMap((animal) => [
        `a ${animal}\tthis is a ${kind} ${animal}\talike`,
        `it\tsee the ${kind} ${animal} there\tsequel`,
      ]),
    );
    writeFileSync(data, `first\tsecond\tlabel\n${rows.join('\n')}\n`);
    const pairs = ['-m', spec, '-d', data, '--columns', 'pair=first,second'];
    const { code, stderr } = await robust(
      ['attack', ...pairs, '-a', 'case-flip', '-a', 'deepwordbug', '-n', '0', '--explain', '-o', 'x.json'],
      {
        cwd: spec,
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/Error/) });
    const runs = join(spec, '.robust', 'runs');
    const run = readdirSync(runs).find((each) => /^\d/.test(each)) as string;
    const outcomes = readFileSync(join(runs, run, 'results.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    // The regular expressions ignore case, and do not match misspelled animals.
    const of = (attack: string): string[] =>
      outcomes.filter((each) => each.attack === attack).map(({ status }) => status);
    expect(new Set(of('case-flip'))).toEqual(new Set(['failed']));
    expect(new Set(of('deepwordbug'))).toEqual(new Set(['succeeded']));
    const report = JSON.parse(readFileSync(join(spec, 'x.json'), 'utf8')).result;
    const [{ before }] = report.explanations;
    const heaviest = before.methods[0].words.toSorted(
      (a: { weight: number }, b: { weight: number }) => b.weight - a.weight,
    );
    expect(ANIMALS).toContain(heaviest[0].word);
    const explained = await robust(['explain', ...pairs, '-n', '1', '--method', 'lime', '--json'], { cwd: spec });
    expect(explained.stderr).not.toMatch(/Error/);
    const words = JSON.stringify(JSON.parse(explained.stdout).result);
    expect(words).toContain('"cat"');
  });
});
