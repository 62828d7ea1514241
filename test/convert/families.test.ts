/** @file The table of families in docs/reference/models.md, made from what this test finds: `vitest run test/convert/families.test.ts -u`. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { packageRoot } from '../../src/core/package-root.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { loadModel } from '../../src/model/load.js';
import { describe } from '../../src/model/opening/describe.js';
import { createEncoder } from '../../src/model/tokens/create-encoder.js';
import { readModel } from '../../src/onnx/read.js';
import { writeModel } from '../../src/onnx/write.js';
import { compare } from '../gradient/held-against.js';
import { type Golden, goldens } from '../model/goldens.js';
import { convertedAnswers, distance, type Json } from './checkpoints.js';

const root = mkdtempSync(join(tmpdir(), 'robust-families-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const FAMILIES = goldens.filter(({ name }) => !/^(dynamo-|bert-|gpt2-)/.test(name));
const [BEGIN, END] = ['<!-- families: begin -->\n', '<!-- families: end -->'];
const COLUMNS = ['load', 'convert', 'white box', 'train', 'pair'] as const;

const configOf = ({ folder }: Golden): Json => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Json;

/** Whether a check passes; a failure is an answer here, which the table shows and the comparison with the file does not let through. */
const passes = (check: () => Promise<boolean>): Promise<boolean> => check().catch(() => false);

/** As a user loads it: a folder without ONNX, converted on the way. */
async function loads({ folder, name }: Golden): Promise<boolean> {
  const own = mkdtempSync(join(root, `${name}-`));
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors']) {
    copyFileSync(join(folder, file), join(own, file));
  }
  const model = await loadModel(own, { workers: 1, hub: { cache: join(root, 'hub') } });
  await model.close();
  return true;
}

async function converts(golden: Golden): Promise<boolean> {
  for (const one of golden.cases) {
    const { data } = await convertedAnswers(golden.folder, configOf(golden), one);
    if (distance(data, ((one.logits ?? []) as readonly (readonly number[])[]).flat()) > 1e-5) return false;
  }
  return true;
}

/** Gradients of the looked-up words, and of the weights, as PyTorch's; the names of weights that are not trained. */
async function gradients(golden: Golden): Promise<readonly string[]> {
  const { model } = convertCheckpoint(golden.folder, configOf(golden));
  return compare(
    onnxEngine(),
    golden,
    readModel(writeModel(model), () => new Uint8Array()),
    golden.cases.slice(-2),
  );
}

async function pairs({ folder, cases }: Golden): Promise<boolean> {
  const encoder = await createEncoder(
    await describe({ kind: 'onnx', name: 'x', folder, model: join(folder, 'model.safetensors') }),
  );
  const pair = cases.find(({ name }) => name === 'pair-1');
  if (pair === undefined) return false;
  const [first, second] = pair.texts[0] as readonly [string, string];
  return JSON.stringify([...encoder.encode(first, second).ids]) === JSON.stringify(pair.input_ids[0]);
}

const kindOf = ({ folder }: Golden): string =>
  (JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as { model: { type: string } }).model.type;

test.skipIf(goldens.length === 0)(
  'the table in docs/reference/models.md (skipped without ../shared)',
  async () => {
    const rows: string[] = [];
    for (const golden of FAMILIES) {
      const learnt = await gradients(golden).catch(() => undefined);
      const found = [
        await passes(() => loads(golden)),
        await passes(() => converts(golden)),
        learnt !== undefined,
        learnt?.length === 0,
        await passes(() => pairs(golden)),
      ];
      rows.push(`| ${golden.name} | ${found.map((yes) => (yes ? 'yes' : 'no')).join(' | ')} | ${kindOf(golden)} |`);
    }
    const head = `| family | ${COLUMNS.join(' | ')} | tokenizer |\n|---|${'---|'.repeat(COLUMNS.length + 1)}`;
    const path = join(packageRoot, 'docs', 'reference', 'models.md');
    const [before = '', rest = ''] = readFileSync(path, 'utf8').split(BEGIN);
    const after = rest.slice(rest.indexOf(END));
    await expect(`${before}${BEGIN}\n${head}\n${rows.join('\n')}\n\n${after}`).toMatchFileSnapshot(path);
  },
  240_000,
);
