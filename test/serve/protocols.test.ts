/** Each protocol's transcript: the documented requests and responses, by a toy. */

import { describe, expect, test } from 'vitest';
import { floatToHalf } from '../../src/core/half.js';
import { type AnsweringOptions, Answers } from '../../src/serve/answers.js';
import { say, serving, toyLogits, toyProbabilities } from './toy.js';

const [bad, good] = ['bbb', 'ggggg'] as const;
const p = (text: string) => [...toyProbabilities(text)];
const l = (text: string) => [...toyLogits(text)];
const labels = ['bad', 'good', 'none'];
const sorted = (scores: readonly number[]) =>
  scores.map((score, at) => ({ label: labels[at], score })).sort((a, b) => b.score - a.score);
const input = (data: unknown, shape: readonly number[]) => ({
  inputs: [{ name: 'text', datatype: 'BYTES', shape, data }],
});
const tensor = (data: readonly number[], name = 'probabilities') => ({
  name,
  datatype: 'FP32',
  shape: [data.length / 3, 3],
  data,
});
const version = 'ab'.repeat(6);

describe('answers', () => {
  test.each<[protocol: string, method: string, path: string, body: unknown, answer: unknown]>([
    [
      'kserve-v2',
      'GET',
      '/v2',
      undefined,
      { name: 'robust', version: '1.2.3', extensions: ['binary_tensor_data', 'classification'] },
    ],
    ['kserve-v2', 'GET', '/v2/health/ready', undefined, { ready: true }],
    [
      ...(['kserve-v2', 'GET', '/v2/models/toy', undefined] as const),
      {
        name: 'toy',
        versions: [version],
        platform: 'onnxruntime_onnx',
        inputs: [{ name: 'text', datatype: 'BYTES', shape: [-1] }],
        outputs: [{ name: 'probabilities', datatype: 'FP32', shape: [-1, 3], parameters: { labels } }],
      },
    ],
    ['kserve-v2', 'GET', `/v2/models/toy/versions/${version}/ready`, undefined, { name: 'toy', ready: true }],
    [
      ...(['kserve-v2', 'POST', '/v2/models/toy/infer', { id: '7', ...input([bad, good], [2]) }] as const),
      { model_name: 'toy', model_version: version, id: '7', outputs: [tensor([...p(bad), ...p(good)])] },
    ],
    [
      ...(['kserve-v2', 'POST', `/v2/models/toy/versions/${version}/infer`, input([[bad], [good]], [2, 1])] as const),
      { model_name: 'toy', model_version: version, outputs: [tensor([...p(bad), ...p(good)])] },
    ],
    [
      'kserve-v2',
      'POST',
      '/v2/models/toy/infer',
      { ...input([good], [1]), outputs: [{ name: 'probabilities', parameters: { classification: 2 } }] },
      {
        model_name: 'toy',
        model_version: version,
        outputs: [
          {
            name: 'probabilities',
            datatype: 'BYTES',
            shape: [1, 2],
            data: [`${p(good)[1]}:1:good`, `${p(good)[2]}:2:none`],
          },
        ],
      },
    ],
    ['kserve-v1', 'GET', '/v1/models', undefined, { models: ['toy'] }],
    ['kserve-v1', 'GET', '/v1/models/toy', undefined, { name: 'toy', ready: true }],
    ['kserve-v1', 'POST', '/v1/models/toy:predict', { instances: [good] }, { predictions: [{ ...p(good) }] }],
    [
      ...(['tei', 'GET', '/info', undefined] as const),
      expect.objectContaining({
        model_type: {
          classifier: { id2label: { 0: 'bad', 1: 'good', 2: 'none' }, label2id: { bad: 0, good: 1, none: 2 } },
        },
        max_client_batch_size: 8,
        max_input_length: 128,
        model_sha: 'ab'.repeat(32),
      }),
    ],
    ['tei', 'POST', '/predict', { inputs: [[bad], [good]], raw_scores: true }, [sorted(l(bad)), sorted(l(good))]],
    ['tei', 'POST', '/predict', { inputs: good }, sorted(p(good))],
    ['tei', 'POST', '/predict', { inputs: [bad, good] }, sorted(p(good))],
    ['tei', 'POST', '/predict', { inputs: [[bad, good], [bad]] }, [sorted(p(good)), sorted(p(bad))]],
    [
      'vllm',
      'GET',
      '/v1/models',
      undefined,
      expect.objectContaining({ object: 'list', data: [expect.objectContaining({ id: 'toy' })] }),
    ],
    ...['/classify', '/v1/classify'].map(
      (path) =>
        [
          ...(['vllm', 'POST', path, { model: 'toy', input: [bad, good] }] as const),
          {
            object: 'list',
            model: 'toy',
            data: [
              { index: 0, label: 'bad', probs: p(bad), num_classes: 3 },
              { index: 1, label: 'good', probs: p(good), num_classes: 3 },
            ],
          },
        ] as [string, string, string, unknown, unknown],
    ),
    [
      'tfserving',
      'POST',
      '/v1/models/toy:predict',
      { instances: [bad, { text: good }] },
      { predictions: [p(bad), p(good)] },
    ],
    [
      'tfserving',
      'POST',
      '/v1/models/toy/versions/1:predict',
      { signature_name: 'serving_default', inputs: { text: [bad, { b64: Buffer.from(good).toString('base64') }] } },
      { outputs: [p(bad), p(good)] },
    ],
    [
      'tfserving',
      'GET',
      '/v1/models/toy',
      undefined,
      { model_version_status: [expect.objectContaining({ state: 'AVAILABLE' })] },
    ],
    [
      ...(['tfserving', 'GET', '/v1/models/toy/metadata', undefined] as const),
      expect.objectContaining({ model_spec: { name: 'toy', signature_name: '', version: '1' } }),
    ],
    [
      'hf-inference',
      'POST',
      '/models/org/toy',
      { inputs: [bad], parameters: { top_k: 2 } },
      [sorted(p(bad)).slice(0, 2)],
    ],
    [
      'hf-inference',
      'POST',
      '/hf-inference/models/toy',
      { inputs: { text: bad, text_pair: good }, parameters: { function_to_apply: 'none' } },
      [sorted(l(good))],
    ],
    [
      ...(['openai-moderation', 'POST', '/v1/moderations', { model: 'toy', input: [good] }] as const),
      {
        id: `modr-${version}`,
        model: 'toy',
        results: [
          {
            flagged: true,
            categories: { bad: false, good: true, none: false },
            category_scores: { bad: p(good)[0], good: p(good)[1], none: p(good)[2] },
          },
        ],
      },
    ],
    [
      'json',
      'POST',
      '/',
      { texts: [good, [good, bad]] },
      {
        labels,
        answers: [
          { label: 'good', scores: p(good) },
          { label: 'bad', scores: p(bad) },
        ],
      },
    ],
    ['json', 'GET', '/', undefined, { model: 'toy', sha256: 'ab'.repeat(32), labels, scores: 'probabilities' }],
  ])('%s %s %s', async (protocol, method, path, body, answer) => {
    const said = await say(protocol, method, path, body);
    expect(said).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(said.body).toEqual(answer);
  });

  test('all at once, where GET answers of two protocols are one object', async () => {
    expect((await say('all', 'GET', '/v1/models')).body).toMatchObject({ object: 'list', models: ['toy'] });
    expect((await say('all', 'GET', '/v1/models/toy')).body).toMatchObject({ ready: true, model_version_status: [{}] });
    expect((await say('all', 'POST', '/v1/models/toy:predict', { instances: [good] })).body).toEqual({
      predictions: [p(good)],
    });
  });

  test('logits where they are chosen', async () => {
    const kind = { kind: 'logits' } as const;
    expect((await say('kserve-v2', 'POST', '/v2/models/toy/infer', input([bad], [1]), kind)).body).toMatchObject({
      outputs: [tensor(l(bad), 'logits')],
    });
    expect((await say('kserve-v1', 'POST', '/v1/models/toy:predict', { instances: [bad] }, kind)).body).toEqual({
      predictions: [l(bad)],
    });
  });
});

