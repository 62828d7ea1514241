/** @file Where else than on the processor onnxruntime can compute: its execution providers, by the names that `--runtime device` has for them. */
import type { InferenceSession } from 'onnxruntime-common';
import { ModelError, messageOf } from '../../core/errors.js';
import { WorkerPool } from './pool.js';

/** In the order in which `auto` tries them. */
export const DEVICES = ['cuda', 'coreml', 'dml', 'webgpu'] as const;

export interface Device {
  readonly kind: (typeof DEVICES)[number];
  /** Which of several. */
  readonly index: number;
}

/** Undefined for the processor, and for `auto`. */
export function deviceOf(spec: string): Device | undefined {
  const [kind = '', index = '0'] = spec.split(':');
  const known = DEVICES.find((each) => each === kind);
  return known && { kind: known, index: Number(index) };
}

/** Execution providers for onnxruntime; the processor computes operators that a device does not support. */
export const providersOf = ({ kind, index }: Device): InferenceSession.ExecutionProviderConfig[] => [
  kind === 'cuda' || kind === 'dml' ? { name: kind, deviceId: index } : kind,
  'cpu',
];

/** How onnxruntime says that it was built without. */
export const LACKING = 'there is no build with it';

const CURES: Readonly<Record<Device['kind'], string>> = {
  cuda: 'Needs Linux on x64, an NVIDIA driver, CUDA 12 and cuDNN 9, and the package robust-text-cuda, which fetches the libraries. If it is installed and its script did not run: node node_modules/onnxruntime-node/script/install.js',
  webgpu:
    'Needs a graphics card with its driver; on Linux one for Vulkan, and the loader: apt-get install -y libvulkan1',
  dml: 'DirectML is a part of Windows 10 and later, and of nothing else.',
  coreml: 'CoreML is a part of macOS on Apple silicon, and of nothing else.',
};

export interface Unavailable {
  readonly reason: string;
  readonly cure: string;
  /** Nothing that could be installed here would change it. */
  readonly lacking: boolean;
}

/** Why a device computes nothing here, and what to do about it; undefined where it does. */
export async function whyNot(device: Device): Promise<Unavailable | undefined> {
  // A driver may take its process down.
  const trial = new WorkerPool<true, object, never>({
    module: 'model/workers/device-trial.js',
    plan: device,
    model: `a graph of one product on ${device.kind}`,
    size: 1,
    isolate: true,
  });
  try {
    await trial.open();
    return undefined;
  } catch (error) {
    const reason = messageOf(error);
    return { reason, cure: CURES[device.kind], lacking: reason.startsWith(LACKING) };
  } finally {
    await trial.close();
  }
}

/** The device that a spec names, tried; undefined for the processor. `note` receives the choice of `auto`. Throws ModelError DEVICE_UNAVAILABLE. */
export async function availableDevice(spec: string, note: (line: string) => void): Promise<Device | undefined> {
  if (spec === 'auto') {
    for (const kind of DEVICES) {
      const device = { kind, index: 0 };
      if ((await whyNot(device)) !== undefined) continue;
      note(`device=auto: searches ask the model on ${kind}`);
      return device;
    }
    note('device=auto: no other device computes here, so the model runs on the processor (robust doctor says why)');
    return undefined;
  }
  const device = deviceOf(spec);
  const why = device && (await whyNot(device));
  if (why === undefined) return device;
  throw new ModelError(`--runtime device=${spec}: onnxruntime cannot compute there: ${why.reason}`, {
    code: 'DEVICE_UNAVAILABLE',
    hint: `${why.cure} Or leave device out.`,
  });
}
