import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Token } from '../../src/core/classifier.js';
import { random } from '../../src/core/random.js';
import { meanRowNorm } from '../../src/core/row-norm.js';
import * as searched from '../../src/search/embedding.js';
import { Adversary } from '../../src/train/adversarial/adversary.js';
import { type Rewriter, RewrittenCopies } from '../../src/train/adversarial/copies.js';
import { ascc } from '../../src/train/adversarial/methods/ascc.js';
import { augment } from '../../src/train/adversarial/methods/augment.js';
import { fgsm } from '../../src/train/adversarial/methods/fgsm.js';
import { adversarialMethods, parseMethod } from '../../src/train/adversarial/methods/index.js';
import type { AdversarialMethod } from '../../src/train/adversarial/methods/method.js';
import { pgd } from '../../src/train/adversarial/methods/pgd.js';
import { ascent, type MovableBatch, noise, type PerturbationNorm, within } from '../../src/train/adversarial/moves.js';
import { perturbable } from '../../src/train/adversarial/perturbable.js';
import { GradientSums } from '../../src/train/gradients.js';
import type { BatchChange } from '../../src/train/pass.js';
import { TrainingBatches } from '../../src/train/training-batches.js';
import { TrainingGraph } from '../../src/train/training-graph.js';
import { encoder, folder, OPTIONS, toyData, toyStore, toyTrainable, toyTraining, VOCABULARY } from './toy.js';

const SPECIAL = [2, 3];
const METHODS: readonly AdversarialMethod[] = [
  fgsm.create({ epsilon: 0.5, norm: 'linf' }),
  fgsm.create({ epsilon: 0.5, norm: 'l2' }),
  pgd.create({ epsilon: 0.5, norm: 'linf', steps: 2 }),
];

/** The two words of each kind stand for each other, and the fillers a and b. */
const NEIGHBOURS = new Map([
  [5, [6]],
  [6, [5]],
  [7, [8]],
  [8, [7]],
  [9, [10]],
  [10, [9]],
]);
const HULLS: readonly AdversarialMethod[] = [ascc.create({ sharpness: 5, steps: 3 })];

/** A toy model with its passes, and a batch of six texts. */
async function bench() {
  const trainable = toyTrainable();
  const moving = perturbable(trainable);
  const trainingGraph = await TrainingGraph.open(trainable, moving);
  const plain = await TrainingGraph.open(trainable);
  const train = await toyStore(6, 'bench');
  const trainingBatches = new TrainingBatches({ trainable, train, options: OPTIONS, padId: 0 });
  const batch = Uint32Array.from({ length: 6 }, (_, at) => at);
  const trainingBatch = trainingBatches.of(batch, trainingBatches.weight(batch), ['noise']);
  const gradients = new GradientSums(trainable.parameters, Number.POSITIVE_INFINITY);
  const weights = trainable.parameters.map(
    ({ name, dims, values }) => [name, { type: 1, dims, data: values }] as const,
  );
  const pass = (change: BatchChange, share: number) =>
    trainingGraph.applyChange(trainingBatch, change, share, weights, gradients);
  const close = () => Promise.all([trainingGraph.release(), plain.release()]);
  return { trainable, moving, plain, trainingBatch, gradients, weights, pass, close };
}

describe('the graph whose embeddings can be moved', () => {
  test('its gradient by the embeddings is that of central differences', async () => {
    const { trainingBatch, moving, pass, close } = await bench();
    const { slope } = await pass({}, 0);
    expect(slope.length).toBe(trainingBatch.tokens.ids.length * moving.hidden);
    const draw = random(2, 'probes');
    const step = 1e-3;
    for (let probe = 0; probe < 12; probe++) {
      const at = draw.int(slope.length);
      const loss = async (by: number) =>
        (await pass({ delta: new Float32Array(slope.length).fill(by, at, at + 1) }, 0)).loss;
      const difference = ((await loss(step)) - (await loss(-step))) / (2 * step);
      expect(slope[at]).toBeCloseTo(difference, 3);
    }
    await close();
  });

  test('unmoved, it gives the loss and the gradients of the plain graph; a share scales them', async () => {
    const { trainable, plain, trainingBatch, gradients, weights, pass, close } = await bench();
    const reference = new GradientSums(trainable.parameters);
    const loss = await plain.plain(trainingBatch, 1, weights, reference);
    expect((await pass({}, 0.25)).loss).toBeCloseTo(loss, 5);
    await pass({}, 0.75);
    for (const { name } of trainable.parameters) {
      const expected = reference.of(name).values;
      for (const [at, value] of gradients.of(name).values.entries()) {
        expect(value).toBeCloseTo(expected[at] as number, 5);
      }
    }
    await close();
  });
});

