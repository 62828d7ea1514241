/** @file The report of attacks as a document. */
import { quantity } from '../../src/core/figure-text.js';
import { outcomeScores } from '../../src/core/score-text.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import { degenerateLine } from '../../src/results/clean/degenerate.js';
import type { AttackMetrics } from '../../src/results/measures/attack-metrics.js';
import { CURVES } from '../../src/results/measures/curves.js';
import { GENERAL_MEASURES as generalMeasures } from '../../src/results/measures/index.js';
import { valueAt } from '../../src/results/measures/measure.js';
import {
  type Bar,
  type Block,
  type Document,
  type Inline,
  legend,
  note,
  type Section,
  strong,
  type Table,
  table,
} from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import type { Report } from '../../src/results/report/report.js';
import { decisionText } from '../../src/tasks/decide.js';
import { flipping, shortName } from '../../src/tasks/headline.js';
import { isSuccessRate, isUnderAttack, rateMetrics } from '../../src/tasks/rate-words.js';
import { markedTexts } from '../entity-marks.js';
import { cellOf, cellOfAll, legendOf, metricsOf, saidOf } from '../metrics.js';
import { overrideLine } from '../overrides.js';
import { attackTable, suitesOfSeveral, summaryOf } from './attack-table.js';
import { besideNote } from './beside-note.js';
import { defenceSection } from './comparison.js';
import { cleanBlocks } from './evaluation.js';
import { gateBlocks } from './gate.js';
import { reportProvenance } from './report-provenance.js';
import { reviewSection } from './review.js';
import { tagHeadline, tagSection } from './tag-figures.js';
import { trustSection } from './trust.js';

/** Adversarial texts that a screen shows. */
const EXAMPLES_ON_SCREEN = 3;

/** `turned`: counts of flips from class to class. `all`: whether all outcomes are available. */
export function reportDocument(
  report: Report,
  { turned, all = false }: { turned?: Table | undefined; all?: boolean } = {},
): Document {
  const { model, data, clean, attacks, seed, gate, undefended, verdict, warnings } = report;
  const overrides = report.provenance?.overrides;
  const set = overrideLine(overrides);
  return {
    title: `Robustness of ${modelTitle(model)}`,
    lead: [
      strong(modelTitle(model)),
      ' on ',
      strong(data.name),
      `, ${quantity(clean.accuracy.n, 'example')}, seed ${seed}`,
      model.defence === undefined
        ? ''
        : `. Defended: ${model.defence}. The attacks see the defended answers (adaptive).`,
      ...detectionLine(report),
      // A gate says so beside its verdict.
      set === undefined || gate !== undefined ? '' : `. ${set}`,
    ],
    summary: summaryOf(report),
    about: report.headline,
    alarms: [degenerateLine(modelTitle(model), clean) ?? []].flat(),
    headline: headlineOf(report),
    ...(verdict !== 'none' && { verdict }),
    // A gate gives its own reasons.
    ...(verdict === 'inconclusive' &&
      gate === undefined && { inconclusive: report.reasons ?? ['too many examples ended in an error'] }),
    next: report.next,
    sections: [
      ...(gate === undefined
        ? []
        : [{ id: 'gate', title: 'Gate', full: true as const, blocks: gateBlocks(gate, overrides) }]),
      ...tagSection(report),
      ...(attacks.length > 0 ? [attackSection(report)] : []),
      ...trustSection(report),
      ...reviewSection(report),
      ...classSection(report, turned),
      ...measureSections(report),
      ...(undefended === undefined ? [] : [defenceSection(undefended)]),
      ...adversarial(report),
      ...(all
        ? [{ id: 'texts', title: 'All texts', full: true as const, blocks: [{ kind: 'outcomes' as const }] }]
        : []),
      {
        id: 'clean',
        title: `Without attack, ${quantity(clean.accuracy.n, 'example')}`,
        full: true,
        blocks: cleanBlocks(clean, model.labels, model.decision),
      },
      reportProvenance(report),
    ],
    warnings,
  };
}

/**
 * The rates of all attacks together, over the same examples; of a detector, what it finds and what it takes for something; of a model that
 * tags, entities.
 */
