/** @file Latency of a victim: wall time until the answer to one text that is sent alone. */
import { z } from 'zod';
import { type Declared, positiveCount } from '../../core/declared.js';

const milliseconds = z.number().min(0);

export const latencySchema = z
  .object({ n: positiveCount, p50: milliseconds, p95: milliseconds, p99: milliseconds })
  .describe(
    'Percentiles of the milliseconds of wall time until the answer to one text, sent alone before the clean pass, with a full stop behind it so that no remembered answer is timed. A figure of the machine and of what else it did, and of the network for an endpoint.',
  );

/** Percentiles over `n` texts, in milliseconds. */
export interface Latency extends Declared<typeof latencySchema> {}

/** Percentiles by nearest rank, in steps of 0.01; undefined of no times. */
export function latencyOf(times: readonly number[]): Latency | undefined {
  if (times.length === 0) return undefined;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(100 * sorted[Math.ceil(share * sorted.length) - 1]!) / 100;
  return { n: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
