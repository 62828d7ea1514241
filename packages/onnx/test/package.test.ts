/** @file The package by itself, as it is built: what its README shows runs, it needs no other package, and its errors are robust's. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ErrorCode, ModelError, ModelGone, RobustError, UnsupportedOpError } from '../../../src/core/errors.js';
import { packageRoot } from '../../../src/core/package-root.js';
import { OnnxError, type OnnxErrorCode } from '../src/errors.js';
import { checkpointOf, configurationsIn } from './convert/checkpoints.js';

const folder = join(packageRoot, 'packages', 'onnx');
const [gradient = '', conversion = ''] = Array.from(
  readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^```js\n(.*?)^```/gms),
  ([, code]) => code,
);

/** Runs a program that imports the package by its name. */
const output = (code: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' });

test('the gradient of the README: finite numbers for each token, not all zero', () => {
  const model = join(packageRoot, 'models', 'distilbert', 'model.onnx');
  const printed = output(`${gradient.replace("'model.onnx'", JSON.stringify(model))}
    const slope = answer['d(' + rows + ')'].data;
    console.log(slope.every(Number.isFinite), slope.some((each) => each !== 0));`);
  expect(printed).toMatch(/\[ 1, 4, \d+ \]\ntrue true\n$/);
});

test('the conversion of the README: a file that onnxruntime opens', () => {
  const one = configurationsIn('configurations.json').find(({ name }) => name === 'bert tanh')!;
  const checkpoint = checkpointOf(one);
  try {
    const printed = output(`${conversion.replaceAll("'checkpoint", `'${checkpoint}`)}
      const ort = await import('onnxruntime-node');
      const session = await ort.default.InferenceSession.create('${checkpoint}/onnx/model.onnx');
      console.log(session.outputNames.join());`);
    expect(printed).toBe('classify []\nlogits\n');
  } finally {
    rmSync(checkpoint, { recursive: true });
  }
});

test.each(['onnx', 'shield'])(
  '%s is built as one file that imports nothing but Node, and has no dependency',
  (name) => {
    const home = join(packageRoot, 'packages', name);
    const code = readFileSync(join(home, 'dist', 'index.js'), 'utf8');
    const found = code.matchAll(/(?:^|;)(?:import|export)\b[^;'"]*["']([^'"]+)["']|\bimport\(["'`]([^'"`]+)/gm);
    const imports = Array.from(found, ([, from, later]) => from ?? later!);
    expect(imports.filter((from) => !from.startsWith('node:'))).toEqual([]);
    expect(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
    const types = readdirSync(join(home, 'dist'), { recursive: true, encoding: 'utf8' }).filter((each) =>
      each.endsWith('.d.ts'),
    );
    expect(types).toContain('index.d.ts');
  },
);

const CODES = {
  MODEL_NOT_FOUND: true,
  MODEL_DAMAGED: true,
  MODEL_UNSUPPORTED: true,
  ADAPTER_MISMATCH: true,
  TASK_MISMATCH: true,
  GRADIENTS_UNSUPPORTED: true,
  FILE_DAMAGED: true,
} satisfies Record<OnnxErrorCode, true>;

test.each(Object.keys(CODES) as OnnxErrorCode[])('an error %s is one of robust, with its exit code', (code) => {
  const error: unknown = new OnnxError('m', { code, hint: 'h' });
  expect(error).toBeInstanceOf(RobustError);
  expect(error instanceof ModelError).toBe(code !== 'FILE_DAMAGED');
  expect(error instanceof UnsupportedOpError).toBe(code === 'GRADIENTS_UNSUPPORTED');
  expect(error).not.toBeInstanceOf(ModelGone);
  expect((error as RobustError).exit).toBe(new RobustError('m', { code: code as ErrorCode }).exit);
});
