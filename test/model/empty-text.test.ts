/** A text without any token: every family answers it, alone and among others, and explanations may delete every word. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { explain } from '../../src/app/explain.js';
import { loadModel } from '../../src/model/load.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { OrtSession } from '../../src/model/workers/session.js';
import type { Explanation } from '../../src/results/report/explanation.js';
import { type Golden, goldens } from './goldens.js';
import { wordLevel } from './tokenizers.js';
import { folder } from './toy.js';

const limits = { maximum: 96, padId: 0, length: undefined };

const classifiers = goldens.filter(({ task, files }) => ['single', 'multilabel'].includes(task) && files.length > 0);

describe.skipIf(goldens.length === 0)('exports of transformers (skipped without ../shared)', () => {
  test.each(classifiers.map((golden) => [golden.name, golden] as const))(
    '%s classifies it and explains a text down to it',
    async (_, { folder, task, files }) => {
      const spec = join(folder, files[0] as string);
      const decision = task === 'multilabel' ? ('multi-label' as const) : undefined;
      const model = await loadModel(spec, { workers: 1, ...(decision && { decision }) });
      let answer: Float32Array;
      try {
        const [alone] = await model.classify(['']);
        const [, among] = await model.classify(['the film is good', '', 'bad']);
        expect([...(alone as Float32Array)].every((value) => value >= 0 && value <= 1)).toBe(true);
        expect(among).toEqual(alone);
        answer = alone as Float32Array;
      } finally {
        await model.close();
      }
      const { explanations } = await explain({
        model: [spec],
        text: 'good film',
        method: ['shap'],
        workers: 1,
        ...(decision && { task: decision }),
      });
      const explanation = explanations[0] as Explanation;
      expect(explanation.methods[0]?.check).toMatchObject({
        baseValue: expect.closeTo(answer[model.labels.indexOf(explanation.label)] as number, 6),
      });
    },
  );

  test('GPT-2 answers it as it answers one padding token', async () => {
    const golden = goldens.find(({ name }) => name === 'gpt2') as Golden;
    const session = await OrtSession.open({ source: join(golden.folder, 'model.onnx') });
    const model = await loadModel(golden.folder, { workers: 1 });
    try {
      const feed = (value: number) => ({ type: DataType.int64, dims: [1, 1], data: BigInt64Array.of(BigInt(value)) });
      const answer = await session.run(
        new Map(session.ports.inputs.map(({ name }) => [name, feed(name === 'input_ids' ? 399 : 1)])),
      );
      const { data } = answer.get('logits') as { data: Float32Array };
      const logits = [...data];
      const sum = logits.reduce((total, value) => total + Math.exp(value), 0);
      const [row] = await model.classify(['']);
      [...(row as Float32Array)].forEach((value, at) => {
        expect(value).toBeCloseTo(Math.exp(logits[at] as number) / sum, 5);
      });
    } finally {
      await model.close();
      await session.release();
    }
  });
});

const families = fileURLToPath(new URL('../../../shared/goldens/', import.meta.url));
const tokenizers = ['transformers', 'transformers-2'].flatMap((set) =>
  existsSync(join(families, set))
    ? readdirSync(join(families, set))
        .map((name) => join(families, set, name))
        .filter((path) => existsSync(join(path, 'tokenizer.json')))
    : [],
);

test.skipIf(tokenizers.length === 0).each(tokenizers.map((path) => [path.slice(families.length), path] as const))(
  '%s reads it as special tokens alone (skipped without ../shared)',
  async (_, path) => {
    const { pad_token_id: pad } = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8')) as {
      pad_token_id: number;
    };
    const encoder = await tokenizerEncoder(path, { ...limits, specialIds: { pad } });
    const { ids, truncated } = encoder.encode('');
    expect(ids.length).toBeGreaterThan(0);
    expect(truncated).toBe(false);
    const tokens = encoder.tokens('');
    expect(tokens.map(({ id }) => id)).toEqual([...ids]);
    expect(tokens.every(({ special, start, end }) => special && start === 0 && end === 0)).toBe(true);
  },
);

describe('the token that stands for it', () => {
  /** Without a token that an empty text would be framed by; ids: <s> 0, <pad> 1, </s> 2, <unk> 3, <mask> 4. */
  const encoderOf = (config: object, options: Partial<Parameters<typeof tokenizerEncoder>[1]> = {}, unknown = true) => {
    const definition = wordLevel();
    const model = { ...(definition.model as object), ...(unknown ? {} : { unk_token: '' }) };
    const path = folder({ 'tokenizer.json': { ...definition, model }, 'tokenizer_config.json': config });
    return tokenizerEncoder(path, { ...limits, ...options });
  };

  test.each([
    [
      'the pad token that the tokenizer names',
      { pad_token: '<pad>', eos_token: '</s>' },
      { specialIds: { pad: 4 } },
      [1],
    ],
    ['a token written as an object', { pad_token: { content: '<pad>' } }, {}, [1]],
    ['the pad id of config.json', { eos_token: '</s>' }, { specialIds: { pad: 4 } }, [4]],
    ['the end of text, without padding', { eos_token: '</s>', bos_token: '<s>' }, {}, [2]],
    ['the beginning of text', {}, { specialIds: { bos: 0 } }, [0]],
    [
      'ids that the vocabulary lacks are passed over',
      { bos_token: '<s>' },
      { specialIds: { pad: -1, eos: 32_000 } },
      [0],
    ],
    ['the unknown token', {}, {}, [3]],
    ['of a fixed length, in the first place', { eos_token: '</s>' }, { length: 3 }, [2, 0, 0]],
    ['of a fixed length, padded left', { eos_token: '</s>', padding_side: 'left' }, { length: 3 }, [0, 0, 2]],
  ])('%s', async (_, config, options, ids) => {
    const encoder = await encoderOf(config, options);
    for (const text of ['', ' ', '\n\t']) {
      expect([...encoder.encode(text).ids]).toEqual(ids);
      expect(encoder.tokens(text).map(({ id }) => id)).toEqual(ids);
    }
    expect([...encoder.encode('', '').ids]).toEqual(ids);
    expect(encoder.encode('good').ids).not.toEqual(encoder.encode('').ids);
  });

  test('a tokenizer that names none refuses the text', async () => {
    const encoder = await encoderOf({}, {}, false);
    expect([...encoder.encode('good').ids]).toHaveLength(1);
    for (const ask of [() => encoder.encode(''), () => encoder.tokens('')]) {
      expect(ask).toThrow(expect.objectContaining({ code: 'TEXT_UNSUPPORTED', exit: 2 }));
    }
  });
});
