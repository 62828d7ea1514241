/** @file How a classifier behind an address is asked. */
import { KEPT, nonEmptyText, positiveNumber, type Settings, textList, wholeNumber } from '../setting.js';

const ENDPOINT = { group: 'endpoint', ...KEPT } as const;

export const endpointSettings = {
  modelLabels: {
    schema: nonEmptyText.optional(),
    flag: 'labels',
    ...ENDPOINT,
    value: 'a,b',
    help: "names of the model's labels, in the order of its scores, where it does not tell them or has others",
  },
  headers: {
    schema: textList.optional(),
    flag: 'header',
    ...ENDPOINT,
    secret: true,
    value: 'name: value',
    blanks: true,
    expands: true,
    help: 'sent with each request; keys stand in the environment: "authorization: Bearer $' + '{TOKEN}"; repeat',
  },
  prompt: {
    schema: nonEmptyText.optional(),
    ...ENDPOINT,
    of: 'endpoint',
    value: 'file',
    path: 'input',
    help: 'what a chat model is told, in a file or as it is; {{labels}} stands for the list of labels',
  },
  rate: {
    schema: nonEmptyText
      .regex(/^\d+(\.\d+)?\s*\/\s*(s|sec|m|min|h)$/, 'expected a rate such as 50/s or 300/min')
      .optional(),
    ...ENDPOINT,
    of: 'endpoint',
    value: 'n/s',
    help: 'most requests in a time: 50/s, 300/min',
  },
  maxRequests: {
    schema: wholeNumber(1).optional(),
    group: 'endpoint',
    configured: true,
    of: 'endpoint',
    help: 'most requests that this command may send; then the run pauses (exit code 4) and can be gone on with',
  },
  price: {
    schema: positiveNumber.optional(),
    ...ENDPOINT,
    of: 'endpoint',
    value: 'number',
    help: 'of one text asked, for the cost in progress and report',
  },
} as const satisfies Settings;
