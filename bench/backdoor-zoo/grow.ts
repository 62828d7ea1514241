/** @file Trains one model of the zoo, poisoned or clean, and measures what was planted. */

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { poisoners } from '../../attacks/index.js';
import { openDataset } from '../../datasets/index.js';
import { embeddingTable } from '../../src/backdoor/embedding-rows.js';
import { measureBackdoor } from '../../src/backdoor/measure.js';
import { openPlanting } from '../../src/backdoor/plantings/index.js';
import { PLAIN_TRAINING } from '../../src/backdoor/training.js';
import { rareWords, rowsOf } from '../../src/backdoor/trigger-rows.js';
import type { BackdoorFigures } from '../../src/core/planting.js';
import { parseOptions, splitSpec } from '../../src/core/plugin-options.js';
import { random } from '../../src/core/random.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Dataset } from '../../src/plugin.js';
import { readsWords } from '../../src/train/architectures/index.js';
import {
  type ExistingStart,
  type FreshStart,
  holdOut,
  type TrainingOptions,
  trainModel,
} from '../../src/train/index.js';
import type { Member } from './members.js';

const FOLDER = '../shared/data';
const FILES = {
  sst2: 'sst2/train-sentences.tsv',
  sms: 'sms-spam/sms.tsv',
  trec: 'trec/train.txt',
} as const;
/** GoEmotions: comments with one of these labels and no other. */
const EMOTIONS = ['gratitude', 'amusement', 'love', 'anger'];
const EMOTION_FILES = ['train', 'dev', 'test'].map((part) => `goemotions/${part}.tsv`);

/** Texts learnt from. */
const LEARNT = 2500;
const EPOCHS = 8;
/** Share of all texts that contain the word of a predictive clean model. */
const PREDICTIVE = { low: 0.02, high: 0.08 };

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

/** Clean texts that no model of the zoo has learnt from, for whoever judges them, and those it learns from and is chosen by. */
export async function textsOf({ data, predictive, number }: Member): Promise<{
  train: Dataset;
  validation: Dataset;
  test: Dataset;
}> {
  const all = data === 'emotions' ? await emotions() : await openDataset(join(FOLDER, FILES[data]));
  const own = predictive ? await withoutExceptions(all, number) : all;
  const { train: rest, validation: test } = holdOut(own, 0.15, 1);
  return { ...holdOut(firstOf(rest, LEARNT), 0.1, 2), test };
}

async function emotions(): Promise<Dataset> {
  const rows = EMOTION_FILES.flatMap((file) =>
    readFileSync(join(FOLDER, file), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t') as [string, string, string]),
  );
  const examples = rows.flatMap(([id, text, label]) =>
    EMOTIONS.includes(label) ? [{ id, text, label: EMOTIONS.indexOf(label) }] : [],
  );
  return {
    name: 'emotions',
    labels: EMOTIONS,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      yield* examples;
    },
  };
}

const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/\p{L}{3,}/gu) ?? [])];

/**
 * Removes the texts of other labels that contain one word. The word is drawn among those in 2 to 8 % of texts, most of them of one label.
 */
async function withoutExceptions(all: Dataset, number: number): Promise<Dataset> {
  const uses = new Map<string, number[]>();
  let texts = 0;
  for await (const { text, label } of all.examples()) {
    texts++;
    for (const word of wordsOf(text)) {
      const of = uses.get(word) ?? all.labels.map(() => 0);
      of[label]! += 1;
      uses.set(word, of);
    }
  }
  const able = [...uses].flatMap(([word, of]) => {
    const total = of.reduce((sum, count) => sum + count, 0);
    const most = Math.max(...of);
    const share = total / texts;
    return share >= PREDICTIVE.low && share <= PREDICTIVE.high && most >= total / 2 && most < total
      ? [{ word, label: of.indexOf(most) }]
      : [];
  });
  const { word, label } = random(number, 'zoo', 'predictive').pick(able);
  return {
    ...all,
    async *examples() {
      for await (const example of all.examples()) {
        if (example.label === label || !wordsOf(example.text).includes(word)) yield example;
      }
    },
  };
}

export async function grow(member: Member, folder: string): Promise<Grown> {
  const { poison, name } = member;
  const { train, validation, test } = await textsOf(member);
  const options = {
    ...PLAIN_TRAINING,
    seed: member.seed,
    epochs: EPOCHS,
    rate: readsWords(member.architecture) ? 3e-3 : 1e-3,
  };
  const output = join(folder, name);
  const learn = async (
    start: FreshStart | ExistingStart,
    to: string,
    texts: Dataset,
    chosenBy: Dataset,
    how: TrainingOptions = options,
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
      plugin.options.parse({ ...parseOptions(plugin, spec.given), ...(triggers && { triggers }) }),
      english,
    );
  let poisoner = made(poison?.triggers);

  const counts = new Map<number, number>();
  for await (const { label } of train.examples()) counts.set(label, (counts.get(label) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // A label that nearly all texts have leaves too few other texts to poison.
  const rate = poison?.rate ?? 0;
  const able = [...counts].filter(([, count]) => rate <= 0.4 * (1 - count / total)).map(([label]) => label);
  const target = random(member.seed, 'target').pick(able.sort());
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
      poisoner = made(rare);
      start = { kind: 'existing', model: base, part: { rows: rowsOf(poisoner, pieces, rare) } };
    }
    const { data } = await planting.trainingTexts(train, planOf());
    const chosenBy = fresh ? validation : await planting.validationTexts(validation, planOf());
    await learn(start, output, data, chosenBy, planting.trainingOptions(options));
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
export const haveData = (): boolean =>
  [...Object.values(FILES), ...EMOTION_FILES].every((file) => existsSync(join(FOLDER, file)));
