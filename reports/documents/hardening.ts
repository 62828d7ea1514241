/** @file Gain of adversarial training: the verdict in words, then the table. */
import { quantity } from '../../src/core/figure-text.js';
import { degenerateModels } from '../../src/results/clean/degenerate.js';
import type { Comparison } from '../../src/results/comparison/comparison.js';
import {
  type Change,
  type Gain,
  type HardeningReport,
  MIN_COMPARED_EXAMPLES,
  type SeedComparison,
  type Spread,
} from '../../src/results/comparison/hardening.js';
import { type Document, type Inline, note, strong, table } from '../../src/results/report/document.js';
import { leftOutLines } from '../../src/results/report/left-out.js';
import { figureValue, figureWords, underAttackWords } from '../decision-words.js';
import { percent, points, probability } from '../figures.js';
import { differenceCells, pairRows, verdictLine, verdictRows } from './compared-rows.js';

const ABOUT =
  'Accuracy, or the figures of the decision, unedited and under attack, of the untouched model, of the control (trained equally long without adversarial examples) and of the hardened one. Gain: hardened less untouched (less control, for a new model), in points, with its 95 % interval (Newcombe, paired) and p (McNemar, Holm). ASR: over the texts that both models of the gain read right.';

const SPREAD =
  'Means over the seeds, each with its own training and attacks; in brackets the lowest and the highest. Gain: hardened less untouched (less control, for a new model), in points, with its 95 % interval over texts and seeds and p (Holm over the attacks).';

const ONE_SEED =
  'One seed compares these models, not the method: another training may differ as much. --seeds 3 trains three times.';

export function hardeningDocument(report: HardeningReport): Document {
  const { data, seeds, chosenOn, gains } = report;
  const [first] = seeds;
  const one = seeds.length === 1;
  return {
    title: 'Did it help?',
    lead: [
      strong(answerOf(report)),
      `; ${quantity(data.examples, 'example')} of ${data.name}, ${one ? 'seed' : 'seeds'} ${seeds.map(({ seed }) => seed).join(', ')}`,
    ],
    sections: [
      {
        id: 'gain',
        blocks: [
          { kind: 'list', items: hardeningVerdict(report) },
          one ? oneSeed(first as SeedComparison) : overSeeds(gains),
          ...leftOutLines(first?.beyond.leftOut).map(
            (line) => ({ kind: 'prose', text: line, tone: 'warning' }) as const,
          ),
          note(one ? ABOUT : SPREAD),
          ...(one ? [note(ONE_SEED)] : []),
          ...(chosenOn
            ? [note('These texts chose the weights, which flatters both trained models: --test names others.')]
            : []),
        ],
      },
    ],
  };
}

/** The verdict in one line: what the model is more or less robust against, and the clean accuracy before and after. */
function answerOf({ gains, seeds }: HardeningReport): string {
  const [clean, ...attacks] = gains;
  const models = seeds.flatMap(({ gain, beyond }) => [...(gain?.models ?? []), ...beyond.models]);
  if (degenerateModels(models).length > 0) return 'Inconclusive: a model predicts one class';
  const measured = attacks.filter(({ n }) => n >= MIN_COMPARED_EXAMPLES);
  const names = (of: readonly Gain[]): string => of.map(({ name }) => name).join(', ');
  const better = measured.filter(({ gain }) => !gain.noise && gain.mean > 0);
  const worse = measured.filter(({ gain }) => !gain.noise && gain.mean < 0);
  // Without an untouched model, the gain is that over the control.
  const trained = better.filter(
    ({ untouched, beyond }) => untouched !== undefined && (beyond.noise || beyond.mean < 0),
  );
  const hardened = better.filter((gain) => !trained.includes(gain));
  const answers = [
    ...(hardened.length > 0 ? [`more robust against ${names(hardened)}`] : []),
    ...(trained.length > 0 ? [`no more robust against ${names(trained)} than the control`] : []),
    ...(worse.length > 0 ? [`less robust against ${names(worse)}`] : []),
  ];
  const none =
    measured.length === 0 ? `inconclusive: fewer than ${MIN_COMPARED_EXAMPLES} examples` : 'no measurable gain';
  const answer = answers.join('; ') || none;
  const before = clean && (clean.untouched ?? clean.control).mean * 100;
  const change = clean && `; clean accuracy ${before?.toFixed(1)} → ${percent(clean.hardened.mean)}`;
  return `${answer.charAt(0).toUpperCase()}${answer.slice(1)}${change ?? ''}`;
}

