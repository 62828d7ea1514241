/** @file Whether onnxruntime computes on a device: one product, in a process that a driver may take down. */
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { type Device, LACKING, providersOf } from './device.js';
import type { Served } from './messages.js';
import { loadRuntime } from './runtime.js';
import { OrtSession } from './session.js';

/** Ready where the product came out right. Throws Error saying why not. */
export async function serve(device: Device): Promise<Served<true, never, never>> {
  const { listSupportedBackends } = loadRuntime();
  // onnxruntime takes the processor, in silence, for what it was not built with.
  if (!listSupportedBackends().some(({ name }) => name === device.kind))
    throw new Error(`${LACKING} for ${process.platform} ${process.arch}`);
  const g = new GraphBuilder();
  const rows = g.input('rows', DataType.float, ['rows', 2]);
  g.output(g.matmul(rows, g.initializer('weights', [2, 2], Float32Array.of(1, 2, 3, 4))), DataType.float, ['rows', 2]);
  const session = await OrtSession.open({ source: g.build(), providers: providersOf(device) }).catch((error: Error) => {
    throw new Error(reasonOf(error.cause instanceof Error ? error.cause.message : error.message));
  });
  const fed = { type: DataType.float, dims: [1, 2], data: Float32Array.of(1, 1) };
  const [product] = (await session.run(new Map([['rows', fed]]))).values();
  await session.release();
  if (String(product?.data) !== '4,6') throw new Error(`[1 1] times [1 2; 3 4] came out as [${product?.data}]`);
  return { ready: true, answer: () => Promise.reject(new Error('a trial answers nothing')), release: async () => {} };
}

/** Without the place in the sources of onnxruntime. */
const reasonOf = (message: string): string => (message.split(/was false\. /).at(-1) ?? message).split('\n', 1)[0] ?? '';
