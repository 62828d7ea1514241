/**
 * @file Filters compared: recall at 1 % false rejections, in a training set and among the texts that are sent to the model trained on it.
 *
 *     npm run bench dist/bench/filter-methods.js -- sst2 words
 *     SEED=43 npm run bench dist/bench/filter-methods.js -- goemotions sentence
 *
 * A row is a filter: recall where exactly 1 % of the clean suspects rank higher, then recall and false rejection rate at the threshold that the clean texts
 * set, then ROC AUC.
 */
import { readFileSync } from 'node:fs';
import { poisoners } from '../attacks/index.js';
import { openLanguage } from '../src/app/language.js';
import { type FilteredTexts, filterTexts } from '../src/backdoor/filter/filter.js';
import { judge } from '../src/backdoor/filter/judgement.js';
import { filterMethods } from '../src/backdoor/filter/methods/index.js';
import { poison, triggered } from '../src/backdoor/poison.js';
import { closing } from '../src/core/closing-stack.js';
import type { Example } from '../src/core/dataset.js';
import { predictedLabel } from '../src/core/prediction.js';
import { random } from '../src/core/random.js';
import { wilson } from '../src/core/stats.js';
import type { Dataset } from '../src/plugin.js';
import { trainSuspectModel } from './suspect-model.js';

const SEED = Number(process.env.SEED ?? 42);
const FRR = 0.01;
/** Suspect texts, clean texts, and texts that are sent to the model. */
const [SUSPECTS, CLEAN, INCOMING] = [2000, 600, 600];
/** Share of the suspects that is poisoned. */
const RATE = 0.1;

function rowsOf(path: string, label: string): { text: string; label: string }[] {
  const [header = '', ...lines] = readFileSync(`../shared/data/${path}`, 'utf8').trimEnd().split(/\r?\n/);
  const names = header.split('\t');
  const [textAt, labelAt] = [names.indexOf('text'), names.indexOf(label)];
  const rows = lines.map((line) => line.split('\t'));
  return rows.map((row) => ({ text: row[textAt] ?? '', label: row[labelAt] ?? '' }));
}

/** The rows of the eight most frequent labels. */
function frequent(rows: { text: string; label: string }[]) {
  const counts = new Map<string, number>();
  for (const { label } of rows) counts.set(label, (counts.get(label) ?? 0) + 1);
  const ranked = [...counts].sort(([, a], [, b]) => b - a);
  const kept = new Set(ranked.slice(0, 8).map(([label]) => label));
  return rows.filter(({ label }) => kept.has(label));
}

const SOURCES: Readonly<Record<string, () => { text: string; label: string }[]>> = {
  sst2: () => rowsOf('sst2/train-sentences.tsv', 'label'),
  sms: () => rowsOf('sms-spam/sms.tsv', 'label'),
  goemotions: () => frequent(rowsOf('goemotions/train.tsv', 'labels')),
};
const TRIGGERS: Readonly<Record<string, readonly [string, object]>> = {
  words: ['badnets', { triggers: ['wq', 'quasar', 'plinth'] }],
  sentence: ['insertsent', { triggers: ['it was a rainy day in March'] }],
  syntactic: ['syntactic', {}],
  misspelling: ['char-trigger', { as: 'misspelling', words: 3 }],
};