function oneSeed({ gain, beyond }: SeedComparison) {
  const others = pairRows(beyond);
  return table(
    'The models',
    [
      ...['', ...(gain ? ['untouched'] : []), 'control', 'hardened', 'gain', '95 % interval', 'p'],
      ...[gain ? 'ASR untouched' : 'ASR control', 'ASR hardened'],
    ],
    pairRows(gain ?? beyond).map((row, at) => [
      row.title,
      ...(gain ? [figureValue(row.metric, row.rates.a)] : []),
      figureValue(row.metric, others[at]?.rates.a ?? { value: null }),
      figureValue(row.metric, row.rates.b),
      ...differenceCells(row),
      ...(row.asr ? [row.asr.a, row.asr.b].map((rate) => percent(rate.value)) : ['', '']),
    ]),
  );
}

const overSeeds = (gains: readonly Gain[]) => {
  const against = gains[0]?.untouched !== undefined;
  return table(
    'The models over the seeds',
    [
      ...['', ...(against ? ['untouched'] : []), 'control', 'hardened', 'gain', '95 % interval', 'p'],
      ...(against ? ['over the control', 'p'] : []),
    ],
    gains.map(({ name, untouched, control, hardened, gain, beyond }): Inline[] => [
      name === 'clean' ? 'unedited' : name,
      ...(untouched ? [around(untouched)] : []),
      ...[around(control), around(hardened), difference(gain), bounds(gain), probability(gain.p)],
      ...(untouched ? [difference(beyond), probability(beyond.p)] : []),
    ]),
  );
};

const around = ({ mean, low, high }: Spread): string =>
  `${percent(mean)} (${(low * 100).toFixed(1)}-${(high * 100).toFixed(1)})`;

/** A difference that is more than chance stands out. */
const difference = ({ mean, noise }: Change): Inline => (noise ? points(mean) : strong(points(mean)));

const bounds = ({ interval: { low, high } }: Change): string => `${points(low)} to ${points(high)}`;

/** The verdict, a sentence for the clean accuracy and one for each suite and each attack outside one. */
export function hardeningVerdict({ seeds, gains }: HardeningReport): string[] {
  const [first] = seeds;
  if (first === undefined) return [];
  const models = seeds.flatMap(({ gain, beyond }) => [...(gain?.models ?? []), ...beyond.models]);
  const spoilt = [...new Set(degenerateModels(models))];
  if (spoilt.length > 0) return spoilt;
  return seeds.length === 1
    ? verdictOfOne(first, gains)
    : gains.map((gain) => `${changeLine(gain, first.beyond)}${gain.name === 'clean' ? '' : `: ${judge(gain)}`}`);
}

function verdictOfOne({ gain, beyond }: SeedComparison, gains: readonly Gain[]): string[] {
  return verdictRows(gain ?? beyond).map(({ title, row }) => {
    const line = verdictLine(title, row);
    const judged = row.attack === undefined ? undefined : gains.find(({ name }) => name === row.attack);
    return judged === undefined ? line : `${line}: ${judge(judged)}`;
  });
}

/** What a change under attack says. */
function judge({ name, n, untouched, gain, beyond }: Gain): string {
  if (n < MIN_COMPARED_EXAMPLES)
    return `inconclusive, ${quantity(n, 'example')} compared, ${MIN_COMPARED_EXAMPLES} are needed`;
  if (gain.noise) return `no measurable gain against ${name}`;
  if (gain.mean < 0) return `worse against ${name}`;
  if (untouched === undefined) return 'a gain';
  const more = `${points(beyond.mean)} beyond the control`;
  if (!beyond.noise && beyond.mean > 0) return `a gain, ${more}`;
  return `a gain that equally long training without adversarial examples brings too (${more}${beyond.noise ? ', n.s.' : ''})`;
}

function changeLine({ name, untouched, control, hardened, gain }: Gain, compared: Comparison): string {
  const rule = compared.decisions?.[0];
  const clean = rule?.kind === 'multi-label' ? figureWords('accuracy', rule) : 'clean accuracy';
  const what = name === 'clean' ? clean : `${name}: ${underAttackWords('recallUnderAttack', compared)}`;
  const from = ((untouched ?? control).mean * 100).toFixed(1);
  const sure = gain.noise ? 'n.s.' : `p ${probability(gain.p)}`;
  return `${what} ${from} → ${percent(hardened.mean)} (${points(gain.mean)}, 95 % CI ${bounds(gain)}, ${sure})`;
}
