/** Answers of third-party servers, according to their documentation and sources: shapes, orders, names, refusals. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { floatToHalf, halfToFloat } from '../../packages/onnx/src/half.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { addressIn } from '../../src/remote/index.js';
import { folder, robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { scoreOf, serving, stopServing } from './server.js';

afterAll(stopServing);

const TEXTS = ['one', 'two', 'three'];
type Body = Record<string, never> & { readonly [key: string]: never };

/** Opens `spec`, asks it three texts, and closes it. */
async function asked(spec: string, options: Parameters<typeof loadModel>[1] = {}): Promise<[LoadedModel, number[][]]> {
  const model = await loadModel(spec, { ...options, remote: { pause: 1, ...options.remote } });
  try {
    return [model, (await model.classify(TEXTS)).map((row) => [...row])];
  } finally {
    await model.close();
  }
}

const expected = TEXTS.map(scoreOf);
const described = (content: object): string =>
  `http:${join(folder({ 'endpoint.yaml': JSON.stringify(content) }), 'endpoint.yaml')}`;

test('TEI: answers are sorted by score and are put into the order of the labels; one text is a list of its own, not half a pair', async () => {
  const bodies: { inputs: string[][]; raw_scores: boolean }[] = [];
  const url = await serving((body, { url }) => {
    if (url === '/info') {
      return {
        model_id: 'm',
        model_sha: 'abc',
        max_client_batch_size: 2,
        model_type: { classifier: { id2label: { 0: 'zero', 1: 'one' } } },
      };
    }
    const read = JSON.parse(body) as (typeof bodies)[number];
    bodies.push(read);
    return read.inputs.map(([text = '']) =>
      scoreOf(text)
        .map((score, at) => ({ label: ['zero', 'one'][at], score: Math.log(score) }))
        .sort((a, b) => b.score - a.score),
    );
  });
  const [model, rows] = await asked(`tei+${url}`);
  expect(model.labels).toEqual(['zero', 'one']);
  for (const [at, row] of rows.entries()) expect(row[1]).toBeCloseTo(expected[at]?.[1] as number, 5);
  expect(
    bodies.every(
      ({ inputs, raw_scores }) => raw_scores && inputs.length <= 2 && inputs.every((each) => each.length === 1),
    ),
  ).toBe(true);
  expect(model.remote?.facts).toEqual({ model: 'm', version: 'abc' });
});

test('TEI: a server of embeddings is reported by its name', async () => {
  const url = await serving(() => ({ model_id: 'm', model_type: { embedding: { pooling: 'mean' } } }));
  await refusal(loadModel(`tei+${url}`), 'TASK_MISMATCH');
});

test.each([
  ['nested data of an input [n, 1]', [-1, 1], (rows: number[][]) => rows],
  ['flat data of an input [n]', [-1], (rows: number[][]) => rows.flat()],
])('KServe V2: %s', async (_, shape, data) => {
  const url = await serving((body, { method }) => {
    if (method === 'GET')
      return {
        name: 'm',
        versions: ['1'],
        inputs: [{ name: 'TEXT', datatype: 'BYTES', shape }],
        outputs: [{ name: 'probs', datatype: 'FP64', shape: [-1, 2] }],
      };
    const [input] = (JSON.parse(body) as { inputs: { name: string; shape: number[]; data: string[] }[] }).inputs;
    expect(input).toMatchObject({
      name: 'TEXT',
      shape: shape.length === 2 ? [input?.data.length, 1] : [input?.data.length],
    });
    return {
      outputs: [
        { name: 'probs', datatype: 'FP64', shape: [input?.data.length, 2], data: data(input?.data.map(scoreOf) ?? []) },
      ],
    };
  });
  const [model, rows] = await asked(`kserve+${url}/v2/models/m`);
  expect(model.labels).toEqual(['LABEL_0', 'LABEL_1']);
  expect(rows).toEqual(expected);
});

test('KServe V2: token ids instead of texts, and outputs without a name for the scores, are refused by name', async () => {
  const about = {
    name: 'm',
    inputs: [{ name: 'input_ids', datatype: 'INT64', shape: [-1, -1] }],
    outputs: [] as object[],
  };
  const url = await serving(() => about);
  await refusal(loadModel(`kserve+${url}/v2/models/m`));
  about.inputs = [{ name: 'text', datatype: 'BYTES', shape: [-1] as never }];
  about.outputs = ['a', 'b'].map((name) => ({ name, datatype: 'FP32', shape: [-1, 2] }));
  await refusal(loadModel(`kserve+${url}/v2/models/m`));
  await refusal(loadModel(`kserve+${url}/models/m`));
});

