import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { fromHub as located } from '../../src/model/hub/index.js';
import type { Download, HubOptions } from '../../src/model/hub/options.js';
import { LEAST_SEGMENT } from '../../src/model/hub/partial-file.js';
import { parseHubSpec } from '../../src/model/hub/spec.js';
import { loadModel } from '../../src/model/load.js';
import type { OnnxFiles } from '../../src/model/opening/resolve.js';
import { lasting } from '../calibration.js';
import { failure, refusal } from '../refusal.js';
import { COMMIT, type FakeHub, fakeHub, gitHash, type Repository, sha256 } from './fake-hub.js';
import { config, external, folder, toyFolder, toyGraph, wordPiece } from './toy.js';

const root = mkdtempSync(join(tmpdir(), 'robust-hub-'));
const newCache = (): string => mkdtempSync(join(root, 'cache-'));

const ID = 'org/toy';
const SPEC = `hf:${ID}`;
const weights = Buffer.from(toyGraph().build());
const files = {
  'README.md': '# A toy\n',
  'config.json': JSON.stringify(config()),
  'tokenizer.json': JSON.stringify(wordPiece()),
  'tokenizer_config.json': '{}',
  'model.safetensors': 'not needed',
  'model.onnx': weights,
  'onnx/model_int8.onnx': weights,
};

let hub: FakeHub;
afterEach(async () => await hub?.close());

async function serve(repository: Partial<Repository> = {}, others: Record<string, Repository> = {}) {
  hub = await fakeHub({ [ID]: { files, ...repository }, ...others });
  const options: HubOptions = { endpoint: hub.url, cache: newCache(), timeout: lasting(5), pause: 1 };
  return { cache: options.cache as string, options };
}

const silent = (): void => {};
const fromHub = (...asked: Parameters<typeof located>) => located(...asked) as Promise<OnnxFiles>;
const paths = (): string[] => hub.seen.map(({ server, method, path }) => `${server} ${method} ${path}`);
const downloads = (): string[] => paths().filter((path) => /GET.*(resolve|\/lfs\/)/.test(path));
const blobs = (cache: string): string[] => readdirSync(join(cache, 'models--org--toy', 'blobs')).sort();

