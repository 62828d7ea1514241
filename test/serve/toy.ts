/** A model of a line, and what serves it without a socket. */
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { softmax } from '../../src/core/softmax.js';
import { servedProtocols } from '../../src/protocols/index.js';
import type { ServedModel, ServedScores } from '../../src/protocols/server.js';
import { type AnsweringOptions, Answers } from '../../src/serve/answers.js';

/** Logits: letters "b" speak for bad, "g" for good; a pair counts as its second text. */
export function toyLogits(text: string): Float32Array {
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
  maximumTokens: 128,
  scores: async (texts, kind) => texts.map(kind === 'logits' ? toyLogits : toyProbabilities),
};

export const serving = (others: Partial<AnsweringOptions> = {}): AnsweringOptions => ({
  model: toyModel,
  protocols: servedProtocols,
  kind: 'probabilities' satisfies ServedScores,
  datatype: 'FP32',
  toolVersion: '1.2.3',
  maxBatch: 8,
  maxQueue: 16,
  timeout: 10,
  ...others,
});

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Answers of a server of one protocol. */
export async function say(
  protocol: string,
  method: string,
  url: string,
  body?: unknown,
  others: Partial<AnsweringOptions> = {},
): Promise<Said> {
  const protocols = servedProtocols.filter(({ name }) => protocol === 'all' || name === protocol);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const { headers: given = {}, ...rest } = others as Partial<AnsweringOptions> & { headers?: Record<string, string> };
  const answers = new Answers(serving({ protocols, ...rest }));
  const { status, headers, bytes: answer } = await answers.reply({ method, url, headers: given, bytes });
  const text = answer.toString('utf8');
  return { status, headers, body: headers['content-type'] === 'application/json' ? JSON.parse(text) : text };
}
