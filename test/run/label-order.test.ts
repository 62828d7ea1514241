/**
 * The order of a victim's labels decides nothing: with the columns permuted, every outcome, count, figure and adversarial text stays the same.
 * The victims answer in steps of a quarter or a tenth, so that ties are frequent.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { type DecisionRule, isFooled, trueLabels } from '../../src/core/decision.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { Goal } from '../../src/core/search.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import type { CleanMetrics } from '../../src/results/clean/clean-metrics.js';
import type { Report } from '../../src/results/report/report.js';
import { attack, createRun, type PlannedAttack, type RunPlan } from '../../src/run/index.js';
import { goals } from '../../src/search/goals.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { decisionOf } from '../../src/tasks/decide.js';
import { model as closedForm } from '../attacks/toy-white-box.js';
import { covered, tries, WHOLE } from '../cover.js';
import { listOf, planOf, runsIn } from './toys.js';

const root = runsIn();

/** Labels in the order of a victim: `places[column]` is the index of the column's label in the original order. */
type Order = readonly number[];
const reordered = <T>(values: ArrayLike<T>, order: Order): T[] => order.map((place) => values[place] as T);

const LABELS = ['negative', 'neutral', 'positive'];
const ORDERS: readonly Order[] = [
  [0, 1, 2],
  [1, 2, 0],
];

const GOOD = /\b(good|great|fine|lovely|charming|warm|funny)\b/gi;
const BAD = /\b(bad|awful|dull|poor|tedious|slow)\b/gi;

/** In quarters: mostly neutral without a known word, and a tie between neutral and another label with one. */
function quarters(text: string): number[] {
  const evidence = (text.match(GOOD)?.length ?? 0) - (text.match(BAD)?.length ?? 0);
  const at = (count: number): number => Math.max(0, Math.min(3, count));
  const [negative, positive] = [at(1 - evidence), at(1 + evidence)];
  const rest = 4 - negative - positive;
  return text.length % 5 === 0 ? [(negative + rest) / 4, 0, positive / 4] : [negative / 4, rest / 4, positive / 4];
}

const TEXTS = [
  'a good and lovely film with a charming cast',
  'a dull, slow and tedious plot, awful at the end',
  'a great, warm and funny film',
  'good plot, good cast',
  'poor and bad',
  'the film is about a family in the north',
  'a fine film with a dull end',
];

/** Their true labels for any number of labels; names are in the order of the indices. */
const SETS = [[2], [0], [1, 2], [], [0], [0, 1], [2]];

function victimOf(order: Order): Classifier {
  return {
    labels: reordered(LABELS, order),
    classify: async (texts) => texts.map((text) => Float32Array.from(reordered(quarters(text), order))),
  };
}

const namedBy = (order: Order, labels: readonly string[]) => (label: number) =>
  label < 0 ? 'none' : (reordered(labels, order)[label] as string);

/** The outcome with labels by name. */
function byNames(
  { label, from, to, labels, fromLabels, toLabels, fromTied, toTied, ...rest }: Outcome,
  order: Order,
  all: readonly string[],
) {
  const name = namedBy(order, all);
  const sorted = (some: readonly number[] | undefined) => some?.map(name).sort();
  const { probes, ...others } = rest as { probes?: readonly { expected: number[]; got: number }[] };
  return {
    ...others,
    ...(probes && {
      probes: probes.map((probe) => ({ ...probe, expected: sorted(probe.expected), got: name(probe.got) })),
    }),
    ...{ label: name(label), from: name(from), to: name(to) },
    ...{ labels: sorted(labels), fromLabels: sorted(fromLabels), toLabels: sorted(toLabels) },
    ...{ fromTied: sorted(fromTied), toTied: sorted(toTied) },
  };
}

const byLabel = <T extends { readonly label: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (a.label < b.label ? -1 : 1));

