/** @file Which TF.js runs: the user's own tfjs-node where it is installed and loads, else WebAssembly, else plain JavaScript. */
import { createRequire } from 'node:module';
import { vendored } from '../../core/package-root.js';
import { registerGradients } from './gradients.js';
import type { TF } from './tf.js';

export interface TfjsBackend {
  readonly tf: TF;
  /** `tensorflow` is tfjs-node's native library. */
  readonly name: 'tensorflow' | 'wasm' | 'cpu';
}

const require = createRequire(import.meta.url);
let loading: Promise<TfjsBackend> | undefined;

/** The fastest backend this machine has; loaded once. TF.js is large, so nothing of it is loaded before. */
export function tfjsBackend(): Promise<TfjsBackend> {
  loading ??= load();
  return loading;
}

async function load(): Promise<TfjsBackend> {
  const native = optional('@tensorflow/tfjs-node');
  if (native !== undefined) {
    await native.ready();
    registerGradients(native);
    return { tf: native, name: 'tensorflow' };
  }
  const tf = require(vendored('tfjs.cjs')) as TF;
  const name = (await tf.setBackend('wasm').catch(() => false)) ? 'wasm' : 'cpu';
  if (name === 'cpu') await tf.setBackend('cpu');
  await tf.ready();
  registerGradients(tf);
  return { tf, name };
}

/** An optional peer dependency; absent, or present but without the binary it should have downloaded. */
function optional(name: string): TF | undefined {
  try {
    return require(name) as TF;
  } catch {
    return undefined;
  }
}
