/** @file Whether a converted model answers as it should: texts alone and together, and beside an export of the same model. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { familyOfType } from '../../../packages/onnx/src/convert/families/index.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { must, RobustError } from '../../core/errors.js';
import { createEncoder } from '../tokens/create-encoder.js';
import { OrtSession } from '../workers/session.js';
import { readConfig } from './conversion.js';
import { describe } from './describe.js';
import { SAMPLES } from './probe.js';

export interface CheckedConversion {
  /** The ONNX file that it was compared with, beside the source, or null. */
  readonly reference: string | null;
  /** Largest difference of a logit: from the reference, and of a text alone from the same text in a batch, padded unless the family reads padding. */
  readonly fromReference: number | null;
  readonly inCompany: number;
  /** Largest difference of the reference from itself, of a text alone from the same text in a batch; null without a reference. */
  readonly spread: number | null;
  readonly texts: number;
}

/** Maximum rounding error, as a share of the largest logit. */
const TOLERANCES = { fp32: 1e-4, fp16: 5e-2 } as const;
/** Runs the model in `folder`. Throws ModelError; RobustError MODEL_DAMAGED. */
export async function checkConversion(
  folder: string,
  source: string,
  precision: 'fp32' | 'fp16',
): Promise<CheckedConversion> {
  const description = await describe({ kind: 'onnx', name: basename(folder), folder });
  const encoder = await createEncoder(description);
  const { modelType = '' } = description;
  const family = familyOfType(modelType);
  const readsPadding = family?.readsPadding?.(await readConfig(folder)) ?? false;
  const whole = SAMPLES.map((text) => [...encoder.encode(text).ids]);
  const shortest = Math.min(...whole.map(({ length }) => length));
  const texts = readsPadding ? whole.map((ids) => ids.slice(0, shortest)) : whole;
  const ask = async (path: string, rows: readonly (readonly number[])[]) => {
    const session = await OrtSession.open({ source: path });
    try {
      return await answersOf(session, rows, description.padId, family?.paddingType);
    } finally {
      await session.release();
    }
  };
  const together = await ask(description.model, texts);
  const eachAlone = (path: string) => Promise.all(texts.map(async (text) => must((await ask(path, [text]))[0])));
  const alone = await eachAlone(description.model);
  const beside = ['model.onnx', join('onnx', 'model.onnx')]
    .map((name) => join(source, name))
    .find((path) => existsSync(path));
  const reference = beside === undefined ? undefined : await eachAlone(beside);
  const size = Math.max(1, ...together.flatMap((row) => Array.from(row, Math.abs)));
  const inCompany = apart(alone, together);
  // Compared without padding, on which a reference may depend.
  const fromReference = reference === undefined ? null : apart(reference, alone);
  const spread = beside && reference ? apart(reference, await ask(beside, texts)) : null;
  const limit = TOLERANCES[precision] * size;
  // A product of fewer rows may take another kernel, at any precision.
  for (const [what, found, most] of [
    ['each text alone', inCompany, TOLERANCES.fp32 * size],
    [beside ?? '', fromReference ?? 0, limit],
  ] as const) {
    if (found <= most) continue;
    throw new RobustError(
      `${folder}: expected the answers of ${what} to within ${most.toPrecision(1)}, got ${found.toPrecision(3)}`,
      {
        code: 'MODEL_DAMAGED',
        hint: 'Do not use what was written. If the weights and the config belong together, this is a defect: please report the config.json.',
      },
    );
  }
  return { reference: beside ?? null, fromReference, inCompany, spread, texts: texts.length };
}

/** The answers of each text, without those for its padding where tokens are answered one by one. */
async function answersOf(
  session: OrtSession,
  texts: readonly (readonly number[])[],
  padId: number,
  /** The token type of padding before the texts; undefined where it stands behind them. */
  paddingType: number | undefined,
): Promise<Float32Array[]> {
  const left = paddingType !== undefined;
  const longest = Math.max(...texts.map(({ length }) => length));
  const dims = [texts.length, longest];
  const row = (values: readonly number[], fill: number) => {
    const rest = Array<number>(longest - values.length).fill(fill);
    return left ? [...rest, ...values] : [...values, ...rest];
  };
  const inputs: Readonly<Record<string, readonly number[][]>> = {
    input_ids: texts.map((ids) => row(ids, padId)),
    attention_mask: texts.map((ids) =>
      row(
        ids.map(() => 1),
        0,
      ),
    ),
    token_type_ids: texts.map((ids) =>
      row(
        ids.map(() => 0),
        paddingType ?? 0,
      ),
    ),
  };
  const feeds = session.ports.inputs.map(({ name }) => {
    const values =
      inputs[name] ??
      texts.map((ids) =>
        row(
          ids.map((_, at) => at),
          0,
        ),
      );
    return [name, { type: DataType.int64, dims, data: BigInt64Array.from(values.flat(), BigInt) }] as const;
  });
  const [output] = [...(await session.run(new Map(feeds))).values()];
  const data = output?.data as Float32Array;
  const width = data.length / texts.length;
  const perToken = output?.dims.length === 3;
  return texts.map(({ length }, at) => {
    const all = data.slice(at * width, (at + 1) * width);
    if (!perToken) return all;
    const used = (length * width) / longest;
    return left ? all.slice(width - used) : all.slice(0, used);
  });
}

/** The largest difference; infinite where one is no number or shapes differ. */
function apart(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  let largest = 0;
  for (const [at, row] of a.entries()) {
    const other = must(b[at]);
    if (row.length !== other.length) return Number.POSITIVE_INFINITY;
    for (const [i, value] of row.entries()) {
      const size = Math.abs(value - other[i]!);
      if (Number.isNaN(size)) return Number.POSITIVE_INFINITY;
      largest = Math.max(largest, size);
    }
  }
  return largest;
}
