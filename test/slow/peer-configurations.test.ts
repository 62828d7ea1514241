/**
 * @file Random configurations of every family, made and answered by Hugging Face transformers: logits of classifiers and of models that tag,
 * and gradients of words and weights.
 * ROBUST_PYTHON names a Python that has torch and transformers; without it nothing is compared.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import { answers } from '../../packages/onnx/test/autodiff/held-against.js';
import { convertedAnswers, distance } from '../../packages/onnx/test/convert/checkpoints.js';
import { packageRoot } from '../../src/core/package-root.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import type { Golden } from '../model/goldens.js';

const python = process.env.ROBUST_PYTHON;
const seed = process.env.ROBUST_SEED ?? '1';
const count = process.env.ROBUST_COUNT ?? '4';
const folder = process.env.ROBUST_PEERS ?? mkdtempSync(join(tmpdir(), 'robust-peers-'));
afterAll(() => {
  if (process.env.ROBUST_PEERS === undefined) rmSync(folder, { recursive: true, force: true });
});

interface PeerCase {
  readonly ids: readonly number[];
  readonly types: readonly number[];
  readonly logits: readonly number[];
  readonly label?: number;
  readonly loss?: number;
  /** Gradients of each embedding lookup, [sequence, width]. */
  readonly grads?: readonly (readonly (readonly number[])[])[];
  readonly weights?: Golden['cases'][0]['grad_weights'];
}

/** Gradients that are zero in theory, such as those of a key's bias under softmax, are rounding. */
const FLOOR = 1e-6;

/** A case in the form of ../shared/goldens/transformers. */
const goldenCase = ({ ids, types, logits, label = 0, loss = 0, grads = [], weights = {} }: PeerCase) => ({
  name: `${ids.length} tokens`,
  texts: [],
  input_ids: [ids],
  attention_mask: [ids.map(() => 1)],
  token_type_ids: [types],
  labels: [label],
  logits: [logits],
  loss_mean: loss,
  grad_word_embedding_output: Object.fromEntries(grads.map((rows, at) => [String(at), [rows]])),
  grad_weights: weights,
});

const sizeOf = (values: ArrayLike<number>): number => Math.hypot(...Array.from(values));
const apart = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  sizeOf(Array.from(b, (value, at) => value - a[at]!));

/** The gradient of the looked-up words: what a decoder looks up again, shifted by one, is added. */
const wordsGradient = ([first = [], second]: NonNullable<PeerCase['grads']>): number[] =>
  first.flatMap((row, at) => row.map((value, k) => value + (second?.[at + 1]?.[k] ?? 0)));

async function compare(place: string): Promise<{ logits: number; words: number; weights: number }> {
  const config = JSON.parse(readFileSync(join(place, 'config.json'), 'utf8'));
  const cases = JSON.parse(readFileSync(join(place, 'golden.json'), 'utf8')) as readonly PeerCase[];
  if (place.endsWith('-tags')) {
    const logits = await Promise.all(
      cases.map(async ({ ids, types, logits }) => {
        const fed = { input_ids: [ids], attention_mask: [ids.map(() => 1)], token_type_ids: [types] };
        return distance((await convertedAnswers(place, config, fed)).data, logits);
      }),
    );
    return { logits: Math.max(...logits), words: 0, weights: 0 };
  }
  const { model } = convertCheckpoint(place, config);
  const golden = { name: place, folder: place, task: 'single', cases: cases.map(goldenCase) } as unknown as Golden;
  const { found, lost } = await answers(onnxEngine(), golden, model, golden.cases);
  const trained = cases.some(({ weights }) => weights !== undefined);
  // A fixed table, and the modules of other languages.
  const untrained = lost.filter((name) => !/embed_positions|adapter_modules/.test(name));
  expect(trained ? untrained : []).toEqual([]);
  const worst = { logits: 0, words: 0, weights: 0 };
  for (const [at, each] of cases.entries()) {
    worst.logits = Math.max(worst.logits, distance(found[at]!.logits, each.logits));
    if (each.grads === undefined) continue;
    const words = wordsGradient(each.grads);
    const scale = Math.max(sizeOf(words), 1e-2);
    worst.words = Math.max(worst.words, apart(found[at]!.input, words) / scale);
    for (const [name, given] of Object.entries(each.weights ?? {})) {
      const gradient = found[at]!.weight(name);
      if (given === null || gradient === undefined) continue;
      worst.weights = Math.max(worst.weights, Math.abs(sizeOf(gradient) - given.norm) / (given.norm + FLOOR / 3e-5));
    }
  }
  return worst;
}

test.skipIf(python === undefined && process.env.ROBUST_PEERS === undefined)(
  'logits and gradients of random configurations (skipped without ROBUST_PYTHON)',
  async () => {
    if (process.env.ROBUST_PEERS === undefined) {
      const script = join(packageRoot, 'test', 'slow', 'peer-configurations.py');
      const made = spawnSync(python!, [script, folder, seed, count], { encoding: 'utf8', timeout: 1_800_000 });
      expect(made.status, made.stderr).toBe(0);
    }
    const rows: string[] = [];
    const wrong: string[] = [];
    for (const name of readdirSync(folder).sort()) {
      try {
        const { logits, words, weights } = await compare(join(folder, name));
        rows.push(`${name} ${logits.toExponential(1)} ${words.toExponential(1)} ${weights.toExponential(1)}`);
        if (!(logits <= 1e-5 && words <= 1e-5 && weights <= 3e-5)) wrong.push(rows.at(-1)!);
      } catch (error) {
        wrong.push(`${name} ${String(error).slice(0, 300)}`);
      }
    }
    process.stdout.write(`${rows.join('\n')}\n`);
    expect(wrong).toEqual([]);
  },
  3_600_000,
);