describe('a repository', () => {
  test('is loaded like the folder it was made of, from only the files that are needed', async () => {
    const bundled = join(packageRoot, 'models', 'distilbert');
    const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.onnx', 'README.md'];
    const { options } = await serve({
      files: Object.fromEntries(names.map((name) => [name, readFileSync(join(bundled, name))])),
    });
    const told: Download[] = [];
    const [remote, local] = await Promise.all([
      loadModel(SPEC, { workers: 1, hub: { ...options, onDownload: (download) => told.push(download) } }),
      loadModel('distilbert', { workers: 1 }),
    ]);
    try {
      const texts = ['A warm and funny film.', 'What an idiot !'];
      expect(await remote.classify(texts)).toEqual(await local.classify(texts));
      expect(remote.sha256).toBe(local.sha256);
      expect(remote.labels).toEqual(local.labels);
      expect(remote.name).toBe('org/toy@aaaaaaa');
      expect(remote.pinned).toBe(`hf:org/toy@${COMMIT}`);
    } finally {
      await Promise.all([remote.close(), local.close()]);
    }
    expect(new Set(downloads().filter((path) => path.startsWith('hub'))).size).toBe(4);
    expect(paths().join()).not.toMatch(/README/);
    const size = readFileSync(join(bundled, 'model.onnx')).length;
    expect(told.at(-1)).toMatchObject({ file: 'model.onnx', done: size, total: size, resumed: 0 });
  });

  test('lies in the cache as the Hub describes it', async () => {
    const { cache, options } = await serve();
    const found = await fromHub(SPEC, options, silent);
    const snapshot = join(cache, 'models--org--toy', 'snapshots', COMMIT);
    expect(found).toMatchObject({ folder: snapshot, model: join(snapshot, 'model.onnx') });
    expect(readFileSync(join(cache, 'models--org--toy', 'refs', 'main'), 'utf8')).toBe(COMMIT);
    expect(readlinkSync(join(snapshot, 'model.onnx'))).toBe(`../../blobs/${sha256(weights)}`);
    expect(readlinkSync(join(snapshot, 'config.json'))).toBe(
      `../../blobs/${gitHash(Buffer.from(files['config.json']))}`,
    );
    expect(readdirSync(snapshot).sort()).toEqual([
      'config.json',
      'model.onnx',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(blobs(cache)).toHaveLength(4);
    expect(blobs(cache).join()).not.toMatch(/incomplete/);
  });

  test('is asked for its commit the second time, for no file', async () => {
    const { options } = await serve();
    await fromHub(SPEC, options, silent);
    hub.seen.length = 0;
    await fromHub(SPEC, options, silent);
    expect(paths()).toEqual(['hub GET /api/models/org/toy/revision/main?blobs=true']);
  });

  test('shares blobs between revisions', async () => {
    const { cache, options } = await serve({ refs: ['v1.0', 'refs/pr/7'] });
    await fromHub(SPEC, options, silent);
    hub.seen.length = 0;
    await fromHub(`${SPEC}@refs/pr/7`, options, silent);
    expect(downloads()).toEqual([]);
    expect(readFileSync(join(cache, 'models--org--toy', 'refs', 'refs', 'pr', '7'), 'utf8')).toBe(COMMIT);
    await fromHub(`${SPEC}@${COMMIT}`, options, silent);
    expect(existsSync(join(cache, 'models--org--toy', 'refs', COMMIT))).toBe(false);
  });

  test('may have moved', async () => {
    const { cache, options } = await serve({}, { 'old-name': { files: {}, movedTo: ID } });
    await fromHub('hf:old-name', options, silent);
    expect(existsSync(join(cache, 'models--old-name', 'snapshots', COMMIT, 'model.onnx'))).toBe(true);
  });

  test('may keep the tokenizer beside the model in onnx/', async () => {
    const { cache, options } = await serve({
      files: {
        'config.json': files['config.json'],
        'vocab.txt': '',
        'onnx/config.json': files['config.json'],
        'onnx/tokenizer.json': files['tokenizer.json'],
        'onnx/model.onnx': weights,
      },
    });
    const found = await fromHub(SPEC, options, silent);
    const home = join(cache, 'models--org--toy', 'snapshots', COMMIT, 'onnx');
    expect(found).toMatchObject({ folder: home, model: join(home, 'model.onnx') });
    expect(readlinkSync(join(home, 'model.onnx'))).toBe(`../../../blobs/${sha256(weights)}`);
    const model = await loadModel(SPEC, { workers: 1, hub: options });
    expect(model.labels).toEqual(['no', 'yes']);
    await model.close();
    // The same files in a folder of one's own.
    const clone = folder({
      'onnx/tokenizer.json': wordPiece(),
      'onnx/config.json': config(),
      'onnx/model.onnx': weights,
    });
    const local = await loadModel(clone, { workers: 1 });
    expect(local.sha256).toBe(model.sha256);
    await local.close();
  });

  test('may keep weights in files of their own, which the graph names', async () => {
    const { bytes: model, data } = external('weights.bin');
    const { options } = await serve({
      files: {
        ...files,
        'model.onnx': 'no',
        'onnx/model.onnx': model,
        'onnx/weights.bin': data,
        'onnx/other.bin': 'no',
        'robust.json': '{"model": "onnx/model.onnx"}',
      },
      lfs: (name) => /\.(onnx|bin)$/.test(name),
    });
    const whole = await loadModel(toyFolder(), { workers: 1 });
    const split = await loadModel(SPEC, { workers: 1, hub: options });
    expect(await split.classify(['good film'])).toEqual(await whole.classify(['good film']));
    expect(split.paths.some((path) => path.endsWith(sha256(data)))).toBe(true);
    await Promise.all([whole.close(), split.close()]);
    expect(paths().join()).not.toMatch(/other\.bin/);
  });
});

describe('which .onnx', () => {
  const others = ['onnx/model_q4.onnx', 'onnx/model_fp16.onnx', 'onnx/model_quantized.onnx', 'onnx/model_bnb4.onnx'];
  const cases: [names: string[], chosen: string, warned: boolean][] = [
    [[...others, 'onnx/model.onnx'], 'onnx/model.onnx', false],
    [[...others, 'onnx/model.onnx', 'model.onnx'], 'model.onnx', false],
    [others, 'onnx/model_fp16.onnx', true],
    [[...others, 'onnx/model_optimized.onnx'], 'onnx/model_optimized.onnx', true],
    [['onnx/model_q4.onnx', 'onnx/model_uint8.onnx'], 'onnx/model_uint8.onnx', true],
    [['classifier.onnx'], 'classifier.onnx', true],
  ];
  test.each(cases)('of %j', async (names, chosen, warned) => {
    const { 'tokenizer.json': tokenizer } = files;
    const { options } = await serve({
      files: { 'tokenizer.json': tokenizer, ...Object.fromEntries(names.map((name) => [name, weights])) },
    });
    const warnings: string[] = [];
    const found = await fromHub(SPEC, options, (message) => warnings.push(message));
    expect(found.model?.endsWith(chosen)).toBe(true);
    expect(warnings).toHaveLength(warned ? 1 : 0);
    if (warned) expect(warnings[0]).toMatch(`org/toy has no model.onnx: ${chosen} is used`);
    expect(downloads().filter((path) => path.includes('.onnx') && path.startsWith('cdn'))).toHaveLength(1);
  });

  test('none: how to make one', async () => {
    const { options } = await serve({ files: { 'tf_model.h5': '', 'config.json': '{}' } });
    await refusal(fromHub(SPEC, options, silent), 'MODEL_DAMAGED');
  });

  test('without a tokenizer: refused before the download', async () => {
    const { options } = await serve({ files: { 'model.onnx': weights, 'bpe.codes': '' } });
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'TOKENIZER_DAMAGED' });
    expect(downloads()).toEqual([]);
  });

  test('named by a manifest, but not there', async () => {
    const { options } = await serve({ files: { ...files, 'robust.json': '{"model": "x.onnx"}' } });
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'MODEL_DAMAGED' });
  });
});

