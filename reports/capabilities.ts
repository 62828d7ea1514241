/** @file What a model fails to understand: a table of capabilities, and minimal pairs that show it. */
import {
  CAPABILITY_MEANINGS,
  type CapabilityMetrics,
  type Rate,
  type Relation,
  type Report,
  TEXTBOOK_PROBE,
  wilson,
} from '../src/index.js';
import { interval } from './figures.js';
import { own } from './taxonomy.js';

/** Minimal pairs shown, each of another capability. */
const PAIRS = 6;

/** What the columns of the table are. */
export const RELATIONS: Readonly<Record<Relation, string>> = {
  INV: 'says the same as the text, so the answer must stay',
  DIR: 'says the opposite, so it must turn',
  MFT: 'sentences of our own, their verdict known',
};

export const WHAT_COUNTS =
  'Failures of the model, not successes of an attack: those are only texts whose right answer a rewrite that says the same (INV) turned.';

/** A capability with a line for each relation it was asked in. */
export interface CapabilityRow {
  readonly capability: string;
  cell(relation: Relation): string;
}

export interface Pair {
  readonly capability: string;
  readonly relation: Relation;
  readonly sample: CapabilityMetrics['samples'][number];
  /** Why the expected answer is right. */
  readonly meaning: string;
}

/** `6/45 13 % 6-26`: failed, asked, rate, its 95 % interval. */
const cellOf = (failed: number, rate: Rate): string =>
  `${failed}/${rate.n} ${rate.value === null ? '-' : `${Math.round(rate.value * 100)} %`} ${interval(rate)}`;

const total = (of: readonly CapabilityMetrics[]): Rate =>
  wilson(
    of.reduce((sum, { failed }) => sum + failed, 0),
    of.reduce((sum, { n }) => sum + n, 0),
  );

/** A row a capability, those first that fail most, then all together; empty for attacks that probe nothing. */
export function capabilityRows({ capabilities = [] }: Report['attacks'][number]): CapabilityRow[] {
  const names = [...new Set(capabilities.map(({ capability }) => capability))];
  const of = (name: string): CapabilityMetrics[] => capabilities.filter(({ capability }) => capability === name);
  const worst = new Map(names.map((name) => [name, total(of(name)).value ?? 0]));
  const row = (capability: string, members: readonly CapabilityMetrics[]): CapabilityRow => ({
    capability,
    cell(relation) {
      const asked = members.filter((each) => each.relation === relation);
      const rate = total(asked);
      return rate.n === 0
        ? ''
        : cellOf(
            asked.reduce((sum, { failed }) => sum + failed, 0),
            rate,
          );
    },
  });
  const sorted = names.toSorted((a, b) => (worst.get(b) as number) - (worst.get(a) as number));
  return names.length === 0 ? [] : [...sorted.map((name) => row(name, of(name))), row('all of them', capabilities)];
}

/** The relations that were asked, in the order of the columns. */
export const relationsOf = ({ capabilities = [] }: Report['attacks'][number]): Relation[] =>
  (['INV', 'DIR', 'MFT'] as const).filter((relation) => capabilities.some((each) => each.relation === relation));

/** Short pairs are the clearest, and of them the sentence everybody quotes. */
const length = ({ text }: Pair['sample']): number => (text === TEXTBOOK_PROBE.text ? 0 : text.length);

/** One failure of each of the capabilities that fail most. */
export function minimalPairs({ capabilities = [] }: Report['attacks'][number]): Pair[] {
  const meanings: Readonly<Record<string, string>> = CAPABILITY_MEANINGS;
  const clearest = new Map<string, Pair & { readonly rate: number }>();
  for (const { capability, relation, failureRate, samples } of capabilities) {
    for (const sample of samples) {
      const known = clearest.get(capability);
      if (known !== undefined && length(known.sample) <= length(sample)) continue;
      const rate = length(sample) === 0 ? 1 : (failureRate.low ?? 0);
      clearest.set(capability, { capability, relation, sample, meaning: own(meanings, capability) ?? '', rate });
    }
  }
  return [...clearest.values()].sort((a, b) => b.rate - a.rate).slice(0, PAIRS);
}
