import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CachedClassifier } from '../../src/model/classifiers/cached.js';

/** A cache with the function that it remembers. */
function remembering<T>(compute: (text: string) => Promise<T>, entries: number) {
  const cache = new CachedClassifier<T>(entries);
  return { ask: (text: string) => cache.ask(text, () => compute(text)) };
}

const deferred = () => {
  const asked: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const compute = (text: string) =>
    new Promise<string>((resolve, reject) => {
      asked.push(text);
      ends.set(text, (error) => (error ? reject(error) : resolve(`<${text}>`)));
    });
  return { asked, ends, compute };
};

test('one computation serves all who ask for a text meanwhile and after', async () => {
  const { asked, ends, compute } = deferred();
  const cached = remembering(compute, 10);
  const both = [cached.ask('a'), cached.ask('a')];
  ends.get('a')?.();
  expect(await Promise.all(both)).toEqual(['<a>', '<a>']);
  await cached.ask('a');
  expect(asked).toEqual(['a']);
});

test('a failure reaches all who wait and is forgotten', async () => {
  const { asked, ends, compute } = deferred();
  const cached = remembering(compute, 10);
  const both = Promise.allSettled([cached.ask('a'), cached.ask('a')]);
  ends.get('a')?.(new Error('no'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = cached.ask('a');
  ends.get('a')?.();
  expect(await again).toBe('<a>');
  expect(asked).toEqual(['a', 'a']);
});

test('what was not asked for lately is forgotten', async () => {
  const asked: string[] = [];
  const cached = remembering(async (text) => asked.push(text), 2);
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.ask(text);
  expect(asked).toEqual(['a', 'b', 'c', 'b']);
});

test('long texts are bounded by their characters, and without entries nothing is remembered', async () => {
  let count = 0;
  const cached = remembering(async () => count++, 100);
  const long = (letter: string) => letter.repeat(9_000_000);
  for (const text of [long('a'), long('b'), long('a')]) await cached.ask(text);
  expect(count).toBe(3);
  const none = remembering(async () => count++, 0);
  await none.ask('a');
  await none.ask('a');
  expect(count).toBe(5);
});

test('no two texts share an answer, whatever they are made of', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (texts) => {
      const cached = remembering(async (text) => text, 1000);
      const odd = [...texts, ...texts.map((text) => `${text}\u0000`), ...texts.map((text) => `${text}\ud800`)];
      expect(await Promise.all(odd.map((text) => cached.ask(text)))).toEqual(odd);
    }),
  );
});
