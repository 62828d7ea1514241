/** @file Which words made a model decide so: each text by each model, or words summed up over many texts. */

import {
  type Block,
  type Document,
  type Inline,
  note,
  prose,
  type Section,
  strong,
  table,
} from '../../src/core/document.js';
import type {
  Attribution,
  Explanation,
  ExplanationReport,
  GlobalExplanation,
  Mean,
  Trust,
  WeightScale,
} from '../../src/core/explanation.js';
import { quantity } from '../../src/core/figure-text.js';
import { modelTitle } from '../../src/core/model-title.js';
import { otherText } from '../../src/core/pair.js';
import { predictedLabel, tiedLabels } from '../../src/core/prediction.js';
import { scoreTexts } from '../../src/core/score-text.js';
import { entityInWords } from '../entity-marks.js';
import { seriesOf } from '../explained-words.js';
import { signed } from '../figures.js';
import { overrideFacts, provenanceSection } from './provenance.js';

/** Words a table shows. */
const MAX_WORDS = 50;
/** On a screen. */
const MAX_WORDS_ON_SCREEN = 20;
/** Characters of a text in a heading. */
const HEADING_CHARACTERS = 80;

/** Legend of the figures of trust. */
const TRUST =
  'Fall: how far the value falls on the mean while words go, the heaviest first; a faithful method beats random orders. Rank correlations: other samples should change little (near +1), shuffling the weights of the model everything (near 0).';

const ABSENT = {
  delete: 'deleted',
  unknown: 'replaced by the unknown token',
  mask: 'replaced by the mask token',
} as const;

export function explanationDocument({
  explanations,
  models,
  global,
  provenance,
  warnings,
}: ExplanationReport): Document {
  const groups = Array.from({ length: Math.ceil(explanations.length / models) }, (_, at) =>
    explanations.slice(at * models, (at + 1) * models),
  );
  const names = global
    ? global.methods[0]?.models.map(({ model }) => model)
    : explanations.slice(0, models).map(({ model }) => modelTitle(model));
  const [first] = explanations;
  const made = first ?? global;
  return {
    title: `Explanation of ${names?.join(' and ') ?? 'a prediction'}`,
    lead: global
      ? drives(global)
      : groups.length === 1
        ? answers(groups[0] as Explanation[])
        : `${quantity(groups.length, 'text')}, word by word`,
    sections: [
      ...(global ? globalSections(global) : []),
      ...groups.map((group, at) => textSection(group, at, groups.length)),
      provenanceSection([
        ...explanations.slice(0, models).map(({ model }) => [modelTitle(model), `sha256 ${model.sha256}`] as const),
        ['Weights are of', first && ofNumber(first) ? 'the number' : weighed(made?.scale)],
        ['An omitted word is', ABSENT[made?.baseline ?? 'delete']],
        ['Seed', made?.seed ?? ''],
        ...overrideFacts(provenance),
      ]),
    ],
    warnings,
  };
}

const scaleOf = ({ scale }: Pick<Explanation, 'scale'>): string => (scale === 'logit' ? 'log-odds' : 'probability');
const weighed = (scale: WeightScale = 'probability'): string =>
  scale === 'logit' ? 'the log-odds ln(p / (1 − p))' : 'the probability';

/** A model with one label answers a number, and no probability. */
const ofNumber = ({ model }: Pick<Explanation, 'model'>): boolean => model.labels.length === 1;

/** A probability, with enough digits to differ from the others. */
const figure = (p: number, others: readonly number[] = []): string =>
  scoreTexts([p, ...others], { least: p > 0.995 || p < 0.005 ? 4 : 2 }).scores[0] as string;

/** The prediction of each model, and the label of the weights. */
const answers = (group: readonly Explanation[]): Inline =>
  group.map(({ model, label, probabilities, decision }, at) => {
    if (decision !== undefined) {
      const { score, threshold, reached } = decision;
      const texts = scoreTexts([score], { threshold });
      const against = `${reached ? 'reaches' : 'is below'} its threshold of ${texts.threshold}`;
      return [`${at > 0 ? '; ' : ''}${model.name}: `, strong(`${label} ${texts.scores[0]}`), `, ${against}`];
    }
    if (model.labels.length === 1)
      return [`${at > 0 ? '; ' : ''}${model.name}: `, strong(`${label} ${Number(probabilities[0]).toPrecision(4)}`)];
    const tied = tiedLabels(probabilities);
    const predicted = predictedLabel(probabilities);
    const named = (which: number): string =>
      `${model.labels[which] ?? which} ${figure(probabilities[which] as number, probabilities.toSorted((a, b) => b - a).slice(0, 2))}`;
    const explained = model.labels.indexOf(label);
    return [
      `${at > 0 ? '; ' : ''}${model.name}: `,
      strong(tied.length > 0 ? `${tied.map(named).join(' and ')} tied` : named(predicted)),
      explained === predicted ? '' : `, explained: ${named(explained)}`,
    ];
  });

