/** @file A worker on a queue. */
import { join } from 'node:path';
import type { GivenValues } from '../../config/setting.js';
import { workerSettings } from '../../config/settings/index.js';
import { RobustError } from '../../core/errors.js';
import { workerFile } from '../../core/package-root.js';
import { thisMachine } from '../../fleet/machines.js';
import { type WorkerResult, work as workOn } from '../../fleet/worker.js';
import { defaultCache } from '../../model/hub/cache.js';
import { isPackageName, moduleFile } from '../../modules/own-module.js';
import { Context, toolVersion, type UseCaseHooks, withDefaults } from '../context.js';
import { versions } from '../runs/versions.js';
import { storeAccess } from './store-access.js';

export interface WorkOptions extends GivenValues<typeof workerSettings>, UseCaseHooks {
  /** For the processes that compute. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Throws RobustError for what is no package, and for one that is not installed: not only once a plan names it. */
async function checkInstalled(plugins: readonly string[]): Promise<void> {
  for (const name of plugins) {
    if (isPackageName(name)) await moduleFile(name, { what: 'a plugin', hint: '' });
    else
      throw new RobustError(`--plugin: expected the name of a package such as robust-attack-mine, got "${name}"`, {
        code: 'FLAG_INVALID',
        hint: 'Plans name packages only. Install the plugin as a package on this machine.',
      });
  }
}

/** Takes jobs until `signal` is aborted. Throws RobustError, also where this machine cannot work. */
export async function work(options: WorkOptions): Promise<WorkerResult> {
  const {
    queue,
    concurrency,
    workers,
    device,
    lock,
    store,
    cache,
    plugins = [],
  } = withDefaults(workerSettings, options, ['environment']);
  await checkInstalled(plugins);
  const context = new Context(options);
  const beside = join(options.hub?.cache ?? defaultCache(), '..', 'robust', 'fleet');
  return workOn({
    queue,
    concurrency,
    lock,
    store: store ?? null,
    access: storeAccess(options.remote?.variables) ?? null,
    cache: cache ?? beside,
    threads: workers ?? null,
    device: device ?? null,
    offline: options.hub?.offline === true,
    plugins,
    machine: thisMachine(toolVersion, versions()['onnxruntime-node'] ?? 'unknown'),
    processor: workerFile('app/queue/processor.js'),
    environment: options.environment ?? {},
    signal: options.signal,
    note: (line) => options.onNote?.(line),
    warn: context.warn,
  });
}
