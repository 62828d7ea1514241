/** The transcripts of KServe V2 and of plain JSON: the documented requests and responses, by a toy. */

import { describe, expect, test } from 'vitest';
import { type AnsweringOptions, Answers } from '../../src/serve/answers.js';
import { say, serving, toyProbabilities } from './toy.js';

const [bad, good] = ['bbb', 'ggggg'] as const;
const p = (text: string) => [...toyProbabilities(text)];
const labels = ['bad', 'good', 'none'];
const input = (data: unknown, shape: readonly number[]) => ({
  inputs: [{ name: 'text', datatype: 'BYTES', shape, data }],
});
const tensor = (data: readonly number[]) => ({
  name: 'probabilities',
  datatype: 'FP32',
  shape: [data.length / 3, 3],
  data,
});
const version = 'ab'.repeat(6);

describe('answers', () => {
  test.each<[method: string, path: string, body: unknown, answer: unknown]>([
    [
      'GET',
      '/v2',
      undefined,
      { name: 'robust', version: '1.2.3', extensions: ['binary_tensor_data', 'classification'] },
    ],
    ['GET', '/v2/health/ready', undefined, { ready: true }],
    [
      ...(['GET', '/v2/models/toy', undefined] as const),
      {
        name: 'toy',
        versions: [version],
        platform: 'onnxruntime_onnx',
        inputs: [{ name: 'text', datatype: 'BYTES', shape: [-1] }],
        outputs: [{ name: 'probabilities', datatype: 'FP32', shape: [-1, 3], parameters: { labels } }],
      },
    ],
    ['GET', `/v2/models/toy/versions/${version}/ready`, undefined, { name: 'toy', ready: true }],
    [
      ...(['POST', '/v2/models/toy/infer', { id: '7', ...input([bad, good], [2]) }] as const),
      { model_name: 'toy', model_version: version, id: '7', outputs: [tensor([...p(bad), ...p(good)])] },
    ],
    [
      ...(['POST', `/v2/models/toy/versions/${version}/infer`, input([[bad], [good]], [2, 1])] as const),
      { model_name: 'toy', model_version: version, outputs: [tensor([...p(bad), ...p(good)])] },
    ],
    [
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
    [
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
    ['GET', '/', undefined, { model: 'toy', sha256: 'ab'.repeat(32), labels }],
  ])('%s %s', async (method, path, body, answer) => {
    const said = await say(method, path, body);
    expect(said).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(said.body).toEqual(answer);
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

  test.each([
    ['a text that ends early', strings('bbb').subarray(0, 6), 6],
    ['a size that is not that of the bytes', strings('bbb'), 9],
  ])('%s is refused', async (_, tensors, size) => {
    const { bytes, headers } = body(
      { inputs: [{ name: 'text', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: size } }] },
      tensors,
    );
    const options = { headers } as Partial<AnsweringOptions>;
    expect(await say('POST', '/v2/models/toy/infer', bytes, options)).toMatchObject({ status: 400 });
  });
});

describe('refuses', () => {
  test.each<[path: string, body: unknown, status: number, says: RegExp]>([
    ['/v2/models/other/infer', input([bad], [1]), 404, /expected the model "toy", got "other"/],
    ['/v2/models/toy/versions/9/infer', input([bad], [1]), 404, /version/],
    ['/v2/models/toy/infer', input([bad], [2]), 400, /expected 2 texts, as its shape says, got 1/],
    ['/v2/models/toy/infer', input([7], [1]), 400, /inputs\[0\]\.data\[0\]: expected a text, got 7/],
    ['/v2/models/toy/infer', input([bad], [1, 2]), 400, /shape/],
    ['/v2/models/toy/infer', {}, 400, /inputs: expected a list, got nothing/],
    ['/', { texts: ['a\uFDD0b'] }, 400, /U\+FDD0/],
    ['/', Buffer.from('{"texts": ['), 400, /expected a body of JSON/],
    ['/', Buffer.from('['.repeat(200_000)), 400, /expected a body of JSON/],
    ['/', [bad], 400, /expected an object/],
    ['/', { texts: Array.from({ length: 9 }, () => bad) }, 413, /at most 8 texts per request, got 9/],
    ['/v2/health/live', {}, 405, /expected GET, got POST/],
    ['/nowhere', {}, 404, /there is nothing at \/nowhere/],
    ['/%zz', {}, 404, /nothing/],
  ])('%s %j', async (path, body, status, says) => {
    const said = await say('POST', path, body);
    expect(said).toMatchObject({ status, body: { error: expect.stringMatching(says) } });
  });
});
