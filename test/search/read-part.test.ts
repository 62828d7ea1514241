/** A text that the victim cuts: edits of words that it does not read are no tries. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { readPartOf } from '../../src/model/tokens/read-part.js';
import { beam, compose, Draft, greedy, type MeteredVictim, noRepeat, swapWords, wordsOf } from '../../src/plugin.js';
import { atRandom, byUnknown } from '../../src/search/ranking.js';
import { toyFolder } from '../model/toy.js';
import { labelOf, toy, toyTarget } from './toys.js';

const WORDS_READ = 4;
/** The end of the last word that is read; undefined where that is the last one. */
function read(text: string): { start: number; end: number } | undefined {
  const words = wordsOf(text);
  const last = words[WORDS_READ - 1];
  return last === undefined || words.length === WORDS_READ
    ? undefined
    : { start: 0, end: last.start + last.text.length };
}
/** The toy, which reads the first words only. */
const classify = (text: string) => toy(text.slice(0, read(text)?.end));
const misspell = swapWords('a star behind or before', (word) => [`${word}*`, `x${word}`]);
const asked = async (text: string, victim: Partial<MeteredVictim>, search = greedy(byUnknown())) => {
  const target = Object.defineProperties(toyTarget(text, { classify }), Object.getOwnPropertyDescriptors(victim));
  const made = compose({ transformation: misspell, constraints: [noRepeat], search });
  const attempt = await made.run({ id: '0', text, label: labelOf(text) }, target);
  return { attempt, asked: target.queried };
};

const LONG = 'a dull and poor film which was tedious and bad and long';

test.each([
  ['greedy', greedy(byUnknown())],
  ['in random order', greedy(atRandom)],
  ['beam', beam(3)],
])('%s asks about no word beyond what is read, and finds the same', async (_, search) => {
  const [cut, whole] = [await asked(LONG, { read }, search), await asked(LONG, {}, search)];
  const tail = LONG.slice(read(LONG)?.end);
  expect(cut.asked.every((text) => text.endsWith(tail))).toBe(true);
  expect(whole.asked.some((text) => !text.endsWith(tail))).toBe(true);
  expect(cut.asked.length).toBeLessThan(whole.asked.length);
  expect(cut.attempt.succeeded).toBe(whole.attempt.succeeded);
  // All that could be tried was.
  expect(cut.attempt.reach ?? 1).toBe(1);
});

test('a text that is read as a whole is attacked as usual', async () => {
  const short = 'a good lovely film';
  expect(await asked(short, { read })).toEqual(await asked(short, {}));
});

test('the words of a draft stand where its spans say', () => {
  const word = fc.stringMatching(/^[a-z]{0,4}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), word), { maxLength: 8 }), (edits) => {
      let draft = Draft.of(LONG);
      for (const [at, to] of edits)
        draft = to === '' ? draft.remove(at % draft.size) : draft.replace(at % draft.size, to);
      const { spans, text } = draft;
      const found = draft.words.map((_, slot) => text.slice(spans[2 * slot], spans[2 * slot + 1]));
      expect(found).toEqual([...draft.words]);
    }),
  );
});

describe('a model that takes 16 tokens', () => {
  let model: LoadedModel | undefined;
  afterEach(() => model?.close());

  test('reads the same ids whatever stands beyond the part that it reads', async () => {
    model = await loadModel(toyFolder({}), { workers: 1 });
    const reads = readPartOf(model);
    const text = `${'film '.repeat(14)}good bad bad`;
    const part = reads?.(text);
    expect(part).toEqual({ start: 0, end: 14 * 5 - 1 });
    expect(reads?.('a good film')).toBeUndefined();
    const { encoder } = model.onnx as NonNullable<LoadedModel['onnx']>;
    const ids = (of: string) => Array.from(encoder.encode(of).ids);
    const beyond = text.slice(part?.end);
    expect(ids(text.slice(0, part?.end) + beyond.replaceAll('bad', 'good'))).toEqual(ids(text));
    expect(ids(text.replace('film', 'good'))).not.toEqual(ids(text));
  });
});
