/** @file The checks of `robust doctor`. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { bundledDatasets, openDataset } from '../../datasets/index.js';
import { EXIT, messageOf, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { predictedLabel } from '../core/prediction.js';
import { openToWrite } from '../files/write.js';
import { bundledModels, loadModel } from '../model/load.js';
import { DEVICES, whyNot } from '../model/workers/device.js';
import { damagedFiles, expectedRuntime } from '../model/workers/runtime.js';
import { tfjsBackend } from '../tfjs/backend.js';
import { RUNS } from './runs/runs.js';

export interface CheckResult {
  readonly name: string;
  readonly state: 'ok' | 'limited' | 'broken';
  readonly detail: string;
  /** How to repair it. */
  readonly cure?: string;
}

export const EXIT_OF: Readonly<Record<CheckResult['state'], number>> = {
  ok: EXIT.done,
  limited: EXIT.done,
  broken: EXIT.input,
};

/** In the order of their output. None throws. */
export const checks: readonly (() => CheckResult | Promise<CheckResult>)[] = [
  node,
  machine,
  runtime,
  models,
  data,
  tensorflow,
  devices,
  locale,
  folder,
];

const describeError = (error: unknown): { readonly message: string; readonly hint?: string | undefined } =>
  error instanceof RobustError ? error : { message: messageOf(error) };

function node(): CheckResult {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const name = 'Node.js';
  if (major > 20 || (major === 20 && minor >= 19)) return { name, state: 'ok', detail: process.version };
  return {
    name,
    state: 'broken',
    detail: `${process.version}, expected 20.19 or newer`,
    cure: 'Install a newer Node.js.',
  };
}

function machine(): CheckResult {
  const cores = availableParallelism();
  const detail = `${process.platform} ${process.arch}, ${cores} cores, ${(totalmem() / 2 ** 30).toFixed(1)} GiB of memory`;
  return { name: 'Machine', state: 'ok', detail };
}

/** The package that holds onnxruntime, and whether its files are those that were published. */
function runtime(): CheckResult {
  const name = 'onnxruntime';
  try {
    const { name: its, version, folder } = expectedRuntime();
    const damaged = damagedFiles(folder);
    const detail = `${version} from ${its} in ${folder}`;
    if (damaged.length === 0) return { name, state: 'ok', detail };
    const cure = `Delete ${folder} and install again.`;
    return { name, state: 'broken', detail: `${detail}: missing or changed: ${damaged.join(', ')}`, cure };
  } catch (error) {
    const { message, hint = 'Install robust-text again.' } = describeError(error);
    return { name, state: 'broken', detail: message, cure: hint };
  }
}

/** Each bundled model must load and answer: that proves onnxruntime, the files, and the worker threads. */
async function models(): Promise<CheckResult> {
  const name = 'Bundled models';
  // A damaged library may end the process.
  if (runtime().state === 'broken')
    return {
      name,
      state: 'broken',
      detail: 'not tried, because onnxruntime is damaged or missing',
      cure: 'Repair it.',
    };
  try {
    const facts: string[] = [];
    for (const spec of bundledModels()) {
      const model = await loadModel(spec, { workers: 1 });
      try {
        const [row] = await model.classify(['A warm and funny film.']);
        const top = row && model.labels[predictedLabel(row)];
        facts.push(`${spec} answers ${top ?? 'no label'} (sha256 ${model.sha256.slice(0, 12)})`);
      } finally {
        await model.close();
      }
    }
    if (facts.length > 0) return { name, state: 'ok', detail: facts.join(', ') };
    return { name, state: 'broken', detail: 'none found', cure: 'Install robust-text again.' };
  } catch (error) {
    const { message, hint } = describeError(error);
    return { name, state: 'broken', detail: message, cure: hint ?? 'Install robust-text again.' };
  }
}

/** Each bundled data set must read from end to end. */
async function data(): Promise<CheckResult> {
  const name = 'Bundled data';
  try {
    const facts: string[] = [];
    for (const each of bundledDatasets()) {
      const { size, source } = await openDataset(each.name, each.tags ? { tags: true } : {});
      facts.push(`${each.name} has ${quantity(size, 'text')} (sha256 ${source.sha256.slice(0, 12)})`);
    }
    return { name, state: 'ok', detail: facts.join(', ') };
  } catch (error) {
    const { message } = describeError(error);
    return { name, state: 'broken', detail: message, cure: 'Install robust-text again.' };
  }
}

/** What runs models of TF.js, and the second gradient engine. The first one, onnxruntime's, is proved by the models above. */
async function tensorflow(): Promise<CheckResult> {
  const name = 'TF.js';
  try {
    const { name: backend } = await tfjsBackend();
    if (backend === 'tensorflow') return { name, state: 'ok', detail: 'runs on tfjs-node' };
    const faster =
      'Models of TF.js and --runtime engine=tfjs run on it; for more speed of the latter: npm install @tensorflow/tfjs-node (Node.js 22 or older).';
    if (backend === 'wasm') return { name, state: 'ok', detail: 'runs on WebAssembly', cure: faster };
    return { name, state: 'limited', detail: 'runs on plain JavaScript, which is slow', cure: faster };
  } catch (error) {
    const cure = 'Needed for models of TF.js and --runtime engine=tfjs only. Install robust-text again.';
    return { name, state: 'limited', detail: describeError(error).message, cure };
  }
}

/** The devices that `--runtime device` can name here. */
async function devices(): Promise<CheckResult> {
  const name = 'Devices';
  const tried = await Promise.all(DEVICES.map(async (kind) => ({ kind, why: await whyNot({ kind, index: 0 }) })));
  const there = tried.filter(({ why }) => why === undefined).map(({ kind }) => kind);
  const missing = tried.flatMap(({ kind, why }) => (why === undefined ? [] : [`${kind} (${why.reason})`]));
  const cures = tried.flatMap(({ kind, why }) => (why?.lacking ? [] : why ? [`${kind}: ${why.cure}`] : []));
  return {
    name,
    state: 'ok',
    detail: `--runtime device=${['cpu', ...there].join(', ')}${missing.length === 0 ? '' : `; not ${missing.join(', ')}`}`,
    ...(cures.length > 0 && { cure: cures.join(' ') }),
  };
}

/** Models that take whole strings (scikit-learn exports) need it: onnxruntime's text operators name it. */
function locale(): CheckResult {
  const name = 'Locale en_US.UTF-8';
  if (process.platform !== 'linux') return { name, state: 'ok', detail: 'not needed here' };
  const has = /^en_US\.utf-?8$/im.test(output('locale', ['-a']));
  if (has) return { name, state: 'ok', detail: 'there' };
  return {
    name,
    state: 'limited',
    detail: 'missing; models that take whole strings will not load, all others do',
    cure: 'Install it: apt-get install -y locales && localedef -i en_US -f UTF-8 en_US.UTF-8',
  };
}

function output(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

/** Runs are kept below the working directory. */
function folder(): CheckResult {
  const name = 'Run folder';
  const path = resolve(RUNS);
  let made: string | undefined;
  try {
    made = mkdirSync(path, { recursive: true });
    const probe = join(path, `doctor-${randomUUID()}`);
    closeSync(openToWrite(probe));
    rmSync(probe);
    return { name, state: 'ok', detail: `${path} can be written` };
  } catch (error) {
    const { message } = describeError(error);
    return {
      name,
      state: 'broken',
      detail: `${path} cannot be written (${message})`,
      cure: 'Run robust in a folder of your own.',
    };
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}