describe('offline', () => {
  test('no request is made', async () => {
    const { options } = await serve();
    await fromHub(SPEC, options, silent);
    hub.seen.length = 0;
    const off = { ...options, offline: true };
    const found = await fromHub(SPEC, off, silent);
    expect(found.name).toBe('org/toy@aaaaaaa');
    expect(await fromHub(`${SPEC}@${COMMIT}`, off, silent)).toMatchObject({ model: found.model });
    expect(await failure(fromHub(`${SPEC}@v2`, off, silent))).toMatchObject({ code: 'HUB_NOT_CACHED' });
    expect(hub.seen).toEqual([]);
  });

  test('what Python users have downloaded is found', async () => {
    // As huggingface_hub leaves it: a link a file, a ref, locks, and what it knows not to exist.
    const cache = newCache();
    const commit = '0123456789'.repeat(4);
    const repository = join(cache, 'models--org--toy');
    const put = (path: string, text: string | Buffer) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const name of ['config.json', 'tokenizer.json', 'model.onnx'] as const) {
      const bytes = Buffer.from(files[name]);
      const hash = name === 'model.onnx' ? sha256(bytes) : gitHash(bytes);
      put(join(repository, 'blobs', hash), bytes);
      const link = join(repository, 'snapshots', commit, 'onnx', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(`../../../blobs/${hash}`, link);
      put(join(cache, '.locks', 'models--org--toy', `${hash}.lock`), '');
    }
    put(join(repository, 'refs', 'refs', 'pr', '1'), commit);
    put(join(repository, '.no_exist', commit, 'robust.json'), '');
    const model = await loadModel(`${SPEC}@refs/pr/1`, { workers: 1, hub: { cache, offline: true } });
    expect(model.labels).toEqual(['no', 'yes']);
    await model.close();
  });

  test('and not cached: what to do', async () => {
    const { cache, options } = await serve();
    const off = { ...options, offline: true };
    await refusal(fromHub(SPEC, off, silent), 'HUB_NOT_CACHED');
    await fromHub(SPEC, options, silent);
    expect((await failure(fromHub('hf:org/toys', off, silent))).hint).toMatch('did you mean "hf:org/toy"?');
    expect(await failure(fromHub('hf:org/toys', { cache: join(cache, 'none'), offline: true }, silent))).toMatchObject({
      code: 'HUB_NOT_CACHED',
    });
  });

  test('a cached copy serves if the Hub is out of reach, with a warning', async () => {
    const { options } = await serve();
    const first = await fromHub(SPEC, options, silent);
    hub.fail(/api/, { status: 503 }, 10);
    const warnings: string[] = [];
    expect(await fromHub(SPEC, options, (message) => warnings.push(message))).toEqual(first);
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`503; the cached copy is used, commit ${COMMIT}$`))]);
  });
});