function headlineOf(report: Report): Bar[] {
  const { clean, overall } = report;
  if (clean.tags !== undefined) return tagHeadline(clean.tags, report.tags);
  const rates = detectorRatesOf(report);
  if (rates === undefined) {
    const all = flipping(report).length;
    return rateMetrics(report).map(({ key, label }) => ({
      name: isUnderAttack(key) && all > 1 ? `${label}, any of ${quantity(all, 'attack')}` : label,
      // Without an attack only the clean figure is known.
      rate:
        key === 'originalAccuracy' && overall.originalAccuracy.n === 0
          ? clean.accuracy
          : (valueAt(overall, key) as Rate),
      tone: isSuccessRate(key) ? ('hit' as const) : ('hold' as const),
    }));
  }
  const { recall, falsePositiveRate, recallUnderAttack, falsePositiveRateUnderAttack } = rates;
  return [
    { name: 'Recall without attack', rate: recall, tone: 'hold' },
    { name: 'False positive rate', rate: falsePositiveRate, tone: 'hit' },
    ...(recallUnderAttack === undefined
      ? []
      : [{ name: 'Recall under attack', rate: recallUnderAttack, tone: 'hold' as const }]),
    ...(falsePositiveRateUnderAttack === undefined
      ? []
      : [{ name: 'False positives under attack', rate: falsePositiveRateUnderAttack, tone: 'hit' as const }]),
  ];
}

/** A detector's rates, those without attack over the same examples as those under it; undefined of other models. */
function detectorRatesOf({ clean, overall }: Report) {
  const recall = overall.originalRecall ?? clean.recall;
  const falsePositiveRate = overall.originalFalsePositiveRate ?? clean.falsePositiveRate;
  if (recall === undefined || falsePositiveRate === undefined) return undefined;
  const { recallUnderAttack, falsePositiveRateUnderAttack } = overall;
  return { recall, falsePositiveRate, recallUnderAttack, falsePositiveRateUnderAttack };
}

/** A detector's figures in one line, for every format. */
function detectionLine(report: Report): Inline[] {
  const { decision } = report.model;
  const rates = detectorRatesOf(report);
  if (rates === undefined || decision === undefined) return [];
  const { recall, falsePositiveRate, recallUnderAttack: kept, falsePositiveRateUnderAttack: taken } = rates;
  return [
    `. Detected: ${decisionText(decision)}. Recall `,
    { rate: recall },
    ' at ',
    { rate: falsePositiveRate },
    ' false positives',
    ...(kept === undefined ? [] : [', recall under attack ', { rate: kept, style: 'strong' as const }]),
    ...(taken === undefined ? [] : [', false positives under attack ', { rate: taken, style: 'strong' as const }]),
  ];
}

/** Every figure of every attack, and what each was allowed to do: a success rate without that means nothing. */
function attackSection(report: Report): Section {
  const { attacks, overall } = report;
  const metrics = metricsOf(report);
  const counted = flipping(report).length;
  const ranked = attacks
    .map((attack, index) => ({ attack, index }))
    .sort(({ attack: one }, { attack: next }) => successOf(next) - successOf(one));
  const together = [
    ...(counted > 1 ? [{ ...overall, name: `any of ${quantity(counted, 'attack')}` }] : []),
    ...suitesOfSeveral(report).map((suite) => ({ ...suite, name: `any of ${suite.name}` })),
  ];
  return {
    id: 'attacks',
    title: 'How often each attack succeeds',
    led: true,
    brief: attackTable(report),
    blocks: [
      {
        kind: 'bars',
        bars: [
          ...ranked.map(({ attack, index }) => ({
            name: `${shortName(attack, attacks)}${attack.applicable === false ? ' (not applicable)' : ''}`,
            rate: attack.attackSuccessRate,
            tone: 'hit' as const,
            attack: index,
          })),
          ...together.map(({ name, attackSuccessRate: rate }) => ({
            name,
            rate,
            tone: 'hit' as const,
            all: true as const,
          })),
        ],
      },
      {
        kind: 'table',
        caption: 'Figures by attack',
        columns: [{ title: '' }, ...metrics.map(({ key, label }) => ({ title: label, detail: !decides(key) }))],
        rows: [
          ...together.map((all) => [all.name, ...metrics.map((metric) => cellOfAll(metric, all))]),
          ...ranked.map(({ attack }) => [
            shortName(attack, attacks),
            ...metrics.map((metric) => cellOf(metric, attack)),
          ]),
        ],
        across: true,
      },
      note('Rates in % with their 95 % Wilson intervals.'),
      legend(`${legendOf(metrics)}${counted > 1 ? ' Any of several attacks: at least one of them succeeded.' : ''}`),
      {
        kind: 'list',
        tone: 'note',
        ...(attacks.length > 1 && { fold: 'What each attack may change' }),
        items: attacks.map((attack) => `${attack.name}: ${saidOf(attack, report)}`),
      },
    ],
  };
}