test("FGSM's loss is J' = alpha J(x, y) + (1 - alpha) J(x + epsilon sign(grad), y), Goodfellow et al., section 6", async () => {
  const { trainingBatch, moving, trainable, gradients, pass, close } = await bench();
  const adversary = new Adversary({ alpha: 0.3, methods: [METHODS[0] as AdversarialMethod] }, moving, {
    special: SPECIAL,
  });
  const loss = await adversary.learn(trainingBatch.tokens, random(1, 'a'), pass);
  const summed = new Map(trainable.parameters.map(({ name }) => [name, gradients.of(name).values.slice()]));

  const clean = await pass({}, 0);
  const size = (0.5 * meanRowNorm(moving.table, moving.hidden)) / Math.sqrt(moving.hidden);
  const delta = clean.slope.map((value, at) => {
    const id = trainingBatch.tokens.ids[Math.floor(at / moving.hidden)] as number;
    return id === 0 || SPECIAL.includes(id) ? 0 : size * Math.sign(value);
  });
  const moved = await pass({ delta }, 0);
  expect(loss).toBeCloseTo(0.3 * clean.loss + 0.7 * moved.loss, 6);
  expect(moved.loss).toBeGreaterThan(clean.loss);
  gradients.clear();
  await pass({}, 0.3);
  await pass({ delta }, 0.7);
  for (const [name, values] of summed) expect(values).toEqual(gradients.of(name).values);
  await close();
});

describe('each method', () => {
  test.each(METHODS.map((method) => [`${method.name} ${JSON.stringify(method.options)}`, method] as const))(
    '%s finds texts no better for the model, within epsilon, and shares add up',
    async (_, method) => {
      const { trainingBatch, moving, pass, close } = await bench();
      const adversary = new Adversary({ alpha: 0.4, methods: [method] }, moving, { special: SPECIAL });
      const passed: { change: BatchChange; share: number; loss: number }[] = [];
      await adversary.learn(trainingBatch.tokens, random(1, 'a'), async (change, share) => {
        const answer = await pass(change, share);
        passed.push({ change, share, loss: answer.loss });
        return answer;
      });
      expect(passed.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 10);
      expect(passed.at(-1)?.loss).toBeGreaterThan((await pass({}, 0)).loss);
      const unit = meanRowNorm(moving.table, moving.hidden);
      const { ids, texts, length } = trainingBatch.tokens;
      for (const { change } of passed.slice(1)) {
        const { delta } = change as { delta: Float32Array };
        for (let text = 0; text < texts; text++) {
          const own = delta.subarray(text * length * moving.hidden, (text + 1) * length * moving.hidden);
          const movable = ids
            .subarray(text * length, (text + 1) * length)
            .filter((id) => id !== 0 && !SPECIAL.includes(id));
          const norm = Math.hypot(...own);
          expect(norm).toBeLessThanOrEqual(0.5 * unit * Math.sqrt(movable.length) * (1 + 1e-5));
          expect(norm).toBeGreaterThan(0);
        }
        ids.forEach((id, row) => {
          if (id !== 0 && !SPECIAL.includes(id)) return;
          expect(delta.subarray(row * moving.hidden, (row + 1) * moving.hidden).every((value) => value === 0)).toBe(
            true,
          );
        });
      }
      await close();
    },
  );

  test.each(HULLS)('%j stays within the hull of a word and its neighbours, and moves nothing else', async (method) => {
    const { trainingBatch, moving, pass, close } = await bench();
    const adversary = new Adversary({ alpha: 0, methods: [method] }, moving, {
      special: SPECIAL,
      neighbours: NEIGHBOURS,
    });
    const { hidden, table } = moving;
    let moved = 0;
    await adversary.learn(trainingBatch.tokens, random(1, 'a'), async (change, share) => {
      for (const [row, id] of change.delta ? trainingBatch.tokens.ids.entries() : []) {
        const own = change.delta?.subarray(row * hidden, (row + 1) * hidden) as Float32Array;
        const [other] = NEIGHBOURS.get(id) ?? [];
        if (other === undefined) {
          expect(own.every((value) => value === 0)).toBe(true);
          continue;
        }
        moved++;
        // Between two words the hull is a line: every coordinate has gone the same share of the way.
        const shares = Array.from(
          own,
          (value, k) => value / ((table[other * hidden + k] as number) - (table[id * hidden + k] as number)),
        );
        for (const part of shares) expect(part).toBeCloseTo(shares[0] as number, 3);
        expect(shares[0]).toBeGreaterThanOrEqual(0);
        expect(shares[0]).toBeLessThanOrEqual(1);
      }
      return pass(change, share);
    });
    expect(moved).toBeGreaterThan(5);
    await close();
  });

  test('ASCC learns that the answer stays, at the mixture of words where it differs most', async () => {
    const { trainingBatch, moving, pass, close } = await bench();
    const passes = async (steps: number) => {
      const made: { targets: Float32Array | undefined; share: number; loss: number }[] = [];
      const method = ascc.create({ sharpness: 8, steps });
      const adversary = new Adversary({ alpha: 0.5, methods: [method] }, moving, {
        special: SPECIAL,
        neighbours: NEIGHBOURS,
      });
      let clean: Float32Array | undefined;
      await adversary.learn(trainingBatch.tokens, random(1, 'a'), async (change, share) => {
        const answer = await pass(change, share);
        clean ??= answer.probabilities;
        if (change.delta) made.push({ targets: change.targets, share, loss: answer.loss });
        return answer;
      });
      for (const { targets } of made) expect(targets).toEqual(clean);
      return made;
    };
    const three = await passes(3);
    expect(three.map(({ share }) => share)).toEqual([0, 0, 0, 0.5]);
    expect(three.at(-1)?.loss).toBeGreaterThan(three[0]?.loss as number);
    await close();
  });
});

