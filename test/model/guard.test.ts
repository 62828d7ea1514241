/** @file Generative guards: a causal language model with a prompt and answers, beside the same weights behind a chat endpoint. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import {
  answers,
  distance,
  explanationsOf,
  safetensorsBytes,
  type Tensors,
  temporary,
  valuesOf,
} from '../../packages/onnx/test/convert/checkpoints.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import { describe } from '../../src/model/opening/describe.js';
import { guardOptions } from '../../src/model/opening/guard.js';
import { createEncoder } from '../../src/model/tokens/create-encoder.js';
import { BYTE_CHARACTERS } from '../../src/model/tokens/locate-word.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { refusal } from '../refusal.js';

const LETTERS = ['ĠA', 'Ġa', 'ĠB', 'Ġb'];
const vocab = Object.fromEntries([...BYTE_CHARACTERS, ...LETTERS].map((token, id) => [token, id]));
const tokenizer = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: { type: 'BPE', vocab, merges: LETTERS.map((token) => `Ġ ${token[1]}`) },
};

const WIDTH = 16;
const config = {
  model_type: 'gpt_neox',
  architectures: ['GPTNeoXForCausalLM'],
  ...{ vocab_size: 260, hidden_size: WIDTH, intermediate_size: 24, num_hidden_layers: 2, num_attention_heads: 2 },
  ...{ max_position_embeddings: 256, pad_token_id: 0 },
};

/** Weights by their names' formula; the last norm shifts hidden states along its bias, where the letters' rows are large. */
function weights(): Tensors {
  const dims: Record<string, readonly number[]> = { 'gpt_neox.embed_in.weight': [260, WIDTH] };
  for (const layer of [0, 1]) {
    const name = `gpt_neox.layers.${layer}`;
    for (const norm of ['input_layernorm', 'post_attention_layernorm']) dims[`${name}.${norm}.weight`] = [WIDTH];
    const linear = (part: string, to: number, from: number) => {
      dims[`${name}.${part}.weight`] = [to, from];
      dims[`${name}.${part}.bias`] = [to];
    };
    for (const norm of ['input_layernorm', 'post_attention_layernorm']) dims[`${name}.${norm}.bias`] = [WIDTH];
    linear('attention.query_key_value', 3 * WIDTH, WIDTH);
    linear('attention.dense', WIDTH, WIDTH);
    linear('mlp.dense_h_to_4h', 24, WIDTH);
    linear('mlp.dense_4h_to_h', WIDTH, 24);
  }
  const last = 'gpt_neox.final_layer_norm';
  dims[`${last}.weight`] = [WIDTH];
  dims[`${last}.bias`] = [WIDTH];
  dims['lm_head.weight'] = [260, WIDTH];
  const tensors = new Map(Object.entries(dims).map(([name, d]) => [name, { dims: d, values: valuesOf(name, d) }]));
  const bias = tensors.get(`${last}.bias`)!.values;
  const size = bias.reduce((sum, value) => sum + value * value, 0);
  const head = tensors.get('lm_head.weight')!.values;
  for (const token of ['A', 'a', 'B', 'b', ...LETTERS]) {
    for (let at = 0; at < WIDTH; at++) head[vocab[token]! * WIDTH + at]! += (6 * bias[at]!) / size;
  }
  return tensors;
}

const folder = temporary();
const QUESTION = 'Is this text harmful? Choose:\n{{labels}}\nAnswer with a letter.';
const PROMPT = `${QUESTION.replace('{{labels}}', 'A: safe\nB: unsafe')}\n<text>\n{{text}}\n</text>\n`;
const TEXTS = ['tell me a joke', 'how do i pick a lock', 'Übermut tut selten gut', 'a'];
const hub = { cache: join(folder, 'hub') };
const guard = { prompt: PROMPT, answers: ['A', 'B'] };
let server: Server;
let address: string;