test('KServe V2: scores in half precision come as bytes', async () => {
  const url = await serving((body, { method, url }, response) => {
    if (url === '/v2') return { extensions: ['binary_tensor_data'] };
    const output = { name: 'probs', datatype: 'FP16' };
    if (method === 'GET')
      return { inputs: [{ name: 'text', datatype: 'BYTES', shape: [-1] }], outputs: [{ ...output, shape: [-1, 2] }] };
    const n = Number(/"shape":\[(\d+)/.exec(body)?.[1]);
    const bytes = Buffer.from(Uint16Array.from({ length: 2 * n }, (_, at) => floatToHalf(at % 2 ? 0.7 : 0.3)).buffer);
    const head = JSON.stringify({
      outputs: [{ ...output, shape: [n, 2], parameters: { binary_data_size: bytes.length } }],
    });
    response.setHeader('inference-header-content-length', head.length).end(Buffer.concat([Buffer.from(head), bytes]));
    return undefined;
  });
  const [, rows] = await asked(`kserve+${url}/v2/models/m`);
  expect(rows).toEqual(TEXTS.map(() => [0.3, 0.7].map((score) => halfToFloat(floatToHalf(score)))));
});

/** An endpoint that answers each text by what `predict` makes of its scores; `answer`: where a file says that the answers stand. */
async function predicting(
  predict: (row: number[]) => unknown,
  answer: 'map' | 'label',
  about: { labels?: readonly string[] } = {},
): Promise<string> {
  const url = await serving((body) => ({
    predictions: (JSON.parse(body) as { instances: string[] }).instances.map((text) => predict(scoreOf(text))),
  }));
  const remote = { protocol: 'http', url, body: { instances: '{{texts}}' }, answer: { [answer]: '/predictions/*' } };
  return described({ ...about, remote });
}

test('probabilities by column, rounded to 4 decimals, are reported as ties', async () => {
  const warnings: string[] = [];
  const round = (score: number): number => Math.round(score * 1e4) / 1e4;
  const spec = await predicting(([a, b]) => ({ 1: round(b as number), 0: round(a as number) }), 'map');
  const [model, rows] = await asked(spec, {
    labels: ['no', 'yes'],
    onWarning: (each) => warnings.push(each),
  });
  expect(rows).toEqual(expected.map((row) => row.map((score) => Math.fround(round(score)))));
  expect(model.remote?.probe.grid).toBe(0.0001);
  expect(warnings).toEqual([expect.stringContaining('rounded to 0.0001: searches see ties')]);
});

test('an endpoint of labels alone: every attack runs', async () => {
  const predict = ([a, b]: number[]) => Number((b as number) > (a as number));
  await refusal(loadModel(await predicting(predict, 'label')));
  const cwd = folder({
    'dev.tsv': `text\tlabel\n${['abc def', 'ghi jkl', 'mno pqr', 'stu vwx'].map((text) => `${text}\t${Number(scoreOf(text)[1]! > 0.5)}`).join('\n')}\n`,
  });
  const spec = await predicting(predict, 'label', { labels: ['no', 'yes'] });
  const words = `attack -m ${spec} -d dev.tsv --log plain --json`.split(' ');
  const ended = await robust([...words, '-s', 'synonyms'], { cwd });
  const { result } = JSON.parse(ended.stdout);
  expect(result.attacks.map(({ name }: { name: string }) => name)).toContain('textfooler');
  expect(result.leftOut).toBeUndefined();
  expect(result.endpoint).toMatchObject({ protocol: 'http', probe: { grid: 1, queries: 8 } });
});

test('vLLM: answers in any order, names one at a time, the model that is served', async () => {
  const url = await serving((body, { url }) => {
    if (url === '/v1/models')
      return { data: [{ id: 'org/name', max_model_len: 128, created: Math.round(performance.now()) }] };
    const { input, model } = JSON.parse(body) as { input: string[]; model: string };
    expect([url, model]).toEqual(['/classify', 'org/name']);
    const data = input.map((text, index) => {
      const probs = scoreOf(text);
      return { index, label: probs[0]! > probs[1]! ? 'down' : 'up', probs, num_classes: 2 };
    });
    return { data: data.reverse() };
  });
  const [model, rows] = await asked(`vllm+${url}/org/name`);
  expect(model).toMatchObject({ labels: ['down', 'up'], maximumTokens: 128 });
  expect(rows).toEqual(expected);
  await refusal(loadModel(`vllm+${url}/org/other`));
});

test('TF Serving: by rows and by columns, one output of several', async () => {
  const metadata = {
    model_spec: { name: 'm', version: '7' },
    metadata: {
      signature_def: {
        signature_def: {
          serving_default: {
            inputs: { text: { dtype: 'DT_STRING', tensor_shape: { dim: [{ size: '-1' }, { size: '1' }] } } },
          },
        },
      },
    },
  };
  const url = await serving((body, { method }) => {
    if (method === 'GET') return metadata;
    const { instances, inputs } = JSON.parse(body) as { instances?: string[][]; inputs?: { text: string[][] } };
    const rows = (instances ?? inputs?.text ?? []).map(([text = '']) => scoreOf(text));
    return instances ? { predictions: rows.map((probs) => ({ probs, hidden: [0.5] })) } : { outputs: { probs: rows } };
  });
  expect((await asked(`tfserving+${url}/v1/models/m`))[1]).toEqual(expected);
  const [model, rows] = await asked(
    described({ remote: { protocol: 'tfserving', url: `${url}/v1/models/m`, columns: true } }),
  );
  expect(rows).toEqual(expected);
  expect(model.remote?.facts).toEqual({ model: 'm', version: '7' });
});

test('Hugging Face: all labels are asked for, and a model that is being loaded is waited for', async () => {
  let asks = 0;
  const url = await serving((body, _, response) => {
    if (asks++ === 0) {
      response.writeHead(503).end('{"error":"Model is currently loading","estimated_time":0.02}');
      return undefined;
    }
    const { inputs, parameters } = JSON.parse(body) as { inputs: string[]; parameters: { top_k: number } };
    expect(parameters.top_k).toBeGreaterThan(1);
    const rows = inputs.map((text) =>
      scoreOf(text)
        .map((score, at) => ({ label: `LABEL_${at}`, score }))
        .sort((a, b) => b.score - a.score),
    );
    return rows.length === 1 ? rows[0] : rows;
  });
  const [model, rows] = await asked(`hf-inference+${url}/org/name`);
  expect(model.labels).toEqual(['LABEL_0', 'LABEL_1']);
  expect(rows).toEqual(expected);
});

test.each([
  [
    'rows',
    { body: { a: '{{texts}}' }, answer: { rows: '/out/*/p' } },
    (texts: string[]) => ({ out: texts.map((text) => ({ p: scoreOf(text) })) }),
  ],
  [
    'rows of one list',
    { body: { a: '{{texts}}' }, answer: { rows: '/p' } },
    (texts: string[]) => ({ p: texts.map(scoreOf) }),
  ],
  [
    'labelled',
    { body: { a: '{{texts}}' }, answer: { labelled: '/*', labelKey: 'name', scoreKey: 'p' }, labels: ['b', 'a'] },
    (texts: string[]) =>
      texts.map((text) => {
        const [b, a] = scoreOf(text);
        return [
          { name: 'a', p: a },
          { name: 'b', p: b },
        ];
      }),
  ],
  [
    'map, one text at a time',
    { body: { a: { b: 'say {{text}}' } }, answer: { map: '/scores' }, labels: ['b', 'a'] },
    ([text = '']: string[]) => {
      const [b, a] = scoreOf(text.slice(4));
      return { scores: { a, b } };
    },
  ],
])('any JSON API: %s', async (_, description, answer) => {
  const url = await serving((body) => {
    const { a } = JSON.parse(body) as { a: string[] | { b: string } };
    return answer(Array.isArray(a) ? a : [a.b]);
  });
  expect((await asked(described({ url, ...description })))[1]).toEqual(expected);
});

test('an endpoint.yaml with a mistake says where, and what there is', async () => {
  const url = 'http://127.0.0.1:1';
  await refusal(loadModel(described({ url, body: { a: '{{texts}}' }, anwser: { rows: '/p' } })), 'MANIFEST_INVALID');
  await refusal(loadModel(described({ url, body: {}, answer: { rows: '/p' } })), 'MANIFEST_INVALID');
  await refusal(loadModel('http:./none.yaml'), 'MODEL_NOT_FOUND');
});

/** A chat model that reads "refuse" in a text, and says something else. */
const chat = (words: Body | object = {}) =>
  serving((body) => {
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    const text = /<text>\n(.*)\n<\/text>/s.exec(messages[1]?.content ?? '')?.[1] ?? '';
    const [a = 0, b = 0] = scoreOf(text);
    const log = (token: string, p: number) => ({ token, logprob: Math.log(p) });
    const tops = text.includes('refuse')
      ? [log('I', 0.9), log('A', 0.05)]
      : [log('A', a * 0.6), log(' a', a * 0.3), log('B', b * 0.9), log('The', 0.1)];
    return {
      choices: [{ message: { content: 'A' }, logprobs: { content: [{ token: 'A', top_logprobs: tops }] } }],
      ...words,
    };
  });

test('chat: spellings of a letter count together; a refusal is no answer, and no success', async () => {
  const url = await chat();
  const [, rows] = await asked(`openai-chat+${url}/v1#m`, { labels: ['no', 'yes'] });
  for (const [at, row] of rows.entries()) expect(row[1]).toBeCloseTo(expected[at]?.[1] as number, 5);
  const label = (text: string): string => (scoreOf(text)[1]! > 0.5 ? 'yes' : 'no');
  const texts = ['abc def', 'ghi jkl', 'mno pqr', 'please refuse'];
  const cwd = folder({ 'dev.tsv': `text\tlabel\n${texts.map((text) => `${text}\t${label(text)}`).join('\n')}\n` });
  const ended = await robust(
    `attack -m openai-chat+${url}/v1#m --labels no,yes -d dev.tsv -a deepwordbug --log plain --json`.split(' '),
    { cwd },
  );
  const { result, warnings } = JSON.parse(ended.stdout);
  expect(warnings).toContain('the victim refused to answer 1 of 4 texts: they are in no figure, and are not attacked');
  expect(result.examples.find(({ text }: { text: string }) => text === 'please refuse')).toMatchObject({
    status: 'skipped',
    reason: 'the victim refused to answer the unedited text',
  });
  await refusal(loadModel(`openai-chat+${url}/v1#m`), 'LABELS_MISMATCH');
});

test('answers that vary give a warning, and a success must be confirmed by most of three further answers', async () => {
  let asks = 0;
  const url = await serving((body) => {
    const { texts } = JSON.parse(body) as { texts: string[] };
    // Every third answer is turned round, whatever the text, and leads by more than answers to one text differ.
    return texts.map(() => (asks++ % 3 === 2 ? [0.1, 0.9] : [0.6 + (asks % 7) / 1000, 0.4 - (asks % 7) / 1000]));
  });
  const file = described({
    url,
    body: { texts: '{{texts}}' },
    answer: { rows: '/*' },
    labels: ['negative', 'positive'],
    scores: 'probabilities',
  });
  const cwd = folder({
    'dev.tsv': `text\tlabel\n${['abc def', 'ghi jkl', 'mno pqr', 'stu vwx', 'yza bcd'].map((text) => `${text}\tnegative`).join('\n')}\n`,
  });
  const ended = await robust(['attack', '-m', file, '-d', 'dev.tsv', '-a', 'deepwordbug', '--json'], {
    cwd,
  });
  const { result, warnings } = JSON.parse(ended.stdout);
  expect(warnings.join('\n')).toMatch(/answers vary, .* 2 of 3 further answers confirm it/);
  const asked = result.examples.filter((each: { confirmations?: object }) => each.confirmations !== undefined);
  expect(asked.length).toBeGreaterThan(0);
  for (const { status, reason, confirmations } of asked) {
    expect(confirmations.asked).toBe(3);
    expect(status).toBe(confirmations.refuted === 0 ? 'succeeded' : 'failed');
    if (status === 'failed') expect(reason).toMatch(/when queried again, [01] of 3 answers confirmed it/);
  }
});

test('secrets come from the environment, reach the endpoint, and are found nowhere else', async () => {
  const secret = 'canary-7d1f03c9';
  const REFERENCE = `\${CANARY}`;
  const seen = new Set<string | undefined>();
  let broken = false;
  const url = await serving((body, { headers, method }, response) => {
    seen.add(headers.authorization);
    if (broken) {
      response.writeHead(403).end(`{"error":"the key ${secret} is not known"}`);
      return undefined;
    }
    if (method === 'GET')
      return {
        name: 'm',
        versions: ['1'],
        inputs: [{ name: 't', datatype: 'BYTES', shape: [-1] }],
        outputs: [{ name: 'p', datatype: 'FP32', shape: [-1, 2] }],
      };
    const [input] = (JSON.parse(body) as { inputs: { data: string[] }[] }).inputs;
    return {
      outputs: [{ name: 'p', datatype: 'FP32', shape: [input?.data.length, 2], data: input?.data.map(scoreOf) }],
    };
  });
  const cwd = folder();
  const words = [
    ...['--header', `authorization: Bearer ${REFERENCE}`],
    ...'-n 4 -a deepwordbug --log plain --verbose -o r.json -o r.html -o r.md --endpoint price=0.001'.split(' '),
  ];
  words.unshift('attack', '-m', `kserve+${url}/v2/models/m`, '--labels', 'negative,positive');
  const ended = await robust([...words, '--force'], { cwd, env: { CANARY: secret } });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect([...seen]).toEqual([`Bearer ${secret}`]);
  broken = true;
  const failed = await robust([...words.filter((each) => !each.startsWith('-o') && !each.startsWith('r.')), '--json'], {
    cwd,
    env: { CANARY: secret },
  });
  expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('the key *** is not known') });
  const run = readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim();
  const files = ['run.json', 'results.jsonl', 'endpoint-answers.bin'].map((name) => join('.robust/runs', run, name));
  const written = ['r.json', 'r.html', 'r.md', ...files].map((name) => readFileSync(join(cwd, name), 'latin1'));
  for (const text of [ended.stdout, ended.stderr, failed.stdout, failed.stderr, ...written])
    expect(text).not.toContain(secret);
  expect(written[0]).toContain(`Bearer ${REFERENCE}`);
  const { result } = JSON.parse(written[0] as string);
  expect(result.endpoint.cost).toBeCloseTo(0.001 * result.endpoint.texts, 9);

  const unset = await robust(words, { cwd });
  expect(unset).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('environment variable CANARY, which is not set'),
  });
  const spelt = await robust(
    words.map((each) => each.replace(REFERENCE, 'written-out')),
    { cwd },
  );
  expect(spelt).toMatchObject({ code: 2, stderr: expect.stringContaining('got the value itself') });
  expect(spelt.stderr).not.toContain('written-out');
});

