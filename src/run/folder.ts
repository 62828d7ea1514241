/** @file The folder of one run: run.json says what was run and how far it got; results.jsonl holds the outcomes. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { AttackMetrics } from '../core/attack-metrics.js';
import type { CleanMetrics } from '../core/clean-metrics.js';
import { RobustError, UsageError } from '../core/errors.js';
import type { LeftOut } from '../core/left-out.js';
import type { Report } from '../core/report.js';
import { didYouMean } from '../core/suggest.js';
import { makeFolder, writeWhole } from '../files/write.js';
import { checkPlan, type Fingerprint, fingerprint, type Made, type RunPlan } from './plan.js';
import { newer } from './report-file.js';
import type { Shard } from './shard.js';

/** run.json. Everything that differs between two equal runs (times, machine) is here and not in results.jsonl. */
export interface RunRecord {
  readonly schemaVersion: 1;
  readonly run: string;
  /** A run that was killed still says "running". */
  readonly status: 'running' | 'interrupted' | 'done';
  readonly command: string;
  readonly toolVersion: string;
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly node: string;
  /** Processor, cores and memory. */
  readonly hardware?: string;
  readonly made?: Made;
  readonly platform: string;
  readonly model: Report['model'];
  readonly data: { readonly name: string; readonly sha256: string; readonly url: string; readonly license: string };
  readonly seed: number;
  readonly engine: RunPlan['engine'];
  readonly goal: string;
  /** Constraints of a recipe first, then the run's own. `name` is the label. */
  readonly attacks: readonly Pick<AttackMetrics, 'name' | 'suite' | 'constraints' | 'options' | 'ownGoal'>[];
  readonly leftOut?: readonly LeftOut[];
  readonly maxErrorRate: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly fingerprint: Fingerprint;
  /** Known once the clean pass is over: its metrics, and how many examples each attack is tried on. */
  readonly clean?: { readonly examples: number; readonly metrics: CleanMetrics };
  /** Wall time, all sessions together. */
  readonly seconds: { readonly clean: number; readonly attacks: Readonly<Record<string, number>> };
  readonly warnings: readonly string[];
  /** The part of the examples that was attacked, if not all were. */
  readonly shard?: Shard;
  /** Of a run put together from shards: which. */
  readonly merged?: readonly { readonly shard: number; readonly run: string; readonly platform: string }[];
  /** What is missing from a merged run. */
  readonly partial?: readonly string[];
  /** Lines of results.jsonl, once the run is done. */
  readonly outcomes?: number;
}

export class RunFolder {
  readonly id: string;
  readonly path: string;
  #record: RunRecord;

  constructor(path: string, record: RunRecord) {
    this.id = record.run;
    this.path = path;
    this.#record = record;
  }

  get record(): RunRecord {
    return this.#record;
  }

  /** results.jsonl: one outcome a line. */
  get journal(): string {
    return join(this.path, 'results.jsonl');
  }

  /** The victim's answers to the unedited texts; only while the run is unfinished. */
  get answers(): string {
    return join(this.path, 'clean.bin');
  }

  /** Reads run.json again: another process may have continued the run. */
  reload(): RunRecord {
    this.#record = readRecord(this.path);
    return this.#record;
  }

  /** Changes run.json. Throws OutputError. */
  update(changes: Partial<RunRecord>): void {
    this.#record = { ...this.#record, ...changes };
    writeWhole(join(this.path, 'run.json'), `${JSON.stringify(this.#record, null, 2)}\n`, 'run.json');
  }
}

/**
 * Makes the folder of a new run, `<UTC time>-<6 hex digits>`, and notes it in `<root>/latest` (a file holding the id:
 * links need rights on some systems). Throws OutputError, and what `attack` throws for a plan that cannot be carried out.
 */
export async function createRun(root: string, plan: RunPlan): Promise<RunFolder> {
  checkPlan(plan);
  const { model, dataset } = plan;
  return storeRun(root, {
    schemaVersion: 1,
    status: 'running',
    command: plan.command,
    toolVersion: plan.toolVersion,
    created: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    hardware: hardware(),
    ...(plan.made && { made: plan.made }),
    model: {
      name: model.name,
      sha256: model.sha256,
      labels: model.classifier.labels,
      ...(model.output && { output: model.output }),
      ...(model.defence === undefined ? {} : { defence: model.defence }),
    },
    data: {
      name: dataset.name,
      sha256: dataset.source.sha256,
      url: dataset.source.url,
      license: dataset.source.license,
    },
    seed: plan.seed,
    engine: plan.engine,
    goal: plan.goal.name,
    attacks: plan.attacks.map(({ plugin, options, suite, label }) => ({
      name: label,
      suite,
      constraints: [...plugin.create(options).constraints, ...plan.constraints.map(({ name }) => name)],
      options,
      ...(plugin.ownGoal && { ownGoal: plugin.ownGoal }),
    })),
    ...(plan.leftOut && { leftOut: plan.leftOut }),
    maxErrorRate: plan.maxErrorRate,
    settings: plan.settings,
    fingerprint: fingerprint(plan),
    seconds: { clean: 0, attacks: {} },
    warnings: [],
    ...(plan.shard && { shard: plan.shard }),
  });
}

const hardware = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;

/** Makes the folder of a record that has none yet, and names it. Throws OutputError. */
export function storeRun(root: string, record: Omit<RunRecord, 'run'>): RunFolder {
  const stamp = record.created.replace(/[-:]|\.\d+/g, '');
  const run = `${stamp}-${randomBytes(3).toString('hex')}`;
  const path = resolve(root, run);
  makeFolder(path, 'the run folder');
  const folder = new RunFolder(path, { ...record, run });
  folder.update({});
  writeWhole(join(root, 'latest'), `${run}\n`, 'the name of the latest run');
  return folder;
}

/** Opens a run by id, by path, or the latest one. Throws UsageError RUN_NOT_FOUND, RobustError RUN_DAMAGED. */
export async function openRun(root: string, id: string): Promise<RunFolder> {
  const name = id === 'latest' ? latest(root) : id;
  const path = [resolve(root, name), resolve(name)].find((folder) => existsSync(join(folder, 'run.json')));
  if (path === undefined) {
    const known = runs(root);
    throw new UsageError(`expected a run in ${root}, got "${id}"`, {
      code: 'RUN_NOT_FOUND',
      hint: known.length === 0 ? 'There is no run yet.' : didYouMean(name, known.slice(-10)),
    });
  }
  return new RunFolder(path, readRecord(path));
}

function runs(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, 'run.json')))
    .sort();
}

function latest(root: string): string {
  try {
    return readFileSync(join(root, 'latest'), 'utf8').trim();
  } catch {
    return runs(root).at(-1) ?? 'latest';
  }
}

function readRecord(path: string): RunRecord {
  const file = join(path, 'run.json');
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
    const version: number = record.schemaVersion;
    if (version > 1) throw newer(file, version, 1);
    if (record.schemaVersion === 1 && typeof record.run === 'string' && typeof record.fingerprint === 'object') {
      return record;
    }
  } catch (cause) {
    throw cause instanceof RobustError ? cause : damaged(file, cause);
  }
  throw damaged(file);
}

const damaged = (file: string, cause?: unknown): RobustError =>
  new RobustError(`expected the record of a run in ${file}, got something else`, {
    code: 'RUN_DAMAGED',
    hint: 'Start a new run.',
    cause,
  });