/** Clean metrics with labels by name. */
function cleanFigures(
  { confusion, perClass, labelSets, ...rest }: CleanMetrics,
  order: Order,
  labels: readonly string[],
) {
  const own = reordered(labels, order);
  return {
    ...rest,
    perClass: byLabel(perClass),
    confusion: confusion.flatMap((row, is) => row.map((n, as) => `${own[is]} as ${own[as]}: ${n}`)).sort(),
    labelSets: labelSets && { ...labelSets, perLabel: byLabel(labelSets.perLabel) },
  };
}

/** The figures with labels by name, and without times. */
function figuresOf({ clean, attacks: of, overall, suites, warnings }: Report, order: Order, labels: readonly string[]) {
  return {
    clean: cleanFigures(clean, order, labels),
    attacks: of.map(({ seconds, perClass: ofClass, ...each }) => ({
      ...each,
      perClass: byLabel(ofClass),
      ...('labelChanges' in each && { labelChanges: byLabel(each.labelChanges as { label: string }[]) }),
      ...('capabilities' in each && { capabilities: undefined }),
    })),
    ...{ overall, suites, warnings },
  };
}

/** Runs the attacks on the texts in one order of the labels; label sets hold the labels of `truth`. */
async function ranIn(
  order: Order,
  choice: {
    labels: readonly string[];
    plan: Partial<RunPlan>;
    texts?: readonly string[];
    plugins: readonly EvasionPlugin[];
    truth: readonly number[][];
  },
): Promise<object> {
  const { labels, plan, plugins, truth, texts = TEXTS } = choice;
  const column = (label: number): number => order.indexOf(label);
  const given = planOf({
    ...plan,
    attacks: plugins.map(
      (plugin): PlannedAttack => ({ plugin, options: optionsOf(plugin), suite: null, label: plugin.name }),
    ),
    dataset: {
      name: 'texts',
      labels: reordered(labels, order),
      source: { url: '', license: '', sha256: 'texts' },
      async *examples() {
        for (const [at, text] of texts.entries()) {
          const all = (truth[at % truth.length] as number[]).map(column).sort((a, b) => a - b);
          const several = plan.model?.decision?.kind === 'multi-label';
          // As readers of data do: of several labels the first by name.
          const label = column(Math.min(...(truth[at % truth.length] as number[]), labels.length));
          yield { id: String(at), text, label, ...(several && { labels: all }) };
        }
      },
    },
    force: true,
  });
  const report = await attack(given, await createRun(root, given));
  const outcomes = await listOf(report.examples);
  return {
    figures: figuresOf(report, order, labels),
    closest: report.closest.map((outcome) => byNames(outcome, order, labels)),
    outcomes: outcomes.map((outcome) => byNames(outcome, order, labels)),
  };
}

const optionsOf = ({ options }: EvasionPlugin): Record<string, unknown> => {
  const fewer = options.safeParse({ templates: 2 });
  return (fewer.success ? fewer.data : options.parse({})) as Record<string, unknown>;
};

const goalNamed = (name: string, order: Order, rule?: DecisionRule): Goal => {
  const labels = reordered(LABELS, order);
  const [kind, label] = name.split('=');
  const plugin = goals.find((each) => each.name === kind);
  return plugin?.create(plugin.options.parse(label ? { label } : {}), labels, decisionOf(rule, labels)) as Goal;
};

const detector = (at: number, positive = ['negative', 'neutral'], by: 'max' | 'sum' = 'max'): DecisionRule => ({
  kind: 'threshold',
  positive,
  by,
  at,
});
const CASES: readonly (readonly [string, string, DecisionRule | undefined])[] = [
  ['the most probable label', 'untargeted', undefined],
  ['one label wanted', 'targeted=positive', undefined],
  ['a detector evaded', 'evade', detector(0.5)],
  ['a detector set off, by the sum', 'alarm', detector(0.75, ['neutral', 'positive'], 'sum')],
  ['either side of a detector', 'untargeted', detector(0.5)],
  ['one label of a detector', 'targeted=neutral', detector(0.25)],
  ['a label lost', 'label-lost', { kind: 'multi-label', at: [0.25, 0.25, 0.25] }],
  ['a label gained', 'label-gained', { kind: 'multi-label', at: [0.5, 0.5, 0.5] }],
  ['any change of labels', 'untargeted', { kind: 'multi-label', at: [0.5, 0.25, 0.5] }],
];

