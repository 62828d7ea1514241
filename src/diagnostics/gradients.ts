/**
 * @file Do gradients guide an attack? A white box attack that takes steps along the gradient is compared with one that takes random steps of
 * the same lengths and as many queries (Athalye et al. 2018, section 3.1).
 */
import type { WhiteBox } from '../core/classifier.js';
import { ModelGone } from '../core/errors.js';
import { whiteBoxOfPair } from '../core/pair-victim.js';
import { type Random, random } from '../core/random.js';
import type { DiagnosedVictim, DiagnosticEvidence } from '../results/diagnostics/evidence.js';

/** Lengths of the steps, as shares of the norm of a text's embeddings. */
const STEPS = [0.02, 0.1, 0.4];
/** Gradients whose largest element is below it are zero: they vanish in single precision. */
const ZERO = 1e-10;
/** Queries for one example: a gradient and its steps, and as many random steps. */
export const GRADIENT_QUERIES = 2 * (1 + STEPS.length);

export async function gradientEvidence(
  { examples, seed }: Pick<DiagnosedVictim, 'examples' | 'seed'>,
  gradients: WhiteBox,
): Promise<{ readonly queries: number; readonly found: NonNullable<DiagnosticEvidence['gradients']> }> {
  const counts = { texts: 0, notFinite: 0, zero: 0, constant: 0, misled: 0 };
  const keys = new Map<string, number>();
  let queries = 0;
  for (const each of examples) {
    const { example, label } = each;
    const inside = whiteBoxOfPair(gradients, example);
    queries++;
    const gradient = await answered(() => inside.gradient(example.text, label));
    if (gradient === undefined) continue;
    const { tokens, embeddings, values } = gradient;
    counts.texts++;
    if (!values.every(Number.isFinite)) {
      counts.notFinite++;
      continue;
    }
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (largest < ZERO) counts.zero++;
    else {
      const key = values.subarray(0, inside.hidden).join(' ');
      keys.set(key, (keys.get(key) ?? 0) + 1);
    }
    const stream = random(seed, 'diagnostics', 'gradients', example.id);
    const norm = normOf(embeddings);
    const ask = async (batch: Float32Array[]) =>
      Math.min(...(await inside.classifyEmbeddings(batch, tokens)).map((row) => row[label] as number));
    const guided = await ask(STEPS.map((step) => moved(embeddings, values, step * norm)));
    const blind = await ask(
      [...STEPS, 0.1].map((step) => moved(embeddings, noise(embeddings.length, stream), step * norm)),
    );
    queries += GRADIENT_QUERIES - 1;
    if (!(guided <= blind)) counts.misled++;
  }
  counts.constant = [...keys.values()].reduce((sum, n) => sum + (n > 1 ? n : 0), 0);
  return { queries, found: counts };
}

/** Undefined where the model fails on a text: the clean pass reports such texts. Throws ModelGone. */
async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ModelGone) throw error;
    return undefined;
  }
}

const normOf = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));

/** The embeddings moved by `length` along a direction; where they are if the direction is zero. */
function moved(from: Float32Array, direction: Float32Array, length: number): Float32Array {
  const norm = normOf(direction);
  const scale = norm === 0 ? 0 : length / norm;
  return from.map((x, at) => x + scale * (direction[at] as number));
}

const noise = (length: number, stream: Random): Float32Array => Float32Array.from({ length }, () => stream.normal());
