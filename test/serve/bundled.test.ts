/** Models served: what comes over the wire is what they answer here, to the last bit. */
import { afterAll, describe, expect, test } from 'vitest';
import { type RunningServer, serve } from '../../src/app/serve.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { robust, robustProcess, toy } from '../commands/cli.js';

const texts = ['a good film', 'a bad film .', 'Free entry! WIN now', 'two\nlines, é, 電影', ''];

const open: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of open) await close();
});

async function served(options: Parameters<typeof serve>[0]): Promise<RunningServer> {
  const server = await serve({ port: 0, workers: 1, ...options });
  open.push(() => server.close());
  return server;
}

async function local(spec: string): Promise<LoadedModel> {
  const model = await loadModel(spec, { workers: 1 });
  open.push(() => model.close());
  return model;
}

const post = async (url: string, body: object): Promise<never> =>
  (await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()) as never;

const bits = (rows: readonly (readonly number[] | Float32Array)[]): Uint32Array[] =>
  rows.map((row) => new Uint32Array(Float32Array.from(row).buffer));

describe.each(['bert-mini', 'distilbert', 'char-bilstm', toy])('%s', (spec) => {
  test('answers over the wire what it answers here', async () => {
    const [server, model] = [await served({ model: spec }), await local(spec)];
    expect(server.model).toMatchObject({ sha256: model.sha256, labels: model.labels });
    const expected = bits(await model.classify(texts));
    const { url, model: facts } = server;
    const plain: { answers: { scores: number[] }[] } = await post(url, { texts });
    expect(bits(plain.answers.map(({ scores }) => scores))).toEqual(expected);
    const kserve: { outputs: { data: number[] }[] } = await post(`${url}/v2/models/${facts.name}/infer`, {
      inputs: [{ name: 'text', datatype: 'BYTES', shape: [texts.length], data: texts }],
    });
    const width = model.labels.length;
    const { data = [] } = kserve.outputs[0] ?? {};
    expect(bits(texts.map((_, row) => data.slice(row * width, (row + 1) * width)))).toEqual(expected);
  });
});

test('a defence stands between the clients and the model, and is another victim', async () => {
  const [bare, defended] = [await served({ model: toy }), await served({ model: toy, defend: ['unicode'] })];
  expect(defended.model.name).toBe(`${bare.model.name}+unicode`);
  expect(defended.model.sha256).not.toBe(bare.model.sha256);
  const scores = async ({ url }: RunningServer, text: string): Promise<number[]> => {
    const { answers }: { answers: { scores: number[] }[] } = await post(url, { texts: [text] });
    return answers[0]?.scores ?? [];
  };
  const [plain, lookAlike] = ['a good film', 'a g\u043e\u043ed film'];
  expect(await scores(bare, lookAlike)).not.toEqual(await scores(bare, plain));
  expect(await scores(defended, lookAlike)).toEqual(await scores(defended, plain));
});

test('several clients share batches, and each gets its own answers', async () => {
  const [{ url }, model] = [await served({ model: 'bert-mini' }), await local('bert-mini')];
  const asked = Array.from({ length: 12 }, (_, at) => [`film ${at}`, `a film of ${at} words`]);
  const all: { answers: { scores: number[] }[] }[] = await Promise.all(asked.map((each) => post(url, { texts: each })));
  for (const [at, { answers }] of all.entries()) {
    expect(bits(answers.map(({ scores }) => scores))).toEqual(bits(await model.classify(asked[at] as string[])));
  }
});

describe('robust serve', () => {
  test('prints its address on stdout, in one document, logs requests on stderr, and ends by SIGTERM with 0', async () => {
    const args = ['serve', '-m', toy, '--port', '0', '--json', '--access-log'];
    const { code, stdout, stderr } = await robustProcess(args, {
      watch: (child) => {
        child.stdout?.once('data', async (data: Buffer) => {
          const { result } = JSON.parse(String(data)) as { result: { url: string } };
          await (await fetch(result.url, { method: 'POST', body: '{"texts":["canary"]}' })).text();
          child.kill('SIGTERM');
        });
      },
    });
    const { ok, command, result } = JSON.parse(stdout);
    expect({ code, ok, command }).toEqual({ code: 0, ok: true, command: 'serve' });
    expect(result.protocols).toEqual([
      { name: 'kserve-v2', model: `kserve+${result.url}/v2/models/${result.model.name}` },
      { name: 'json' },
    ]);
    const entry = stderr.split('\n').find((line) => line.startsWith('{'));
    expect(JSON.parse(entry as string)).toMatchObject({ method: 'POST', path: '/', status: 200, texts: 1 });
    expect(stderr).toContain('Stopped after 1 request, 0 of them refused, and 1 text.');
    expect(stderr).not.toContain('canary');
  });

  test.each([
    [2, ['--port', '70000'], /65535/],
    [2, ['--port', '1', '--host', '192.0.2.1'], /192\.0\.2\.1:1/],
    [2, ['--defend', 'spellign'], /Did you mean "spelling"/],
  ] as const)('%i: %j', async (exit, flags, says) => {
    const { code, stderr } = await robust(['serve', '-m', toy, ...flags]);
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringMatching(says) });
  });
});
