/** @file How a model is served. */
import { z } from 'zod';
import { servedProtocols } from '../../protocols/index.js';
import { booleanFlag, nonEmptyText, positiveNumber, type Settings, wholeNumber } from '../setting.js';
import { decisionSettings, pairSettings } from './decision.js';
import {
  defendSetting,
  languageSetting,
  offlineSetting,
  revisionSetting,
  seedSetting,
  speedSettings,
  victimSettings,
} from './victim.js';

const LIMIT = { group: 'limits' } as const;

export const serveSettings = {
  model: victimSettings.model,
  ...revisionSetting,
  ...defendSetting,
  ...languageSetting,
  ...offlineSetting,
  ...decisionSettings,
  textColumns: {
    ...pairSettings.textColumns,
    help: 'the model reads pairs of texts: what clients are told the two are called, in the order in which it reads them',
  },
  protocols: {
    schema: z
      .array(z.enum([...servedProtocols.map(({ name }) => name), 'all']))
      .readonly()
      .default(['all']),
    flag: 'protocol',
    help: 'what clients speak; repeat',
  },
  host: {
    schema: nonEmptyText.default('127.0.0.1'),
    help: 'address to listen at: whoever reaches it may ask, there are no passwords',
  },
  port: {
    schema: wholeNumber(0).max(65_535, 'expected a number from 0 to 65535').default(8000),
    help: '0: any that is free',
  },
  name: { schema: nonEmptyText.optional(), help: 'what clients call the model [default: its own name]' },
  scores: {
    schema: z.enum(['probabilities', 'logits']).default('probabilities'),
    help: 'what is answered where a protocol leaves it to the server',
  },
  datatype: {
    schema: z.enum(['FP32', 'FP16']).default('FP32'),
    help: 'of scores in kserve-v2; FP16 rounds them to 11 bits, and is answered as bytes alone, as Triton does',
  },
  accessLog: { schema: booleanFlag, help: 'a line of JSON on stderr for each request, without its texts' },
  maxBatch: { schema: wholeNumber(1).default(256), ...LIMIT, help: 'texts a request; beyond: 413' },
  maxBody: { schema: positiveNumber.default(4), ...LIMIT, value: 'MiB', help: 'size of a request; beyond: 413' },
  maxQueue: {
    schema: wholeNumber(1).default(4096),
    ...LIMIT,
    help: 'texts that may wait for the model; beyond: 429 with Retry-After',
  },
  requestTimeout: {
    schema: positiveNumber.default(60),
    ...LIMIT,
    value: 'seconds',
    help: 'a request to come in, and its answer; beyond: 408, 503',
  },
  grace: {
    schema: positiveNumber.default(10),
    ...LIMIT,
    value: 'seconds',
    help: 'requests under way may last so long once the server is told to stop',
  },
  ...seedSetting,
  ...speedSettings,
} as const satisfies Settings;