describe('a download', () => {
  const size = 300_000;
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * 7919) % 251));
  // Any file the loader needs will do, here the vocabulary, as only the transport matters.
  const manifest = JSON.stringify({ input: { kind: 'word-index', vocabulary: 'big.onnx_data' } });
  const served = () => serve({ files: { ...files, 'robust.json': manifest, 'big.onnx_data': bytes } });
  const blob = (cache: string) => join(cache, 'models--org--toy', 'blobs', sha256(bytes));
  const partial = (cache: string) => `${blob(cache)}.robust.incomplete`;
  const asked = () => hub.seen.filter(({ server, path }) => server === 'cdn' && path.includes('big'));

  test('that breaks off is resumed, also by a later run', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { drop: 100_000 }, 2);
    const told: Download[] = [];
    await fromHub(SPEC, { ...options, onDownload: (download) => told.push(download) }, silent);
    expect(asked().map(({ range }) => range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=\d+-$/),
      expect.stringMatching(/^bytes=\d+-$/),
    ]);
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
    const big = told.filter(({ file }) => file === 'big.onnx_data').map(({ done }) => done);
    expect(big).toEqual([...big].sort((a, b) => a - b));

    rmSync(blob(cache));
    writeFileSync(partial(cache), bytes.subarray(0, 123_456));
    hub.seen.length = 0;
    await fromHub(SPEC, { ...options, onDownload: (download) => told.push(download) }, silent);
    expect(asked().map(({ range }) => range)).toEqual(['bytes=123456-']);
    expect(told.at(-1)).toMatchObject({ file: 'big.onnx_data', resumed: 123_456 });
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
  });

  test('keeps what it has when it gives up', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { drop: 100_000 });
    hub.fail(/cdn.*big/, { status: 500 }, 99);
    await refusal(fromHub(SPEC, options, silent), 'HUB_UNREACHABLE');
    expect(readFileSync(partial(cache))).toHaveLength(100_000);
    // The commit of a branch is recorded once all of its files are there.
    expect(existsSync(join(cache, 'models--org--toy', 'refs'))).toBe(false);
  });

  test('from a server that cannot resume starts again', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { drop: 100_000 });
    hub.fail(/cdn.*big/, { ignoreRange: true });
    await fromHub(SPEC, options, silent);
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
  });

  test('that falls silent is asked for again', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { stall: 50_000 });
    await fromHub(SPEC, { ...options, timeout: lasting(0.3) }, silent);
    expect(asked().map(({ range }) => range)).toEqual([undefined, 'bytes=50000-']);
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
  });

  test.each([
    [500, 1],
    [503, 2],
    [429, 2],
    [403, 1],
  ])('is tried again after status %i', async (status, times) => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { status, headers: { 'retry-after': '0' } }, times);
    await fromHub(SPEC, options, silent);
    expect(existsSync(blob(cache))).toBe(true);
  });

  test('does not trust what an earlier one left', async () => {
    const { cache, options } = await served();
    mkdirSync(dirname(partial(cache)), { recursive: true });
    writeFileSync(partial(cache), Buffer.alloc(1000));
    await fromHub(SPEC, options, silent);
    expect(asked().map(({ range }) => range)).toEqual(['bytes=1000-', undefined]);
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);

    // Longer than the file, and a blob cut short behind our back.
    truncateSync(blob(cache), 5);
    writeFileSync(partial(cache), Buffer.alloc(bytes.length + 1));
    await fromHub(SPEC, options, silent);
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
  });

  test('of several files is reported as one, and a failure leaves no partial file', async () => {
    const { options } = await served();
    const told: Download[] = [];
    await fromHub(SPEC, { ...options, onDownload: (now) => told.push(now) }, silent);
    const several = told.filter(({ file }) => /^\d+ files$/.test(file));
    expect(several.length).toBeGreaterThan(1);
    const done = several.map((now) => now.done);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(several.at(-1)!.done).toBe(several.at(-1)!.total);
  });

  test.each(['big.onnx_data', 'config.json'])('of other contents is refused: %s', async (name) => {
    const { cache, options } = await served();
    hub.fail(name === 'config.json' ? /hub.*\/config.json/ : /cdn.*big.onnx_data/, { flip: 10 }, 2);
    await refusal(fromHub(SPEC, options, silent), 'HUB_DAMAGED');
    const hash = name === 'config.json' ? gitHash(Buffer.from(files[name])) : sha256(bytes);
    expect(blobs(cache).filter((file) => file.startsWith(hash))).toEqual([]);
    // Once the fault has gone, so has the trouble.
    await fromHub(SPEC, options, silent);
    expect(existsSync(join(dirname(blob(cache)), hash))).toBe(true);
  });

  test('of another length is refused before anything is overwritten', async () => {
    const { cache, options } = await served();
    mkdirSync(dirname(partial(cache)), { recursive: true });
    writeFileSync(partial(cache), bytes.subarray(0, 5000));
    const page = '<html>Log in to this network</html>';
    hub.fail(/cdn.*big/, { status: 200, headers: { 'content-length': String(page.length) }, body: page });
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'HUB_DAMAGED' });
    expect(readFileSync(partial(cache))).toHaveLength(5000);
    // A page without its length in advance is only detected by the hash.
    hub.fail(/cdn.*big/, { status: 200, body: page });
    await fromHub(SPEC, options, silent);
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
  });

  test('onto a full disk says how to go on', async () => {
    const { cache, options } = await served();
    mkdirSync(dirname(partial(cache)), { recursive: true });
    symlinkSync('/dev/full', partial(cache));
    await refusal(fromHub(SPEC, options, silent), 'OUTPUT_UNREACHABLE');
  });

  test('into an invalid cache gives an error', async () => {
    const { cache, options } = await served();
    writeFileSync(join(cache, 'file'), '');
    await refusal(fromHub(SPEC, { ...options, cache: join(cache, 'file') }, silent), 'OUTPUT_UNREACHABLE');
  });
});