/** -1 if it was not measured. */
const successOf = ({ attackSuccessRate }: AttackMetrics): number => attackSuccessRate.value ?? -1;

/** Whether a page shows a figure before its reader asks for all columns. */
const decides = (key: string): boolean => isUnderAttack(key) || ['perturbedWords', 'queries.asked'].includes(key);

/** Success rate by true class, and which classes turned into which. */
function classSection({ attacks, model }: Report, turned: Table | undefined): Section[] {
  // A text in question as a whole has no type.
  const known = attacks.filter(({ perClass }) => perClass.length > 0 && model.output?.tags?.share === undefined);
  const blocks: Block[] = [
    ...(known.length === 0
      ? []
      : [
          table(
            'Attack success rate by class',
            ['attack', ...model.labels],
            known.map((attack): Inline[] => [
              shortName(attack, attacks),
              ...attack.perClass.map(({ attackSuccessRate: rate }) => ({ rate })),
            ]),
          ),
        ]),
    ...(turned === undefined
      ? []
      : [
          note('Flipped texts by their predicted class before (row) and after (column), all attacks together.'),
          turned,
        ]),
  ];
  return blocks.length === 0 ? [] : [{ id: 'classes', title: 'Success rate by class', full: true, blocks }];
}

/** Figures of the measures, each over the attacks that have its value. */
const measureSections = ({ attacks, suites, measures = generalMeasures, model }: Report): Section[] =>
  measures.flatMap((measure) => {
    // A suite has no other measure.
    const together = measure.name === CURVES ? suites.filter((suite) => suite.attacks.length > 1) : [];
    const named = attacks.map((attack) => ({ name: shortName(attack, attacks), figures: attack }));
    const found = [...together.map((suite) => ({ name: suite.name, figures: suite })), ...named].flatMap((each) => {
      const value = valueAt(each.figures, measure.name);
      return value === undefined ? [] : [{ attack: each.name, value }];
    });
    return found.length === 0 ? [] : (measure.sections?.(found, model.labels) ?? []);
  });

function adversarial({ closest, explanations = [], model: { labels, decision: rule } }: Report): Section[] {
  const label = (index: number): string => labels[index] ?? (index < 0 ? 'none' : String(index));
  const named = (indices: readonly number[]): string => indices.map(label).join(' + ') || 'none';
  const pairs = closest.flatMap((outcome) => {
    const { id, attack, text, adversarial: after, queries } = outcome;
    if (after === undefined) return [];
    const number = outcome.value !== undefined;
    const scores = outcomeScores(outcome, { labels, rule, ...(number && { least: 3 }) });
    const change = `${scores.before} -> ${scores.after}${scores.threshold && ` (threshold ${scores.threshold})`}`;
    const marked = markedTexts(outcome);
    const explanation = explanations.find((each) => each.id === id && each.attack === attack);
    return [
      {
        of: [attack, `example ${id}`, `${quantity(queries.asked, 'query', 'queries')}`],
        found: number
          ? `${change}; true: ${outcome.value}`
          : outcome.fromLabels === undefined || outcome.toLabels === undefined
            ? `${label(outcome.label)}${scores.threshold && ', score'} ${change}, now ${outcome.toTied === undefined ? label(outcome.to) : `${outcome.toTied.map(label).join(' and ')} tied`}`
            : `${named(outcome.fromLabels)} -> ${named(outcome.toLabels)}; true: ${named(outcome.labels ?? [])}`,
        before: text,
        after,
        ...besideNote(outcome),
        ...(marked?.after && { marked: { before: marked.before, after: marked.after } }),
        ...(explanation && { explanation }),
      },
    ];
  });
  return pairs.length === 0
    ? []
    : [
        {
          id: 'adversarial',
          title: 'Examples, fewest edits first',
          blocks: [{ kind: 'texts', pairs, some: EXAMPLES_ON_SCREEN, compact: true }],
        },
      ];
}
