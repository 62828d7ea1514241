/** Ctrl-C, SIGTERM, and going on afterwards. */
import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { covered } from '../cover.js';
import { scene } from '../scenes.js';
import { folder, robust, robustProcess, toy } from './cli.js';

const rows = Array.from(
  { length: 40 },
  (_, i) => `The ${scene(i)}: ${i % 2 ? 'a good film' : 'a dull film'} number ${i}.\t${i % 2}`,
);
/** Data that never come. */
const never = `import { z } from 'robust-text/plugin';
export default {
  options: z.strictObject({}), kind: 'dataset', name: 'never', summary: 'Never comes.',
  create: () => ({ async *rows() { process.stderr.write('reading'); await new Promise((done) => setTimeout(done, 3_600_000)); } }),
};`;
const home = () => folder({ 'never.mjs': never, 'data.tsv': `text\tlabel\n${rows.join('\n')}\n` });
const attack = ['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '--runtime', 'concurrency=1'];
const slow = { TOY_DELAY: '5', TOY_TELLS: '1' };
/** Output of the toy after `calls` calls: the clean pass takes one, and each search some. */
const answered = (calls: number): string => `toy: ${calls} calls\n`;
const begun = 'toy-classifier on data.tsv';
const journal = (cwd: string): string => {
  const runs = join(cwd, '.robust', 'runs');
  const [run = ''] = readdirSync(runs).filter((name) => name !== 'latest');
  return readFileSync(join(runs, run, 'results.jsonl'), 'utf8');
};

describe.concurrent('interruption', () => {
  test('the first Ctrl-C stops cleanly and says how to go on, which gives what an undisturbed run gives', async () => {
    const cwd = home();
    const stopped = await robustProcess([...attack, '--json', '-o', 'x.md'], {
      cwd,
      env: slow,
      at: [[answered(60), (child) => child.kill('SIGINT')]],
    });
    expect(stopped.code).toBe(130);
    const { error } = JSON.parse(stopped.stdout);
    expect(error).toMatchObject({ code: 'INTERRUPTED', exit: 130 });
    const again = /robust (attack --resume .*--output x\.md)$/m.exec(stopped.stderr)?.[1]?.split(' ') ?? [];
    const resumed = await robust(again, { cwd });
    expect(resumed.code).toBe(0);
    expect(readdirSync(cwd)).toContain('x.md');

    const undisturbed = home();
    expect((await robust(attack, { cwd: undisturbed })).code).toBe(0);
    expect(journal(cwd)).toBe(journal(undisturbed));
  });

  test("a crash of the user's code is 3, never 1, and keeps what is done", async () => {
    const bomb = join(import.meta.dirname, 'bomb.mjs');
    const cwd = home();
    const crashed = await robustProcess([...attack, '-a', bomb, '-n', '5', '--json'], { cwd, env: { TOY_DELAY: '5' } });
    expect(crashed.code).toBe(3);
    expect(crashed.stderr).toMatch(/bomb\.mjs threw where nothing waits for it: boom/);
    expect(JSON.parse(crashed.stdout).error).toMatchObject({ code: 'PLUGIN_DAMAGED', exit: 3 });
    expect(journal(cwd)).toContain('deepwordbug');
  });

  test('neither crash nor Ctrl-C abort inside onnxruntime', async () => {
    const bomb = join(import.meta.dirname, 'bomb.mjs');
    const model = ['attack', '-m', 'distilbert', '-n', '40', '-a'];
    const [crashed, stopped] = await Promise.all([
      robustProcess([...model, bomb]),
      // Once an attack has received an example, others are being read.
      robustProcess([...model, join(import.meta.dirname, 'telling.mjs'), '-a', 'pruthi'], {
        at: [['told of an example', (child) => child.kill('SIGINT')]],
      }),
    ]);
    expect({ crashed: crashed.code, stopped: stopped.code }).toEqual({ crashed: 3, stopped: 130 });
  });

  test('SIGTERM is 143', async () => {
    const { code } = await robustProcess(attack, {
      cwd: home(),
      env: slow,
      at: [[begun, (child) => child.kill('SIGTERM')]],
    });
    expect(code).toBe(143);
  });

  test.each(
    covered(
      [
        ['evaluate', ['evaluate', '-m', toy, '-d', 'data.tsv'], 'toy: 1 calls'],
        ['explain', ['explain', '-m', toy, 'a good film'], 'toy: 1 calls'],
        ['attack --explain', [...attack, '-n', '2', '--explain'], 'toy: 16 calls'],
        ['backdoor scan', ['backdoor', 'scan', '-m', toy, '-d', 'data.tsv'], 'toy: 1 calls'],
        ['scan-model', ['scan-model', 'bert-mini'], 'examining its files'],
        ['backdoor filter', ['backdoor', 'filter', '-d', './never.mjs', '--clean', 'data.tsv'], 'reading'],
      ] as const,
      0,
      2,
    ),
  )('SIGTERM ends %s, whatever it waits for', async (_, command, text) => {
    const calls = /\d+/.exec(text)?.[0];
    const { code, signal } = await robustProcess(command, {
      cwd: home(),
      env: calls === undefined ? {} : { TOY_TELLS: '1', TOY_HANGS: calls },
      at: [[text, (child) => child.kill('SIGTERM')]],
    });
    expect(signal ?? code).toBeOneOf(['SIGTERM', 143]);
  });

  // A folder in the place of a file is refused to every user, root too, to whom permissions are never lost.
  test.each(
    covered(
      [
        ['results.jsonl', 'OUTPUT_UNREACHABLE'],
        ['run.json', 'OUTPUT_UNREACHABLE'],
        ['clean.bin', 'FILE_DAMAGED'],
      ] as const,
      0,
      2,
    ),
  )('%s can no longer be used: %s, and nothing is lost', async (file, code) => {
    const victim = `import fs from 'node:fs';
      let calls = 0;
      export default { labels: ['negative', 'positive'], async classify(texts) {
        if (++calls === 3 && process.env.LOSE) {
          const path = '.robust/runs/' + fs.readdirSync('.robust/runs').find((name) => name !== 'latest') + '/${file}';
          if (fs.existsSync(path)) fs.renameSync(path, path + '.kept');
          fs.mkdirSync(path);
        }
        return texts.map((text) => [0.25 + text.length / 1e4, 0.75 - text.length / 1e4]).map(([a, b], at) => (/good/.test(texts[at]) ? [a, b] : [b, a]));
      } };`;
    const files = { 'victim.mjs': victim, 'data.tsv': `text\tlabel\n${rows.slice(0, 6).join('\n')}\n` };
    const [cwd, undisturbed] = [folder(files), folder(files)];
    const command = ['attack', '-m', './victim.mjs', '-d', 'data.tsv', '-a', 'deepwordbug', '--json'];
    const lost = await robustProcess(command, { cwd, env: { LOSE: '1' } });
    expect(JSON.parse(lost.stdout)).toMatchObject({ ok: false, error: { code, exit: 3 } });
    const [run = ''] = readdirSync(join(cwd, '.robust/runs')).filter((name) => name !== 'latest');
    const path = join(cwd, '.robust/runs', run, file);
    rmdirSync(path);
    if (existsSync(`${path}.kept`)) renameSync(`${path}.kept`, path);
    const [resumed, whole] = [
      await robust(['attack', '--resume', '--json', '-o', 'report.html'], { cwd }),
      await robust(command, { cwd: undisturbed }),
    ];
    expect({ resumed: resumed.code, journal: journal(cwd) }).toEqual({
      resumed: whole.code,
      journal: journal(undisturbed),
    });
    if (process.platform === 'win32') return;
    const mode = (name: string): string => (statSync(join(cwd, name)).mode & 0o777).toString(8);
    const inRun = readdirSync(dirname(path)).map((name) => mode(join('.robust/runs', run, name)));
    expect([mode(join('.robust/runs', run)), ...new Set(inRun), mode('report.html')]).toEqual(['700', '600', '600']);
  });

  test('the second Ctrl-C stops at once', async () => {
    const ended = await robustProcess(attack, {
      cwd: home(),
      env: { TOY_DELAY: '3600000', TOY_TELLS: '1' },
      at: [
        ['toy: 1 calls', (child) => child.kill('SIGINT')],
        ['Stopping. Ctrl-C', (child) => child.kill('SIGINT')],
      ],
    });
    // By the signal itself, which a shell shows as 130, or cleanly before the second one came.
    expect(ended.signal === 'SIGINT' || ended.code === 130).toBe(true);
  });

  test('two processes never write into one run', async () => {
    const cwd = home();
    let second: Promise<{ code: number | null; stderr: string }> | undefined;
    const first = await robustProcess(attack, {
      cwd,
      env: { TOY_DELAY: '40' },
      at: [
        [
          begun,
          (child) => {
            second = robustProcess(['attack', '--resume'], { cwd, env: slow });
            void second.then(() => child.kill('SIGINT'));
          },
        ],
      ],
    });
    expect(first.code).toBe(130);
    expect(await second).toMatchObject({ code: 2, stderr: expect.stringContaining('another process') });
  });
});
