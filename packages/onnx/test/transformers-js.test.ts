/**
 * @file transformers.js opens what the package converts, and answers as transformers did in Python. It brings two builds of onnxruntime and is
 * no dependency: npm install --no-save @huggingface/transformers@4, or TRANSFORMERS_JS names a folder with it in its node_modules.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/core/package-root.js';
import { convertCheckpoint } from '../src/convert/index.js';
import { saveModel } from '../src/convert/save.js';
import { checkpointOf, configurationsIn, distance } from './convert/checkpoints.js';

/** What is used of the package. */
interface Transformers {
  readonly env: { localModelPath: string; allowRemoteModels: boolean };
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => unknown;
  readonly AutoModelForSequenceClassification: {
    from_pretrained(
      folder: string,
      options: { dtype: 'fp32'; local_files_only: true },
    ): Promise<
      ((inputs: Record<string, unknown>) => Promise<{ logits: { data: Float32Array; dims: readonly number[] } }>) & {
        dispose(): Promise<unknown>;
      }
    >;
  };
}

const home = process.env.TRANSFORMERS_JS ?? packageRoot;
const installed = existsSync(join(home, 'node_modules', '@huggingface', 'transformers'));

const FAMILIES = ['bert tanh', 'distilbert relu', 'modernbert cls'];

test.skipIf(!installed).each(FAMILIES)(
  `transformers.js opens %s${installed ? '' : ': @huggingface/transformers is not installed, skipped'}`,
  async (name) => {
    const entry = createRequire(join(home, 'package.json')).resolve('@huggingface/transformers');
    const { env, Tensor, AutoModelForSequenceClassification } = (await import(
      pathToFileURL(entry).href
    )) as Transformers;
    const one = configurationsIn('configurations.json').find((each) => each.name === name)!;
    const folder = checkpointOf(one);
    try {
      mkdirSync(join(folder, 'onnx'));
      saveModel(convertCheckpoint(folder).model, join(folder, 'onnx', 'model.onnx'));
      env.allowRemoteModels = false;
      env.localModelPath = dirname(folder);
      const model = await AutoModelForSequenceClassification.from_pretrained(folder, {
        dtype: 'fp32',
        local_files_only: true,
      });
      const { input_ids, attention_mask, token_type_ids } = one;
      const inputs = Object.entries({ input_ids, attention_mask, token_type_ids }).flatMap(([input, rows]) =>
        rows === undefined
          ? []
          : [[input, new Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0]!.length])]],
      );
      const { logits } = await model(Object.fromEntries(inputs) as Record<string, unknown>);
      expect(logits.dims).toEqual(one.shape);
      expect(distance(logits.data, one.logits)).toBeLessThanOrEqual(1e-5);
      await model.dispose();
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
