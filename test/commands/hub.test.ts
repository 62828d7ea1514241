/** `--model hf:...` and `--runtime offline=true` from outside, and the environment variables of the Hub's own tools. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { downloadWork, hubOptions } from '../../src/commands/_shared/hub.js';
import { COMMIT, type FakeHub, fakeHub } from '../model/fake-hub.js';
import { config, toyGraph, wordPiece } from '../model/toy.js';
import { thing } from '../scenes.js';
import { folder, robust } from './cli.js';

describe('the environment', () => {
  const home = mkdtempSync(join(tmpdir(), 'robust-hf-'));
  writeFileSync(join(home, 'token'), 'hf_stored\n');
  writeFileSync(join(home, 'other'), ' hf_other ');
  const none = join(home, 'none');

  const cases: [what: string, env: Record<string, string>, options: object][] = [
    ['nothing', { HF_TOKEN_PATH: none }, { cache: join(homedir(), '.cache', 'huggingface', 'hub'), offline: false }],
    ['HF_HOME', { HF_HOME: home }, { cache: join(home, 'hub'), token: 'hf_stored', offline: false }],
    ['XDG_CACHE_HOME', { XDG_CACHE_HOME: none }, { cache: join(none, 'huggingface', 'hub'), offline: false }],
    [
      'HF_HUB_CACHE',
      { HF_HOME: none, HF_HUB_CACHE: '/c', HUGGINGFACE_HUB_CACHE: '/d' },
      { cache: '/c', offline: false },
    ],
    ['its old name', { HF_HOME: none, HUGGINGFACE_HUB_CACHE: '~/d' }, { cache: join(homedir(), 'd'), offline: false }],
    ['HF_TOKEN', { HF_HOME: home, HF_TOKEN: 'hf_x\n' }, { cache: join(home, 'hub'), token: 'hf_x', offline: false }],
    [
      'HF_TOKEN_PATH',
      { HF_HOME: home, HF_TOKEN_PATH: join(home, 'other') },
      { cache: join(home, 'hub'), token: 'hf_other', offline: false },
    ],
    [
      'no token unasked',
      { HF_HOME: home, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' },
      { cache: join(home, 'hub'), offline: false },
    ],
    [
      'HF_ENDPOINT',
      { HF_HOME: none, HF_ENDPOINT: 'https://mirror' },
      { endpoint: 'https://mirror', cache: join(none, 'hub'), offline: false },
    ],
    [
      'empty variables',
      { HF_HOME: none, HF_ENDPOINT: '', HF_TOKEN: '', HF_HUB_CACHE: '' },
      { cache: join(none, 'hub'), offline: false },
    ],
    ['HF_HUB_OFFLINE', { HF_HOME: none, HF_HUB_OFFLINE: 'True' }, { cache: join(none, 'hub'), offline: true }],
    ['TRANSFORMERS_OFFLINE', { HF_HOME: none, TRANSFORMERS_OFFLINE: '1' }, { cache: join(none, 'hub'), offline: true }],
    ['HF_HUB_OFFLINE=0', { HF_HOME: none, HF_HUB_OFFLINE: '0' }, { cache: join(none, 'hub'), offline: false }],
    [
      'HF_HUB_DOWNLOAD_TIMEOUT',
      { HF_HOME: none, HF_HUB_DOWNLOAD_TIMEOUT: '0.5' },
      { cache: join(none, 'hub'), offline: false, timeout: 0.5 },
    ],
  ];
  test.each(cases)('%s', (_, env, options) => {
    expect(hubOptions(env, false)).toEqual(options);
    expect(hubOptions(env, true)).toEqual({ ...options, offline: true });
  });
});

test('a download in words', () => {
  const download = { file: 'onnx/model.onnx', total: 268_000_000, done: 67_000_000, resumed: 17_000_000, seconds: 5 };
  expect(downloadWork(download)).toEqual({
    title: 'onnx/model.onnx',
    words: '67/268 MB, 10.0 MB/s, 0:20 left',
    done: 67_000_000,
    total: 268_000_000,
    seconds: 5,
  });
  expect(downloadWork({ ...download, total: 1_234_567, done: 0, resumed: 0, seconds: 0 }).words).toBe('0.0/1.2 MB');
});

/** A document, whichever environment variables were in force. */
const withoutOverrides = (stdout: string): unknown =>
  JSON.parse(stdout, (key, value) => (key === 'provenance' ? undefined : value));

