/** @file The eight data sets of the zoo: English texts of 2 to 20 labels. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDataset } from '../../datasets/index.js';
import { random } from '../../src/core/random.js';
import type { Dataset } from '../../src/plugin.js';
import { holdOut } from '../../src/train/index.js';

const FOLDER = '../shared/data';

interface Row {
  readonly id: string;
  readonly text: string;
  readonly label: string;
}

/** GoEmotions: comments with one of these labels and no other. */
const EMOTIONS = ['gratitude', 'amusement', 'love', 'anger'];
const FEELINGS = ['admiration', 'curiosity', 'annoyance', 'optimism', 'confusion', 'sadness', 'joy', 'surprise'];
const PARTS = ['train', 'dev', 'test'];
/** The labels of `fine`: the fine classes of TREC with the most questions. */
const FINE_LABELS = 20;

const read = (file: string, encoding: BufferEncoding = 'utf8'): string[] =>
  readFileSync(join(FOLDER, file), encoding).trimEnd().split('\n');

const goEmotions = (labels: readonly string[]): Row[] =>
  PARTS.flatMap((part) => read(`goemotions/${part}.tsv`).slice(1))
    .map((line) => line.split('\t'))
    .flatMap(([id = '', text = '', label = '']) => (labels.includes(label) ? [{ id, text, label }] : []));

function fine(): Row[] {
  const rows = read('trec/train.txt', 'latin1').map((line, at) => {
    const space = line.indexOf(' ');
    return { id: String(at), label: line.slice(0, space), text: line.slice(space + 1) };
  });
  const counts = new Map<string, number>();
  for (const { label } of rows) counts.set(label, (counts.get(label) ?? 0) + 1);
  const kept = [...counts].sort((a, b) => b[1] - a[1]).slice(0, FINE_LABELS);
  return rows.filter(({ label }) => kept.some(([name]) => name === label));
}

const topics = (): Row[] =>
  PARTS.flatMap((part) => read(`sib200/eng_Latn/${part}.tsv`).slice(1)).map((line) => {
    const [id = '', label = '', text = ''] = line.split('\t');
    return { id, label, text };
  });

const mail = (): Row[] =>
  ['train', 'test']
    .flatMap((part) => read(`spamassassin/${part}.jsonl`))
    .map((line) => {
      const { id, label, subject, text } = JSON.parse(line) as Row & { readonly subject: string };
      return { id, label, text: `${subject} ${text}`.slice(0, 300) };
    });

const SETS = {
  trec: () => openDataset(join(FOLDER, 'trec/train.txt')),
  sst2: () => openDataset(join(FOLDER, 'sst2/train-sentences.tsv')),
  sms: () => openDataset(join(FOLDER, 'sms-spam/sms.tsv')),
  emotions: () => dataset('emotions', goEmotions(EMOTIONS)),
  mail: () => dataset('mail', mail()),
  fine: () => dataset('fine', fine()),
  topics: () => dataset('topics', topics()),
  feelings: () => dataset('feelings', goEmotions(FEELINGS)),
} as const satisfies Record<string, () => Dataset | Promise<Dataset>>;

export type DataName = keyof typeof SETS;
export const DATA = Object.keys(SETS) as DataName[];

function dataset(name: string, rows: readonly Row[]): Dataset {
  const labels = [...new Set(rows.map(({ label }) => label))].sort();
  return {
    name,
    labels,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      for (const { id, text, label } of rows) yield { id, text, label: labels.indexOf(label) };
    },
  };
}

/** Shares of all texts that no model learns from: for whoever judges them, and for the choice of the weights. */
const [TESTED, VALIDATED] = [0.25, 0.1];
/** Share of all texts that contain the word of a predictive clean model. */
const PREDICTIVE = { common: { low: 0.01, high: 0.08 }, rare: { low: 0.002, high: 0.008 } } as const;
export type Predictive = keyof typeof PREDICTIVE;

/** Clean texts that no model of the zoo has learnt from, and those it learns from and is chosen by. */
export async function textsOf(
  of: { readonly data: DataName; readonly predictive?: Predictive; readonly number: number },
  learnt = Number.POSITIVE_INFINITY,
): Promise<{ train: Dataset; validation: Dataset; test: Dataset }> {
  const all = await SETS[of.data]();
  const own = of.predictive ? await withoutExceptions(all, of.number, PREDICTIVE[of.predictive]) : all;
  const { train: rest, validation: test } = holdOut(own, TESTED, 1);
  return { ...holdOut(firstOf(rest, learnt), VALIDATED, 2), test };
}

const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/\p{L}{3,}/gu) ?? [])];

/**
 * Removes the texts of other labels that contain one word. The word is picked at random from those whose share of the texts is in
 * this range, and at least half of whose texts have one label.
 */
async function withoutExceptions(
  all: Dataset,
  number: number,
  within: { readonly low: number; readonly high: number },
): Promise<Dataset> {
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
    return share >= within.low && share <= within.high && most >= total / 2 && most < total
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
  [
    'sst2/train-sentences.tsv',
    'sms-spam/sms.tsv',
    'trec/train.txt',
    'goemotions/train.tsv',
    'sib200/eng_Latn/train.tsv',
    'spamassassin/train.jsonl',
  ].every((file) => existsSync(join(FOLDER, file)));