describe('a large file', () => {
  const bytes = Buffer.alloc(5 * LEAST_SEGMENT + 77);
  for (let at = 0; at < bytes.length; at += 4096) bytes.writeUInt32LE(at, at);
  const step = Math.floor(bytes.length / 5);
  const vocabulary = JSON.stringify({ input: { kind: 'word-index', vocabulary: 'big.onnx_data' } });
  const served = () => serve({ files: { ...files, 'robust.json': vocabulary, 'big.onnx_data': bytes } });
  const blob = (cache: string) => join(cache, 'models--org--toy', 'blobs', sha256(bytes));
  const partial = (cache: string) => `${blob(cache)}.robust.incomplete`;
  const asked = () =>
    hub.seen.flatMap(({ server, path, range }) => (server === 'cdn' && path.includes('big') ? [range ?? 'all'] : []));
  /** Bytes that the ranges asked for hold. */
  const bytesAsked = () =>
    asked().reduce((sum, range) => {
      const [, start, end] = /(\d+)-(\d*)$/.exec(range) ?? [];
      return sum + (end ? Number(end) + 1 : bytes.length) - Number(start ?? 0);
    }, 0);
  const expectWhole = (cache: string) => {
    expect(readFileSync(blob(cache)).equals(bytes)).toBe(true);
    expect(blobs(cache).filter((name) => /incomplete/.test(name))).toEqual([]);
  };
  const within = (cache: string) => mkdirSync(dirname(blob(cache)), { recursive: true });

  test('is fetched in segments over several connections, each byte once', async () => {
    const { cache, options } = await served();
    const told: Download[] = [];
    await fromHub(SPEC, { ...options, onDownload: (now) => told.push(now) }, silent);
    const ranges = Array.from({ length: 5 }, (_, at) => `bytes=${at * step}-${at === 4 ? '' : (at + 1) * step - 1}`);
    expect(asked().sort()).toEqual(ranges.sort());
    const done = told.filter(({ file }) => file.startsWith('big')).map((now) => now.done);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(bytes.length);
    expectWhole(cache);
  });

  test('of a killed process is continued in every segment', async () => {
    const { cache, options } = await served();
    const later = newCache();
    within(later);
    let kept = 0;
    // The files at that moment are those that a process which ends there leaves.
    const onDownload = ({ file, done }: Download) => {
      if (kept > 0 || !file.startsWith('big') || done < bytes.length / 3) return;
      kept = done;
      for (const name of ['', '.places']) copyFileSync(partial(cache) + name, partial(later) + name);
    };
    await fromHub(SPEC, { ...options, onDownload }, silent);
    hub.seen.length = 0;
    const told: Download[] = [];
    await fromHub(SPEC, { ...options, cache: later, onDownload: (now) => told.push(now) }, silent);
    expect(bytesAsked()).toBe(bytes.length - kept);
    expect(told.find(({ file }) => file.startsWith('big'))).toMatchObject({ resumed: kept });
    expectWhole(later);
  });

  test('that one stream began is continued in segments', async () => {
    const { cache, options } = await served();
    within(cache);
    writeFileSync(partial(cache), bytes.subarray(0, step + 5));
    await fromHub(SPEC, options, silent);
    expect(asked()).toContain(`bytes=${step + 5}-${2 * step - 1}`);
    expect(bytesAsked()).toBe(bytes.length - step - 5);
    expectWhole(cache);
  });

  test('comes in one stream from a server that knows no ranges', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { ignoreRange: true }, 99);
    await fromHub(SPEC, options, silent);
    expect(asked().filter((range) => range === 'all')).toHaveLength(1);
    expectWhole(cache);
  });

  test.each([
    ['damaged notes', Buffer.alloc(7, 255)],
    ['notes that promise too much', Buffer.alloc(40, 255)],
  ])('is checked by its hash, with %s too', async (_, notes) => {
    const { cache, options } = await served();
    within(cache);
    writeFileSync(partial(cache), Buffer.alloc(bytes.length));
    writeFileSync(`${partial(cache)}.places`, notes);
    await fromHub(SPEC, options, silent);
    expectWhole(cache);
  });

  test('of which a segment has other contents is refused, and nothing is kept', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { flip: 10 }, 10);
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'HUB_DAMAGED' });
    expect(blobs(cache).filter((name) => name.startsWith(sha256(bytes)))).toEqual([]);
  });

  test('is refused once where the Hub refuses it, and what came stays', async () => {
    const { cache, options } = await served();
    hub.fail(/cdn.*big/, { drop: 1_000_000 }, 4);
    hub.fail(/cdn.*big/, { status: 500 }, 999);
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'HUB_UNREACHABLE' });
    expect(asked().length).toBeLessThan(40);
    expect(existsSync(`${partial(cache)}.places`)).toBe(true);
  });

  test('by several processes at once ends with one good copy', async () => {
    const { cache, options } = await served();
    await Promise.all(Array.from({ length: 3 }, () => fromHub(SPEC, options, silent)));
    expectWhole(cache);
  });
});

