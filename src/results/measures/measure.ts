/**
 * @file A measure: a quantity that an attack determines in addition to its success. It declares the evidence in an outcome, the fold over
 * outcomes, the names of the figures and the sections of a document. A measure is declared next to its attack and known nowhere else:
 * folds, readers and printers iterate over measures.
 */
import type { z } from 'zod';
import type { Outcome } from '../../core/outcome.js';
import { type Rate, rateSchema } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import type { Section } from '../report/document.js';

export interface Measure<V = unknown> {
  /** Key of its value in the attack's entry of a report, camelCase. */
  readonly name: string;
  /** Evidence in attempts and in lines of results.jsonl. Absent if the fold reads only what every outcome has. */
  readonly evidence?: Evidence;
  /** Schema of the value, to validate reports. */
  readonly schema: z.ZodType<V>;
  /** A fold over the outcomes of one attack in one run. */
  fold(): MeasureFold<V>;
  /** Figures with one value each. */
  readonly metrics?: readonly Metric[];
  /** A line about an attack, printed next to its constraints. */
  remark?(value: V): string | undefined;
  /** Sections of a document about the attacks that have a value. */
  sections?(found: readonly AttackValue<V>[], labels: readonly string[]): Section[];
}

export interface Evidence<E = unknown> {
  /** Key in an attempt and in a line of results.jsonl. */
  readonly key: string;
  readonly schema: z.ZodType<E>;
  /** Form in results.jsonl: fixed order of keys, rounded numbers. @default unchanged */
  serialise?(evidence: E): E;
  /** Cell of a CSV file; absent if it has none. */
  cell?(evidence: E): string | number;
}

export interface MeasureFold<V> {
  /** Called in any order, once per outcome: the value must not depend on the order. `index`: the example's position in the run. */
  add(outcome: Outcome, index: number): void;
  /** Undefined if there was nothing to measure. */
  value(): V | undefined;
}

export interface AttackValue<V> {
  readonly attack: string;
  readonly value: V;
}

/** A figure of an attack: one name in every format. */
export interface Metric {
  /** Path in the attack's entry: `noise`, `quality.similarity`. Also its name in requirements. */
  readonly key: string;
  /** Heading of its row or column. */
  readonly label: string;
  /** Title of its column in the short table on a screen; `null` leaves it out. @default the label, if there is room */
  readonly column?: string | null;
  /** Explanation for legends. */
  readonly about?: string;
  /** `share`: a fraction without an interval; `factor`: a multiple of the original's value. */
  readonly unit: 'rate' | 'share' | 'count' | 'mean' | 'factor' | 'score';
  /** Shown only if some attack has more than 0. */
  readonly rare?: true;
}

/** The value at a path of an attack's entry or of an outcome, or undefined. */
export const valueAt = (entry: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
      entry,
    );

/** Share of the attacked examples that have a property; `holds` is undefined if it was not checked. */
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
  evidence: evidence,
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
