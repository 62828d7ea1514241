/** The last activation is read from the graph: it is never applied twice or forgotten, and its source is reported. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { floats, type GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { type LoadOptions, loadModel } from '../../src/model/load.js';
import { matrix } from '../matrix.js';
import { refusal, steady } from '../refusal.js';
import { config, type Toy, toyFolder } from './toy.js';

type Last = (g: GraphBuilder, logits: string) => string;

interface Case {
  /** Columns of logits. */
  readonly width: number;
  readonly last?: Last;
  readonly columns?: Toy['columns'];
  readonly manifest?: object;
  readonly config?: object;
  /** config_sentence_transformers.json. */
  readonly sentences?: object;
}

async function load({ width, last, columns, manifest, config: more, sentences }: Case, options: LoadOptions = {}) {
  const wide = Math.max(2, typeof columns === 'number' ? columns : width);
  const names = Array.from({ length: wide }, (_, at) => `label ${at}`);
  const toy: Toy = { width, ...(last && { last }), ...(columns !== undefined && { columns }) };
  const files = {
    'config.json': config(names, more as Record<string, unknown>),
    ...(manifest && { 'robust.json': manifest }),
    ...(sentences && { 'config_sentence_transformers.json': sentences }),
  };
  const model = await loadModel(toyFolder(toy, files), { workers: 1, ...options });
  onTestFinished(() => model.close());
  return model;
}

