/** @file The shards of one run put together: the same journal, and so the same report, as if it had run in one piece. */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { openToRead } from '../files/read.js';
import { copyRange, outputError, PRIVATE, replaceFile } from '../files/write.js';
import { finishedOutcomes } from './finished.js';
import { type RunFolder, storeRun } from './folder.js';
import { MOST_KEPT } from './kept-answers.js';
import type { RunRecord } from './record.js';
import { partialRun, type Shard } from './shard.js';

export interface MergeOptions {
  /** Go on without shards, lines or outcomes that are missing: the report then says so, and no gate passes it. */
  readonly allowPartial: boolean;
  /** The command line of these settings. */
  command(settings: Readonly<Record<string, unknown>>): string;
}

interface Part {
  readonly folder: RunFolder;
  readonly record: RunRecord;
  readonly shard: Shard;
}

/** Where the line of each outcome stands, by ordinal: in which part, from which byte, how many bytes. */
interface Places {
  readonly part: Int16Array;
  readonly start: Float64Array;
  readonly bytes: Uint32Array;
}

/**
 * Merges finished shards into a new run under `root`. Throws RobustError naming runs that are not shards, and shards that are of different runs, doubled or missing; RobustError RUN_DAMAGED naming a line that is not an outcome of its shard.
 */
export async function mergeShards(
  root: string,
  folders: readonly RunFolder[],
  options: MergeOptions,
): Promise<RunFolder> {
  const parts = folders.map(partOf).sort((a, b) => a.shard.index - b.shard.index);
  const [first] = parts as [Part, ...Part[]];
  checkAlike(parts);
  const missing = missingFrom(parts, options.allowPartial);
  const { clean } = first.record;
  if (clean === undefined) throw unfinished(first);
  const faults: string[] = [];
  const places = await placesOf(
    parts,
    clean.examples,
    options.allowPartial ? (fault) => faults.push(fault) : undefined,
  );
  const absent = places.part.reduce((count, part) => count + (part < 0 ? 1 : 0), 0);
  const known = parts.reduce((sum, { record }) => sum + (record.outcomes ?? 0), 0);
  const lost = missing.length === 0 ? absent : Math.max(0, known - (places.part.length - absent));
  if (lost > 0) {
    const what = `${lost} of ${quantity(places.part.length, 'outcome')} are missing from the journals`;
    if (!options.allowPartial) throw partialRun(what);
    faults.push(what);
  }
  const { shard: _, settings, fingerprint, partial: __, resultsSha256: ___, named: ____, ...rest } = first.record;
  const { shard: _shard, ...whole } = settings;
  const { shard: _fingerprint, ...print } = fingerprint;
  const cleans = parts.filter(({ record }) => !isDeepStrictEqual(record.clean?.metrics, clean.metrics));
  const differing = cleans.map(
    ({ folder }) =>
      `${folder.path} read the unedited texts otherwise than ${first.folder.path}, whose figures are taken`,
  );
  const gaps = [...missing, ...faults];
  return storeRun(
    root,
    {
      ...rest,
      created: new Date().toISOString(),
      settings: whole,
      fingerprint: print,
      command: options.command(whole),
      seconds: total(parts),
      warnings: [...new Set([...parts.flatMap(({ record }) => record.warnings), ...differing])],
      merged: parts.map(({ folder, shard, record }) => ({
        shard: shard.index,
        run: folder.id,
        platform: record.platform,
      })),
      ...(gaps.length > 0 && { partial: gaps }),
      outcomes: places.part.length - absent,
    },
    (path) => {
      if (existsSync(first.folder.answers)) copyWhole(first.folder.answers, join(path, basename(first.folder.answers)));
      return { resultsSha256: write(join(path, 'results.jsonl'), parts, places) };
    },
  );
}

function partOf(folder: RunFolder): Part {
  const { record } = folder;
  if (record.shard === undefined)
    throw new RobustError(`${folder.path}: expected a shard of a run, got a whole run`, {
      code: 'RUN_UNSUPPORTED',
      hint: 'Shards are made with: robust attack --shard 1/4',
    });
  const part = { folder, record, shard: record.shard };
  if (record.status !== 'done') throw unfinished(part);
  return part;
}