beforeAll(async () => {
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ model_max_length: 256 }));
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(weights()));
  const { model } = convertCheckpoint(folder, config);
  const encoder = await tokenizerEncoder(folder, { maximum: 4096, padId: 0, length: undefined });
  /** The likeliest first tokens of an answer, as a server with the same weights gives them. */
  const chat = async (messages: readonly { content: string }[]) => {
    const ids = [...encoder.encode(messages.map(({ content }) => `${content}\n`).join('')).ids];
    const { dims, data } = await answers(model, { input_ids: [ids], attention_mask: [ids.map(() => 1)] });
    const row = data.slice(-dims[2]!);
    const total = Math.log(row.reduce((sum, score) => sum + Math.exp(score), 0));
    const top = Array.from(row, (score, id) => ({ token: encoder.tokenText(id) ?? '', logprob: score - total }))
      .sort((a, b) => b.logprob - a.logprob)
      .slice(0, 20);
    return { message: { content: top[0]!.token }, logprobs: { content: [{ ...top[0], top_logprobs: top }] } };
  };
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [await chat(messages)] }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `openai-chat+http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#tiny`;
});
afterAll(() => server.close());

test('a local model and the same weights behind a chat endpoint agree to 1e-4', async () => {
  const notes: string[] = [];
  const labels = ['safe', 'unsafe'];
  const local = await loadModel(folder, { workers: 1, hub, labels, guard, onNote: (line) => notes.push(line) });
  const served = await loadModel(address, { labels, remote: { prompt: QUESTION } });
  onTestFinished(async () => void (await Promise.all([local.close(), served.close()])));
  const [here, there] = await Promise.all([local.classify(TEXTS), served.classify(TEXTS)]);
  for (const [at, row] of here.entries()) {
    expect(row[0]! + row[1]!).toBeCloseTo(1, 5);
    expect(Math.abs(row[0]! - there[at]![0]!)).toBeLessThan(1e-4);
  }
  // They differ by text.
  expect(Math.abs(here[0]![0]! - here[1]![0]!)).toBeGreaterThan(1e-3);
  expect(notes.filter((line) => line.includes('is spelt')).join()).toContain(
    'the answer A is spelt "A", " A", "a", " a"',
  );
});

test.each([true, false])('texts share batches, and have the bits they have alone (reuse: %s)', async (reuse) => {
  const warnings: string[] = [];
  const options = { workers: 1, hub, guard, reuse, onWarning: (line: string) => warnings.push(line) };
  const texts = Array.from({ length: 96 }, (_, at) => `text ${at + 100} of them`);
  const [together, alone] = [await loadModel(folder, options), await loadModel(folder, options)];
  onTestFinished(async () => void (await Promise.all([together.close(), alone.close()])));
  const rows = await together.classify(texts);
  for (const [at, text] of texts.entries()) expect((await alone.classify([text]))[0]).toEqual(rows[at]);
  expect(together.figures().meanBatch).toBeGreaterThan(8);
  expect(warnings).toEqual([]);
});

test('answers of several tokens are labels; another prompt is another model; long texts lose their end, not the prompt', async () => {
  const whole = { prompt: 'Text: {{text}}\nSafe?', answers: ['safe', 'unsafe'] };
  const first = await loadModel(folder, { workers: 1, hub, guard: whole });
  const other = await loadModel(folder, { workers: 1, hub, guard: { ...whole, prompt: 'Read: {{text}}\nSafe?' } });
  onTestFinished(async () => void (await Promise.all([first.close(), other.close()])));
  expect(first.labels).toEqual(['safe', 'unsafe']);
  expect(first.sha256).not.toBe(other.sha256);
  const long = 'word '.repeat(200);
  const encoder = await createEncoder(
    await describe({
      ...{ kind: 'onnx', name: 'x', folder, model: first.paths[0]! },
      guard: { prompt: whole.prompt, file: first.paths[0]!, answers: whole.answers },
    }),
  );
  const { ids, truncated } = encoder.encode(long);
  expect(truncated).toBe(true);
  expect(ids.length).toBeLessThanOrEqual(256);
  const text = Array.from(ids, (id) => encoder.tokenText(id)).join('');
  expect(text.slice(0, 11)).toBe('Text: word ');
  expect(text.slice(-6)).toBe('\nSafe?');
  // Tokens have their places in the text.
  const [token] = encoder.tokens('some words').filter(({ special }) => !special);
  expect(token).toMatchObject({ start: 0, end: 1 });
  const [row] = await first.classify([long]);
  expect(row![0]! + row![1]!).toBeCloseTo(1, 5);
});

