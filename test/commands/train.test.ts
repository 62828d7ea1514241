/** `robust train` as a user runs it. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { steady } from '../refusal.js';
import { robust, robustProcess } from './cli.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-train-'));
const data = join(folder, 'data.tsv');
const draw = random(1, 'data');
const row = () => {
  const label = draw.int(2);
  return `${draw.pick(['a', 'the'])} ${label ? 'fun' : 'dull'} ${draw.pick(['film', 'tale'])}\t${label}`;
};
writeFileSync(data, `text\tlabel\n${Array.from({ length: 200 }, row).join('\n')}\n`);

/** In this process, or in one of its own that is watched. */
const train = (args: readonly string[], watch?: (process: ChildProcess) => void) =>
  watch === undefined ? robust(['train', ...args]) : robustProcess(['train', ...args], { watch });

const SMALL = ['-d', data, '--arch', 'layers=1:dim=16:heads=2:vocabulary=60', '--lr', '0.01'];

test('trains a model, prints its scores; --json is one document', async () => {
  const output = join(folder, 'first');
  const { code, stdout } = await train([...SMALL, '--epochs', '6', '-o', output, '--json']);
  expect(code).toBe(0);
  const { ok, command, result } = JSON.parse(stdout);
  expect({ ok, command, output: result.output, end: result.history.end }).toEqual({
    ok: true,
    command: 'train',
    output,
    end: 'finished',
  });
  expect(result.clean.accuracy.value).toBeGreaterThan(0.9);
  const again = await train([...SMALL, '-o', output]);
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/holds a model already\n.*--force/);
  const tuned = await train(['-d', data, '-m', output, '--part', 'head', '--epochs', '1', '-o', join(folder, 'tuned')]);
  expect(tuned.code).toBe(0);
  expect(tuned.stdout.match(/Accuracy/g)).toHaveLength(2);
});

test('Ctrl-C keeps what is done; --resume ends in the bytes of an uninterrupted training', async () => {
  const args = [...SMALL, '--epochs', '6', '--batch-size', '4'];
  const [whole, cut] = [join(folder, 'whole'), join(folder, 'cut')];
  await train([...args, '-o', whole]);
  const waiting = setInterval(() => {
    try {
      if (JSON.parse(readFileSync(join(cut, 'training', 'history.json'), 'utf8')).points.length < 3) return;
    } catch {
      return;
    }
    clearInterval(waiting);
    // Its listener receives a signal as it would from the system: test/commands/interruption.test.ts.
    process.emit('SIGINT', 'SIGINT');
  }, 5);
  const stopped = await train([...args, '-o', cut]);
  clearInterval(waiting);
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toContain(`robust train --resume --output ${cut}`);
  const resumed = await train(['--resume', '-o', cut]);
  expect(resumed.code).toBe(0);
  const again = await train(['--resume', '-o', cut]);
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/expected an interrupted training in .*, got one that has finished/);
  expect(readFileSync(join(cut, 'model.onnx')).equals(readFileSync(join(whole, 'model.onnx')))).toBe(true);
});

test('a model of characters learns, is kept in half precision, evaluated, explained by words and attacked by its gradient', async () => {
  const output = join(folder, 'characters');
  const args = ['-d', data, '--arch', 'char-bilstm:dim=32', '--lr', '0.01', '--regularize', 'token-dropout=0.1'];
  const trained = await train([...args, '--epochs', '8', '--arch', 'storage=fp16', '-o', output, '--json']);
  expect(trained.stderr).not.toMatch(/Error/);
  expect(JSON.parse(trained.stdout).result.clean.accuracy.value).toBeGreaterThan(0.9);
  const { maxTokens } = JSON.parse(readFileSync(join(output, 'config.json'), 'utf8'));
  expect(maxTokens).toBe(512);
  const told = await robust(['explain', '-m', output, 'the fun film', '--json']);
  const [{ words }] =
    JSON.parse(told.stdout).result.explanations?.[0]?.methods ?? JSON.parse(told.stdout).result.methods;
  expect(words.map(({ word }: { word: string }) => word)).toEqual(['the', 'fun', 'film']);
  const attacked = await robust(['attack', '-m', output, '-d', data, '-a', 'fgsm', '-n', '10', '--json']);
  expect(JSON.parse(attacked.stdout).result.attacks[0].errored).toBe(0);
  for (const [flags, why] of [
    [['--arch', `vectors=${data}`], 'char-bilstm, which has them of characters'],
    [['--adversarial', 'ascc', '--no-compare'], 'of more than characters for swapping words'],
  ] as const) {
    const refused = await train([...args, ...flags, '-o', join(folder, 'refused'), '--force']);
    expect(refused.code).toBe(2);
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain(why);
  }
});

test('--arch vectors=FILE sets the first values of the words and reports how many', async () => {
  const vectors = join(folder, 'vectors.txt');
  writeFileSync(vectors, 'fun 1 0.1\ndull -1 0.1\nfilm 0 1\n');
  const args = [...SMALL, '--arch', `word-cnn:vectors=${vectors}`, '--epochs', '1'];
  const { code, stderr } = await train([...args, '-o', join(folder, 'begun')]);
  expect(code).toBe(0);
  expect(stderr).toContain('3 of 6 words begin with a vector');
});