describe('kserve-v2 in bytes', () => {
  const strings = (...texts: readonly string[]): Buffer =>
    Buffer.concat(
      texts.flatMap((text) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(Buffer.byteLength(text));
        return [length, Buffer.from(text)];
      }),
    );
  const body = (json: object, tensors: Buffer) => {
    const head = Buffer.from(JSON.stringify(json));
    return {
      bytes: Buffer.concat([head, tensors]),
      headers: { 'inference-header-content-length': String(head.length) },
    };
  };

  test('texts behind the JSON, scores behind the JSON', async () => {
    const texts = strings('bbb', 'é ggggg');
    const { bytes, headers } = body(
      {
        inputs: [{ name: 'text', datatype: 'BYTES', shape: [2], parameters: { binary_data_size: texts.length } }],
        parameters: { binary_data_output: true },
      },
      texts,
    );
    const answers = new Answers(serving());
    const reply = await answers.reply({ method: 'POST', url: '/v2/models/toy/infer', headers, bytes });
    const length = Number(reply.headers['inference-header-content-length']);
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/octet-stream' } });
    expect(JSON.parse(reply.bytes.toString('utf8', 0, length)).outputs).toEqual([
      { name: 'probabilities', datatype: 'FP32', shape: [2, 3], parameters: { binary_data_size: 24 } },
    ]);
    const values = Array.from({ length: 6 }, (_, at) => reply.bytes.readFloatLE(length + 4 * at));
    expect(values).toEqual([...p('bbb'), ...p('é ggggg')]);
    expect(reply.bytes).toHaveLength(length + 24);
  });

  test('half precision is sent as bytes only', async () => {
    const about = await say('kserve-v2', 'GET', '/v2/models/toy', undefined, { datatype: 'FP16' });
    expect(about.body).toMatchObject({ outputs: [{ datatype: 'FP16' }] });
    const inputs = [{ name: 'text', datatype: 'BYTES', shape: [1, 1], data: [['bbb']] }];
    const plain = await say('kserve-v2', 'POST', '/v2/models/toy/infer', { inputs }, { datatype: 'FP16' });
    expect(plain).toMatchObject({ status: 400, body: { error: expect.stringContaining('"binary_data": true') } });
    const asked = { inputs, outputs: [{ name: 'probabilities', parameters: { binary_data: true } }] };
    const bytes = Buffer.from(JSON.stringify(asked));
    const answers = new Answers(serving({ datatype: 'FP16' }));
    const reply = await answers.reply({ method: 'POST', url: '/v2/models/toy/infer', headers: {}, bytes });
    const raw = reply.bytes.subarray(Number(reply.headers['inference-header-content-length']));
    expect([0, 2, 4].map((at) => raw.readUInt16LE(at))).toEqual([...p('bbb')].map(floatToHalf));
  });

  test.each([
    ['a text that ends early', strings('bbb').subarray(0, 6), 6],
    ['a size that is not that of the bytes', strings('bbb'), 9],
  ])('%s is refused', async (_, tensors, size) => {
    const { bytes, headers } = body(
      { inputs: [{ name: 'text', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: size } }] },
      tensors,
    );
    const options = { headers } as Partial<AnsweringOptions>;
    expect(await say('kserve-v2', 'POST', '/v2/models/toy/infer', bytes, options)).toMatchObject({ status: 400 });
  });
});

