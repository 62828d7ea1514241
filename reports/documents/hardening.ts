/** @file Gain of adversarial training: the verdict in words, then the table. */
import { quantity } from '../../src/core/figure-text.js';
import {
  type AttackComparison,
  type Comparison,
  type Document,
  degenerateModels,
  type Gain,
  type HardeningReport,
  type Inline,
  leftOutLines,
  MIN_COMPARED_EXAMPLES,
  note,
  type SeedComparison,
  type Spread,
  significant,
  strong,
  table,
  verdictsOn,
} from '../../src/plugin.js';
import { figureValue, figureWords, underAttackWords } from '../decision-words.js';
import { percent, points } from '../figures.js';
import { differenceCells, pairRows, verdictLine, verdictRows } from './compared-rows.js';

const ABOUT =
  'Accuracy, or the figures of the decision, unedited and under attack, of the untouched model, of the control (trained equally long without adversarial examples) and of the hardened one. Gain: hardened less untouched (less control, for a new model), in points, with its 95 % interval (Newcombe, paired) and p (McNemar, Holm). ASR: over the texts that both models of the gain read right.';

const SPREAD =
  'Means over the seeds, each with its own training and attacks; in brackets the lowest and the highest. Gain: hardened less untouched (less control, for a new model), in points. A difference no larger than its own spread is called noise.';

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
          ...(chosenOn
            ? [
                note(
                  'These texts also chose the weights to keep, which flatters both trained models: --test names others.',
                ),
              ]
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
  const better = measured.filter(({ gain, noise }) => !noise && gain.mean > 0);
  const worse = measured.filter(({ gain, noise }) => !noise && gain.mean < 0);
  // Without an untouched model, the gain is that over the control.
  const trained = better.every(({ untouched, beyondNoise }) => untouched !== undefined && beyondNoise);
  const answers = [
    ...(better.length > 0
      ? [`more robust against ${names(better)}${trained ? ', but no more than the control' : ''}`]
      : []),
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

const overSeeds = (gains: readonly Gain[]) =>
  table(
    'The models over the seeds',
    [
      ...['', ...(gains[0]?.untouched ? ['untouched'] : []), 'control', 'hardened', 'gain'],
      ...(gains[0]?.untouched ? ['over the control'] : []),
    ],
    gains.map(({ name, untouched, control, hardened, gain, noise, beyond, beyondNoise }): Inline[] => [
      name === 'clean' ? 'unedited' : name,
      ...(untouched ? [around(untouched)] : []),
      around(control),
      around(hardened),
      difference(gain, noise),
      ...(untouched ? [difference(beyond, beyondNoise)] : []),
    ]),
  );

const around = ({ mean, low, high }: Spread): string =>
  `${percent(mean)} (${(low * 100).toFixed(1)}-${(high * 100).toFixed(1)})`;

const difference = ({ mean, low, high }: Spread, noise: boolean): string =>
  `${points(mean)} (${points(low)} to ${points(high)})${noise ? ', noise' : ''}`;

/** The verdict, a sentence for the clean accuracy and one for each suite and each attack outside one. */
export function hardeningVerdict({ seeds, gains }: HardeningReport): string[] {
  const [first] = seeds;
  if (first === undefined) return [];
  const models = seeds.flatMap(({ gain, beyond }) => [...(gain?.models ?? []), ...beyond.models]);
  const spoilt = [...new Set(degenerateModels(models))];
  if (spoilt.length > 0) return spoilt;
  return seeds.length === 1 ? verdictOfOne(first) : gains.map((gain) => verdictOfSeveral(gain, first.beyond));
}

function verdictOfOne({ gain, beyond }: SeedComparison): string[] {
  const verdict = gain ?? beyond;
  const alone = verdictsOn(beyond);
  return verdictRows(verdict).map(({ title, row }) => {
    const line = verdictLine(title, row);
    const at = verdictsOn(verdict).findIndex(({ attackSuccessRate }) => attackSuccessRate === row.asr);
    const each = verdictsOn(verdict)[at];
    return each === undefined ? line : `${line}: ${judge(each, gain && alone[at])}`;
  });
}

const tooFew = (n: number): string =>
  `inconclusive, ${quantity(n, 'example')} compared, ${MIN_COMPARED_EXAMPLES} are needed`;

/** Verdict on a change under attack; `alone`: against the control, if that is another comparison. */
function judge(each: AttackComparison, alone: AttackComparison | undefined): string {
  const { n } = each.difference;
  if (n < MIN_COMPARED_EXAMPLES) return tooFew(n);
  const value = each.difference.value ?? 0;
  if (!significant(each)) return `no gain against ${each.name}`;
  if (value < 0) return `worse against ${each.name}`;
  if (alone === undefined) return 'a gain';
  return gainText(alone.difference.value, significant(alone) ? undefined : 'n.s.');
}

/** A gain over the untouched model, and the part of it beyond the control. `chance`: the words for a part that may be due to chance. */
function gainText(value: number | null, chance: string | undefined): string {
  const beyond = `${points(value)} beyond the control`;
  if (chance === undefined) return `a gain, ${beyond}`;
  return `a gain that equally long training without adversarial examples brings too (${beyond}, ${chance})`;
}

function verdictOfSeveral(
  { name, untouched, control, hardened, gain, beyond, noise, beyondNoise, n }: Gain,
  compared: Comparison,
): string {
  const rule = compared.decisions?.[0];
  const clean = rule?.kind === 'multi-label' ? figureWords('accuracy', rule) : 'clean accuracy';
  const what = name === 'clean' ? clean : `${name}: ${underAttackWords('recallUnderAttack', compared)}`;
  const from = ((untouched ?? control).mean * 100).toFixed(1);
  const change = `${what} ${from} → ${percent(hardened.mean)} (${points(gain.mean)} on average, ${points(gain.low)} to ${points(gain.high)})`;
  if (n < MIN_COMPARED_EXAMPLES) return `${change}: ${tooFew(n)}`;
  if (noise) return `${change}: noise, no larger than its spread over the seeds`;
  if (name === 'clean') return change;
  if (gain.mean < 0) return `${change}: worse against ${name}`;
  return `${change}: ${untouched ? gainText(beyond.mean, beyondNoise ? 'noise' : undefined) : 'a gain'}`;
}