test.each(adversarialMethods.map(({ name }) => name))('%s is parsed by name, with its defaults', (name) => {
  const { options, against } = parseMethod(name === 'augment' ? 'augment:typos' : name);
  expect(Object.values(options)).not.toContain(undefined);
  expect(against.length).toBeGreaterThan(0);
});

test.each([
  ['pgb', expect.stringContaining('pgd')],
  ['pgd:step=3', expect.stringContaining('steps')],
  ['pgd:steps=0', expect.stringContaining('pgd:steps=3')],
  ['augment:', expect.stringContaining('augment:typos')],
])('%s is refused, with what to write', (spec, hint) => {
  expect(() => parseMethod(spec)).toThrow(expect.objectContaining({ exit: 2, hint }));
});

describe('training', () => {
  test('alpha = 1 is plain training, bit for bit', async () => {
    const [plain, mixed] = [
      await toyTraining({ epochs: 2, tokenDropout: 0.1 }),
      await toyTraining({ epochs: 2, tokenDropout: 0.1, adversarial: { alpha: 1, methods: METHODS } }),
    ];
    expect(mixed.final).toEqual(plain.final);
    expect(mixed.history).toEqual(plain.history);
  });

  test('all methods at once learn the task, and twice give identical bytes', async () => {
    const run = () =>
      toyTraining(
        { epochs: 6, rate: 1e-2, adversarial: { alpha: 0.5, methods: [...METHODS, ...HULLS] } },
        { trainable: toyTrainable(undefined, 0.1), special: SPECIAL, neighbours: NEIGHBOURS },
      );
    const [first, second] = [await run(), await run()];
    expect(first.history.points.at(-1)?.validation.accuracy).toBeGreaterThan(0.9);
    expect(second.history).toEqual(first.history);
    expect(second.final).toEqual(first.final);
  });

  test('a model trained on with FGSM stands what one trained on without it falls to', async () => {
    const attacked = async (alpha: number) => {
      const trainable = toyTrainable();
      await toyTraining({ epochs: 2, rate: 1e-2 }, { trainable });
      const adversarial = { alpha, methods: [fgsm.create({ epsilon: 2, norm: 'l2' })] };
      const { history } = await toyTraining({ epochs: 6, rate: 1e-3, adversarial }, { trainable, special: SPECIAL });
      return history.points.at(-1)?.underAttack as number;
    };
    // With so little of the perturbed texts in the loss, the method only measures.
    const [control, hardened] = [await attacked(1 - 1e-9), await attacked(0.5)];
    expect(hardened).toBeGreaterThan(control + 0.1);
  });

  test.each([1, 7, 11])(
    'killed after step %i and resumed, it ends in the bytes of an uninterrupted one',
    async (stopAt) => {
      const options = {
        epochs: 2,
        checkpointEvery: 3,
        adversarial: { alpha: 0.5, methods: METHODS.slice(2) },
      };
      const rest = () => ({ trainable: toyTrainable(undefined, 0.2), special: SPECIAL });
      const whole = await toyTraining(options, rest());
      const checkpoint = join(folder(), 'checkpoint.bin');
      const onProgress = ({ step }: { step: number }) => {
        if (step === stopAt) throw new Error('killed');
      };
      await expect(toyTraining(options, { ...rest(), checkpoint, onProgress })).rejects.toThrow('killed');
      const resumed = await toyTraining(options, { ...rest(), checkpoint, resume: true });
      expect(resumed.history).toEqual(whole.history);
      expect(resumed.final).toEqual(whole.final);
    },
  );

  describe('augment', () => {
    /** Swaps each deciding word for the other of its kind, by chance. */
    const rewrite: Rewriter = (_, data, round) => ({
      ...data,
      async *examples() {
        for await (const example of data.examples()) {
          const swap = random(1, 'rewrite', round, example.id).int(2) === 1;
          const other: Record<string, string> = { good: 'fine', fine: 'good', bad: 'poor', poor: 'bad' };
          yield {
            ...example,
            text: example.text
              .split(' ')
              .map((word) => (swap && other[word]) || word)
              .join(' '),
          };
        }
      },
    });
    const rounds: string[] = [];
    const copies = () => {
      const plan = {
        attacks: ['swaps'],
        train: toyData(64, 'train'),
        validation: toyData(40, 'validation'),
        rewrite: ((name, data, round) => {
          rounds.push(round);
          return rewrite(name, data, round);
        }) satisfies Rewriter,
        encoder,
      };
      return { made: new RewrittenCopies(plan), plan };
    };
    const adversarial = (...more: readonly AdversarialMethod[]) => ({
      alpha: 0.4,
      methods: [augment.create({ attacks: 'swaps' }), ...more],
    });

    test('copies for each epoch, mixed with fgsm, seeded', async () => {
      const run = async () => {
        rounds.length = 0;
        const { made } = copies();
        const result = await toyTraining(
          { epochs: 3, rate: 1e-2, adversarial: adversarial(METHODS[0] as AdversarialMethod) },
          { copies: made, special: SPECIAL },
        );
        expect(rounds).toEqual(['epoch 0', 'validation', 'epoch 1', 'epoch 2']);
        return result;
      };
      const [first, second] = [await run(), await run()];
      expect(second.final).toEqual(first.final);
      expect(second.history).toEqual(first.history);
      expect(first.history.points.at(-1)?.underAttack).toBeGreaterThan(0.4);
    });

    test('its loss is alpha J(x) + (1 - alpha) J(copy), by the same weights', async () => {
      const first = async (alpha: number) => {
        const { made } = copies();
        const options = { epochs: 1, batchSize: 64, adversarial: { ...adversarial(), alpha } };
        const { history } = await toyTraining(options, { copies: made });
        return history.points[0]?.loss as number;
      };
      const [clean, copied, half] = [await first(1), await first(0), await first(0.5)];
      expect(clean).not.toBe(copied);
      expect(half).toBeCloseTo((clean + copied) / 2, 5);
    });

    test('killed in the second epoch and resumed, it ends in the same bytes', async () => {
      const options = { epochs: 2, checkpointEvery: 3, adversarial: adversarial() };
      const [a, b, c] = [copies(), copies(), copies()];
      const whole = await toyTraining(options, { copies: a.made });
      const checkpoint = join(folder(), 'checkpoint.bin');
      const onProgress = ({ step }: { step: number }) => {
        if (step === 13) throw new Error('killed');
      };
      await expect(toyTraining(options, { checkpoint, onProgress, copies: b.made })).rejects.toThrow('killed');
      const resumed = await toyTraining(options, { checkpoint, resume: true, copies: c.made });
      expect(resumed.history).toEqual(whole.history);
      expect(resumed.final).toEqual(whole.final);
    });

    test('stopped while copies are made, it keeps its checkpoint', async () => {
      const stop = new AbortController();
      const { plan } = copies();
      const stopping: Rewriter = (name, data, round) => {
        if (round === 'epoch 1') stop.abort();
        return rewrite(name, data, round);
      };
      const made = new RewrittenCopies({ ...plan, rewrite: stopping, signal: stop.signal });
      const { history, training } = await toyTraining(
        { epochs: 3, adversarial: adversarial() },
        { copies: made, signal: stop.signal },
      );
      expect([history.end, history.steps]).toEqual(['interrupted', 8]);
      expect(existsSync(training.checkpoint)).toBe(true);
    });
  });

  test('a frozen table can be moved all the same', async () => {
    const { parameters, lookups, ...rest } = toyTrainable();
    const table = lookups.find(({ role }) => role === 'ids')?.table;
    const trainable = {
      ...rest,
      parameters: parameters.filter(({ name }) => name !== table),
      lookups: lookups.filter((lookup) => lookup.table !== table),
    };
    const { history } = await toyTraining(
      { epochs: 8, rate: 1e-2, adversarial: { alpha: 0.5, methods: METHODS.slice(0, 1) } },
      { trainable, special: SPECIAL },
    );
    expect(history.points.at(-1)?.loss).toBeLessThan(history.points[0]?.loss as number);
  });
});

