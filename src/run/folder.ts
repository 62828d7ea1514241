/** @file The folder of one run: run.json says what was run and how far it got; results.jsonl holds the outcomes. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../core/defined.js';
import { codeOf, messageOf, RobustError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import type { EvasionAttack } from '../core/plugin.js';
import { faultText, readBy } from '../core/read-by.js';
import { didYouMean } from '../core/suggest.js';
import { isLocked } from '../files/lock.js';
import { readFileSync } from '../files/read.js';
import { isTemporaryName } from '../files/temporary-path.js';
import { checkNoLink, makeFolder, outputError, PRIVATE, placeFolder, writeWhole } from '../files/write.js';
import { bindingConstraints, checkPlan, fingerprint, type RunPlan } from './plan.js';
import { newerReport, type RunRecord, recordSchema, sealed } from './record.js';

export class RunFolder {
  readonly id: string;
  readonly path: string;
  /** While the folder is written: throws where this process may not write into it any more. */
  guard: (() => void) | undefined;
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

  /** The victim's answers to the unedited texts; of a finished run unless they are too many (kept-answers.ts). */
  get answers(): string {
    return join(this.path, 'clean.bin');
  }

  /** The answers of a victim behind an endpoint, by text. */
  get endpointAnswers(): string {
    return join(this.path, 'endpoint-answers.bin');
  }

  /** Reads run.json again: another process may have continued the run. */
  reload(): RunRecord {
    this.#record = readRecord(this.path);
    return this.#record;
  }

  /** Changes run.json. Throws OutputError, and what `guard` throws. */
  update(changes: Partial<RunRecord>): void {
    this.guard?.();
    this.#record = sealed({ ...this.#record, ...changes });
    writeWhole(join(this.path, RECORD), textOf(this.#record), RECORD, PRIVATE);
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
    ...defined({ made: plan.made }),
    model: {
      name: model.name,
      sha256: model.sha256,
      labels: model.classifier.labels,
      ...defined({ output: model.output, defence: model.defence, decision: model.decision }),
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
      level: plugin.level,
      suite,
      constraints: constraintNames(plugin.create(options), bindingConstraints(plan.constraints, options)),
      options,
      ...defined({ ownGoal: plugin.ownGoal }),
    })),
    measures: Object.fromEntries(
      plan.attacks.flatMap(({ label, plugin: { measures = [] } }) =>
        measures.length === 0 ? [] : [[label, measures.map(({ name }) => name)]],
      ),
    ),
    ...defined({ leftOut: plan.leftOut }),
    maxErrorRate: plan.maxErrorRate,
    settings: plan.settings,
    ...defined({ named: plan.named }),
    fingerprint: fingerprint(plan),
    seconds: { clean: 0, attacks: {} },
    warnings: [],
    ...defined({ shard: plan.shard }),
  });
}

/** Its own, and those of the run that bind it. */
const constraintNames = ({ constraints, whole }: EvasionAttack, ofRun: RunPlan['constraints']): string[] => {
  const binding = ofRun.filter(({ ofWords }) => !(ofWords && whole));
  return [...new Set([...constraints, ...binding.map(({ name }) => name)])];
};

const hardware = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;

/**
 * Makes the folder of a record that has none yet, and names it; `fill` puts into it what else belongs there, and may add to the
 * record. Killed at any moment, the run is there with its record or not at all. Throws OutputError.
 */
export function storeRun(
  root: string,
  record: Omit<RunRecord, 'run'>,
  fill: (folder: string) => Partial<RunRecord> = () => ({}),
): RunFolder {
  const stamp = record.created.replace(/[-:]|\.\d+/g, '');
  const run = `${stamp}-${randomBytes(3).toString('hex')}`;
  const path = resolve(root, run);
  let whole: RunRecord = { ...record, run };
  for (const folder of [dirname(root), root]) checkNoLink(folder);
  makeFolder(root, 'the folder of the runs');
  ignoreInGit(dirname(path));
  try {
    placeFolder(
      path,
      (aside) => {
        whole = sealed({ ...whole, ...fill(aside) });
        writeWhole(join(aside, RECORD), textOf(whole), RECORD, PRIVATE);
        // Named before it is there: a name without a run is passed over, a run without its name would not be the latest.
        nameLatest(root, run);
      },
      0o700,
    );
  } catch (error) {
    throw outputError('the run folder', path, error);
  }
  return new RunFolder(path, whole);
}