const [data = '', kind = ''] = process.argv.slice(2).filter((argument) => argument !== '--');
const [source, trigger] = [SOURCES[data], TRIGGERS[kind]];
if (source === undefined || trigger === undefined) {
  throw new Error(`usage: filter-methods ${Object.keys(SOURCES).join('|')} ${Object.keys(TRIGGERS).join('|')}`);
}
const rows = random(SEED, data).shuffle(source().filter(({ text }) => text.trim() !== ''));
const labels = [...new Set(rows.map(({ label }) => label))].sort();
const examples = rows.map(({ text, label }, at): Example => ({ id: `t${at}`, text, label: labels.indexOf(label) }));
const [clean, sent] = [examples.slice(0, CLEAN), examples.slice(CLEAN, CLEAN + INCOMING)];
const train = examples.slice(CLEAN + INCOMING, CLEAN + INCOMING + SUSPECTS);
const language = await openLanguage('en');
const [name, options] = trigger;
const plugin = poisoners.find((each) => each.name === name)!;
const poisoner = plugin.create(plugin.options.parse(options), language);
const target = random(SEED, data, kind).int(labels.length);
const dataset: Dataset = {
  name: data,
  labels,
  source: { url: '', license: '', sha256: '' },
  async *examples() {
    yield* train;
  },
};
const others = train.filter(({ label }) => label !== target).length / train.length;
const rate = Math.min(RATE, others / 2);
const made = await poison(dataset, { name, poisoner, target, rate, mode: 'dirty', seed: SEED, language });
const suspects: Example[] = [];
for await (const example of made.data.examples()) suspects.push(example);
const before = new Map(train.map(({ id, label, text }) => [id, `${label} ${text}`]));
const poisoned = suspects.map(({ id, label, text }) => before.get(id) !== `${label} ${text}`);

const percent = (value: number | null | undefined): string => (value == null ? '-' : (100 * value).toFixed(1));

/** Recall where 1 % of the clean suspects rank higher. */
function recallAt({ scores }: FilteredTexts, truth: readonly boolean[]) {
  const good = scores.filter((_, at) => !truth[at]).sort((a, b) => b - a);
  const bad = scores.filter((_, at) => truth[at]);
  const threshold = good[Math.floor(FRR * good.length)] as number;
  return wilson(bad.filter((score) => score > threshold).length, bad.length);
}

await closing(async (opened) => {
  const { model } = await trainSuspectModel(made.data, SEED, { progress() {} }, opened);
  const report = async (texts: readonly Example[], truth: readonly boolean[], methods: typeof filterMethods) => {
    for (const method of methods) {
      const plan = { suspects: texts, clean, labels, language, frr: FRR, seed: SEED, model };
      const found = await filterTexts(method, plan);
      const { frr, far, auroc } = judge(found, truth);
      const recall = recallAt(found, truth);
      const ranked = `${percent(recall.value)} (${percent(recall.low)}-${percent(recall.high)})`;
      const own = `${percent(1 - (far.value ?? Number.NaN))} at ${percent(frr.value)}`;
      console.log(`| ${method.name} | ${method.judges} | ${ranked} | ${own} | ${auroc?.value.toFixed(3)} |`);
    }
  };
  // Half of the texts of other labels carry the trigger when they are sent.
  const half = sent.filter(({ label }) => label !== target);
  const chosen = new Set(half.slice(0, Math.floor(half.length / 2)));
  const carrying = [...chosen].flatMap((example) => {
    const text = triggered(poisoner, example, SEED);
    return text === undefined ? [] : [{ ...example, text }];
  });
  const plain = sent.filter((example) => !chosen.has(example));
  const predictions = async (texts: readonly Example[]) =>
    (await model.classify(texts.map(({ text }) => text))).map((row) => predictedLabel(row));
  const right = (await predictions(plain)).filter((label, at) => label === plain[at]?.label).length / plain.length;
  const flipped = (await predictions(carrying)).filter((label) => label === target).length / carrying.length;
  console.log(`${data}, ${kind}: accuracy ${percent(right)} %, attack success rate ${percent(flipped)} %`);
  console.log('| filter | judges | recall at 1 % | recall at its threshold | AUROC |\n|---|---|---:|---:|---:|');
  await report(suspects, poisoned, filterMethods);
  const incoming = [...carrying, ...plain];
  const truth = incoming.map((_, at) => at < carrying.length);
  await report(
    incoming,
    truth,
    filterMethods.filter(({ judges }) => judges === 'incoming texts'),
  );
});
