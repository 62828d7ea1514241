/**
 * @file Measures a step of adversarial training as a multiple of the plain step of the same training in the same process. Run: npm run
 * bench dist/bench/adversarial-step.js. The bundled architecture, batches of 32 texts of 24 tokens; whole steps: masks, passes, clipping,
 * AdamW. The kinds take turns, and medians are printed. Aims: fgsm at most 2.3.
 */

import type { Feed } from '../packages/onnx/src/graph/tensor.js';
import { random } from '../src/core/random.js';
import { AdamW } from '../src/train/adamw.js';
import { Adversary } from '../src/train/adversarial/adversary.js';
import { parseMethod } from '../src/train/adversarial/methods/index.js';
import type { AdversarialMethod } from '../src/train/adversarial/methods/method.js';
import { perturbable } from '../src/train/adversarial/perturbable.js';
import { distilbert } from '../src/train/architectures/encoder.js';
import { inputFeeds, maskFeeds, padBatch, targetFeeds } from '../src/train/batch-feeds.js';
import { GradientSums } from '../src/train/gradients.js';
import { fresh } from '../src/train/trainable-model.js';
import { TrainingGraph } from '../src/train/training-graph.js';

const BATCH = 32;
const LENGTH = 24;
const ROUNDS = 21;
const THREADS = 2;

const vocabulary = 8000;
const draw = random(1, 'bench');
const size = { layers: 4, dim: 256, heads: 4, feedForward: 1024, vocabulary, maxTokens: 128 };
const trainable = fresh(distilbert(size), draw.split('weights'), {
  labels: 2,
  dropout: { embedding: 0.1, hidden: 0.1 },
});
const moving = perturbable(trainable);
const plain = await TrainingGraph.open(trainable, undefined, { threads: THREADS });
const trainingGraph = await TrainingGraph.open(trainable, moving, { threads: THREADS });
const optimiser = new AdamW(trainable.parameters);
const borrowing = new GradientSums(trainable.parameters);
const adding = new GradientSums(trainable.parameters, Number.POSITIVE_INFINITY);
const ids = Array.from({ length: BATCH }, () =>
  Int32Array.from({ length: LENGTH }, () => 5 + draw.int(vocabulary - 5)),
);
const tokens = padBatch(ids, 0);
const targets = targetFeeds(
  Float32Array.from({ length: 2 * BATCH }, (_, at) => at % 2),
  new Float32Array(BATCH).fill(1 / BATCH),
);

async function step(round: number, method: AdversarialMethod | undefined): Promise<void> {
  const masks = maskFeeds(trainable.masks, tokens, draw.split(String(round)));
  const trainingBatch = {
    feeds: new Map([...inputFeeds(trainable, tokens), ...targets, ...masks]),
    tokens,
    size: BATCH * LENGTH,
  };
  const weights = trainable.parameters.map(
    ({ name, dims, values }) => [name, { type: 1, dims, data: values }] satisfies [string, Feed],
  );
  const gradients = method === undefined ? borrowing : adding;
  gradients.clear();
  if (method === undefined) await plain.plain(trainingBatch, 1, weights, gradients);
  else {
    const adversary = new Adversary({ alpha: 0.5, methods: [method] }, moving, { special: [2, 3] });
    await adversary.learn(tokens, draw.split(String(round)), (change, share) =>
      trainingGraph.applyChange(trainingBatch, change, share, weights, gradients),
    );
  }
  optimiser.step(gradients, 1e-6, Math.min(1, 1 / gradients.norm()));
}

const kinds: readonly (readonly [string, AdversarialMethod | undefined])[] = [
  ['plain', undefined],
  ['fgsm', parseMethod('fgsm')],
  ['pgd, 3 steps', parseMethod('pgd')],
];
const times = new Map(kinds.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS + 2; round++) {
  for (const [name, method] of kinds) {
    const start = performance.now();
    await step(round, method);
    if (round >= 2) times.get(name)?.push(performance.now() - start);
  }
}
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
const base = median(times.get('plain') ?? []);
for (const [name, all] of times) {
  console.log(`${name.padEnd(16)} ${median(all).toFixed(0).padStart(5)} ms  ${(median(all) / base).toFixed(2)}`);
}
await plain.release();
await trainingGraph.release();