const unfinished = ({ folder, shard }: Part): RobustError =>
  new RobustError(`${folder.path}: expected a finished shard, but shard ${shard.index} was interrupted`, {
    code: 'RUN_UNFINISHED',
    hint: `Finish it where it was begun: robust attack --resume ${folder.id}`,
  });

/** Throws for shards of different runs, naming what differs, and for doubled ones. */
function checkAlike(parts: readonly Part[]): void {
  const [first] = parts as [Part, ...Part[]];
  const facts = ({ record, shard }: Part): Record<string, unknown> => ({
    ...record.fingerprint,
    shard: shard.count,
    examples: record.clean?.examples,
  });
  const ours = facts(first);
  for (const [at, part] of parts.entries()) {
    const theirs = facts(part);
    const different = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
      (name) => !isDeepStrictEqual(ours[name], theirs[name]),
    );
    if (different.length > 0)
      throw new RobustError(
        `${first.folder.path} and ${part.folder.path} are of different runs: ${different.join(', ')} differ`,
        { code: 'RUN_MISMATCH', hint: 'Merge shards that were started with the same flags on the same inputs.' },
      );
    const double = parts.slice(0, at).find(({ shard }) => shard.index === part.shard.index);
    if (double !== undefined)
      throw new RobustError(
        `shard ${part.shard.index} of ${part.shard.count} is there twice: ${double.folder.path} and ${part.folder.path}`,
        { code: 'SHARD_INVALID', hint: 'Give each shard once.' },
      );
  }
}

/** The missing shards, in words. Throws if all must be present. */
function missingFrom(parts: readonly Part[], allowPartial: boolean): string[] {
  const count = must(parts[0]).shard.count;
  const there = new Set(parts.map(({ shard }) => shard.index));
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !there.has(index));
  if (missing.length === 0) return [];
  const what = `shard${missing.length > 1 ? 's' : ''} ${missing.join(', ')} of ${count} ${missing.length > 1 ? 'are' : 'is'} missing`;
  if (!allowPartial) throw partialRun(what);
  return [what];
}

async function placesOf(
  parts: readonly Part[],
  examples: number,
  fault: ((what: string) => void) | undefined,
): Promise<Places> {
  const [{ record }] = parts as [Part, ...Part[]];
  const attacks = new Map(record.attacks.map(({ name }, at) => [name, at]));
  const pairs = attacks.size * examples;
  const places = {
    part: new Int16Array(pairs).fill(-1),
    start: new Float64Array(pairs),
    bytes: new Uint32Array(pairs),
  };
  for (const [at, { folder }] of parts.entries()) {
    for await (const { index, outcome, start, bytes } of finishedOutcomes(folder, fault, () => {})) {
      const ordinal = must(attacks.get(outcome.attack)) * examples + index;
      places.part[ordinal] = at;
      places.start[ordinal] = start;
      places.bytes[ordinal] = bytes;
    }
  }
  return places;
}

/** The answers to the unedited texts, which every shard has. */
function copyWhole(from: string, to: string): void {
  const file = openToRead(from, MOST_KEPT);
  try {
    replaceFile(to, (into) => copyRange(file, 0, fstatSync(file).size, into), PRIVATE);
  } catch (error) {
    throw outputError('the clean answers', to, error);
  } finally {
    closeSync(file);
  }
}

/** Returns the hash of the file. */
function write(path: string, parts: readonly Part[], { part, start, bytes }: Places): string {
  const files = parts.map(({ folder }) => openToRead(folder.journal));
  const hash = createHash('sha256');
  try {
    replaceFile(
      path,
      (into) => {
        for (const [ordinal, at] of part.entries()) {
          if (at < 0) continue;
          const from = must(start[ordinal]);
          copyRange(must(files[at]), from, from + must(bytes[ordinal]) + 1, into, (piece) => hash.update(piece));
        }
      },
      PRIVATE,
    );
  } catch (error) {
    throw outputError('the merged outcomes', path, error);
  } finally {
    for (const file of files) closeSync(file);
  }
  return hash.digest('hex');
}

/** Time of all shards together. */
function total(parts: readonly Part[]): RunRecord['seconds'] {
  const attacks: Record<string, number> = {};
  for (const { record } of parts) {
    for (const [name, seconds] of Object.entries(record.seconds.attacks))
      attacks[name] = (attacks[name] ?? 0) + seconds;
  }
  return { clean: parts.reduce((sum, { record }) => sum + record.seconds.clean, 0), attacks };
}
