/** Sessions in processes of their own: the same answers, and when onnxruntime dies, an error. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ModelCrashedError } from '../../src/core/errors.js';
import { packageRoot } from '../../src/core/package-root.js';
import { openAttention } from '../../src/explain/attention-source.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { openMaskedLanguageModel } from '../../src/model/classifiers/masked-language-model.js';
import { loadModel } from '../../src/model/load.js';
import { maskedFolder } from './masked-toy.js';
import { alive, canSeeProcesses, until, workersOf } from './processes.js';
import { toyFolder } from './toy.js';

const TEXTS = ['good film', 'bad film', 'the good the bad', 'film', 'good good bad film !'];

describe('the same to the bit', () => {
  test('answers', async () => {
    const answers = await Promise.all(
      [true, false].map(async (isolate) => {
        const model = await loadModel('bert-mini', { workers: 2, isolate });
        const rows = await model.classify([...TEXTS, 'I liked every minute of it, and would go again tomorrow.']);
        await model.close();
        return rows.map((row) => [...row]);
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  test('gradients, embeddings and attention', async () => {
    const [isolated, plain] = await Promise.all(
      [true, false].map(async (isolate) => {
        const model = await loadModel('bert-mini', { workers: 1, isolate });
        const inside = await openWhiteBox(model, { workers: 2 });
        const attention = await openAttention(model);
        const found = {
          table: (await inside.embeddingTable()).slice(0, 1000),
          gradients: await Promise.all(TEXTS.map((text) => inside.gradient(text, 1))),
          attention: await attention.attention(TEXTS[0] as string),
        };
        await Promise.all([inside.close(), attention.close(), model.close()]);
        return found;
      }),
    );
    expect(isolated).toEqual(plain);
  });

  test('guesses of a masked language model', async () => {
    const guesses = await Promise.all(
      [true, false].map(async (isolate) => {
        const model = await openMaskedLanguageModel(maskedFolder(), { workers: 1, isolate });
        const found = await model.guess([{ left: 'the ', right: ' film' }], 5);
        await model.close();
        return found;
      }),
    );
    expect(guesses[0]).toEqual(guesses[1]);
  });
});

test('an idle process keeps nobody waiting, one that is closed is waited for whole', () => {
  // In a Node of its own, where nothing else is open.
  const host = JSON.stringify(pathToFileURL(join(packageRoot, 'dist', 'src', 'model', 'workers', 'host.js')).href);
  const script = `
    import { startHost } from ${host};
    const open = () => process.getActiveResourcesInfo().filter((kind) => /Process|Pipe/.test(kind)).length;
    const before = open();
    let ready;
    const loaded = new Promise((resolve) => { ready = resolve; });
    const host = startHost({ file: 'model/workers/worker.js', data: {}, isolate: true, model: 'toy', onMessage: ready });
    await loaded;
    host.ref();
    const held = open() - before;
    host.unref();
    const idle = open() - before;
    const closed = host.close();
    const closing = open() - before;
    await closed;
    console.log(JSON.stringify({ held, idle, closing }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  // The process, the channel of its messages, and its stderr.
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual({ held: 3, idle: 0, closing: 3 });
});

test('inputs that onnxruntime refuses are refused here too', async () => {
  const damaged = toyFolder({}, { 'model.onnx': Buffer.from('\x08\x08:\x10\x0a\x0e\x12\x01y\x22\x09Nonsense') });
  const error = await loadModel(damaged, { workers: 1, isolate: true }).catch((e: unknown) => e);
  const plain = await loadModel(damaged, { workers: 1 }).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: (plain as { code: string }).code, message: (plain as Error).message });
});

describe.skipIf(!canSeeProcesses)('a process that dies (needs /proc)', () => {
  // One after the other: the workers are looked for among all children of this process.
  test.each(['SIGSEGV', 'SIGABRT', 'SIGKILL'] as const)('%s while it is loaded', async (signal) => {
    const loading = loadModel('bert-mini', { workers: 1, isolate: true }).catch((error: unknown) => error);
    await until(() => workersOf(process.pid).length > 0);
    for (const pid of workersOf(process.pid)) process.kill(pid, signal);
    const error = await loading;
    expect(error).toBeInstanceOf(ModelCrashedError);
    expect(error).toMatchObject({
      code: 'MODEL_CRASHED',
      exit: 3,
      message: expect.stringMatching(`${signal} while it was loaded`),
    });
    expect(workersOf(process.pid)).toEqual([]);
  });

  test.each(['SIGSEGV', 'SIGABRT', 'SIGKILL'] as const)('%s ends all queries, current and later', async (signal) => {
    const model = await loadModel('bert-mini', { workers: 2, isolate: true });
    const asked = Array.from({ length: 400 }, (_, at) =>
      model.classify([`${'good '.repeat(1 + (at % 60))}film ${at}`]),
    );
    const ends = Promise.allSettled(asked);
    await asked[0];
    process.kill(workersOf(process.pid)[0] as number, signal);
    const reasons = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toBeInstanceOf(ModelCrashedError);
    expect(reasons[0]).toMatchObject({
      message: expect.stringMatching(new RegExp(`ended by ${signal} after \\d+ answered batches`)),
      hint: expect.stringContaining(signal === 'SIGKILL' ? 'memory' : 'damaged'),
    });
    await expect(model.classify(['another'])).rejects.toBeInstanceOf(ModelCrashedError);
    await model.close();
    expect(workersOf(process.pid)).toEqual([]);
  });

  test('nor does an idle one stay unnoticed', async () => {
    const model = await loadModel(toyFolder(), { workers: 1, isolate: true });
    const [pid] = workersOf(process.pid);
    process.kill(pid as number, 'SIGSEGV');
    await until(() => !alive(pid as number));
    await expect(model.classify(['good film'])).rejects.toMatchObject({ code: 'MODEL_CRASHED' });
    await model.close();
  });

  test('gradients', async () => {
    const model = await loadModel('bert-mini', { workers: 1, isolate: true });
    const before = new Set(workersOf(process.pid));
    const inside = await openWhiteBox(model, { workers: 2 });
    const own = workersOf(process.pid).filter((pid) => !before.has(pid));
    // A second one is opened once there is work for it.
    expect(own).toHaveLength(1);
    const words = 'the film was good again'.split(' ');
    const asked = Array.from({ length: 200 }, (_, at) =>
      inside.gradient(`${words.slice(0, 1 + (at % 5)).join(' ')} film`, 1),
    );
    const ends = Promise.allSettled(asked);
    process.kill(own[0] as number, 'SIGSEGV');
    for (const end of await ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(ModelCrashedError);
    await expect(inside.gradient('good film', 1)).rejects.toBeInstanceOf(ModelCrashedError);
    // The classifier has workers of its own.
    expect(await model.classify(['good film'])).toHaveLength(1);
    await Promise.all([inside.close(), model.close()]);
    expect(workersOf(process.pid)).toEqual([]);
  });

  test('gradients while they are opened', async () => {
    const model = await loadModel('bert-mini', { workers: 1, isolate: true });
    const before = new Set(workersOf(process.pid));
    const opening = openWhiteBox(model, { workers: 2 }).catch((error: unknown) => error);
    const own = () => workersOf(process.pid).filter((pid) => !before.has(pid));
    await until(() => own().length > 0);
    process.kill(own()[0] as number, 'SIGABRT');
    expect(await opening).toMatchObject({ code: 'MODEL_CRASHED' });
    await model.close();
    expect(workersOf(process.pid)).toEqual([]);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('none outlives its parent, which %s ends', async (signal) => {
    const load = pathToFileURL(join(packageRoot, 'dist/src/model/load.js')).href;
    const code = `import { loadModel } from ${JSON.stringify(load)};
      await loadModel('bert-mini', { workers: 1, isolate: true }); console.log('open'); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => parent.stdout.once('data', resolve));
    const own = workersOf(parent.pid as number);
    expect(own).toHaveLength(1);
    parent.kill(signal);
    await until(() => own.every((pid) => !alive(pid)));
  });

  test('an open model that is idle does not keep its process alive', async () => {
    const load = pathToFileURL(join(packageRoot, 'dist/src/model/load.js')).href;
    const code = `import { loadModel } from ${JSON.stringify(load)};
      const model = await loadModel('bert-mini', { workers: 2, isolate: true }); await model.classify(['good']);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    expect(await new Promise((resolve) => parent.once('exit', resolve))).toBe(0);
  });
});