const insideOnly = ({ needs, level }: EvasionPlugin): boolean => needs === 'gradients' || level === 'embedding';
const blackBox = attacks.filter((plugin) => !insideOnly(plugin));
/** One of each search, and those that look at labels themselves. A decision shows in the goal alone: all attacks meet one, where the matrix is whole. */
const oneOfEachSearch = attacks.filter(({ name }) =>
  [
    'deepwordbug',
    'hard-label',
    'random-search',
    'alzantot',
    'pso',
    'prompt-suffix',
    'negation',
    'input-reduction',
  ].includes(name),
);

/** The runs in all orders are the same; some outcome has each of the statuses. */
async function expectSame(runs: readonly Promise<object>[], statuses: readonly string[]): Promise<void> {
  const [first, ...others] = await Promise.all(runs);
  for (const other of others) expect(other).toEqual(first);
  const found = new Set((first as { outcomes: { status: string }[] }).outcomes.map(({ status }) => status));
  for (const status of statuses) expect([...found]).toContain(status);
}

describe('no order of the labels changes a run', () => {
  test.each(covered(CASES, 0, 3))('%s', async (_, goal, rule) => {
    // Both labels of a tie are true of some text, and the third one too.
    const truth = rule?.kind === 'multi-label' ? SETS : [[2], [0], [2], [1], [0], [1], [2]];
    const plugins = WHOLE && rule === undefined && goal === 'untargeted' ? blackBox : oneOfEachSearch;
    const runs = ORDERS.map((order) => {
      const own: DecisionRule | undefined =
        rule?.kind === 'multi-label' ? { ...rule, at: reordered(rule.at, order) } : rule;
      const model = { classifier: victimOf(order), name: 'quarters', sha256: 'q', ...(own && { decision: own }) };
      return ranIn(order, { labels: LABELS, plan: { model, goal: goalNamed(goal, order, own) }, plugins, truth });
    });
    // A score that rises to the threshold has crossed it; a score that falls to it is left on the line.
    const ties = rule === undefined ? goal === 'untargeted' : ['evade', 'label-lost'].includes(goal);
    await expectSame(runs, ['succeeded', 'failed', ...(ties ? ['tied'] : [])]);
  });

  test('attacks that see inside the victim', async () => {
    const runs = [
      [0, 1],
      [1, 0],
    ].map((order) => {
      const gradients = whiteBoxOf(order);
      const model = { classifier: gradients, name: 'tenths', sha256: 't', gradients };
      const plan = { model, goal: goals[0]?.create({ confidence: 0 }) as Goal };
      return ranIn(order, {
        labels: closedForm.labels,
        plan,
        plugins: attacks.filter(insideOnly),
        texts: KNOWN,
        truth: [[1], [0]],
      });
    });
    await expectSame(runs, ['succeeded', 'failed']);
  });
});

/** Texts of words that the white box knows. */
const KNOWN = ['good film', 'dull cast', 'fine lovely film', 'poor film', 'lovely cast film', 'plain dull film'];

/** Answers in tenths; the gradients are of the answers before they are rounded. */
function whiteBoxOf(order: Order): WhiteBox {
  const rounded = (row: Float32Array): Float32Array => {
    const positive = Math.round(10 * (row[1] as number)) / 10;
    return Float32Array.from(reordered([1 - positive, positive], order));
  };
  const place = (label: number): number => order[label] as number;
  const turned = <T extends { readonly probabilities: Float32Array }>(answer: T): T => ({
    ...answer,
    probabilities: rounded(answer.probabilities),
  });
  return {
    ...closedForm,
    labels: reordered(closedForm.labels, order),
    classify: async (texts) => (await closedForm.classify(texts)).map(rounded),
    classifyEmbeddings: async (batch, tokens) => (await closedForm.classifyEmbeddings(batch, tokens)).map(rounded),
    gradient: async (text, label) => turned(await closedForm.gradient(text, place(label))),
    gradientAt: async (at, tokens, label) => turned(await closedForm.gradientAt(at, tokens, place(label))),
  };
}

