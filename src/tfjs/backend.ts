/** @file Which TF.js runs: for gradients of ONNX graphs the user's own tfjs-node where it is installed and loads, else ours. */
import { createRequire } from 'node:module';
import { vendored } from '../core/package-root.js';
import { registerGradients } from './gradients.js';
import type { TF, TFWithModels } from './tf.js';

export interface TfjsBackend {
  readonly tf: TF;
  /** `tensorflow` is tfjs-node's native library. */
  readonly name: 'tensorflow' | 'wasm' | 'cpu';
}

const require = createRequire(import.meta.url);
let loading: Promise<TfjsBackend> | undefined;
let own: TFWithModels | undefined;

/** The fastest backend this machine has; loaded once. TF.js is large, so nothing of it is loaded before. */
export function tfjsBackend(): Promise<TfjsBackend> {
  loading ??= load();
  return loading;
}

/** Our own TF.js on WebAssembly, else on plain JavaScript: the same on every machine, whatever else is installed. */
export async function ownTfjs(): Promise<TFWithModels> {
  if (own === undefined) {
    own = require(vendored('tfjs.cjs')) as TFWithModels;
    registerGradients(own, { replacing: true });
  }
  if (!(await own.setBackend('wasm').catch(() => false))) await own.setBackend('cpu');
  await own.ready();
  return own;
}

async function load(): Promise<TfjsBackend> {
  const native = optional('@tensorflow/tfjs-node');
  if (native !== undefined) {
    await native.ready();
    registerGradients(native);
    return { tf: native, name: 'tensorflow' };
  }
  const tf = await ownTfjs();
  return { tf, name: tf.getBackend() as TfjsBackend['name'] };
}

/** An optional peer dependency; absent, or present but without the binary it should have downloaded. */
function optional(name: string): TF | undefined {
  try {
    return require(name) as TF;
  } catch {
    return undefined;
  }
}
