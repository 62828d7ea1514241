/** @file run.json, the record of a run. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { count, type Declared, nonEmpty, positiveCount, share, texts, valuesByName } from '../core/declared.js';
import { endpointRecordSchema } from '../core/endpoint.js';
import { RobustError } from '../core/errors.js';
import { latencySchema } from '../results/card/latency.js';
import { cleanSchema } from '../results/clean/clean-metrics.js';
import { cellsOf } from '../results/clean/confusion.js';
import { diagnosticEvidenceSchema } from '../results/diagnostics/evidence.js';
import { attackShape } from '../results/measures/attack-metrics.js';
import { leftOutSchema } from '../results/report/left-out.js';
import { engineSchema, mergedSchema, modelSchema, uniqueNames } from '../results/report/report.js';
import { namedSchema, originSchema } from './origin.js';
import type { Fingerprint } from './plan.js';
import { shardSchema } from './shard.js';

const machine = z.object({
  host: z.string(),
  processor: z.string(),
  platform: z.string(),
  instructions: texts,
  onnxruntime: z.string(),
  outcomes: count.describe('Outcomes of it that were kept.'),
});

/** A machine that computed outcomes of a run. */
export interface MachineRecord extends Declared<typeof machine> {}

export const recordSchema = z
  .object({
    schemaVersion: z.literal(1),
    run: nonEmpty.regex(/^\w[\w.-]*$/, 'expected the name of a folder'),
    status: z.enum(['running', 'interrupted', 'done']).describe('A run that was killed still says "running".'),
    command: z.string(),
    toolVersion: z.string(),
    created: z.iso.datetime().describe('ISO 8601, UTC.'),
    node: z.string(),
    hardware: z.string().describe('Processor, cores and memory.').exactOptional(),
    made: originSchema.exactOptional(),
    platform: z.string(),
    model: modelSchema,
    data: z.object({ name: z.string(), sha256: z.string(), url: z.string(), license: z.string() }),
    seed: z.number().int(),
    engine: engineSchema,
    goal: z.string(),
    attacks: z
      .array(z.object(attackShape))
      .refine(...uniqueNames)
      .describe('Constraints of a recipe first, then those of the run. `name` is the label.'),
    measures: z
      .record(z.string(), texts)
      .describe('Attack -> names of its measures, where it has some. Runs of earlier versions lack it.')
      .exactOptional(),
    leftOut: z.array(leftOutSchema).exactOptional(),
    maxErrorRate: share,
    settings: valuesByName,
    named: namedSchema
      .describe('Where the settings name code or an address. Runs of earlier versions lack it.')
      .optional(),
    fingerprint: valuesByName,
    clean: z
      .object({ examples: positiveCount, metrics: cleanSchema })
      .describe('Known once the clean pass is over: its metrics, and how many examples each attack is tried on.')
      .exactOptional(),
    seconds: z
      .object({ clean: z.number().min(0), attacks: z.record(z.string(), z.number().min(0)) })
      .describe('Wall time, all sessions together.'),
    latency: latencySchema.exactOptional(),
    warnings: texts,
    shard: shardSchema.describe('The part of the examples that was attacked, if not all were.').exactOptional(),
    merged: mergedSchema.describe('The shards that the run was merged from.').exactOptional(),
    machines: z.array(machine).describe('Present if a fleet computed the run.').exactOptional(),
    partial: texts.describe('What is missing from a merged run.').exactOptional(),
    diagnostics: diagnosticEvidenceSchema
      .describe('Answers to the extra queries of the suite `standard`, which the diagnostics judge.')
      .exactOptional(),
    outcomes: count.describe('Lines of results.jsonl, once the run is done.').exactOptional(),
    endpoint: endpointRecordSchema
      .describe(
        'Present for a victim that is queried over the network: its description, and the queries of all sessions.',
      )
      .exactOptional(),
    resultsSha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Hash of results.jsonl, once the run is done.')
      .exactOptional(),
    recordSha256: z
      .string()
      .describe(
        'Hash of this record without it, once the run is done: what no outcome and no answer shows is as the run left it.',
      )
      .exactOptional(),
  })
  .refine(
    ({ status, resultsSha256, recordSha256 }) =>
      status !== 'done' || (resultsSha256 !== undefined && recordSha256 !== undefined),
    'expected the hashes of the outcomes and of the record of a finished run, got none',
  )
  .refine(
    ({ attacks, fingerprint }) =>
      !Array.isArray(fingerprint.attacks) ||
      isDeepStrictEqual(
        fingerprint.attacks.map((each: { label?: unknown } | null) => each?.label),
        attacks.map(({ name }) => name),
      ),
    'its attacks are those of its fingerprint',
  )
  .refine(
    ({ clean, model: { labels } }) =>
      clean === undefined ||
      (clean.metrics.accuracy.n <= clean.examples &&
        (clean.metrics.regression !== undefined || clean.metrics.perClass.length === labels.length) &&
        (clean.metrics.regression !== undefined ||
          clean.metrics.labelSets !== undefined ||
          cellsOf(clean.metrics).reduce((sum, [, , n]) => sum + n, clean.metrics.tied ?? 0) ===
            clean.metrics.accuracy.n)),
    'its clean metrics are of its examples',
  );

/** run.json. Everything that differs between two equal runs (times, machine) is here and not in results.jsonl. */
export interface RunRecord extends Omit<Declared<typeof recordSchema>, 'fingerprint'> {
  readonly fingerprint: Fingerprint;
}

export const recordHash = ({ recordSha256: _, ...record }: RunRecord): string =>
  createHash('sha256').update(JSON.stringify(record)).digest('hex');

/** With its hash where the run is done, and without it otherwise. */
export function sealed({ recordSha256: _, ...record }: RunRecord): RunRecord {
  return record.status === 'done' ? { ...record, recordSha256: recordHash(record) } : record;
}

/** The error for a document of a newer robust. */
export const newerReport = (path: string, version: number, known: number): RobustError =>
  new RobustError(`${path}: expected schema version ${known} or older, got ${version}`, {
    code: 'REPORT_UNSUPPORTED',
    hint: 'It was written by a newer robust: update this one.',
  });