describe('a refusal', () => {
  const cases: [
    what: string,
    repository: Partial<Repository>,
    token: string | undefined,
    spec: string,
    code: string,
  ][] = [
    ['no such model', {}, undefined, 'hf:org/nothing', 'HUB_NOT_FOUND'],
    ['no such model, asked with a token', {}, 'hf_x', 'hf:org/nothing', 'HUB_NOT_FOUND'],
    ['no such revision', {}, undefined, `${SPEC}@v9`, 'HUB_NOT_FOUND'],
    ['a private model', { token: 'hf_owner' }, undefined, SPEC, 'HUB_NOT_FOUND'],
    ['a wrong token', { token: 'hf_owner' }, 'hf_other', SPEC, 'ACCESS_DENIED'],
    ['a gated model', { token: 'hf_friend', gated: true }, undefined, SPEC, 'ACCESS_DENIED'],
    ['a gated model that lets others in', { token: 'hf_friend', gated: true }, 'hf_other', SPEC, 'ACCESS_DENIED'],
    ['a token with a line break', {}, 'hf_\nsecret', SPEC, 'ACCESS_DENIED'],
  ];
  test.each(cases)('%s', async (_, repository, token, spec, code) => {
    const { cache, options } = await serve(repository);
    const given = { ...options, ...(token !== undefined && { token }) };
    const error = await refusal(fromHub(spec, given, silent), code);
    expect(JSON.stringify([error.message, error.hint, error.stack])).not.toMatch(/hf_other|secret/);
    expect(readdirSync(cache)).toEqual([]);
  });

  test('does not come for a valid token, which nobody else receives', async () => {
    const { options } = await serve({ token: 'hf_owner' });
    await fromHub(SPEC, { ...options, token: 'hf_owner' }, silent);
    expect(
      hub.seen.filter(({ server }) => server === 'hub').every((each) => each.authorization === 'Bearer hf_owner'),
    ).toBe(true);
    expect(hub.seen.filter(({ server }) => server === 'cdn').map((each) => each.authorization)).toEqual([undefined]);
  });

  test.each([
    ['HTML', 200, '<html>Welcome</html>'],
    ['another API', 200, '{"ok": true}'],
    ['a commit that is a path', 200, '{"sha": "../../../x", "siblings": []}'],
    ['a teapot', 418, ''],
  ])('a host other than a Hub: %s', async (_, status, body) => {
    const { options } = await serve();
    hub.fail(/api/, { status, body });
    await refusal(fromHub(SPEC, options, silent), 'HUB_DAMAGED');
  });

  test.each([
    ['http://127.0.0.1:9', 'HUB_UNREACHABLE'],
    ['huggingface.co', 'HUB_DAMAGED'],
    ['', 'HUB_DAMAGED'],
  ])('an invalid endpoint: "%s"', async (endpoint, code) => {
    const { options } = await serve();
    expect(await failure(fromHub(SPEC, { ...options, endpoint }, silent))).toMatchObject({ code });
  });
});