function textSection(group: readonly Explanation[], at: number, texts: number): Section {
  const [first] = group as [Explanation];
  const { text, label, baseline } = first;
  const other = otherText(first);
  const entity = entityInWords(first);
  const short =
    text.length > HEADING_CHARACTERS ? `${text.slice(0, HEADING_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  const masking = first.methods.some(({ name }) => name === 'lime' || name === 'shap');
  return {
    id: `text-${at + 1}`,
    title: texts > 1 ? `${at + 1}. ${short}` : 'The text',
    ...(texts === 1 && { led: true as const }),
    blocks: [
      ...(texts > 1 ? [prose(answers(group))] : []),
      ...(entity === undefined ? [] : [note(`Explained ${entity}.`)]),
      ...(other === undefined ? [] : [note(`Read ${first.attacked ? 'after' : 'before'} it: ${other}`)]),
      ...group.flatMap(({ model, read }): Block[] =>
        read === undefined
          ? []
          : [
              {
                kind: 'prose',
                text: `${model.name} reads ${read.words} of ${quantity(read.of, 'word')}; the others have no weight.`,
                tone: 'warning',
              },
            ],
      ),
      { kind: 'weights', explanations: group },
      note(
        `Words with bars to the right (+, blue) raise the ${ofNumber(first) ? 'number' : scaleOf(first)} of ${label}; words with bars to the left (-, red) lower it.${group.length > 1 ? ' ≠ and an underline: the models disagree.' : ''}${masking ? ` Omitted words are ${ABSENT[baseline]}.` : ''}`,
      ),
      {
        kind: 'list',
        tone: 'note',
        items: seriesOf(group).map(({ title, attribution }) => `${title}: ${checkText(attribution)}`),
      },
      { kind: 'attention', id: String(at), explanations: group },
      ...group.flatMap(({ model, trust }) =>
        trust === undefined ? [] : trustBlocks(group.length > 1 ? model.name : undefined, trust),
      ),
      ...(group.some(({ trust }) => trust) ? [note(TRUST)] : []),
    ],
  };
}

const number = (value: number | string | undefined, digits = 3): string =>
  typeof value === 'number' ? value.toFixed(digits) : String(value);

/** How far a method can be trusted, in its own figures. */
function checkText(attribution: Attribution): string {
  const { precision, fp32Correlation, fp32Difference, fp32Samples } = attribution.check;
  if (precision === undefined) return ownFigures(attribution);
  const ranks = fp32Correlation === undefined ? '' : `rank correlation ${number(fp32Correlation, 2)}, `;
  return `${ownFigures(attribution)}; queries in ${precision}: with fp32, over ${fp32Samples} samples of both, ${ranks}weights differ by ${number(fp32Difference, 4)} or less`;
}

function ownFigures({ name, check, words }: Attribution): string {
  const spread = Math.max(0, ...words.map(({ weight, high }) => (high === undefined ? 0 : high - weight)));
  const within = spread > 0 ? `, weights ± ${spread.toFixed(3)} or less (95 %)` : '';
  switch (name) {
    case 'lime':
      return `R² ${number(check.r2, 2)} over ${quantity(Number(check.samples), 'text')}${within}`;
    case 'shap':
      return `${check.estimator}, ${quantity(Number(check.samples), 'text')}${within}; from ${number(check.baseValue)} without words to ${number(check.value)}`;
    case 'integrated-gradients':
      return `completeness error ${number(100 * Number(check.completenessError), 2)} % in ${quantity(Number(check.steps), 'step')} from ${check.baseline}; from ${number(check.baseValue)} to ${number(check.value)}`;
    case 'attention':
      return `rollout over ${check.layers} layers of ${check.heads} heads, seen from the ${check.from}; punctuation and special tokens ${number(check.rest)}; attention has no sign`;
    default:
      return Object.entries(check)
        .map(([key, value]) => `${key} ${number(value)}`)
        .join(', ');
  }
}

/** How far weights can be trusted: of each method, and between each two. */
function trustBlocks(model: string | undefined, { faithfulness, agreement, stability }: Trust): Block[] {
  const stable = (of: string): string => {
    const found = stability.find(({ method }) => method === of);
    return found === undefined ? '' : found.correlation === null ? '-' : signed(found.correlation, 2);
  };
  return [
    { kind: 'heading', text: `Can these weights be trusted?${model === undefined ? '' : ` ${model}`}` },
    table(
      'Trust by method',
      ['method', 'fall', 'in random orders', 'other samples'],
      faithfulness.map(({ method, aopc, random }) => [
        method,
        aopc.toFixed(3),
        `${random.mean.toFixed(3)} (${random.low.toFixed(2)} to ${random.high.toFixed(2)})`,
        stable(method),
      ]),
    ),
    {
      kind: 'chart',
      panels: faithfulness.map(({ method, steps, deletion, insertion }) => ({
        title: method,
        lines: [
          { name: 'words out', tone: 'hit', points: steps.map((x, at) => ({ x, y: deletion[at] as number })) },
          { name: 'words in', tone: 'hold', points: steps.map((x, at) => ({ x, y: insertion[at] as number })) },
        ],
      })),
      x: { label: 'words left out, or put in' },
      y: { label: 'value', format: (value) => String(Number(value.toFixed(2))) },
    },
    {
      kind: 'list',
      items: agreement.map(
        ({ methods: [a, b], correlation: of }) =>
          `${a} and ${b} agree: rank correlation ${of === null ? '-' : signed(of, 2)}`,
      ),
    },
  ];
}

const drives = ({ texts, label, scale }: GlobalExplanation): Inline => [
  strong(`Words that drive the ${scaleOf({ scale })} of ${label ?? 'the predicted label'}`),
  `, ${quantity(texts, 'text')}`,
];

const range = ({ low, high }: Mean, shown: (value: number) => string): string =>
  low === null || high === null ? '' : `${shown(low)} to ${shown(high)}`;

const absolute = (value: number): string => Math.max(0, value).toFixed(3);

function globalSections({ methods, baseline }: GlobalExplanation): Section[] {
  const sections = methods.flatMap(({ name, models, differences = [] }, method): Section[] => [
    ...models.map(
      ({ model, words }, at): Section => ({
        id: `words-${method}-${at}`,
        title: `${name}, ${model}`,
        blocks: [
          table(
            `Words by mean weight, ${model}`,
            ['word', 'times', '|weight|', '95 % interval', 'weight', '95 % interval'],
            words
              .slice(0, MAX_WORDS)
              .map(({ word, count, absolute: of, mean }) => [
                shorten(word),
                count,
                absolute(of.value),
                range(of, absolute),
                signed(mean.value),
                range(mean, signed),
              ]),
            { some: MAX_WORDS_ON_SCREEN },
          ),
          ...(words.length > MAX_WORDS ? [note(`${words.length - MAX_WORDS} more words are in the JSON report.`)] : []),
        ],
      }),
    ),
    ...(differences.length === 0
      ? []
      : [
          {
            id: `differences-${method}`,
            title: `${name}: words on which the models differ most, ${models.map(({ model }) => model).join(' - ')}`,
            blocks: [
              table(
                'Differences by word',
                ['word', 'times', 'mean difference', '95 % interval'],
                differences
                  .slice(0, MAX_WORDS)
                  .map(({ word, count, difference }) => [
                    shorten(word),
                    count,
                    signed(difference.value),
                    range(difference, signed),
                  ]),
                { some: MAX_WORDS_ON_SCREEN },
              ),
            ],
          },
        ]),
  ]);
  const about = note(
    `Means over the texts. Words in lower case, rare ones left out. Words left out of a text are ${ABSENT[baseline]}. The intervals are of each word alone: of twenty, one misses by chance.`,
  );
  return [...sections, { id: 'about', blocks: [about] }];
}

const shorten = (word: string): string => (word.length > 14 ? `${word.slice(0, 13)}…` : word);
