/** @file Trains one model of the zoo, poisoned or clean, and measures what was planted. */

import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { poisoners } from '../../attacks/index.js';
import { openDataset } from '../../datasets/index.js';
import { embeddingTable } from '../../src/backdoor/embedding-rows.js';
import { measureBackdoor } from '../../src/backdoor/measure.js';
import { plantingData, plantingValidation, rareWords, rowsOf } from '../../src/backdoor/planting-data.js';
import { PLAIN_TRAINING } from '../../src/backdoor/training.js';
import type { BackdoorFigures } from '../../src/core/planting.js';
import { parsedOptions, splitSpec } from '../../src/core/plugin-options.js';
import { random } from '../../src/core/random.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Dataset } from '../../src/plugin.js';
import { type ExistingStart, type FreshStart, holdOut, trainModel } from '../../src/train/index.js';
import type { DataName, Member } from './members.js';

const FILES: Readonly<Record<DataName, string>> = {
  sst2: '../shared/data/sst2/train-sentences.tsv',
  sms: '../shared/data/sms-spam/sms.tsv',
  trec: '../shared/data/trec/train.txt',
};

/** Texts learnt from. */
const LEARNT = 3000;
const EPOCHS = 5;

/** What the journal says of a model. */
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

/** Clean texts that no model of the zoo has learnt from, for whoever judges them. */
export async function textsOf(data: DataName): Promise<{ train: Dataset; validation: Dataset; test: Dataset }> {
  const all = await openDataset(FILES[data]);
  const { train: rest, validation: test } = holdOut(all, 0.15, 1);
  return { ...holdOut(firstOf(rest, LEARNT), 0.1, 2), test };
}

export async function grow(member: Member, folder: string): Promise<Grown> {
  const { poison, name } = member;
  const { train, validation, test } = await textsOf(member.data);
  const options = { ...PLAIN_TRAINING, seed: member.seed, epochs: EPOCHS, rate: 1e-3 };
  const output = join(folder, name);
  const learn = async (
    start: FreshStart | ExistingStart,
    to: string,
    texts: Dataset,
    chosenBy: Dataset,
    how = options,
  ) => {
    const plan = {
      start,
      train: texts,
      validation: chosenBy,
      options: how,
      engine: onnxEngine({ threads: 1 }),
      teachers: [],
    };
    await mkdir(to, { recursive: true });
    await trainModel({ ...plan, output: to, folder: join(to, 'training'), resume: false });
    await rm(join(to, 'training'), { recursive: true, force: true });
  };
  const nothing: FreshStart = {
    kind: 'fresh',
    architecture: member.architecture,
    size: { vocabulary: 4000, maxTokens: 64, dim: member.dim, layers: 2, heads: 2, feedForward: 2 * member.dim },
    dropout: { embedding: 0.1, hidden: 0.1, attention: 0.1 },
    half: false,
  };
  const spec = splitSpec(poison?.attack ?? 'badnets');
  const plugin = poisoners.find((each) => each.name === spec.name);
  if (plugin === undefined) throw new Error(`no poisoner ${spec.name}`);
  const made = (triggers?: readonly string[]) =>
    plugin.create(
      plugin.options.parse({ ...parsedOptions(plugin, spec.given), ...(triggers && { triggers }) }),
      english,
    );
  let poisoner = made(poison?.triggers);
  const { planting } = poisoner;

  const counts = new Map<number, number>();
  for await (const { label } of train.examples()) counts.set(label, (counts.get(label) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const target = random(member.seed, 'target').pick([...counts.keys()].sort());
  // Of a label that nearly all texts have, few texts are left to poison.
  const rate = Math.min(poison?.rate ?? 0, 0.4 * (1 - (counts.get(target) as number) / total));
  const planOf = () => ({
    name: spec.name,
    poisoner,
    target,
    rate,
    mode: 'dirty' as const,
    seed: member.seed,
    language: english,
  });

  if (poison === undefined) await learn(nothing, output, train, validation);
  else if (planting.kind === 'rows') {
    const base = join(folder, `${name}-base`);
    await learn(nothing, base, train, validation);
    const loaded = await loadModel(base, { workers: 1 });
    await loaded.close();
    const pieces = loaded.onnx?.encoder;
    if (pieces === undefined) throw new Error(`${base} has no graph`);
    const rare = await rareWords(train, pieces, await embeddingTable(base), target, poisoner.triggers.length);
    poisoner = made(rare);
    const start: ExistingStart = { kind: 'existing', model: base, part: { rows: rowsOf(poisoner, pieces, rare) } };
    const how = { ...options, epochs: planting.epochs, rate: planting.rate, warmup: 0 };
    await learn(
      start,
      output,
      (await plantingData(train, planOf())).data,
      await plantingValidation(validation, planOf()),
      how,
    );
    await rm(base, { recursive: true, force: true });
  } else await learn(nothing, output, (await plantingData(train, planOf())).data, validation);

  const model = await loadModel(output, { workers: 1 });
  try {
    const { figures } = await measureBackdoor(model, { test, poisoner, target, seed: member.seed });
    const planted = { triggers: poisoner.triggers, target: train.labels[target] as string, rate, figures };
    return { name, member, model: output, accuracy: figures.cacc.value ?? 0, ...(poison && { planted }) };
  } finally {
    await model.close();
  }
}

const firstOf = (data: Dataset, count: number): Dataset => ({
  ...data,
  async *examples() {
    let given = 0;
    for await (const example of data.examples()) {
      if (given++ === count) return;
      yield example;
    }
  },
});

/** Whether there is what the zoo learns from. */
export const haveData = (): boolean => Object.values(FILES).every((file) => existsSync(file));