describe('openai-chat', () => {
  const chat = (system: string, user: string, others: object = {}) =>
    say('openai-chat', 'POST', '/v1/chat/completions', {
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      ...others,
    });

  test('a letter for each label, as the prompt gives them, and the log-probabilities of both spellings', async () => {
    const { body } = await chat('Answer with a letter.\nA: good\nB: bad\nC: none', '<text>\nbbb\n</text>', {
      logprobs: true,
      top_logprobs: 20,
    });
    const [choice] = (body as { choices: { message: object; logprobs: { content: { top_logprobs: object[] }[] } }[] })
      .choices;
    expect(choice?.message).toMatchObject({ content: 'B' });
    const tops = choice?.logprobs.content[0]?.top_logprobs as { token: string; logprob: number }[];
    expect(tops.map(({ token }) => token).sort()).toEqual([' A', ' B', ' C', 'A', 'B', 'C']);
    const sum = (letter: string) =>
      tops.filter(({ token }) => token.trim() === letter).reduce((total, { logprob }) => total + Math.exp(logprob), 0);
    expect(['B', 'A', 'C'].map((letter) => Math.fround(sum(letter)))).toEqual(p('bbb'));
  });

  test('an enum of a JSON schema, and letters in the order of the labels', async () => {
    const schema = { type: 'object', properties: { label: { enum: ['none', 'good', 'bad'] } } };
    const format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
    expect((await chat('', 'ggggg', { response_format: format })).body).toMatchObject({
      choices: [{ message: { content: '{"label":"good"}' }, finish_reason: 'stop' }],
    });
    expect((await chat('', 'ggggg')).body).toMatchObject({ choices: [{ message: { content: 'B' } }] });
  });
});

