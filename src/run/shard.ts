/**
 * @file A run in parts. Which part an example belongs to depends on its id alone, so that every shard, whenever and wherever
 * it runs, knows its own. All shards read all unedited texts, which costs one query each: attacks that learn from some texts
 * then learn from the same ones in every shard.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Declared, positiveCount } from '../core/declared.js';
import { RobustError } from '../core/errors.js';

export const shardSchema = z
  .object({ index: positiveCount, count: positiveCount })
  .refine(({ index, count: of }) => index <= of, 'a shard is one of its count');

/** `index` counts from 1. */
export interface Shard extends Declared<typeof shardSchema> {}

/** The shard an example belongs to, 1-based: the first 48 bits of its id's SHA-256, modulo the number of shards. */
export const shardOf = (id: string, count: number): number =>
  (createHash('sha256').update(id).digest().readUIntBE(0, 6) % count) + 1;

/** Something of a run is not there. */
export const partialRun = (what: string): RobustError =>
  new RobustError(what, {
    code: 'RUN_DAMAGED',
    hint: 'Bring what is missing. robust report and robust gate go on without it: --allow-partial.',
  });
