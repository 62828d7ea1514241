/** A model of a line, and what serves it without a socket. */
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { softmax } from '../../src/core/statistics/softmax.js';
import { type AnsweringOptions, Answers } from '../../src/serve/answers.js';
import { kserveV2 } from '../../src/serve/kserve-v2.js';
import { plainJson } from '../../src/serve/plain-json.js';
import type { ServedModel } from '../../src/serve/request.js';
import { lasting } from '../calibration.js';

/** Logits: letters "b" speak for bad, "g" for good; a pair counts as its second text. */
function toyLogits(text: string): Float32Array {
  const read = text.slice(text.indexOf(PAIR_SEPARATOR) + 1);
  const count = (letter: string): number => read.split(letter).length - 1;
  return Float32Array.of(count('b') * 1.1 - 0.3, count('g') * 0.7 + 0.1, 0.2);
}

export function toyProbabilities(text: string): Float32Array {
  const row = toyLogits(text);
  softmax(row);
  return row;
}

export const toyModel: ServedModel = {
  name: 'toy',
  sha256: 'ab'.repeat(32),
  labels: ['bad', 'good', 'none'],
  scores: async (texts) => texts.map(toyProbabilities),
};

export const serving = (others: Partial<AnsweringOptions> = {}): AnsweringOptions => ({
  model: toyModel,
  routes: [...kserveV2(toyModel, '1.2.3'), ...plainJson(toyModel)],
  maxBatch: 8,
  maxQueue: 16,
  timeout: lasting(10),
  ...others,
});

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The answer to a request. */
export async function say(
  method: string,
  url: string,
  body?: unknown,
  others: Partial<AnsweringOptions> = {},
): Promise<Said> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const { headers: given = {}, ...rest } = others as Partial<AnsweringOptions> & { headers?: Record<string, string> };
  const answers = new Answers(serving(rest));
  const { status, headers, bytes: answer } = await answers.reply({ method, url, headers: given, bytes });
  const text = answer.toString('utf8');
  return { status, headers, body: headers['content-type'] === 'application/json' ? JSON.parse(text) : text };
}
