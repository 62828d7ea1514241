/** PyTorch's logits, losses and gradients of every export in ../shared/goldens/transformers, by both engines. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tfjsEngine } from '../../../../src/gradient/tfjs/engine.js';
import { onnxEngine } from '../../../../src/gradient/white-box/onnx-engine.js';
import { goldens } from '../../../../test/model/goldens.js';
import { loadModel } from '../../src/graph/load.js';
import { compare } from './held-against.js';

const files = goldens.flatMap((golden) => golden.files.map((file) => [golden.name, file, golden] as const));

describe.skipIf(files.length === 0)('exports of transformers (absent: ../shared/goldens/transformers)', () => {
  test.each(files)('%s %s: onnx', async (_name, file, golden) => {
    expect(await compare(onnxEngine(), golden, await loadModel(join(golden.folder, file)), golden.cases)).toEqual([]);
  });

  test.each(files)('%s %s: tfjs', async (_name, file, golden) => {
    await compare(
      await tfjsEngine(),
      golden,
      await loadModel(join(golden.folder, file)),
      golden.cases.filter(({ name }) => name === 'batch-padded' || name === 'pair-1'),
    );
  });
});
