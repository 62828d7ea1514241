/** @file Runs that other machines compute. */
import { z } from 'zod';
import { nonEmptyText, type Settings, textList, wholeNumber } from '../setting.js';
import { deviceSetting } from './victim.js';

const FLEET = { group: 'fleet' } as const;

const queue = {
  ...FLEET,
  secret: true,
  value: 'redis://host:port',
} as const;

const listen = { schema: nonEmptyText.optional(), ...FLEET, value: 'host:port' } as const;

const store = {
  schema: nonEmptyText.optional(),
  ...FLEET,
  value: 'folder',
} as const;

/** Of a coordinator. */
export const coordinatorSettings = {
  queue: {
    schema: nonEmptyText.optional(),
    ...queue,
    help: 'have the workers on this queue compute the run (robust worker); rediss:// is with TLS, and ROBUST_QUEUE keeps a password off the list of processes',
  },
  listen: {
    ...listen,
    help: 'with --queue: where workers reach this process, and /metrics is [default: a free port of 127.0.0.1]',
  },
  store: {
    ...store,
    help: 'with --queue: a folder that workers see too, or s3://bucket/prefix: what they need and what they find goes through it instead of --listen',
  },
} as const satisfies Settings;

const queueSetting = {
  queue: {
    schema: nonEmptyText,
    ...queue,
    required: true,
    help: 'the Redis or Valkey with the jobs; rediss:// is with TLS, and ROBUST_QUEUE keeps a password off the list of processes',
  },
} as const satisfies Settings;

/** Of `robust queue`. */
export const queueSettings = {
  ...queueSetting,
  port: { schema: wholeNumber(0).default(0), ...FLEET, help: 'of ui [default: one that is free]' },
} as const satisfies Settings;

/** Of a worker. */
export const workerSettings = {
  ...queueSetting,
  concurrency: {
    schema: wholeNumber(1).default(2),
    ...FLEET,
    char: 'j',
    help: 'jobs at once: while the last searches of one end, another fills the model',
  },
  workers: { schema: wholeNumber(1).optional(), ...FLEET, help: 'threads that run the model [default: one a core]' },
  device: {
    schema: deviceSetting.device.schema,
    value: 'cpu|cuda[:i]|webgpu|dml|coreml',
    ...FLEET,
    help: 'the device to ask models on; a run for another one is set aside [default: as the run says]',
  },
  plugins: {
    schema: textList.optional(),
    flag: 'plugin',
    ...FLEET,
    value: 'package',
    help: 'a package of plugins that runs on this queue may name; no other is loaded; repeat',
  },
  lock: {
    schema: z
      .int('expected a whole number of seconds from 2')
      .min(2, 'expected a whole number of seconds from 2')
      .default(60),
    ...FLEET,
    value: 'seconds',
    help: 'without a sign of life for so long a job goes to another worker',
  },
  store: { ...store, help: 'what the coordinator was given as --store' },
  cache: {
    schema: nonEmptyText.optional(),
    ...FLEET,
    value: 'folder',
    help: 'where models are kept [default: beside those from the Hub]',
  },
  listen: { ...listen, help: 'where /metrics of this worker is; none without' },
} as const satisfies Settings;
