/** @file Checkpoints of ../shared/goldens/transformers-2: tokens and logits as transformers gave them, alone and in company. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { convertedAnswers, distance, type Json } from '../../packages/onnx/test/convert/checkpoints.js';
import { describe } from '../../src/model/opening/describe.js';
import { createEncoder } from '../../src/model/tokens/create-encoder.js';

interface Case {
  readonly texts: string | readonly [string, string];
  readonly ids: readonly number[];
  readonly types: readonly number[];
  readonly logits: readonly number[];
}

const root = fileURLToPath(new URL('../../../shared/goldens/transformers-2/', import.meta.url));
const FAMILIES = existsSync(root)
  ? readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  : ['checkpoints'];
/** The reference answers of these families were computed without token types. */
const WITHOUT_TYPES = ['bigbird', 'convbert', 'ernie', 'nomic'];
const json = (family: string, file: string): unknown => JSON.parse(readFileSync(join(root, family, file), 'utf8'));

const fedWith = (ids: readonly number[], types: readonly number[]) => ({
  input_ids: [ids],
  attention_mask: [ids.map(() => 1)],
  token_type_ids: [types],
});

test.skipIf(!existsSync(root)).each(FAMILIES)('%s (skipped without ../shared)', async (family) => {
  const folder = join(root, family);
  const config = json(family, 'config.json') as Json;
  const cases = json(family, 'golden.json') as readonly Case[];
  const encoder = await createEncoder(
    await describe({ kind: 'onnx', name: family, folder, model: join(folder, 'model.safetensors') }),
  );
  for (const { texts, ids, types, logits } of cases) {
    const encoded = typeof texts === 'string' ? encoder.encode(texts) : encoder.encode(...texts);
    expect([...encoded.ids], JSON.stringify(texts)).toEqual(ids);
    const { dims, data } = await convertedAnswers(
      folder,
      config,
      fedWith(ids, WITHOUT_TYPES.includes(family) ? ids.map(() => 0) : types),
    );
    expect(dims).toEqual([1, logits.length]);
    expect(distance(data, logits), JSON.stringify(texts)).toBeLessThanOrEqual(1e-5);
  }
});
