/** The worst case that a cascade of `standard` finds is never above the accuracy under one of its attacks, whatever the victim. */
import { afterAll, describe, expect, test } from 'vitest';
import { covered } from '../cover.js';
import { serving, stopServing } from '../remote/server.js';
import { CASCADES, checkWorstCase, LABELS, lexicon, type RunOfVictim, SCORES, SENTENCES } from './worst-case.js';

const table = (head: string, row: (text: string, label: string) => string): string =>
  `${[head, ...SENTENCES.map(([text, label]) => row(text, label))].join('\n')}\n`;
const single = table('text\tlabel', (text, label) => `${text}\t${label}`);

const local = (model: string, more: Partial<RunOfVictim> = {}): RunOfVictim => ({
  model: './model.mjs',
  data: 'data.tsv',
  ...more,
  files: { 'model.mjs': model, 'data.tsv': single, ...more.files },
});

const VICTIMS: Readonly<Record<string, () => RunOfVictim | Promise<RunOfVictim>>> = {
  'a function with scores': () => local(lexicon(SCORES)),
  'a function with labels only': () => local(lexicon(LABELS), { labelsOnly: true }),
  'a detector': () =>
    local(lexicon(SCORES), { flags: ['--positive', 'positive', '--threshold', '0.5'], detector: true }),
  'a model of pairs': () =>
    local(lexicon(SCORES, 'text[1]'), {
      flags: ['--columns', 'pair=first,second'],
      files: {
        'data.tsv': table('first\tsecond\tlabel', (text, label) => `what they said\t${text}\t${label}`),
      },
    }),
  'an endpoint': async () => {
    const code = lexicon(SCORES);
    const { default: model } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      default: { labels: string[]; classify(texts: readonly string[]): Promise<Float32Array[]> };
    };
    const url = await serving(async (body) => {
      const { texts } = JSON.parse(body) as { texts: string[] };
      return { answers: (await model.classify(texts)).map((row) => ({ scores: [...row] })) };
    });
    return {
      model: 'http:endpoint.json',
      data: 'data.tsv',
      files: {
        'data.tsv': single,
        'endpoint.json': JSON.stringify({
          ...{ protocol: 'http', url, labels: model.labels },
          ...{ body: { texts: '{{texts}}' }, answer: { rows: '/answers/*/scores' } },
        }),
      },
    };
  },
  'an ONNX model': () => ({ model: 'bert-mini', data: 'reviews' }),
};

afterAll(stopServing);

describe.each(Object.entries(VICTIMS).map((each, row) => [...each, row] as const))('%s', (_, victim, row) => {
  test('falls to a cascade wherever it falls to one of its attacks', async () => {
    let flipped = 0;
    for (const cascade of covered(CASCADES, row, 2)) flipped += await checkWorstCase(cascade, await victim());
    expect(flipped).toBeGreaterThan(0);
  });
});