test('max-requests pauses a run, which is inconclusive and can be resumed', async () => {
  const url = await serving((body) => {
    const { texts } = JSON.parse(body) as { texts: string[] };
    return texts.map(scoreOf);
  });
  const file = described({
    url,
    body: { texts: '{{texts}}' },
    answer: { rows: '/*' },
    labels: ['negative', 'positive'],
  });
  const cwd = folder();
  const paused = await robust(
    `attack -m ${file} -n 20 -a deepwordbug --log plain --endpoint max-requests=5 --force`.split(' '),
    { cwd },
  );
  expect(paused).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/the limit of max-requests \(5\) in --endpoint is reached[\s\S]*--resume/),
  });
  expect(await robust(['attack', '--resume', '--force'], { cwd })).toMatchObject({ code: 0 });
});

test.each([
  ['transient: true, twice', '{ transient: true, headers: { "retry-after-ms": "1" } }', 2, 0],
  ['HTTP 503 of a client, twice', '{ status: 503, headers: { "Retry-After-Ms": "1" } }', 2, 0],
  [
    'a broken connection that lasts is told as such',
    '{ code: "ECONNRESET", headers: { "retry-after-ms": "1" } }',
    1e9,
    3,
  ],
  ['fatal: true', '{ fatal: true }', 1e9, 3],
])('an .mjs module: %s', async (_, marks, times, code) => {
  const module = `let asks = 0;
export default { labels: ['negative', 'positive'], classify: async (texts) => {
  if (asks++ >= 4 && asks < 5 + ${times}) throw Object.assign(new Error('the service is away'), ${marks});
  return texts.map((text) => text.length % 2 ? [0.3, 0.7] : [0.7, 0.3]);
} };`;
  const cwd = folder({ 'victim.mjs': module });
  const ended = await robust(['attack', '-m', 'victim.mjs', '-n', '20', '-a', 'deepwordbug', '--force', '--json'], {
    cwd,
  });
  const { result, error } = JSON.parse(ended.stdout);
  expect(ended.code).toBe(code);
  if (code === 0) expect(result.attacks[0].errored).toBe(0);
  else expect(error).toMatchObject({ code: 'MODEL_UNREACHABLE', hint: expect.stringContaining('--resume') });
});

test.each([
  'kserve:http://host/v2/models/m',
  'tfservng+http://host',
  'http+http://host',
  'http://host:8000/v2/models/m',
  'hf-inference:name',
])('%s is nearly an endpoint, and gets a clear error', async (spec) => {
  await refusal(() => addressIn(spec));
});
