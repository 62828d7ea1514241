/** @file Requests to a classifier behind an address. */
import { KEPT, nonEmptyText, positiveNumber, type Settings, textList, wholeNumber } from '../setting.js';

const ENDPOINT = { group: 'endpoint', ...KEPT } as const;

export const endpointSettings = {
  labels: {
    schema: nonEmptyText.optional(),
    ...ENDPOINT,
    value: 'a,b',
    help: 'labels of the model, in the order of its scores; needed if the model does not name them',
  },
  answers: {
    schema: nonEmptyText.optional(),
    ...ENDPOINT,
    of: 'prompt',
    help: 'the answers a,b of a causal language model that is asked about each text by the prompt; each answer is a label',
  },
  headers: {
    schema: textList.optional(),
    flag: 'header',
    ...ENDPOINT,
    secret: true,
    value: 'name: value',
    blanks: true,
    expands: true,
    help: 'header of each request; keys come from environment variables: "authorization: Bearer $' + '{TOKEN}"; repeat',
  },
  prompt: {
    schema: nonEmptyText.optional(),
    ...ENDPOINT,
    value: 'file',
    path: 'input',
    help: 'prompt for a chat model, a file or the text itself; {{labels}} stands for the list of labels; with answers, for a causal language model, {{text}} for the text',
  },
  rate: {
    schema: nonEmptyText
      .regex(/^\d+(\.\d+)?\s*\/\s*(s|sec|m|min|h)$/, 'expected a rate such as 50/s or 300/min')
      .optional(),
    ...ENDPOINT,
    of: 'endpoint',
    value: 'n/s',
    help: 'maximum request rate, for example 50/s or 300/min',
  },
  maxRequests: {
    schema: wholeNumber(1).optional(),
    group: 'endpoint',
    configured: true,
    of: 'endpoint',
    help: 'maximum requests of this command; then the run pauses (exit code 4) and can be resumed',
  },
  price: {
    schema: positiveNumber.optional(),
    ...ENDPOINT,
    of: 'endpoint',
    value: 'number',
    help: 'price of one query, for the cost in progress and report',
  },
} as const satisfies Settings;

/** Settings of a causal language model that is asked about each text. */
export const guardSettings = {
  prompt: endpointSettings.prompt,
  answers: endpointSettings.answers,
} as const satisfies Settings;
