/** Real models of four kinds give the answers known for them. */
import { expect, test } from 'vitest';
import { loadModel } from '../../src/model/load.js';
import { haveLocale, haveShared, rows, victims } from './shared.js';

/** How many of [text, label] the model gets right; labels by name or index. */
async function right(spec: string, examples: readonly (readonly [text: string, label: string])[]): Promise<number> {
  const model = await loadModel(spec);
  try {
    const answers = await model.classify(examples.map(([text]) => text));
    return examples.filter(([, label], at) => {
      const row = Array.from(answers[at]!);
      const best = row.indexOf(Math.max(...row));
      return String(best) === label || model.labels[best] === label;
    }).length;
  } finally {
    await model.close();
  }
}

const sst2 = () => rows('sst2/dev.tsv').map(([text, label]) => [text!, label!] as const);

test.skipIf(!haveShared).each([
  ['distilbert', 719],
  ['bert-mini', 718],
  ['char-bilstm', 735],
])('the bundled %s gets %i of 872 on SST-2 dev', async (name, count) => {
  expect(await right(name, sst2())).toBe(count);
});

test.skipIf(!haveShared)('berttiny-sst2 (BERT) gets 0.8050 on SST-2 dev and stumbles over "idiit"', async () => {
  expect((await right(`${victims}berttiny-sst2`, sst2())) / 872).toBeCloseTo(0.805, 4);
  const model = await loadModel(`${victims}berttiny-sst2`);
  const [idiot, idiit] = await model.classify(['What an idiot !', 'What an idiit !']);
  await model.close();
  expect(Math.abs(idiot![1]! - 0.149)).toBeLessThan(0.002);
  expect(Math.abs(idiit![1]! - 0.934)).toBeLessThan(0.002);
});

test.skipIf(!haveShared)('imdb-wordcnn (word ids) gets 176 of the 200 reviews', async () => {
  const reviews = rows('imdb/reviews200.tsv').map(([label, text]) => [text!, label!] as const);
  expect(await right(`${victims}imdb-wordcnn`, reviews)).toBe(176);
});

test.skipIf(!haveShared || !haveLocale)(
  'sms-tfidf (string input, needs en_US.UTF-8) gets 0.9668 of 5,574',
  async () => {
    const messages = rows('sms-spam/sms.tsv').map(([label, text]) => [text!, label!] as const);
    expect(messages).toHaveLength(5574);
    expect((await right(`${victims}sms-tfidf`, messages)) / 5574).toBeCloseTo(0.9668, 4);
  },
);
