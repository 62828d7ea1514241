/** @file Runs that other machines compute. */
import { z } from 'zod';
import { nonEmptyText, type Settings, textList, wholeNumber } from '../setting.js';
import { deviceSetting, speedSettings } from './victim.js';

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

/** Settings of a coordinator. */
export const coordinatorSettings = {
  queue: {
    schema: nonEmptyText.optional(),
    ...queue,
    help: 'let the workers on this queue compute the run (robust worker); rediss:// uses TLS; ROBUST_QUEUE keeps a password off the list of processes',
  },
  listen: {
    ...listen,
    help: 'with --queue: address for workers and /metrics [default: a free port of 127.0.0.1]',
  },
  store: {
    ...store,
    help: 'with --queue: exchange data through this folder or s3://bucket/prefix instead of --listen',
  },
} as const satisfies Settings;

const queueSetting = {
  queue: {
    schema: nonEmptyText,
    ...queue,
    required: true,
    help: 'Redis or Valkey with the jobs; rediss:// uses TLS; ROBUST_QUEUE keeps a password off the list of processes',
  },
} as const satisfies Settings;

/** Settings of `robust queue`. */
export const queueSettings = {
  ...queueSetting,
  port: { schema: wholeNumber(0).default(0), ...FLEET, help: 'port of ui [default: a free one]' },
} as const satisfies Settings;

/** Settings of a worker. */
export const workerSettings = {
  ...queueSetting,
  concurrency: {
    schema: wholeNumber(1).default(2),
    of: 'runtime',
    help: 'jobs at once; while the last searches of one job end, another uses the model',
  },
  workers: speedSettings.workers,
  device: {
    schema: deviceSetting.device.schema,
    of: 'runtime',
    help: 'device of the models, as of attack; runs for another one are set aside [default: as the run requests]',
  },
  plugins: {
    schema: textList.optional(),
    flag: 'plugin',
    ...FLEET,
    value: 'package',
    help: 'package of plugins that runs on this queue may load; no other is loaded; repeat',
  },
  lock: {
    schema: z
      .int('expected a whole number of seconds from 2')
      .min(2, 'expected a whole number of seconds from 2')
      .default(60),
    ...FLEET,
    value: 'seconds',
    help: 'seconds without a sign of life after which another worker gets the job',
  },
  store: { ...store, help: 'the --store of the coordinator' },
  cache: {
    schema: nonEmptyText.optional(),
    ...FLEET,
    value: 'folder',
    help: 'folder for models [default: beside those of the Hub]',
  },
  listen: { ...listen, help: 'address for /metrics of this worker [default: not served]' },
} as const satisfies Settings;