/** Runs hold texts and models' answers, which must not be committed by accident. */
function ignoreInGit(root: string): void {
  const home = dirname(root);
  const file = join(home, '.gitignore');
  if (basename(home) === '.robust' && !existsSync(file)) writeWhole(file, '*\n', 'the list of what git leaves out');
}

const RECORD = 'run.json';

const textOf = (record: RunRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/** Makes `latest` mean this run. Throws OutputError. */
export const nameLatest = (root: string, run: string): void =>
  writeWhole(join(root, 'latest'), `${run}\n`, 'the name of the latest run');

/** Opens a run by id, by path, or the latest one. Throws RobustError RUN_NOT_FOUND, RobustError RUN_DAMAGED. */
export async function openRun(root: string, id: string): Promise<RunFolder> {
  const name = id === 'latest' ? latest(root) : id;
  const path = [resolve(root, name), resolve(name)].find((folder) => existsSync(join(folder, RECORD)));
  if (path === undefined) {
    const known = runIds(root);
    throw new RobustError(`expected a run in ${root}, got "${id}"`, {
      code: 'RUN_NOT_FOUND',
      hint: known.length === 0 ? 'There is no run yet.' : didYouMean(name, known.slice(-10)),
    });
  }
  // A path that the user named may be a link; one that is found by its id is not followed when it is written.
  const own = resolve(root, name) === path ? path : realpathSync(path);
  return new RunFolder(own, readRecord(own));
}

/** The newest run that was given the inputs of `plan`, begun or done. What cannot be read, lacks shards or is another process's is passed over. */
export function equalRun(root: string, plan: RunPlan): RunFolder | undefined {
  const inputs = fingerprint(plan);
  for (const id of runIds(root).reverse()) {
    const path = resolve(root, id);
    try {
      const record = readRecord(path);
      const equal = !record.partial && isDeepStrictEqual(record.fingerprint, inputs);
      if (equal && !isLocked(path)) return new RunFolder(path, record);
    } catch {
      // Opening it by its id reports the fault.
    }
  }
  return undefined;
}

/** The runs in a folder of runs, the oldest first. */
export function runIds(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => !isTemporaryName(name) && existsSync(join(root, name, RECORD)))
    .sort();
}

/** The run that was begun last; where its making was cut short, the one before. */
function latest(root: string): string {
  let named = '';
  try {
    named = readFileSync(join(root, 'latest'), 'utf8').trim();
  } catch {
    // Then the newest by its name.
  }
  if (named !== '' && named === basename(named) && existsSync(join(root, named, RECORD))) return named;
  return runIds(root).at(-1) ?? 'latest';
}

/** Throws RobustError RUN_DAMAGED naming what is wrong. */
function readRecord(path: string): RunRecord {
  const file = join(path, RECORD);
  let value: unknown;
  try {
    value = parseJson(readFileSync(file, 'utf8'));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') throw removedError(path, cause);
    throw damaged(file, messageOf(cause), cause);
  }
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (typeof version === 'number' && version > 1) throw newerReport(file, version, 1);
  const read = readBy(recordSchema, value);
  if (!read.success) throw damaged(file, faultText(read.faults[0]));
  return value as RunRecord;
}

const removedError = (path: string, cause: unknown): RobustError =>
  new RobustError(`the run folder ${path} no longer exists`, {
    code: 'RUN_DAMAGED',
    hint: 'It was removed or moved while the run went on: start a new run.',
    cause,
  });

const damaged = (file: string, what: string, cause?: unknown): RobustError =>
  new RobustError(`expected the record of a run in ${file}, got something else: ${what}`, {
    code: 'RUN_DAMAGED',
    hint: 'The file was damaged or edited: start a new run.',
    cause,
  });