describe('a mirror that lists names only', () => {
  test('is asked for each hash, which it sends with its redirect', async () => {
    const { cache, options } = await serve({ bare: true });
    await fromHub(SPEC, options, silent);
    expect(paths().filter((path) => path.includes('HEAD'))).toHaveLength(4);
    expect(blobs(cache)).toContain(sha256(weights));
    expect(blobs(cache)).toContain(gitHash(Buffer.from(files['config.json'])));
  });

  test.each(['../../../evil', '"md5-of-the-store"', 'a'.repeat(39)])('and must send one: %j', async (etag) => {
    const { cache, options } = await serve({ bare: true });
    hub.fail(/resolve.*config/, { status: 200, headers: { etag, 'content-length': '5' } }, 9);
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'HUB_DAMAGED' });
    expect(readdirSync(cache)).toEqual([]);
  });
});

describe('a hostile repository', () => {
  const evil = [
    '../../evil.onnx',
    '/tmp/evil.onnx',
    'onnx/../../evil.onnx',
    'C:\\evil.onnx',
    'a\\..\\..\\evil.onnx',
    'onnx//evil.onnx',
    './evil.onnx',
    'x\u0000.onnx',
  ];
  test('cannot name files outside its folder', async () => {
    const { 'tokenizer.json': tokenizer } = files;
    const { cache, options } = await serve({
      files: { 'tokenizer.json': tokenizer, ...Object.fromEntries(evil.map((name) => [name, weights])) },
    });
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'MODEL_DAMAGED' });
    const written = existsSync(cache) ? readdirSync(cache, { recursive: true }) : [];
    expect(written.filter((name) => String(name).includes('evil'))).toEqual([]);
  });

  test.each(['../../secret', '/etc/passwd'])('nor by its manifest or graph: %s', async (name) => {
    const manifest = JSON.stringify({ labels: ['a', 'b'], input: { kind: 'word-index', vocabulary: name } });
    const first = await serve({ files: { 'model.onnx': weights, 'robust.json': manifest, [name]: '{}' } });
    const load = (options: HubOptions) => failure(loadModel(SPEC, { workers: 1, hub: options }));
    expect(await load(first.options)).toMatchObject({ code: 'MODEL_DAMAGED' });
    await hub.close();
    const second = await serve({ files: { ...files, 'model.onnx': external(name).bytes, [name]: 'x' } });
    expect(await load(second.options)).toMatchObject({ code: 'MODEL_DAMAGED' });
    expect(paths().join()).not.toMatch(/\.\.|%2E|etc/i);
  });
});

