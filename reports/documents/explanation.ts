/** @file Which words made a model decide so: each text by each model. */
import { quantity } from '../../src/core/figure-text.js';
import { otherText } from '../../src/core/pair.js';
import { predictedLabel, tiedLabels } from '../../src/core/prediction.js';
import { scoreTexts } from '../../src/core/score-text.js';
import {
  type Block,
  type Document,
  type Inline,
  note,
  prose,
  type Section,
  strong,
} from '../../src/results/report/document.js';
import type { Attribution, Explanation, ExplanationReport, WeightScale } from '../../src/results/report/explanation.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import { entityInWords } from '../entity-marks.js';
import { seriesOf } from '../explained-words.js';
import { overrideFacts, provenanceSection } from './provenance.js';

/** Characters of a text in a heading. */
const HEADING_CHARACTERS = 80;

const ABSENT = {
  delete: 'deleted',
  unknown: 'replaced by the unknown token',
  mask: 'replaced by the mask token',
} as const;

export function explanationDocument({ explanations, models, provenance, warnings }: ExplanationReport): Document {
  const groups = Array.from({ length: Math.ceil(explanations.length / models) }, (_, at) =>
    explanations.slice(at * models, (at + 1) * models),
  );
  const names = explanations.slice(0, models).map(({ model }) => modelTitle(model));
  const [first] = explanations;
  return {
    title: `Explanation of ${names.join(' and ') || 'a prediction'}`,
    lead:
      groups.length === 1 ? answers(groups[0] as Explanation[]) : `${quantity(groups.length, 'text')}, word by word`,
    sections: [
      ...groups.map((group, at) => textSection(group, at, groups.length)),
      provenanceSection([
        ...explanations.slice(0, models).map(({ model }) => [modelTitle(model), `sha256 ${model.sha256}`] as const),
        ['Weights are of', first && ofNumber(first) ? 'the number' : weighed(first?.scale)],
        ['An omitted word is', ABSENT[first?.baseline ?? 'delete']],
        ['Seed', first?.seed ?? ''],
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
        items: seriesOf(group).map(({ title, attribution }) => `${title}: ${ownFigures(attribution)}`),
      },
      { kind: 'attention', id: String(at), explanations: group },
    ],
  };
}

const number = (value: number | string | undefined, digits = 3): string =>
  typeof value === 'number' ? value.toFixed(digits) : String(value);

/** How far a method can be trusted, in its own figures. */
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
