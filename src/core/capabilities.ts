/** @file What behavioural probes add up to: how often each capability fails, and a few minimal pairs that show it. */
import type { CapabilityMetrics } from './attack-metrics.js';
import type { Outcome, Relation } from './outcome.js';
import { wilson } from './stats.js';

/** Failures shown of each capability and relation. */
const SAMPLES = 3;

type Sample = CapabilityMetrics['samples'][number];

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The surest mistake first. */
const byScore = (a: Sample, b: Sample): number =>
  a.score - b.score || byText(a.text, b.text) || byText(a.id ?? '', b.id ?? '');

interface Count {
  readonly capability: string;
  readonly relation: Relation;
  n: number;
  failed: number;
  samples: Sample[];
  /** Templates' texts: parts of one run that are put together may each have asked them. */
  readonly once: Set<string>;
}

/** Folds the probes of one attack's outcomes; the order of the outcomes changes nothing. */
export function capabilityFold() {
  const counts = new Map<string, Count>();
  return {
    add({ id, text: own, probes = [] }: Outcome): void {
      for (const { capability, relation, original, text, expected, got, score } of probes) {
        const key = `${capability}\n${relation}`;
        const count = counts.get(key) ?? { capability, relation, n: 0, failed: 0, samples: [], once: new Set() };
        counts.set(key, count);
        if (relation === 'MFT') {
          if (count.once.has(text)) continue;
          count.once.add(text);
        }
        count.n += 1;
        if (expected.includes(got)) continue;
        count.failed += 1;
        const pair = original === undefined ? { id, original: own } : { original };
        count.samples = [...count.samples, { ...pair, text, expected, got, score }].sort(byScore).slice(0, SAMPLES);
      }
    },

    /** By name, then relation; empty where nothing was probed. */
    metrics(): CapabilityMetrics[] {
      return [...counts.values()]
        .sort((a, b) => byText(a.capability, b.capability) || byText(a.relation, b.relation))
        .map(({ capability, relation, n, failed, samples }) => ({
          capability,
          relation,
          n,
          failed,
          failureRate: wilson(failed, n),
          samples,
        }));
    },
  };
}