describe.each<PerturbationNorm>(['linf', 'l2'])('moves, %s', (norm) => {
  const hidden = 4;
  const tokens = VOCABULARY.slice(2, 7).map(
    (_, id): Token => ({ id, start: 0, end: 0, special: id === 0 || id === 4 }),
  );
  const draw = random(1, 'moves');
  const row = (count: number) => Float32Array.from({ length: count * hidden }, () => draw.normal());
  const embeddings = row(tokens.length);
  const slope = row(tokens.length);
  const place = { tokens, embeddings, hidden, unit: 3 };
  // Two texts, the first shorter: its last row is padding.
  const batch: MovableBatch = {
    texts: 2,
    length: 6,
    hidden,
    movable: Uint8Array.of(0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1),
    unit: 3,
  };

  test('go as far, and the same way, as the attacks of the same name', () => {
    const padded = new Float32Array(2 * 6 * hidden);
    padded.set(slope);
    padded.set(slope, 6 * hidden);
    const ours = ascent(batch, padded, norm, 0.7).subarray(0, tokens.length * hidden);
    const theirs = searched.move(place, searched.ascent(place, slope, norm), 0.7);
    for (const [at, value] of ours.entries()) {
      expect(value).toBeCloseTo((theirs[at] as number) - (embeddings[at] as number), 5);
    }
    const far = within(batch, new Float32Array(padded.length), ascent(batch, padded, norm, 2), norm, 0.5);
    const ball = searched.withinBall(place, searched.move(place, searched.ascent(place, slope, norm), 2), 0.5, norm);
    for (const [at, value] of ball.entries()) {
      expect(far[at]).toBeCloseTo(value - (embeddings[at] as number), 5);
    }
  });

  test('noise leaves special tokens and padding, and is a function of its stream', () => {
    const made = noise(batch, random(3, 'n'), norm, 0.5);
    expect(made).toEqual(noise(batch, random(3, 'n'), norm, 0.5));
    expect(made).not.toEqual(noise(batch, random(4, 'n'), norm, 0.5));
    batch.movable.forEach((may, at) => {
      expect(made.subarray(at * hidden, (at + 1) * hidden).some((value) => value !== 0)).toBe(may === 1);
    });
  });
});
