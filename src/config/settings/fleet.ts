/** @file Runs that other machines compute. */
import { nonEmptyText, type Settings, textList, wholeNumber } from '../setting.js';
import { deviceSetting, speedSettings } from './victim.js';

const FLEET = { group: 'fleet' } as const;

const queue = { ...FLEET, secret: true, value: 'redis://host:port' } as const;

const store = { schema: nonEmptyText.optional(), ...FLEET, value: 'folder' } as const;

/** Settings of a coordinator. */
export const coordinatorSettings = {
  queue: {
    schema: nonEmptyText.optional(),
    ...queue,
    help: 'let the workers on this queue compute the run (robust worker); rediss:// uses TLS; ROBUST_QUEUE keeps a password off the list of processes',
  },
  store: { ...store, help: 'with --queue: folder that all machines see, or s3://bucket/prefix, for files above 8 MiB' },
} as const satisfies Settings;

/** Settings of `robust queue`. */
export const queueSettings = {
  queue: {
    schema: nonEmptyText,
    ...queue,
    required: true,
    help: 'Redis or Valkey with the jobs; rediss:// uses TLS; ROBUST_QUEUE keeps a password off the list of processes',
  },
} as const satisfies Settings;

/** Settings of a worker. */
export const workerSettings = {
  ...queueSettings,
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
    schema: wholeNumber(2).default(60),
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
} as const satisfies Settings;