test.each(['onnx', 'tfjs'] as const)('%s gives the gradient of its answers: the slope of the loss', async (engine) => {
  const model = await loadModel(folder, { workers: 1, hub, guard });
  const inside = await openWhiteBox(model, { engine, workers: 1 });
  onTestFinished(async () => void (await Promise.all([inside.close(), model.close()])));
  const { tokens, loss, embeddings, values, probabilities } = await inside.gradient(TEXTS[0]!, 0);
  const [row] = await model.classify([TEXTS[0]!]);
  expect(distance(probabilities, row!)).toBeLessThan(1e-5);
  expect(loss).toBeCloseTo(-Math.log(row![0]!), 4);
  const length = Math.hypot(...values);
  const step = 1e-3 / length;
  const moved = async (by: number) => {
    const at = embeddings.map((value, i) => value + by * (values[i]! / length));
    return (await inside.gradientAt(at, tokens, 0)).loss;
  };
  const slope = ((await moved(step)) - (await moved(-step))) / (2 * step);
  expect(Math.abs(slope / length - 1)).toBeLessThan(0.02);
  // Gradients at the prompt, too: attacks leave its tokens alone, because they are special.
  const own = tokens.filter(({ special }) => !special).map(({ start, end }) => TEXTS[0]!.slice(start, end));
  expect(own.join('').replaceAll(' ', '')).toBe(TEXTS[0]!.replaceAll(' ', ''));
});

test('the words of a text are explained, not those of the prompt', async () => {
  const model = await loadModel(folder, { workers: 1, hub, guard });
  const gradients = await openWhiteBox(model, { workers: 1 });
  onTestFinished(async () => void (await Promise.all([gradients.close(), model.close()])));
  const methods = ['lime', 'shap', 'gradient-x-input', 'integrated-gradients'] as const;
  const found = await explanationsOf(model, gradients, TEXTS[1]!, { methods, samples: 100, steps: 32 });
  expect(found.map(({ name }) => name)).toEqual(methods);
  for (const { words } of found) {
    expect(words.map(({ word }) => word)).toEqual(TEXTS[1]!.split(' '));
    expect(words.some(({ weight }) => weight !== 0)).toBe(true);
  }
});

test.each([
  [{ prompt: 'no place\nSafe?', answers: ['a', 'b'] }, 'expected {{text}} once'],
  [{ prompt: '{{text}} and {{text}}:', answers: ['a', 'b'] }, 'expected {{text}} once'],
  [{ prompt: 'Safe? {{text}}', answers: ['a', 'b'] }, 'a question behind it'],
  [
    { prompt: `${'long '.repeat(80)}{{text}}\nSafe?`, answers: ['a', 'b'] },
    'expected a prompt of less than 256 tokens',
  ],
])('%j is refused', async (wrong, message) => {
  await expect(loadModel(folder, { workers: 1, hub, guard: wrong })).rejects.toThrow(message);
});

test('options belong together, and answers differ', async () => {
  expect(guardOptions('x', undefined)).toBeUndefined();
  await refusal(() => guardOptions(undefined, ['a', 'b']));
  await refusal(() => guardOptions('x', ['Yes', 'yes ']));
});

test('what is no causal model takes no prompt', async () => {
  await refusal(loadModel('distilbert', { guard }));
  await expect(loadModel(folder, { hub })).rejects.toThrow(
    expect.objectContaining({ hint: expect.stringContaining('--prompt FILE:answers=a,b') }),
  );
  await refusal(loadModel(address, { labels: ['a', 'b'], guard }));
});
