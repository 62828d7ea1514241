/** @file What adversarial training gained, as people read it on a screen: the table, then the verdict in words. */
import {
  type AttackComparison,
  COMPARED,
  degenerateModels,
  type Gain,
  type HardeningReport,
  leftOutLines,
  type Renderer,
  type SeedComparison,
  type Spread,
  significant,
  verdictsOn,
} from '../src/index.js';
import { verdictLine } from './comparison.js';
import { type PairRow, pairRows, points } from './comparison-rows.js';
import { percent } from './figures.js';
import { blocks, wrapped } from './layout.js';
import type { Screen } from './terminal.js';
import { visible } from './visible.js';

const ABOUT =
  'Accuracy unedited and under attack, of the untouched model, of the control (trained equally long without adversarial examples) and of the hardened one. Gain: hardened less untouched (less control, for a new model), in points, with its 95 % interval (Newcombe, paired) and p (McNemar, Holm). ASR: over the texts that both models of the gain read right.';

const SPREAD =
  'Means over the seeds, each trained and attacked anew; in brackets the lowest and the highest. A gain no larger than its own spread is called noise.';

/** The renderer for a screen of this width and these colours. */
export function hardeningTerminal({ width, chalk }: Screen): Renderer<HardeningReport> {
  return {
    name: 'terminal',
    extension: 'txt',
    *render(report) {
      const { data, seeds, chosenOn } = report;
      const last = seeds.length === 1 ? `seed ${seeds[0]?.seed}` : `seeds ${seeds.map(({ seed }) => seed).join(', ')}`;
      yield `${chalk.bold('Did it help?')} ${data.examples} examples of ${visible(data.name)}, ${last}\n\n`;
      const table = seeds.length === 1 ? oneSeed(seeds[0] as SeedComparison) : overSeeds(report.gains);
      for (const block of blocks(table, width)) yield `${block}\n`;
      for (const line of leftOutLines(seeds[0]?.beyond.leftOut))
        yield `\n${wrapped(visible(line), width, 0, chalk.yellow)}\n`;
      yield '\n';
      for (const line of hardeningVerdict(report)) yield `${wrapped(visible(line), width, 2)}\n`;
      yield `\n${wrapped(seeds.length === 1 ? ABOUT : SPREAD, width, 0, chalk.dim)}\n`;
      if (chosenOn) {
        const text =
          'These texts also chose the weights to keep, which flatters both trained models: --test names others.';
        yield `${wrapped(text, width, 0, chalk.dim)}\n`;
      }
    },
  };
}

/** Columns of the table of one seed. */
function oneSeed({ gain, beyond }: SeedComparison): string[][] {
  const rows = pairRows(gain ?? beyond);
  const others = pairRows(beyond);
  const column = (head: string, cell: (row: PairRow, at: number) => string) => [head, ...rows.map(cell)];
  return [
    column('', ({ title }) => title),
    ...(gain ? [column('untouched', ({ a }) => a)] : []),
    column('control', (_, at) => (others[at] as PairRow).a),
    column('hardened', ({ b }) => b),
    column('gain', ({ difference }) => difference),
    column('95 % interval', ({ bounds }) => bounds),
    column('p', ({ p }) => p),
    column(gain ? 'ASR untouched' : 'ASR control', ({ asrA }) => asrA),
    column('ASR hardened', ({ asrB }) => asrB),
  ].map((cells) => cells.map(visible));
}

/** Columns of the table of several seeds. */
function overSeeds(gains: readonly Gain[]): string[][] {
  const column = (head: string, cell: (gain: Gain) => string) => [head, ...gains.map(cell)];
  return [
    column('', ({ name }) => (name === 'clean' ? 'unedited' : name)),
    ...(gains[0]?.untouched ? [column('untouched', ({ untouched }) => around(untouched as Spread))] : []),
    column('control', ({ control }) => around(control)),
    column('hardened', ({ hardened }) => around(hardened)),
    column('gain', ({ gain }) => `${points(gain.mean)} (${points(gain.low)} to ${points(gain.high)})`),
    column('', ({ noise }) => (noise ? 'noise' : '')),
  ].map((cells) => cells.map(visible));
}

const around = ({ mean, low, high }: Spread): string =>
  `${percent(mean)} (${(low * 100).toFixed(1)}-${(high * 100).toFixed(1)})`;

/** The verdict, a sentence for the clean accuracy and one for each suite and each attack outside one. */
export function hardeningVerdict({ seeds, gains }: HardeningReport): string[] {
  const [first] = seeds;
  if (first === undefined) return [];
  const models = seeds.flatMap(({ gain, beyond }) => [...(gain?.models ?? []), ...beyond.models]);
  const spoilt = [...new Set(degenerateModels(models))];
  if (spoilt.length > 0) return spoilt;
  return seeds.length === 1 ? verdictOfOne(first) : gains.map(verdictOfSeveral);
}

function verdictOfOne({ gain, beyond }: SeedComparison): string[] {
  const told = gain ?? beyond;
  const alone = verdictsOn(beyond);
  return [
    verdictLine('clean accuracy', told.clean, told.clean.mcnemarP),
    ...verdictsOn(told).map((each, at) => {
      const line = verdictLine(`${each.name}: accuracy under attack`, each, each.adjustedP);
      return `${line}: ${judged(each, gain && alone[at])}`;
    }),
  ];
}

const tooFew = (n: number): string => `inconclusive, ${n} examples compared, ${COMPARED} are needed`;

/** What a change under attack comes to; `alone`: against the control, where that is another comparison. */
function judged(each: AttackComparison, alone: AttackComparison | undefined): string {
  const { n } = each.difference;
  if (n < COMPARED) return tooFew(n);
  const value = each.difference.value ?? 0;
  if (!significant(each)) return `no gain against ${each.name}`;
  if (value < 0) return `worse against ${each.name}`;
  if (alone === undefined) return 'a gain';
  const beyond = `${points(alone.difference.value)} beyond the control`;
  if (!significant(alone))
    return `a gain that training as long without adversarial examples brings too (${beyond}, n.s.)`;
  return `a gain, ${beyond}`;
}

function verdictOfSeveral({ name, untouched, control, hardened, gain, beyond, noise, n }: Gain): string {
  const what = name === 'clean' ? 'clean accuracy' : `${name}: accuracy under attack`;
  const from = ((untouched ?? control).mean * 100).toFixed(1);
  const change = `${what} ${from} → ${percent(hardened.mean)} (${points(gain.mean)} on average, ${points(gain.low)} to ${points(gain.high)})`;
  if (n < COMPARED) return `${change}: ${tooFew(n)}`;
  if (noise) return `${change}: noise, no larger than its spread over the seeds`;
  if (name === 'clean') return change;
  if (gain.mean < 0) return `${change}: worse against ${name}`;
  return untouched ? `${change}: a gain, ${points(beyond.mean)} beyond the control` : `${change}: a gain`;
}
