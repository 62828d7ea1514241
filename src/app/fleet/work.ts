/** @file A worker on a queue. */
import { join } from 'node:path';
import type { GivenValues } from '../../config/setting.js';
import { workerSettings } from '../../config/settings/index.js';
import { compiledFile } from '../../core/package-root.js';
import { thisMachine } from '../../fleet/machine.js';
import { type WorkerResult, work as workOn } from '../../fleet/worker.js';
import { defaultCache } from '../../model/hub/cache.js';
import { Context, toolVersion, type UseCaseHooks, withDefaults } from '../context.js';
import { versions } from '../runs/versions.js';
import { storeAccess } from './store-access.js';

export interface WorkOptions extends GivenValues<typeof workerSettings>, UseCaseHooks {}

/** Takes jobs until `signal` is aborted. Throws UsageError, and RobustError where this worker cannot carry out a job. */
export async function work(options: WorkOptions): Promise<WorkerResult> {
  const { queue, concurrency, workers, device, lock, store, cache, listen } = withDefaults(workerSettings, options);
  const context = new Context(options);
  const beside = join(options.hub?.cache ?? defaultCache(), '..', 'robust', 'fleet');
  return workOn({
    queue,
    concurrency,
    lock,
    store,
    access: storeAccess(options.remote?.variables),
    listen,
    cache: cache ?? beside,
    threads: workers,
    device,
    offline: options.hub?.offline === true,
    machine: thisMachine(toolVersion, versions()['onnxruntime-node'] ?? 'unknown'),
    executor: compiledFile('app/fleet/executor.js'),
    signal: options.signal,
    note: (line) => options.onNote?.(line),
    warn: context.warn,
  });
}
