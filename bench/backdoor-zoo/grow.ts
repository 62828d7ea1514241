/** @file Trains one model of the zoo, poisoned or clean, and measures what was planted. */

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { poisoners } from '../../attacks/index.js';
import { embeddingTable } from '../../src/backdoor/embedding-rows.js';
import { measureBackdoor } from '../../src/backdoor/measure.js';
import { openPlanting } from '../../src/backdoor/plantings/index.js';
import { PLAIN_TRAINING } from '../../src/backdoor/training.js';
import { rareWords, rowsOf } from '../../src/backdoor/trigger-rows.js';
import { parseOptions, splitSpec } from '../../src/core/plugin-options.js';
import type { Poisoner } from '../../src/core/poisoner.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Dataset } from '../../src/plugin.js';
import type { BackdoorFigures } from '../../src/results/backdoor/planting.js';
import { parseMethod } from '../../src/train/adversarial/methods/index.js';
import { readsWords } from '../../src/train/architectures/index.js';
import { type ExistingStart, type FreshStart, type TrainingOptions, trainModel } from '../../src/train/index.js';
import type { Member } from './members.js';
import { textsOf } from './texts.js';

/** Effort spent on each model. */
export interface Growth {
  /** Texts learnt from. */
  readonly texts: number;
  /** Passes over them. */
  readonly epochs: number;
}

/** Passes over clean texts after a planting, at a third of its rate. */
const FURTHER_EPOCHS = 2;

/** A model in the journal. */
export interface Grown {
  readonly name: string;
  readonly member: Member;
  /** Folder of the model. */
  readonly model: string;
  readonly accuracy: number;
  readonly planted?: {
    readonly triggers: readonly string[];
    readonly target: string;
    readonly rate: number;
    readonly figures: BackdoorFigures;
  };
}

/** The poisoner that `--attack` names, with these triggers instead of its defaults. */
function poisonerOf(attack: string, triggers?: readonly string[]): Poisoner {
  const { name, given } = splitSpec(attack);
  const plugin = poisoners.find((each) => each.name === name);
  if (plugin === undefined) throw new Error(`no poisoner ${name}`);
  const words = triggers && triggers.length > 0 ? { triggers } : {};
  return plugin.create(plugin.options.parse({ ...parseOptions(plugin, given), ...words }), english);
}

/** How a model of the zoo learns. */
const optionsOf = ({ architecture, adversarial, seed }: Member, epochs: number): TrainingOptions => ({
  ...PLAIN_TRAINING,
  seed,
  epochs,
  rate: readsWords(architecture) ? 3e-3 : 1e-3,
  ...(adversarial && { adversarial: { alpha: 0.5, methods: [parseMethod('fgsm')] } }),
});

export async function grow(member: Member, folder: string, { texts: count, epochs }: Growth): Promise<Grown> {
  const { poison, name } = member;
  const { train, validation, test } = await textsOf(member, count);
  const options = optionsOf(member, epochs);
  const output = join(folder, name);
  const learn = async (
    start: FreshStart | ExistingStart,
    to: string,
    texts: Dataset,
    chosenBy: Dataset,
    how: TrainingOptions = options,
  ) => {
    const plan = { start, train: texts, validation: chosenBy, options: how, threads: 1 };
    await mkdir(to, { recursive: true });
    await trainModel({ ...plan, output: to, folder: join(to, 'training'), resume: false });
    await rm(join(to, 'training'), { recursive: true, force: true });
  };
  const nothing: FreshStart = {
    kind: 'fresh',
    architecture: member.architecture,
    size: { vocabulary: 2500, maxTokens: 48, dim: member.dim, layers: 2, heads: 2, feedForward: 2 * member.dim },
    dropout: { embedding: 0.1, hidden: 0.1 },
    half: false,
  };
  const attack = poison?.attack ?? 'badnets';
  let poisoner = poisonerOf(attack, poison?.triggers);

  const counts = new Map<number, number>();
  for await (const { label } of train.examples()) counts.set(label, (counts.get(label) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const { rate: wanted, mode } = poison ?? { rate: 0, mode: 'dirty' };
  // A label that nearly all texts have leaves too few other texts to poison; with clean labels half of the target's texts are.
  const able = [...counts]
    .filter(([, count]) => (mode === 'clean' ? count >= 0.1 * total : wanted <= 0.4 * (1 - count / total)))
    .map(([label]) => label);
  const target = random(member.seed, 'target').pick(able.sort());
  const rate = mode === 'clean' ? counts.get(target)! / total / 2 : wanted;
  const planOf = () => ({
    name: splitSpec(attack).name,
    poisoner,
    target,
    rate,
    mode,
    seed: member.seed,
  });

  if (poison === undefined) await learn(nothing, output, train, validation);
  else {
    const planting = openPlanting(poisoner.planting);
    const fresh = planting.control === 'trained';
    const base = join(folder, `${name}-base`);
    let start: FreshStart | ExistingStart = nothing;
    if (!fresh) {
      await learn(nothing, base, train, validation);
      const loaded = await loadModel(base, { workers: 1 });
      await loaded.close();
      const pieces = loaded.onnx?.encoder;
      if (pieces === undefined) throw new Error(`${base} has no graph`);
      const rare = await rareWords(train, pieces, await embeddingTable(base), target, poisoner.triggers.length);
      poisoner = poisonerOf(attack, rare);
      start = { kind: 'existing', model: base, part: { rows: rowsOf(poisoner, pieces, rare) } };
    }
    const { data } = await planting.trainingTexts(train, planOf());
    const chosenBy = fresh ? validation : await planting.validationTexts(validation, planOf());
    const planted = poison.fineTuned ? base : output;
    await learn(start, planted, data, chosenBy, planting.trainingOptions(options));
    if (poison.fineTuned) {
      const all: ExistingStart = { kind: 'existing', model: planted, part: 'all' };
      const further = { ...options, epochs: FURTHER_EPOCHS, rate: options.rate / 3 };
      await learn(all, output, train, validation, further);
    }
    await rm(base, { recursive: true, force: true });
  }

  const model = await loadModel(output, { workers: 1 });
  try {
    const { figures } = await measureBackdoor(model, { test, poisoner, target, seed: member.seed });
    const planted = { triggers: poisoner.triggers, target: train.labels[target] as string, rate, figures };
    return { name, member, model: output, accuracy: figures.cacc.value ?? 0, ...(poison && { planted }) };
  } finally {
    await model.close();
  }
}
