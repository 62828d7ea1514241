/** For each kind of decision a model of ten lines, ten texts whose outcomes under an attack are known, and the figures, computed by hand. */
import { expect } from 'vitest';

/** Finds "good" in a text, or in the second text of a pair. Its answer is the score of each label, or one number. */
const model = (labels: readonly string[], row: string): string =>
  `const good = (text) => /\\bgood\\b/.test([text].flat().at(-1));
export default { labels: ${JSON.stringify(labels)}, classify: async (texts) => texts.map((text) => Float32Array.from(${row})) };
`;

/** Each text names its outcome: the attack flips it, throws, cannot edit it, or fails. */
export const ATTACK = `import { z } from 'robust-text/plugin';
export default {
  kind: 'evasion', name: 'told', level: 'word', needs: 'labels', summary: 'Does what the text says.', options: z.strictObject({}),
  create: () => ({
    constraints: [],
    async run({ text }, target) {
      if (text.includes('err')) throw new Error('as the text says');
      const edited = text.includes('flip') ? text.replace('good', 'gXod') : text.replace('keep', 'keeep');
      const [probabilities] = await target.classify([edited]);
      const numb = text.includes('numb');
      return { succeeded: text.includes('flip'), text: numb ? text : edited, probabilities, words: 3, changed: numb ? 0 : 1, ...(numb && { reach: 0, reason: 'no editable word' }) };
    },
  }),
};
`;

/** The model classifies all but the last two correctly: 1 flipped, 6 kept (4 of them out of reach), 1 errored. */
const TEXTS = [
  ...['a good one to flip', 'a good one to keep'],
  ...['a good numb one', 'a good and numb one', 'a good but numb one', 'one good numb thing'],
  ...['a good one to err', 'a plain one to keep', 'some plain thing', 'another plain thing'],
];
const POSITIVE = TEXTS.map((_, at) => at !== 7);
const table = (head: string, row: (text: string, positive: boolean) => string): string =>
  `${[head, ...TEXTS.map((text, at) => row(text, POSITIVE[at] === true))].join('\n')}\n`;

export type Share = readonly [part: number, n: number];

export interface Kind {
  readonly name: string;
  readonly model: string;
  readonly data: string;
  readonly flags: readonly string[];
  /** The decision as options of the library; `labelColumn` where the column of labels has no usual name. */
  readonly choice: {
    readonly positive?: readonly string[];
    readonly threshold?: string;
    readonly task?: 'multi-label' | 'regression';
    readonly textColumns?: readonly string[];
    readonly delta?: number;
  };
  readonly labelColumn?: string;
  /** Shares of `clean`. */
  readonly clean: Readonly<Record<string, Share>>;
  /** Shares of the attack and of all attacks together. */
  readonly rates: Readonly<Record<string, Share>>;
  /** Rows of reports and what they say. */
  readonly rows: readonly (readonly [label: string, percent: string])[];
  /** Words of other decisions. */
  readonly never: readonly string[];
}

const LABELS = ['negative', 'positive'];
const scores = model(LABELS, 'good(text) ? [0.1, 0.9] : [0.9, 0.1]');
const labelled = table('text\tlabel', (text, positive) => `${text}\t${positive ? 'positive' : 'negative'}`);
/** Nine examples: the ten without the one that causes an error. */
const OF_ALL = { originalAccuracy: [7, 9], accuracyUnderAttack: [6, 9], attackSuccessRate: [1, 7] } as const;
/** Eight examples: without the negative one, too. */
const OF_POSITIVES = { originalAccuracy: [6, 8], accuracyUnderAttack: [5, 8], attackSuccessRate: [1, 6] } as const;
const ACCURACY_ROWS = [
  ['Original accuracy', '77.8 %'],
  ['Accuracy under attack', '66.7 %'],
  ['Attack success rate', '14.3 %'],
] as const;

export const KINDS: readonly Kind[] = [
  {
    ...{ name: 'single', model: scores, data: labelled, flags: [], choice: {} },
    ...{ clean: { accuracy: [8, 10] }, rates: OF_ALL, rows: ACCURACY_ROWS },
    never: ['Original recall', 'Recall under attack', 'Evasion rate', 'Sets', 'Within'],
  },
  {
    ...{ name: 'pairs', model: scores, flags: ['--columns', 'pair=a,b'] },
    choice: { textColumns: ['a', 'b'] },
    data: table('a\tb\tlabel', (text, positive) => `the first\t${text}\t${positive ? 'positive' : 'negative'}`),
    ...{ clean: { accuracy: [8, 10] }, rates: OF_ALL, rows: ACCURACY_ROWS },
    never: ['Original recall', 'Recall under attack', 'Evasion rate', 'Sets', 'Within'],
  },
  {
    ...{ name: 'detector', model: scores, data: labelled },
    flags: ['--positive', 'positive', '--threshold', '0.5'],
    choice: { positive: ['positive'], threshold: '0.5' },
    clean: { accuracy: [8, 10], recall: [7, 9], falsePositiveRate: [0, 1] },
    rates: { ...OF_POSITIVES, originalRecall: [6, 8], recallUnderAttack: [5, 8], evasionRate: [1, 6] },
    rows: [
      ['Original recall', '75.0 %'],
      ['Recall under attack', '62.5 %'],
      ['Evasion rate', '16.7 %'],
    ],
    never: ['Original accuracy', 'Accuracy under attack', 'Alarm', 'Sets', 'Within'],
  },
  {
    ...{ name: 'label sets', model: model(['bad', 'nice'], '[0.1, good(text) ? 0.9 : 0.1]') },
    data: table('text\tlabels', (text, positive) => `${text}\t${positive ? 'nice' : ''}`),
    flags: ['--columns', 'label=labels', '--task', 'multi-label'],
    ...{ choice: { task: 'multi-label' }, labelColumn: 'labels' },
    ...{ clean: { accuracy: [8, 10], 'labelSets.microRecall': [7, 9] }, rates: OF_POSITIVES },
    rows: [
      ['True label found', '75.0 %'],
      ['Found labels kept', '62.5 %'],
      ['Attack success rate', '16.7 %'],
    ],
    never: ['Original accuracy', 'Accuracy under attack', 'Recall under attack', 'Within'],
  },
  {
    ...{ name: 'number', model: model(['score'], '[good(text) ? 1 : 0]') },
    data: table('text\tscore', (text, positive) => `${text}\t${positive ? 1 : 0}`),
    flags: ['--task', 'regression:delta=0.5'],
    choice: { task: 'regression', delta: 0.5 },
    ...{ clean: { accuracy: [8, 10] }, rates: OF_ALL },
    rows: [
      ['Within 0.5', '77.8 %'],
      ['Within 0.5, not moved', '66.7 %'],
      ['Attack success rate', '14.3 %'],
    ],
    never: ['Original accuracy', 'Accuracy under attack', 'Recall under attack', 'Sets'],
  },
];

const at = (of: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => Reflect.get(value as object, key), of);

export function expectRates(of: object, rates: Kind['rates']): void {
  for (const [path, [part, n]] of Object.entries(rates)) {
    expect({ path, rate: at(of, path) }).toMatchObject({ path, rate: { value: part / n, n } });
  }
}