describe('a hostile server', () => {
  test('has to answer for the commit that was asked for', async () => {
    const { options } = await serve();
    const listing = JSON.stringify({ sha: 'c'.repeat(40), siblings: [] });
    hub.fail(/hub .*api/, { status: 200, body: listing });
    await refusal(fromHub(`${SPEC}@${COMMIT}`, options, silent), 'HUB_DAMAGED');
  });

  test('cannot fill the memory with a listing', async () => {
    const { options } = await serve();
    hub.fail(/hub .*api/, { status: 200, body: ' '.repeat(65 * 2 ** 20) });
    await refusal(fromHub(SPEC, options, silent), 'HUB_DAMAGED');
  });

  test('cannot redirect to what is no address', async () => {
    const { options } = await serve({ bare: true });
    hub.fail(/hub .*config.json/, { status: 307, headers: { location: 'http://[' } });
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'HUB_DAMAGED' });
  });

  test('that restarts and breaks off each time makes no progress, and gives an error', async () => {
    const { options } = await serve();
    hub.fail(/cdn .*model.onnx/, { drop: 200, ignoreRange: true }, 99);
    expect(await failure(fromHub(SPEC, options, silent))).toMatchObject({ code: 'HUB_UNREACHABLE' });
    expect(hub.seen.filter(({ server }) => server === 'cdn').length).toBeLessThan(10);
  });
});

describe('the spec', () => {
  test.each([
    ['hf:gpt2', 'gpt2', 'main'],
    ['hf:org/name.v1_x-y', 'org/name.v1_x-y', 'main'],
    ['hf:org/name@v1.0', 'org/name', 'v1.0'],
    ['hf:org/name@refs/pr/12', 'org/name', 'refs/pr/12'],
    [`hf:org/name@${COMMIT}`, 'org/name', COMMIT],
  ])('%s', (spec, id, revision) => {
    expect(parseHubSpec(spec)).toEqual({ id, revision });
  });

  test.each([
    ...[
      'hf:',
      'hf:/',
      'hf:a/b/c',
      'hf:../x',
      'hf:org/..',
      'hf:org/a--b',
      'hf:-a/b',
      'hf:a b/c',
      'hf:org/name.',
      'hf:a\\b',
    ],
    ...[
      'hf:org/name@',
      'hf:org/name@../x',
      'hf:org/name@a/../b',
      'hf:org/name@/x',
      'hf:org/name@a//b',
      'hf:org/name@.x',
    ],
    ...['hf:org/name@C:x', 'hf:org/name@a\\b', 'hf:org/name@a\nb', 'hf:org/name@a b'],
  ])('%j is refused', (spec) => {
    expect(() => parseHubSpec(spec)).toThrow(expect.objectContaining({ code: 'HUB_INVALID', exit: 2 }));
  });

  test('whatever is accepted stays below the cache', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab./\\@-_:~ \u0000'), maxLength: 12 }), (text) => {
        let parsed: ReturnType<typeof parseHubSpec>;
        try {
          parsed = parseHubSpec(`hf:${text}`);
        } catch {
          return;
        }
        for (const part of [...parsed.id.split('/'), ...parsed.revision.split('/')]) {
          expect(part).not.toMatch(/^\.*$|[\\:\p{Cc}]/u);
        }
      }),
      { seed: 42, numRuns: 2000 },
    );
  });

  test('of a page in a browser is recognised', async () => {
    await refusal(loadModel('https://huggingface.co/org/name'), 'MODEL_NOT_FOUND');
  });
});
