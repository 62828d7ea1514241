/** Attacks on one text of a pair: the other one stays, and nothing else is different. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { fileFormats } from '../../reports/index.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import type { Dataset } from '../../src/core/dataset.js';
import { queryParts, queryText } from '../../src/core/pair.js';
import { loadModel } from '../../src/model/load.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import type { ReportRenderer } from '../../src/results/report/report.js';
import { attack, createRun } from '../../src/run/index.js';
import { meteredVictim, QueryMeter } from '../../src/run/metered-victim.js';
import { text } from '../reports/fixture.js';
import { planned, planOf, runsIn } from './toys.js';

const labels = ['apart', 'alike'];
/** The share of the second text's words that the first has. */
const alike = (first: string, second: string): Float32Array => {
  const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];
  const known = new Set(words(first));
  const all = words(second);
  const share = all.length === 0 ? 0 : all.filter((word) => known.has(word)).length / all.length;
  return Float32Array.of(1 - share, share);
};

const PREMISE = 'A young woman plays violin outside while people listen quietly';
const dataset = (texts: readonly string[], pairs: boolean, attacked?: 'first'): Dataset => ({
  name: 'sentences',
  labels,
  source: { url: '', license: '', sha256: 'same' },
  async *examples() {
    for (const [id, text] of texts.entries()) {
      yield { id: String(id), text, ...(pairs && { text2: PREMISE, ...(attacked && { attacked }) }), label: 1 };
    }
  },
});

const plugin = (name: string): EvasionPlugin => attacks.find((each) => each.name === name) as EvasionPlugin;

async function outcomesOf(
  texts: readonly string[],
  classifier: Classifier,
  pairs: boolean,
  name: string,
  attacked?: 'first',
) {
  const plan = planOf({
    model: { classifier, name: 'alike', sha256: 'same' },
    dataset: dataset(texts, pairs, attacked),
    attacks: [planned(plugin(name))],
  });
  const folder = await createRun(runsIn(), plan);
  await attack(plan, folder);
  return readFileSync(join(folder.path, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test.each([undefined, 'first'] as const)(
  'the quality of a rewrite is judged on the attacked text alone, whichever it is: %s',
  async (attacked) => {
    const classifier: Classifier = {
      labels,
      classify: async (asked) => asked.map((each) => alike(...(queryParts(each) as readonly [string, string]))),
    };
    const judged: string[][] = [];
    const plan = planOf({
      model: { classifier, name: 'alike', sha256: 'same' },
      dataset: dataset([PREMISE], true, attacked),
      attacks: [planned(plugin('deepwordbug'))],
      quality: () => (original, adversarial) => {
        judged.push([original, adversarial]);
        return { editDistance: 1, similarity: 1, readability: 1 };
      },
    });
    const report = await attack(plan, await createRun(runsIn(), plan));
    expect(judged.length).toBeGreaterThan(0);
    expect(report.closest.length).toBeGreaterThan(0);
    for (const outcome of report.closest) {
      expect(outcome.text2).toBe(PREMISE);
      expect(judged).toContainEqual([outcome.text, outcome.adversarial]);
    }
    // A reader sees both.
    const [markdown] = fileFormats as [ReportRenderer];
    expect(await text(markdown.render(report))).toContain(`beside: ${PREMISE}`);
  },
);

describe('an attack on one text of a pair', () => {
  test.each(['pruthi', 'deepwordbug', 'word-deletion'])(
    '%s does what it does on that text alone to a victim that knows the other',
    async (name) => {
      const words = fc.array(fc.constantFrom(...PREMISE.split(' '), 'loudly', 'nobody'), {
        minLength: 1,
        maxLength: 7,
      });
      await fc.assert(
        fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 4 }), fc.boolean(), async (made, first) => {
          const texts = made.map((each) => each.join(' '));
          const read = (text: string): Float32Array => (first ? alike(text, PREMISE) : alike(PREMISE, text));
          const pairwise: Classifier = {
            labels,
            classify: async (asked) => asked.map((each) => alike(...(queryParts(each) as readonly [string, string]))),
          };
          const alone: Classifier = { labels, classify: async (asked) => asked.map(read) };
          const of = await outcomesOf(texts, pairwise, true, name, first ? 'first' : undefined);
          const without = of.map(({ text2, attacked, ...rest }) => {
            expect([text2, attacked]).toEqual([PREMISE, first ? 'first' : undefined]);
            return rest;
          });
          expect(without).toEqual(await outcomesOf(texts, alone, false, name));
        }),
        { numRuns: 8 },
      );
    },
  );

  test('sees no token of the other text that it could move', async () => {
    const example = { id: '1', text: 'a dull film', text2: 'it was fun', label: 0 };
    const tokens = [false, true].flatMap((second) =>
      [0, 1].map((id) => ({ id, start: id, end: id + 1, special: false, ...(second && { second }) })),
    );
    const seen: string[] = [];
    const gradients = {
      labels,
      hidden: 1,
      loss: 'toy',
      gradient: async (text: string) => {
        seen.push(text);
        return {
          tokens,
          loss: 0,
          probabilities: Float32Array.of(1, 0),
          embeddings: new Float32Array(4),
          values: new Float32Array(4),
        };
      },
    } as unknown as WhiteBox;
    const plan = planOf({
      model: { classifier: { labels, classify: async () => [] }, gradients, name: '', sha256: '' },
    });
    const meter = new QueryMeter(example.text, 10, () => true);
    const pair = { attack: 'x', example, before: Float32Array.of(1, 0), goal: plan.goal };
    const second = await meteredVictim(plan, pair, meter).gradients?.gradient('a dull film', 0);
    expect(second?.tokens.map(({ special }) => special)).toEqual([true, true, false, false]);
    const first = await meteredVictim(
      plan,
      { ...pair, example: { ...example, attacked: 'first' } },
      meter,
    ).gradients?.gradient('a dull film', 0);
    expect(first?.tokens.map(({ special }) => special)).toEqual([false, false, true, true]);
    expect(seen.map(queryParts)).toEqual([
      ['it was fun', 'a dull film'],
      ['a dull film', 'it was fun'],
    ]);
  });
});

test('a model with a tokenizer reads both texts, in their order', async () => {
  const model = await loadModel('bert-mini', { workers: 1 });
  try {
    const asked = (text: string, text2?: string, attacked?: 'first'): string =>
      queryText(text, { ...(text2 !== undefined && { text2 }), ...(attacked && { attacked }) });
    const rows = await model.classify([
      asked('a dull film', 'a great film'),
      asked('a great film', 'a dull film', 'first'),
      asked('a great film', 'a dull film'),
      asked('a dull film'),
    ]);
    const [one, two, turned, alone] = rows.map((row) => row[1] as number);
    expect(one).toBe(two);
    expect(turned).not.toBe(one);
    expect(alone).not.toBe(one);
  } finally {
    await model.close();
  }
});