describe('the command line', () => {
  let hub: FakeHub;
  const home = folder();
  const data = join(home, 'data.csv');
  const env = () => ({
    HF_ENDPOINT: hub.url,
    HF_HOME: home,
    HF_HUB_OFFLINE: '',
    HF_TOKEN: 'hf_mine',
    HF_HUB_CACHE: '',
  });
  const run = (args: string[], more: Record<string, string> = {}, cwd = folder()) =>
    robust([...args, '-m', 'hf:org/toy', '-d', data, '--runtime', 'workers=1'], {
      env: { ...env(), ...more },
      cwd,
    });

  beforeAll(async () => {
    hub = await fakeHub({
      'org/toy': {
        token: 'hf_mine',
        files: {
          'config.json': JSON.stringify(config()),
          'tokenizer.json': JSON.stringify(wordPiece()),
          'onnx/model.onnx': toyGraph().build(),
        },
      },
      'org/evil': {
        files: {
          'config.json': JSON.stringify(config()),
          'tokenizer.json': JSON.stringify(wordPiece()),
          'onnx/model.onnx': toyGraph().build(),
          'pytorch_model.bin': "cos\nsystem\n(S'id'\ntR.",
        },
      },
      'org/large': {
        files: {
          'config.json': JSON.stringify(config()),
          'tokenizer.json': JSON.stringify(wordPiece()),
          'weights.bin': new Uint8Array(2_000_000),
        },
      },
    });
    writeFileSync(
      data,
      `text,label\n${[1, 2, 3].map((at) => `good film ${thing(at)},yes\nbad film ${thing(at)},no\n`).join('')}`,
    );
  });
  afterAll(() => hub.close());

  test('a model is fetched once, then found with the network off', async () => {
    const first = await run(['evaluate', '--json']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout).result).toMatchObject({
      model: { name: `org/toy@${COMMIT.slice(0, 7)}`, labels: ['no', 'yes'] },
      clean: { accuracy: { value: 1, n: 6 } },
    });
    expect(hub.seen.length).toBeGreaterThan(3);
    hub.seen.length = 0;
    for (const [args, more] of [
      [['--runtime', 'offline=true'], {}],
      [[], { HF_HUB_OFFLINE: '1' }],
      [[], { ROBUST_RUNTIME: 'offline=true' }],
    ] as [string[], Record<string, string>][]) {
      const again = await run(['evaluate', '--json', ...args], more);
      expect(again.code).toBe(0);
      expect(withoutOverrides(again.stdout)).toEqual(withoutOverrides(first.stdout));
    }
    expect(hub.seen).toEqual([]);
  });

  test('scan-model fetches every file, examines them, and runs only a model without dangerous files', async () => {
    const scan = (spec: string, ...more: string[]) =>
      robust(['scan-model', spec, '-d', data, '--json', ...more], { env: env(), cwd: folder() });
    const safe = await scan('hf:org/toy', '--files-only');
    expect(JSON.parse(safe.stdout).result).toMatchObject({
      model: { name: `org/toy@${COMMIT.slice(0, 7)}`, files: 3 },
      verdict: 'none found',
      scan: null,
    });
    // The weights of the toy are not all numbers.
    const broken = await scan(`hf:org/toy@${COMMIT}`);
    expect(broken.code).toBe(4);
    expect(JSON.parse(broken.stdout).result.reasons.join()).toMatch(/backdoor: the model could not be run: .*NaN/);
    const evil = await scan('hf:org/evil', '--gate');
    expect(evil.code).toBe(1);
    expect(JSON.parse(evil.stdout).result).toMatchObject({
      verdict: 'danger',
      reasons: [expect.stringMatching(/^pytorch_model.bin: calls os.system/)],
      scan: null,
    });
    const limited = await scan('hf:org/large', '--files-only', '--max-download', '1');
    expect(limited.code).toBe(4);
    expect(JSON.parse(limited.stdout).result.reasons).toEqual([
      'files: weights.bin: not fetched, 2000000 bytes (--max-download)',
      'graph: the folder holds no file of weights',
    ]);
  });

  test('an attack says how to replay it on the same files', async () => {
    const cwd = folder();
    const ended = await run(['attack', '-a', 'deepwordbug', '--runtime', 'offline=true'], {}, cwd);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(`robust attack --model hf:org/toy@${COMMIT} `);
    expect(existsSync(join(cwd, '.robust', 'runs'))).toBe(true);
  });

  test('a token that the Hub does not know is reported, not shown', async () => {
    const ended = await run(['evaluate'], { HF_TOKEN: 'hf_secret' });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/does not let this token read org\/toy/);
    expect(ended.stderr).toMatch(/HF_TOKEN/);
    expect(ended.stderr).not.toMatch(/hf_secret/);
  });
});

describe('training', () => {
  test('continues a model from the cache', async () => {
    const cache = folder();
    const snapshot = join(cache, 'models--org--toy', 'snapshots', COMMIT);
    mkdirSync(snapshot, { recursive: true });
    const put = (name: string, bytes: string | Uint8Array) => writeFileSync(join(snapshot, name), bytes);
    put('config.json', JSON.stringify(config()));
    put('tokenizer.json', JSON.stringify(wordPiece()));
    put('model.onnx', toyGraph().build());
    const cwd = folder({ 'data.csv': `text,label\n${'good film,yes\nbad film,no\n'.repeat(20)}` });
    const args = `train -m hf:org/toy@${COMMIT} -d data.csv --epochs 1 -o tuned --runtime offline=true`.split(' ');
    const ended = await robust(args, { env: { HF_HUB_CACHE: cache }, cwd });
    expect(ended).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'tuned', 'model.onnx'))).toBe(true);
  });
});