describe('adversarial training', () => {
  const base = join(folder, 'untouched');
  const output = join(folder, 'hardened');
  /** Compared beside attacks on embeddings, which nobody who sends text can run. */
  const ON_TEXTS = ['synonym', 'deepwordbug'];

  test('ends with untouched, control and hardened models under the same attacks, over the seeds', async () => {
    await train([...SMALL, '--epochs', '3', '-o', base]);
    const args = `-d ${data} -m ${base} --epochs 1 --lr 0.003 --adversarial fgsm:epsilon=0.3 -n 12`.split(' ');
    const { code, stdout, stderr } = await train([...args, '--seeds', '2', '-o', output, '--json']);
    expect(stderr).not.toMatch(/Error/);
    expect(code).toBe(0);
    const { result } = JSON.parse(stdout);
    expect(result.history.points.at(-1).underAttack).toBeGreaterThan(0);
    const { comparison } = result;
    expect(comparison).toMatchObject({ model: base, chosenOn: true, data: { examples: 12 } });
    expect(comparison.seeds.map((each: { seed: number }) => each.seed)).toEqual([42, 43]);
    const [first, second] = comparison.seeds;
    expect([first.hardened, first.control]).toEqual([output, join(output, 'control')]);
    expect(second.control).toBe(join(output, 'seed-43', 'control'));
    expect(first.gain.models.map((model: { name: string }) => model.name)).toEqual([base, output]);
    expect(first.beyond.attacks.map(({ name }: { name: string }) => name)).toEqual([
      'fgsm:epsilon=0.3',
      'pgd:epsilon=0.3',
      ...ON_TEXTS,
    ]);
    expect(comparison.gains.map(({ name }: { name: string }) => name)).toEqual([
      'clean',
      'fgsm:epsilon=0.3',
      'pgd:epsilon=0.3',
      ...ON_TEXTS,
    ]);
    for (const { gain, beyond } of comparison.gains) {
      for (const { mean, interval } of [gain, beyond]) {
        expect(interval.low).toBeLessThanOrEqual(mean);
        expect(interval.high).toBeGreaterThanOrEqual(mean);
      }
    }
    expect(JSON.parse(readFileSync(join(output, 'training', 'comparison.json'), 'utf8'))).toEqual(comparison);
    expect(readFileSync(join(output, 'training', 'comparison.html'), 'utf8')).toContain('Did it help?');
    expect(readFileSync(join(output, 'model.onnx'))).not.toEqual(readFileSync(join(output, 'control', 'model.onnx')));
  });

  test('resumed once all is trained, it only compares, optionally on other texts and attacks', async () => {
    const before = readFileSync(join(output, 'model.onnx'));
    const again = `--resume -o ${output} --seeds 1 --test ${data} --allow-overlap -a deepwordbug -n 5`.split(' ');
    const home = { cwd: folder };
    const { code, stdout } = await robust(['train', ...again], home);
    expect(code).toBe(0);
    const repeated = await robust(['train', ...again], home);
    expect(repeated.stderr.match(/attacked alike in run/g)).toHaveLength(3);
    expect(repeated.stdout).toBe(stdout);
    expect(stdout).toMatch(
      /^Inconclusive: fewer than 30 examples; clean accuracy .*; 5\s+examples\s+of\s+data\.tsv,\s+seed 42/m,
    );
    expect(stdout).toMatch(/^deepwordbug .*%/m);
    expect(stdout).not.toContain('--test');
    expect(readFileSync(join(output, 'model.onnx')).equals(before)).toBe(true);
  });

  test('--allow-overlap learns what it measures, and says that the figures are no evidence', async () => {
    const { code, stderr } = await train([
      ...SMALL,
      '--validation',
      data,
      '--allow-overlap',
      '-o',
      join(folder, 'both'),
    ]);
    expect(stderr).toContain('figures on them are no evidence');
    expect(code).toBe(0);
  });

  test('--no-compare trains and measures, as training does without it', async () => {
    const plain = join(folder, 'plain-hardened');
    const args = [
      ...SMALL,
      '--epochs',
      '2',
      '--adversarial',
      'augment:human-typos',
      '--loss',
      'alpha=0.7',
      '--no-compare',
    ];
    const { code, stdout } = await train([...args, '-o', plain, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).result.comparison).toBeUndefined();
    expect(existsSync(join(plain, 'control'))).toBe(false);
  });

  test('killed (SIGKILL) and resumed, it ends in the bytes of one that was not', async () => {
    const methods = ['--adversarial', 'pgd:steps=2', '--adversarial', 'augment:human-typos', '--no-compare'];
    const args = [...SMALL, ...methods, '--epochs', '4', '--batch-size', '16', '--metric', 'evaluate-every=5'];
    const [whole, cut] = [join(folder, 'adversarial-whole'), join(folder, 'adversarial-cut')];
    await train([...args, '-o', whole]);
    const killed = await train([...args, '-o', cut], (child) => {
      const waiting = setInterval(() => {
        if (!existsSync(join(cut, 'training', 'checkpoint.bin'))) return;
        clearInterval(waiting);
        child.kill('SIGKILL');
      }, 5);
    });
    expect(killed.code).toBeNull();
    expect((await train(['--resume', '-o', cut])).code).toBe(0);
    expect(readFileSync(join(cut, 'model.onnx')).equals(readFileSync(join(whole, 'model.onnx')))).toBe(true);
    expect(readFileSync(join(cut, 'training', 'history.json'))).toEqual(
      readFileSync(join(whole, 'training', 'history.json')),
    );
  });

  test('a method that swaps words takes them from every meaning, not only what attacks may offer', async () => {
    const funny = join(folder, 'funny.tsv');
    writeFileSync(funny, readFileSync(data, 'utf8').replaceAll('fun', 'funny').replaceAll('dull', 'odd'));
    const swaps = ['--adversarial', 'ascc', '--loss', 'alpha=0.99', '--no-compare', '--epochs', '6', '--json'];
    const small = SMALL.map((each) => (each === data ? funny : each));
    const { stdout } = await train([...small, ...swaps, '-o', join(folder, 'swaps')]);
    const { validation, underAttack } = JSON.parse(stdout).result.history.points.at(-1);
    expect(validation.accuracy).toBeGreaterThan(0.9);
    expect(underAttack).toBeLessThan(0.6);
  });

  test('a loss of NaN ends it, with the step and the place of the best weights', async () => {
    const wild = ['--adversarial', 'fgsm', '--lr', '1e30', '--optimizer', 'clip=1e30:warmup=0', '--force'];
    const { code, stderr } = await train(['-d', data, '-m', base, ...wild, '-o', join(folder, 'wild')]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/no longer a number at step \d+\n.*lower --lr or --optimizer clip=/);
  });
});

