/**
 * @file The queries of an attack while it learnt, with their answers. Learning is a function of these, so a process that replays them learns
 * the same without queries. A query that is not on the tape goes to the model.
 */
import type { Classifier, WhiteBox } from '../core/classifier.js';
import { hashOf } from './store.js';

/** Method and arguments, hashed -> the answer. */
export type AnswerTape = Map<string, unknown>;

/** Typed arrays of single precision, as base64 of their bytes: all else is JSON. */
const FLOATS = 'float32:';

export const writeTape = (tape: AnswerTape): string =>
  JSON.stringify([...tape], (_, value: unknown) =>
    value instanceof Float32Array
      ? FLOATS + Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
      : value,
  );

export function readTape(text: string): AnswerTape {
  const floats = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(FLOATS)
      ? new Float32Array(new Uint8Array(Buffer.from(value.slice(FLOATS.length), 'base64')).buffer)
      : value;
  return new Map(JSON.parse(text, floats) as [string, unknown][]);
}

const keyOf = (method: string, args: readonly unknown[]): string =>
  hashOf(
    JSON.stringify([method, ...args], (_, value: unknown) =>
      value instanceof Float32Array ? Array.from(value) : value,
    ),
  );

/** The table of embeddings is the model's own, and as large. */
const ASKED: readonly (keyof WhiteBox)[] = ['classify', 'gradient', 'classifyEmbeddings', 'gradientAt'];

function taped<T extends object>(model: T, methods: readonly string[], tape: AnswerTape, record: boolean): T {
  return new Proxy(model, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      if (!methods.includes(String(name))) return found.bind(target);
      return async (...args: unknown[]) => {
        const key = keyOf(String(name), args);
        if (tape.has(key)) return tape.get(key);
        const answer: unknown = await Reflect.apply(found, target, args);
        if (record) tape.set(key, answer);
        return answer;
      };
    },
  });
}

/** A victim whose answers are on the tape, or are put there. */
export const tapedClassifier = <C extends Classifier>(classifier: C, tape: AnswerTape, record: boolean): C =>
  taped(classifier, ['classify'], tape, record);

export const tapedWhiteBox = (model: WhiteBox, tape: AnswerTape, record: boolean): WhiteBox =>
  taped(model, ASKED, tape, record);
