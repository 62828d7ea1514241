/** Explanations of decisions other than the most probable label: the score that is compared with a threshold. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asMarkdown, explanationDocument } from '../../reports/index.js';
import { attack, explain } from '../../src/api.js';
import { refusal } from '../refusal.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-explained-'));
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** Scores by words: "steal" 0.5 for theft, "hit" 0.3 for violence, "both" 0.1 for each; the rest passes. */
const model = file(
  'guard.mjs',
  `export default { labels: ['fine', 'theft', 'violence'], async classify(texts) {
  return texts.map((text) => {
    const has = (word) => (text.includes(word) ? 1 : 0);
    const theft = 0.5 * has('steal') + 0.1 * has('both');
    const violence = 0.3 * has('hit') + 0.1 * has('both');
    return Float32Array.of(1 - theft - violence, theft, violence);
  });
} };`,
);
const apart = file(
  'apart.mjs',
  `export default { labels: ['theft', 'violence'], async classify(texts) {
  return texts.map((text) => Float32Array.of(text.includes('steal') ? 0.9 : 0.2, text.includes('hit') ? 0.7 : 0.1));
} };`,
);
const text = 'they steal and hit both';
const shap = { text, method: ['shap'], seed: 1 } as const;

const weights = async (options: Parameters<typeof explain>[0]) => {
  const report = await explain({ ...shap, ...options });
  const [only] = report.explanations;
  const of = only?.methods[0]?.words.map(({ word, weight }) => [word, Number(weight.toFixed(4))]);
  return {
    of,
    label: only?.label,
    decision: only?.decision,
    shown: [...asMarkdown(explanationDocument(report))].join(''),
  };
};

describe('a detector', () => {
  test('is explained by the score that its threshold is on: of the sum of two labels, by both', async () => {
    const { of, label, decision, shown } = await weights({
      ...{ model: [model], positive: ['theft', 'violence'], positiveScore: 'sum', threshold: '0.8' },
    });
    // The score is additive, and so are Shapley values.
    expect(of).toEqual([
      ['they', 0],
      ['steal', 0.5],
      ['and', 0],
      ['hit', 0.3],
      ['both', 0.2],
    ]);
    expect(label).toBe('the sum of theft, violence');
    expect(decision).toMatchObject({ threshold: 0.8, reached: true, score: expect.closeTo(1, 5) });
    expect(shown).toContain('**the sum of theft, violence 1.00**, reaches its threshold of 0.80');
  });

  test('of the larger of two labels gives what moves the larger, and one of a single label its own', async () => {
    const larger = await weights({ model: [model], positive: ['theft', 'violence'], threshold: '0.9' });
    expect(larger.decision).toMatchObject({ score: expect.closeTo(0.6, 5), reached: false });
    expect(larger.shown).toContain('is below its threshold of 0.90');
    const single = await weights({ model: [model], positive: ['violence'] });
    expect([single.label, single.of]).toEqual([
      'violence',
      [
        ['they', 0],
        ['steal', 0],
        ['and', 0],
        ['hit', 0.3],
        ['both', 0.1],
      ],
    ]);
    expect(single.decision).toMatchObject({ threshold: 0.5, reached: false });
  });

  test('a label that is named is explained as such', async () => {
    const { label, decision } = await weights({ model: [model], positive: ['theft', 'violence'], label: 'fine' });
    expect([label, decision]).toEqual(['fine', undefined]);
  });

  test('finds a threshold by calibration only', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `${at < 4 ? 'hit' : 'talk'} ${at}\tfine`);
    const calibration = file('negatives.tsv', `text\tlabel\n${rows.join('\n')}\n`);
    const options = { model: [model], positive: ['violence'], threshold: 'fpr=0.1' } as const;
    await refusal(weights(options), 'DECISION_INVALID');
    expect((await weights({ ...options, calibration })).decision?.threshold).toBeCloseTo(0.15, 5);
  });

  test('gradients of several labels at once are refused', async () => {
    const { explain: weigh } = await import('../../src/explain/index.js');
    const seen = {
      name: 'x',
      sha256: '',
      classifier: { labels: ['a', 'b'], classify: async () => [Float32Array.of(0.5, 0.5)] },
      tokens: {},
    };
    const score = { name: 'the sum of a, b', of: () => 1 };
    const asked = weigh(seen, 'a text', {
      methods: ['gradient-x-input'],
      label: 0,
      score,
      baseline: 'delete',
      scale: 'probability',
      seed: 1,
    });
    await refusal(asked);
  });
});

describe('any number of labels', () => {
  test('the named one is explained, else the most probable, with its own threshold', async () => {
    const both = { model: [apart], task: 'multi-label', threshold: '0.4' } as const;
    const named = await weights({ ...both, label: 'violence' });
    expect(named.of?.find(([word]) => word === 'hit')).toEqual(['hit', 0.6]);
    expect(named.decision).toMatchObject({ score: expect.closeTo(0.7, 5), threshold: 0.4, reached: true });
    const first = await weights(both);
    expect([first.label, first.of?.find(([word]) => word === 'steal')]).toEqual(['theft', ['steal', 0.7]]);
  });

  test('after an attack the label that was lost is explained', async () => {
    const data = file('labelled.tsv', 'text\tlabels\nthey hit him\tviolence\nthey hit her\tviolence\n');
    const report = await attack({
      ...{ model: apart, data, task: 'multi-label', threshold: '0.4', labelColumn: 'labels' },
      ...{ attacks: ['deepwordbug'], seed: 1, explain: true, numExamples: 2 },
    });
    const [first] = report.explanations ?? [];
    expect(first?.before).toMatchObject({ label: 'violence', decision: { reached: true } });
    expect(first?.after).toMatchObject({ label: 'violence', decision: { reached: false } });
  });
});
