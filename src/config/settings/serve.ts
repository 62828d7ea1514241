/** @file How a model is served. */
import { booleanFlag, nonEmptyText, positiveNumber, type Settings, wholeNumber } from '../setting.js';
import { decisionSettings, pairSettings } from './decision.js';
import { guardSettings } from './endpoint.js';
import {
  defendSetting,
  languageSetting,
  offlineSetting,
  seedSetting,
  speedSettings,
  victimSettings,
} from './victim.js';

const LIMIT = { of: 'limits' } as const;

export const serveSettings = {
  model: victimSettings.model,
  ...defendSetting,
  ...languageSetting,
  ...offlineSetting,
  ...guardSettings,
  ...decisionSettings,
  textColumns: {
    ...pairSettings.textColumns,
    help: 'names of the two texts of a pair in requests, in the order of the model',
  },
  host: { schema: nonEmptyText.default('127.0.0.1'), help: 'address to listen on; there is no authentication' },
  port: {
    schema: wholeNumber(0).max(65_535, 'expected a number from 0 to 65535').default(8000),
    help: 'port; 0 picks a free one',
  },
  name: { schema: nonEmptyText.optional(), help: 'name of the model for clients [default: its own name]' },
  accessLog: { schema: booleanFlag, help: 'write a JSON line per request to stderr, without its texts' },
  maxBatch: {
    schema: wholeNumber(1).default(256),
    ...LIMIT,
    option: 'batch',
    help: 'maximum texts per request; more: 413',
  },
  maxBody: { schema: positiveNumber.default(4), ...LIMIT, option: 'body', help: 'maximum MiB of a request; more: 413' },
  maxQueue: {
    schema: wholeNumber(1).default(4096),
    ...LIMIT,
    option: 'queue',
    help: 'maximum texts that wait for the model; more: 429 with Retry-After',
  },
  requestTimeout: {
    schema: positiveNumber.default(60),
    ...LIMIT,
    option: 'timeout',
    help: 'seconds for a request, and for its answer; then 408 or 503',
  },
  grace: {
    schema: positiveNumber.default(10),
    ...LIMIT,
    help: 'seconds that running requests get after a stop signal',
  },
  ...seedSetting,
  ...speedSettings,
} as const satisfies Settings;