test('--defend: learns and is measured behind a defence, as it will be attacked', async () => {
  const spelt = join(folder, 'spelt.tsv');
  writeFileSync(spelt, readFileSync(data, 'utf8').replaceAll('dull', 'dlul').replaceAll('fun', 'f un'));
  const behind = ['--defend', `spelling:texts=${data}`];
  const output = join(folder, 'behind');
  const args = [...SMALL, '--epochs', '6', '--validation', spelt, '--json', '--force', '-o'];
  const defended = JSON.parse((await train([...args, output, ...behind])).stdout).result;
  expect(defended.clean.accuracy.value).toBeGreaterThan(0.9);
  const without = JSON.parse((await train([...args, join(folder, 'without')])).stdout).result;
  expect(without.clean.accuracy.value).toBeLessThan(0.8);
  expect((await train([...SMALL, '-o', join(folder, 'x'), '--defend', 'ranmask'])).stderr).toMatch(
    /expected defences that rewrite a text to train behind, got ranmask, which votes\n.*--regularize token-dropout/,
  );
});

const numbers = join(folder, 'numbers.tsv');
const alone = join(folder, 'alone.tsv');
const rowsOf = (label: (row: number) => string) =>
  Array.from({ length: 40 }, (_, row) => `text ${row}\t${label(row)}\n`).join('');
writeFileSync(numbers, `text\tlabel\n${rowsOf((row) => (row / 7).toFixed(3))}`);
writeFileSync(alone, `text\tlabel\n${rowsOf(() => 'good')}`);

test.each([
  [['-o', join(folder, 'x')], 2],
  [['-d', join(folder, 'none.tsv'), '-o', join(folder, 'x'), '--force'], 2],
  [['-d', numbers, '-o', join(folder, 'x'), '--force'], 3],
  [['-d', alone, '-o', join(folder, 'x'), '--force'], 3],
  [['--resume', '-o', join(folder, 'never')], 2],
  [['-d', data, '-o', join(folder, 'x'), '--arch', 'distilbert:heads=3', '--force'], 2],
  [['-d', data, '-o', data], 2],
  [['-d', data, '-o', join(folder, 'ten'), '--arch', 'distilbert:layers=1:dim=32', '--lr', '10', '--epochs', '3'], 3],
  [['-d', data, '-o', join(folder, 'x'), '--lr', '0'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--loss', 'class-weights=1', '--force'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--adversarial', 'fgms'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--adversarial', 'fgsm', '--loss', 'alpha=1.5'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--adversarial', 'pgd:step=2'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--seeds', '3'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--adversarial', 'fgsm', '-s', 'typo'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--adversarial', 'pgd:steps=0'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--adversarial', 'augment:typo'], 2],
  [['-d', data, '-o', join(folder, 'x'), '--force', '--adversarial', 'augment:embedding'], 2],
] as const)('mistake %# is refused', async (args, exit) => {
  const { code, stderr } = await train(args);
  expect(steady(stderr).replace(/ended at [\d.]+/, 'ended at <loss>')).toMatchSnapshot();
  expect(code).toBe(exit);
});