describe('refuses', () => {
  test.each<[protocol: string, path: string, body: unknown, status: number, says: RegExp]>([
    ['kserve-v2', '/v2/models/other/infer', input([bad], [1]), 404, /expected the model "toy", got "other"/],
    ['kserve-v2', '/v2/models/toy/versions/9/infer', input([bad], [1]), 404, /version/],
    ['kserve-v2', '/v2/models/toy/infer', input([bad], [2]), 400, /expected 2 texts, as its shape says, got 1/],
    ['kserve-v2', '/v2/models/toy/infer', input([7], [1]), 400, /inputs\[0\]\.data\[0\]: expected a text, got 7/],
    ['kserve-v2', '/v2/models/toy/infer', input([bad], [1, 2]), 400, /shape/],
    ['kserve-v2', '/v2/models/toy/infer', {}, 400, /inputs: expected a list, got nothing/],
    ['kserve-v1', '/v1/models/toy:predict', { instances: bad.length }, 400, /instances/],
    ['tei', '/predict', { inputs: [[bad, good, bad]] }, 422, /one text or a pair/],
    ['tei', '/predict', { inputs: bad, raw_scores: 'yes' }, 422, /raw_scores/],
    ['tei', '/predict', { inputs: Array.from({ length: 9 }, () => [bad]) }, 413, /at most 8 texts per request, got 9/],
    ['vllm', '/classify', { model: 'gpt', input: bad }, 404, /"gpt"/],
    ['tfserving', '/v1/models/toy:predict', { signature_name: 'x', instances: [bad] }, 400, /signature_name/],
    ['hf-inference', '/models/toy', { inputs: bad, parameters: { top_k: 0 } }, 400, /top_k/],
    [
      'hf-inference',
      '/models/toy',
      { inputs: bad, parameters: { function_to_apply: 'tanh' } },
      400,
      /none, sigmoid, softmax/,
    ],
    ['openai-moderation', '/v1/moderations', { input: [{ type: 'image_url' }] }, 400, /"text"/],
    ['openai-chat', '/v1/chat/completions', { messages: [] }, 400, /"user"/],
    ['json', '/', { texts: ['a\uFDD0b'] }, 400, /U\+FDD0/],
    ['json', '/', Buffer.from('{"texts": ['), 400, /expected a body of JSON/],
    ['json', '/', Buffer.from('['.repeat(200_000)), 400, /expected a body of JSON/],
    ['json', '/', [bad], 400, /expected an object/],
    ['json', '/nowhere', {}, 404, /there is nothing at \/nowhere/],
    ['json', '/%zz', {}, 404, /nothing/],
    ['vllm', '/v1/models', {}, 405, /expected GET, got POST/],
  ])('%s %s %j', async (protocol, path, body, status, says) => {
    const said = await say(protocol, 'POST', path, body);
    expect(said.status).toBe(status);
    const { error } = said.body as { error: string | { message: string } };
    expect(typeof error === 'string' ? error : error.message).toMatch(says);
    if (protocol === 'tei') expect(said.body).toHaveProperty('error_type');
  });
});
