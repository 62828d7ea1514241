/**
 * @file The queries of an attack while it learnt, with their answers. Learning is a function of these, so a process that replays them learns
 * the same without queries. A query that is not on the tape goes to the model.
 */
import type { WhiteBox } from '../core/classifier.js';
import type { RunPlan } from '../run/index.js';
import { hashOf } from './content.js';

/** Method and arguments, hashed -> the answer. */
type AnswerTape = Map<string, unknown>;

/** Typed arrays of single precision, as base64 of their bytes: all else is JSON. */
const FLOATS = 'float32:';

const written = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each instanceof Float32Array
      ? FLOATS + Buffer.from(each.buffer, each.byteOffset, each.byteLength).toString('base64')
      : each,
  );

/** An answer on a line of its own. */
export const tapeLine = (key: string, answer: unknown): string => `${written([key, answer])}\n`;

export function readTape(text: string): AnswerTape {
  const floats = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(FLOATS)
      ? new Float32Array(new Uint8Array(Buffer.from(value.slice(FLOATS.length), 'base64')).buffer)
      : value;
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => JSON.parse(line, floats) as [string, unknown]));
}

/** The table of embeddings is the model's own, and as large. */
const ASKED: readonly (keyof WhiteBox)[] = ['classify', 'gradient', 'classifyEmbeddings', 'gradientAt'];

type OnAnswer = (key: string, answer: unknown) => void;

function taped<T extends object>(model: T, tape: AnswerTape, record: OnAnswer | undefined): T {
  return new Proxy(model, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      if (!(ASKED as readonly (string | symbol)[]).includes(name)) return found.bind(target);
      return async (...args: unknown[]) => {
        const key = hashOf(written([name, ...args]));
        if (tape.has(key)) return tape.get(key);
        const answer: unknown = await Reflect.apply(found, target, args);
        if (record) tape.set(key, answer);
        record?.(key, answer);
        return answer;
      };
    },
  });
}

/** A plan whose victim's answers are on the tape, or are put there. */
export function tapedPlan(plan: RunPlan, tape: AnswerTape, record?: OnAnswer): RunPlan {
  const { classifier, gradients } = plan.model;
  const model = {
    ...plan.model,
    classifier: taped(classifier, tape, record),
    ...(gradients && { gradients: taped(gradients, tape, record) }),
  };
  return { ...plan, model };
}
