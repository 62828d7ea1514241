/**
 * @file A measure: what an attack finds out besides whether it succeeded. It says what an outcome carries for it, what the outcomes add up
 * to, what the figures are called, and which parts of a document they make. It is declared beside its attack and known nowhere else:
 * folds, readers and printers walk over measures.
 */
import type { z } from 'zod';
import type { Section } from './document.js';
import type { Outcome } from './outcome.js';
import { type Rate, rateSchema } from './rate.js';
import { wilson } from './stats.js';

export interface Measure<V = unknown> {
  /** Key of its value in the attack's entry of a report, camelCase. */
  readonly name: string;
  /** What attempts carry for it and lines of results.jsonl keep. Absent where it reads what every outcome has. */
  readonly evidence?: Evidence;
  /** Of the value, for reports that are read back. */
  readonly schema: z.ZodType<V>;
  /** A fold over the outcomes of one attack in one run. */
  fold(): MeasureFold<V>;
  /** Figures with one value each. */
  readonly metrics?: readonly Metric[];
  /** What is said of an attack beside its constraints. */
  told?(value: V): string | undefined;
  /** Parts of a document about the attacks that have a value. */
  sections?(found: readonly AttackValue<V>[], labels: readonly string[]): Section[];
}

export interface Evidence<E = unknown> {
  /** Key in an attempt and in a line of results.jsonl. */
  readonly key: string;
  readonly schema: z.ZodType<E>;
  /** As it is kept: key by key, numbers rounded. @default as it is */
  written?(evidence: E): E;
  /** As a cell of CSV; absent where it is none. */
  cell?(evidence: E): string | number;
}

export interface MeasureFold<V> {
  /** In any order, each once: the value must not depend on it. `index`: the example's position in the run. */
  add(outcome: Outcome, index: number): void;
  /** Undefined where there was nothing to measure. `others`: the same measure's folds of the other attacks. */
  value(others: readonly MeasureFold<V>[]): V | undefined;
}

export interface AttackValue<V> {
  readonly attack: string;
  readonly value: V;
}

/** A figure of an attack: one name in every format. */
export interface Metric {
  /** Path in the attack's entry: `noise`, `quality.similarity`. Also the name in thresholds. */
  readonly key: string;
  /** Head of its row or column. */
  readonly label: string;
  /** Title of its column in the short table of a screen; `null` leaves it out. @default the label, where there is room */
  readonly column?: string | null;
  /** What counts, for legends. */
  readonly about?: string;
  /** `share`: a fraction without an interval; `factor`: times the original's. */
  readonly unit: 'rate' | 'share' | 'count' | 'mean' | 'factor' | 'score';
  /** Shown only where some attack has more than 0. */
  readonly rare?: true;
  /** Says something only where there are several attacks. */
  readonly several?: true;
}

/** What stands at a path of an attack's entry, or of an outcome; undefined where nothing does. */
export const valueAt = (entry: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
      entry,
    );

/** The share of the examples attacked for which something holds; `holds` is undefined where it was not looked at. */
export const rateMeasure = <E>({
  evidence,
  holds,
  ...metric
}: Omit<Metric, 'key' | 'unit'> & {
  readonly name: string;
  readonly evidence: Evidence<E>;
  holds(evidence: E): boolean;
}): Measure<Rate> => ({
  name: metric.name,
  evidence: evidence as Evidence,
  schema: rateSchema,
  fold() {
    let n = 0;
    let holding = 0;
    return {
      add(outcome) {
        const found = valueAt(outcome, evidence.key);
        if (found === undefined) return;
        n += 1;
        if (holds(found as E)) holding += 1;
      },
      value: () => (n === 0 ? undefined : wilson(holding, n)),
    };
  },
  metrics: [{ key: metric.name, unit: 'rate', label: metric.label, ...(metric.about && { about: metric.about }) }],
});