/** Rows in quarters, with NaN now and then. */
const rows = fc
  .array(fc.constantFrom(0, 0.25, 0.5, 0.75, 1), { minLength: 3, maxLength: 3 })
  .map((scores) => Float32Array.from(scores));
const rules = fc.constantFrom(...new Set(CASES.map(([, , rule]) => rule)));
const orders = fc.constantFrom<Order>([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]);
const in3 = fc.nat(2);

describe('no order of the labels changes a decision', () => {
  const decisionIn = (rule: DecisionRule | undefined, order: Order) => {
    const own = rule?.kind === 'multi-label' ? { ...rule, at: reordered(rule.at, order) } : rule;
    return { own, decision: decisionOf(own, reordered(LABELS, order)) };
  };

  test('a row is read alike, and reaches the same goals', () => {
    fc.assert(
      fc.property(rules, orders, rows, rows, in3, (rule, order, before, row, label) => {
        const judged = (of: Order) => {
          const { own, decision } = decisionIn(rule, of);
          const [name, own1, own2] = [namedBy(of, LABELS), reordered(before, of), reordered(row, of)].map((each) =>
            typeof each === 'function' ? each : Float32Array.from(each),
          ) as [(label: number) => string, Float32Array, Float32Array];
          const truth = {
            label: of.indexOf(label),
            ...(rule?.kind === 'multi-label' && { labels: [of.indexOf(label)] }),
          };
          const reached = CASES.filter(([, , its]) => its?.kind === rule?.kind).map(([, goal]) => {
            const wanted = goalNamed(goal, of, own);
            const mine = wanted.of === undefined ? { goal: wanted, label: truth.label } : wanted.of(truth, own1);
            return (
              mine && [
                name(mine.label),
                mine.goal.score(own2, mine.label),
                mine.goal.reached(own2, mine.label),
                mine.goal.tied?.(own2, mine.label),
              ]
            );
          });
          return {
            reached,
            label: name(decision.label(own2)),
            labels: decision.labels(own2).map(name).sort(),
            tied: decision.tied(own2).map(name).sort(),
            right: decision.right(own2, truth),
            fooled: isFooled(decision, own2, truth),
            confidence: decision.confidence(own2, truth),
            true: trueLabels(truth).map(name),
          };
        };
        expect(judged(order)).toEqual(judged([0, 1, 2]));
      }),
      { seed: 42, numRuns: tries(2000) },
    );
  });

  test('no text is both read right and fooled, and a tie with the true label is neither', () => {
    fc.assert(
      fc.property(rules, rows, in3, (rule, row, label) => {
        const { decision } = decisionIn(rule, [0, 1, 2]);
        const truth = { label, labels: [label] };
        const [right, fooled] = [decision.right(row, truth), isFooled(decision, row, truth)];
        expect(right && fooled).toBe(false);
        if (rule === undefined) expect(right || fooled).toBe(!decision.tied(row).includes(label));
        else expect(right || fooled).toBe(true);
      }),
      { seed: 42, numRuns: tries(2000) },
    );
  });

  test('clean metrics are the same: rates, classes, calibration, areas under curves', () => {
    fc.assert(
      fc.property(
        rules,
        orders,
        fc.array(fc.tuple(in3, rows), { minLength: 1, maxLength: 40 }),
        (rule, order, answers) => {
          const metricsIn = (of: Order) => {
            const fold = cleanFold(reordered(LABELS, of), undefined, decisionIn(rule, of).decision);
            for (const [label, row] of answers) {
              const own = of.indexOf(label);
              fold.add({ label: own, labels: [own] }, Float32Array.from(reordered(row, of)));
            }
            return cleanFigures(fold.metrics(), of, LABELS);
          };
          expect(metricsIn(order)).toEqual(metricsIn([0, 1, 2]));
        },
      ),
      { seed: 42, numRuns: tries(500) },
    );
  });
});