/** The toy's own logits: of the same graph, read as logits. */
async function logits(width: number, text: string): Promise<number[]> {
  // softmax([z, 0, ...]) determines z only up to a constant; sigmoids determine each.
  const model = await load({
    width,
    manifest: { output: { activation: 'sigmoid', normalise: false }, decision: { kind: 'argmax' } },
  });
  const [row] = await model.classify([text]);
  const columns = Array.from(row!).slice(width === 1 ? 1 : 0);
  return columns.map((p) => Math.log(p / (1 - p)));
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const softmax = (row: readonly number[]) => {
  const powers = row.map(Math.exp);
  return powers.map((power) => power / powers.reduce((a, b) => a + b, 0));
};
const normalised = (row: readonly number[]) => row.map((p) => p / row.reduce((a, b) => a + b, 0));
const two = (p: number) => [1 - p, p];

const op =
  (...ops: (string | [string, Record<string, number>])[]): Last =>
  (g, logits) =>
    ops.reduce<string>((x, each) => (typeof each === 'string' ? g.op(each, [x]) : g.op(each[0], [x], each[1])), logits);
const reshape =
  (...dims: number[]) =>
  (g: GraphBuilder, x: string) =>
    g.op('Reshape', [x, g.ints(dims)]);
const complement = (g: GraphBuilder, p: string) => g.op('Sub', [g.float(1), p]);
const beside = (g: GraphBuilder, ...parts: string[]) => g.op('Concat', parts, { axis: 1 });

const heads: [name: string, head: Case, activation: string, expected: (z: number[]) => number[]][] = [
  ['a BCE head without a sigmoid', { width: 1 }, 'sigmoid', ([z]) => two(sigmoid(z!))],
  ["Keras' Dense(1, sigmoid)", { width: 1, last: op('Sigmoid') }, 'none', ([z]) => two(sigmoid(z!))],
  [
    'the same, squeezed to [batch]',
    { width: 1, last: (g, z) => g.op('Squeeze', [g.op('Sigmoid', [z]), g.ints([1])]), columns: [] },
    'none',
    ([z]) => two(sigmoid(z!)),
  ],
  [
    'the same, in half precision and back',
    { width: 1, last: op(['Cast', { to: DataType.float16 }], 'Sigmoid', ['Cast', { to: DataType.float }]) },
    'none',
    ([z]) => two(sigmoid(z!)),
  ],
  [
    'a sigmoid spelt out',
    {
      width: 1,
      last: (g, z) => g.op('Div', [g.float(1), g.op('Add', [g.float(1), g.op('Exp', [g.op('Neg', [z])])])]),
    },
    'none',
    ([z]) => two(sigmoid(z!)),
  ],
  [
    '1 - p beside p, as of scikit-learn',
    {
      width: 1,
      columns: 2,
      last: (g, z) => {
        const p = g.op('Sigmoid', [z]);
        return beside(g, complement(g, p), p);
      },
    },
    'none',
    ([z]) => two(sigmoid(z!)),
  ],
  [
    'p beside 1 - p, stacked',
    {
      width: 1,
      columns: 2,
      last: (g, z) => {
        const p = g.op('Squeeze', [g.op('Sigmoid', [z]), g.ints([1])]);
        const parts = [p, complement(g, p)].map((part) => g.op('Unsqueeze', [part, g.ints([1])]));
        return beside(g, ...parts);
      },
    },
    'none',
    ([z]) => two(sigmoid(z!)).reverse(),
  ],
  ['logits', { width: 3 }, 'softmax', softmax],
  ["Keras' softmax", { width: 3, last: op('Softmax') }, 'none', softmax],
  [
    'a softmax of shape [batch, 1, labels]',
    { width: 3, last: (g, z) => reshape(-1, 1, 3)(g, g.op('Softmax', [z])), columns: [1, 3] },
    'none',
    softmax,
  ],
  ['logits of shape [batch, 1, labels]', { width: 3, last: reshape(-1, 1, 3), columns: [1, 3] }, 'softmax', softmax],
  ['a LogSoftmax', { width: 3, last: op('LogSoftmax') }, 'log-softmax', softmax],
  ['the logarithm of a softmax', { width: 3, last: op('Softmax', 'Log') }, 'log-softmax', softmax],
  ['an Exp of a LogSoftmax', { width: 3, last: op('LogSoftmax', 'Exp') }, 'none', softmax],
  [
    'a softmax spelt out',
    {
      width: 3,
      last: (g, z) => {
        const powers = g.op('Exp', [z]);
        return g.op('Div', [powers, g.op('ReduceSum', [powers, g.ints([1])])]);
      },
    },
    'none',
    softmax,
  ],
  ['two sigmoids', { width: 2, last: op('Sigmoid') }, 'none', (z) => normalised(z.map(sigmoid))],
  [
    'the second column of a softmax',
    {
      width: 2,
      columns: 1,
      last: (g, z) => g.op('Gather', [g.op('Softmax', [z]), g.ints([1])], { axis: 1 }),
    },
    'none',
    softmax,
  ],
  [
    'logits that happen to sum to 1',
    {
      width: 1,
      columns: 2,
      // sin z in [0, 1) beside 1 - sin z: the values alone would pass for probabilities.
      last: (g, z) => {
        const a = g.op('Mul', [g.op('Sigmoid', [z]), g.float(0.5)]);
        const table = g.initializer('to two', [1, 2], Float32Array.of(-1, 1));
        return g.op('Add', [g.op('MatMul', [a, table]), g.vector([1, 0])]);
      },
    },
    'softmax',
    ([z]) => softmax([1 - sigmoid(z!) / 2, sigmoid(z!) / 2]),
  ],
  [
    'scikit-learn: LinearClassifier, one row of coefficients, LOGISTIC',
    { width: 2, last: linear([[1, 2]], 'LOGISTIC') },
    'none',
    ([a, b]) => two(sigmoid(a! + 2 * b!)),
  ],
  [
    'scikit-learn: LinearClassifier, SOFTMAX',
    {
      width: 2,
      columns: 3,
      last: linear(matrix('1 0; 0 1; 1 1'), 'SOFTMAX'),
    },
    'none',
    ([a, b]) => softmax([a!, b!, a! + b!]),
  ],
  [
    'scikit-learn: LinearClassifier, NONE',
    {
      width: 2,
      columns: 3,
      last: linear(matrix('1 0; 0 1; 1 1'), 'NONE'),
    },
    'softmax',
    ([a, b]) => softmax([a!, b!, a! + b!]),
  ],
  [
    'scikit-learn: one against the rest, LOGISTIC and Normalizer',
    {
      width: 2,
      columns: 3,
      last: (g, z) =>
        g.op('Normalizer', [linear(matrix('1 0; 0 1; 1 1'), 'LOGISTIC')(g, z)], { norm: 'L1' }, 'ai.onnx.ml'),
    },
    'none',
    ([a, b]) => normalised([a!, b!, a! + b!].map(sigmoid)),
  ],
];

/** scikit-learn's LinearClassifier: scores of rows of coefficients. */
function linear(rows: number[][], post: string): Last {
  return (g, z) => {
    const classes = Math.max(2, rows.length);
    const attributes = {
      coefficients: floats(rows.flat()),
      intercepts: floats(rows.map(() => 0)),
      classlabels_ints: Array.from({ length: classes }, (_, at) => at),
      post_transform: post,
    };
    return g.ops('LinearClassifier', [z], 2, attributes, 'ai.onnx.ml')[1]!;
  };
}

describe('the graph decides', () => {
  test.each(heads)('%s', async (_, head, activation, expected) => {
    const warnings: string[] = [];
    const model = await load(head, { onWarning: (message) => warnings.push(message) });
    expect(model.output).toMatchObject({ activation, decidedBy: 'graph' });
    for (const text of ['good', 'bad film', 'the good bad !']) {
      const wanted = expected(await logits(head.width, text));
      const [row] = await model.classify([text]);
      expect(row).toHaveLength(wanted.length);
      wanted.forEach((p, at) => {
        expect(row![at]).toBeCloseTo(p, 4);
      });
      expect(row!.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
    }
    expect(warnings).toEqual(model.output!.remarks);
    const independent = _ === 'two sigmoids';
    expect(model.output!.normalised).toBe(independent);
    expect(warnings).toHaveLength(independent ? 1 : 0);
  });
});

/** scikit-learn's forests: a stump that asks whether the first column is at most 0.5. */
const stump =
  (post: string, weights: readonly (readonly [leaf: number, label: number, weight: number])[]): Last =>
  (g, z) => {
    const attributes = {
      classlabels_int64s: [0, 1],
      post_transform: post,
      nodes_treeids: [0, 0, 0],
      nodes_nodeids: [0, 1, 2],
      nodes_featureids: [0, 0, 0],
      nodes_modes: { kind: 'strings', value: ['BRANCH_LEQ', 'LEAF', 'LEAF'] } as const,
      nodes_values: floats([0.5, 0, 0]),
      nodes_truenodeids: [1, 0, 0],
      nodes_falsenodeids: [2, 0, 0],
      class_treeids: weights.map(() => 0),
      class_nodeids: weights.map(([leaf]) => leaf),
      class_ids: weights.map(([, label]) => label),
      class_weights: floats(weights.map(([, , weight]) => weight)),
    };
    return g.ops('TreeEnsembleClassifier', [z], 2, attributes, 'ai.onnx.ml')[1]!;
  };

describe('a forest', () => {
  const forest = stump('NONE', matrix('1 0 0.25; 1 1 0.75; 2 0 0.9; 2 1 0.1'));

  test('whose leaves hold probabilities is read by its values', async () => {
    const model = await load({ width: 2, last: forest });
    expect(model.output).toMatchObject({ activation: 'none', decidedBy: 'values', remarks: [] });
    const [low] = await model.classify(['good']);
    expect(low![0]! + low![1]!).toBeCloseTo(1, 6);
    expect([0.25, 0.9].map((p) => Math.abs(low![0]! - p) < 1e-6)).toContain(true);
  });

  test('that says LOGISTIC is read by the graph', async () => {
    const boosted = stump('LOGISTIC', matrix('1 0 -2; 1 1 2; 2 0 1; 2 1 -1'));
    const model = await load({ width: 2, last: boosted });
    expect(model.output).toMatchObject({ activation: 'none', decidedBy: 'graph' });
  });
});

describe('the values decide', () => {
  const unknown = (g: GraphBuilder, z: string) => g.op('Erf', [z]);

  test('numbers beyond [0, 1] are logits', async () => {
    const model = await load({ width: 3, last: unknown });
    expect(model.output).toMatchObject({ activation: 'softmax', decidedBy: 'values', remarks: [] });
  });

  test('a single score within [0, 1] is a probability, with a remark', async () => {
    const warnings: string[] = [];
    const squared: Last = (g, z) => g.op('Pow', [g.op('Erf', [z]), g.float(2)]);
    const model = await load({ width: 1, last: squared }, { onWarning: (message) => warnings.push(message) });
    expect(model.output).toMatchObject({ activation: 'none', decidedBy: 'values' });
    expect(warnings).toEqual([expect.stringMatching(/read as a probability because of its values/)]);
  });

  test('a softmax along the texts is not one of the labels', async () => {
    // A lone text's scores are both 1.
    await refusal(load({ width: 2, last: op(['Softmax', { axis: 0 }]) }), 'MODEL_OUTPUT_MISMATCH');
  });
});

const refusals: [name: string, head: Case, code: string][] = [
  ['three sigmoids', { width: 3, last: op('Sigmoid') }, 'TASK_MISMATCH'],
  ['three sigmoids of a manifest', { width: 3, manifest: { output: { activation: 'sigmoid' } } }, 'TASK_MISMATCH'],
  ["a LinearSVC's margin beside 1 minus it", { width: 2, last: linear([[1, 2]], 'NONE') }, 'MODEL_OUTPUT_MISMATCH'],
  [
    'scores in [0, 1] of nobody knows what',
    { width: 2, last: (g, z) => g.op('Pow', [g.op('Erf', [z]), g.float(2)]) },
    'MODEL_OUTPUT_MISMATCH',
  ],
  ['a softmax of one column', { width: 1, last: op('Softmax') }, 'MODEL_OUTPUT_MISMATCH'],
  ['a number with one label', { width: 1, config: { id2label: { 0: 'LABEL_0' } } }, 'TASK_MISMATCH'],
  ['a number without labels', { width: 1, config: { id2label: undefined } }, 'TASK_MISMATCH'],
];

const exclusive: [name: string, head: Case][] = [
  ['a graph that ends in a softmax', { width: 3, last: op('Softmax') }],
  ['a LogSoftmax', { width: 3, last: op('LogSoftmax') }],
  ['a softmax of two labels', { width: 2, last: op('Softmax') }],
  ['two labels of one score', { width: 1 }],
  ['two labels of one sigmoid', { width: 1, last: op('Sigmoid') }],
  ['a softmax of a manifest', { width: 3, manifest: { output: { activation: 'softmax' } } }],
  [
    'scores that a manifest divides by their sum',
    { width: 3, last: op('Sigmoid'), manifest: { output: { normalise: true } } },
  ],
  ['problem_type single_label_classification', { width: 3, config: { problem_type: 'single_label_classification' } }],
  [
    'a softmax that problem_type contradicts',
    { width: 3, last: op('Softmax'), config: { problem_type: 'multi_label_classification' } },
  ],
];

describe('problem_type of config.json decides where neither a flag nor robust.json does', () => {
  test.each([
    ['multi_label_classification', 3, {}, { kind: 'multi-label', at: 0.5 }],
    ['regression', 1, {}, { kind: 'regression' }],
    ['single_label_classification', 3, {}, undefined],
    ['multi_label_classification', 3, { decision: { kind: 'argmax' } }, { kind: 'argmax' }],
    ['regression', 1, { labels: ['no', 'yes'], output: { activation: 'sigmoid' } }, undefined],
  ] as const)('%s of %i columns, robust.json %j', async (problem, width, manifest, decision) => {
    const model = await load({ width, config: { problem_type: problem }, manifest });
    expect(model.decision).toEqual(decision);
    const [row] = await model.classify(['good film']);
    const z = Array.from((await logits(width, 'good film')) as ArrayLike<number>);
    if (decision?.kind === 'multi-label')
      for (const [at, logit] of z.entries()) expect(row![at]).toBeCloseTo(sigmoid(logit), 5);
    if (decision?.kind === 'regression') expect(row![0]).toBeCloseTo(z[0] as number, 5);
    expect(row).toHaveLength(decision?.kind === 'regression' ? 1 : Math.max(2, width));
  });
});

describe('cross-encoders of sentence-transformers', () => {
  const one = { id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } };
  const former = (name: string) => ({ ...one, sbert_ce_default_activation_function: `torch.nn.modules.${name}` });
  const now = (name: string) => ({ ...one, sentence_transformers: { activation_fn: `torch.nn.modules.${name}` } });

  test.each([former('activation.Sigmoid'), now('activation.Sigmoid')])(
    '%j: one logit is that of a match',
    async (config) => {
      const model = await load({ width: 1, config });
      expect(model.labels).toEqual(['no', 'yes']);
      const [row] = await model.classify(['good film']);
      const [z] = await logits(1, 'good film');
      expect(Array.from(row!)).toEqual(two(sigmoid(z!)).map((p) => expect.closeTo(p, 5)));
      const number = await load({ width: 1, config }, { decision: 'regression' });
      expect((await number.classify(['good film']))[0]![0]).toBeCloseTo(sigmoid(z!), 5);
    },
  );

  test.each([former('linear.Identity'), now('linear.Identity')])('%j: one logit is a number', async (config) => {
    const model = await load({ width: 1, config });
    expect(model).toMatchObject({ decision: { kind: 'regression' }, labels: ['score'] });
    const [z] = await logits(1, 'good film');
    expect(Array.from((await model.classify(['good film']))[0]!)).toEqual([expect.closeTo(z!, 5)]);
  });

  test('since version 6 the activation has a file of its own, and a usual value', async () => {
    const sixth = (activation_fn: string | null) => ({ model_type: 'CrossEncoder', activation_fn });
    const open = async (name: string | null) => (await load({ width: 1, config: one, sentences: sixth(name) })).labels;
    expect(await open('torch.nn.modules.activation.Sigmoid')).toEqual(['no', 'yes']);
    expect(await open(null)).toEqual(['no', 'yes']);
    expect(await open('torch.nn.modules.linear.Identity')).toEqual(['score']);
    const apart = await load({ width: 3, sentences: sixth('torch.nn.modules.activation.Sigmoid') });
    expect(apart.decision).toEqual({ kind: 'multi-label', at: 0.5 });
    const prompted = { ...sixth(null), default_prompt_name: 'query' };
    await refusal(load({ width: 1, config: one, sentences: prompted }), 'MODEL_UNSUPPORTED');
  });

  test('of several logits the identity leaves a softmax, a sigmoid makes independent labels', async () => {
    const several = (name: string) => ({ sentence_transformers: { activation_fn: `torch.nn.modules.${name}` } });
    const z = await logits(3, 'good film');
    const plain = await load({ width: 3, config: several('linear.Identity') });
    expect(Array.from((await plain.classify(['good film']))[0]!)).toEqual(softmax(z).map((p) => expect.closeTo(p, 5)));
    const apart = await load({ width: 3, config: several('activation.Sigmoid') });
    expect(apart.decision).toEqual({ kind: 'multi-label', at: 0.5 });
    expect(Array.from((await apart.classify(['good film']))[0]!)).toEqual(z.map((x) => expect.closeTo(sigmoid(x), 5)));
  });

  test('a robust.json wins; another function is refused', async () => {
    const manifest = { labels: ['other', 'same'], output: { activation: 'sigmoid' } };
    const model = await load({ width: 1, config: former('activation.Tanh'), manifest });
    expect(model.labels).toEqual(['other', 'same']);
    await refusal(load({ width: 1, config: former('activation.Tanh') }), 'MODEL_OUTPUT_MISMATCH');
  });
});

describe('any number of labels', () => {
  test.each(exclusive)('is refused of %s, whoever asks for it', async (_, head) => {
    const manifest = { ...head.manifest, decision: { kind: 'multi-label' } };
    await refusal(load(head, { decision: 'multi-label' }), 'TASK_MISMATCH');
    await refusal(load({ ...head, manifest }), 'TASK_MISMATCH');
  });

  test('undeclared logits go through sigmoids, with a remark', async () => {
    const z = await logits(3, 'good film');
    for (const [more, decidedBy] of [
      [{}, 'decision'],
      [{ config: { problem_type: 'multi_label_classification' } }, 'config'],
      [
        {
          config: { problem_type: 'single_label_classification' },
          manifest: { output: { activation: 'sigmoid' } },
        },
        'manifest',
      ],
    ] as const) {
      const model = await load({ width: 3, ...more }, { decision: 'multi-label' });
      expect(model.output).toMatchObject({ activation: 'sigmoid', normalised: false, decidedBy });
      const [row] = await model.classify(['good film']);
      z.forEach((each, at) => {
        expect(row![at]).toBeCloseTo(sigmoid(each), 5);
      });
    }
  });
});

describe('a regression', () => {
  test.each([
    ['logits', {}, (z: number) => z],
    [
      'problem_type regression',
      { config: { problem_type: 'regression', id2label: { 0: 'LABEL_0' } } },
      (z: number) => z,
    ],
    ['a sigmoid of its own', { last: op('Sigmoid') }, sigmoid],
    ['a sigmoid that a manifest asks for', { manifest: { output: { activation: 'sigmoid' } } }, sigmoid],
  ] as const)('of %s is one number', async (_, head, of) => {
    const model = await load({ width: 1, ...head }, { decision: 'regression' });
    expect(model.labels).toEqual(['score']);
    const [row] = await model.classify(['good film']);
    const [z] = await logits(1, 'good film');
    expect(row).toHaveLength(1);
    expect(row![0]).toBeCloseTo(of(z!), 5);
  });

  test.each([
    ['two scores', { width: 2 }],
    ['a classifier', { width: 1, config: { problem_type: 'single_label_classification' } }],
    ['a softmax', { width: 1, manifest: { output: { activation: 'softmax' } } }],
  ] as const)('is not %s', async (_, head) => {
    await refusal(load(head, { decision: 'regression' }), 'TASK_MISMATCH');
  });
});

describe('refused', () => {
  test.each(refusals)('%s', async (_, head, code) => {
    expect((await refusal(load(head), code)).hint).toBeTruthy();
  });

  test('answers for each token, as of a tagger or a language model', async () => {
    const perToken: Last = (g, z) => g.op('Mul', [g.op('Unsqueeze', [z, g.ints([1])]), floatIds(g)]);
    const more = { columns: ['sequence', 2], config: { architectures: ['BertForTokenClassification'] } };
    await refusal(load({ width: 2, last: perToken, ...more }), 'TASK_MISMATCH');
  });

  test('as many numbers as tokens', async () => {
    const perToken: Last = (g, z) => g.op('MatMul', [z, g.op('Transpose', [floatIds(g)], { perm: [0, 2, 1] })]);
    const flat: Last = (g, z) => g.op('Squeeze', [perToken(g, g.op('Unsqueeze', [z, g.ints([1])])), g.ints([1])]);
    await refusal(load({ width: 1, last: flat, columns: ['sequence'] }), 'TASK_MISMATCH');
  });

  test('features of a text', async () => {
    await refusal(loadModel(toyFolder({ output: 'last_hidden_state' }), { workers: 1 }), 'TASK_MISMATCH');
  });
});

/** The toy's ids as [batch, sequence, 1]. */
const floatIds = (g: GraphBuilder): string =>
  g.op('Unsqueeze', [g.op('Cast', ['input_ids'], { to: DataType.float }), g.ints([2])]);

describe('a manifest wins', () => {
  const contradictions: [name: string, head: Case][] = [
    ['a second sigmoid', { width: 1, last: op('Sigmoid'), manifest: { output: { activation: 'sigmoid' } } }],
    ['a softmax of sigmoids', { width: 2, last: op('Sigmoid'), manifest: { output: { activation: 'softmax' } } }],
    [
      'logits called probabilities that happen to look like some',
      {
        width: 1,
        last: (g, z) => g.op('MatMul', [g.op('Sigmoid', [z]), g.initializer('half', [1, 1], Float32Array.of(0.5))]),
        manifest: { output: { activation: 'none' } },
      },
    ],
    [
      'a margin beside its complement',
      { width: 2, last: linear([[1, 2]], 'NONE'), manifest: { output: { activation: 'softmax' } } },
    ],
  ];

  test.each(contradictions)('but %s is warned about', async (_, head) => {
    const warnings: string[] = [];
    const model = await load(head, { onWarning: (message) => warnings.push(message) });
    expect(model.output!.decidedBy).toBe('manifest');
    expect(warnings.map(steady)).toMatchSnapshot();
    expect(model.output!.remarks).toEqual(warnings);
  });

  test('and what agrees with the graph is not', async () => {
    for (const [last, activation] of [
      [op('Sigmoid'), 'none'],
      [undefined, 'sigmoid'],
    ] as const) {
      const model = await load({ width: 1, ...(last && { last }), manifest: { output: { activation } } });
      expect(model.output).toMatchObject({ activation, decidedBy: 'manifest', remarks: [] });
    }
  });

  test('exactly one label of three applies', async () => {
    const model = await load({ width: 3, last: op('Sigmoid'), manifest: { decision: { kind: 'argmax' } } });
    const [row] = await model.classify(['good film']);
    const wanted = normalised((await logits(3, 'good film')).map(sigmoid));
    wanted.forEach((p, at) => {
      expect(row![at]).toBeCloseTo(p, 4);
    });
    expect(model.output!.remarks).toEqual([expect.stringMatching(/3 scores are independent/)]);
  });

  test('a row that speaks for no label is an error of its text', async () => {
    const model = await load({ width: 2, last: (g, z) => g.op('Sigmoid', [g.op('Mul', [z, g.float(-1e4)])]) });
    const outcome = await model.classify(['good bad good bad']).catch((error: unknown) => error);
    expect(String(outcome)).toMatch(/score above 0/);
  });
});
