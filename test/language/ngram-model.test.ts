import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { english } from '../../src/language/english/index.js';
import { NgramModel } from '../../src/language/ngram-model.js';
import { Trie } from '../../src/language/trie.js';
import { tries } from '../cover.js';
import { refusal } from '../refusal.js';

const p = (model: NgramModel, word: string | undefined, ...before: (string | undefined)[]): number =>
  Math.exp(model.logProbability(word, before));

/**
 * Modified Kneser-Ney written down a second time, straight from the definitions, over lists of strings: slow, and unlike
 * the model in everything but the mathematics.
 */
function reference(texts: readonly string[], order: number): (word: string, before: readonly string[]) => number {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const tokens = ['<s>', ...text.split(' '), '</s>'];
    for (let from = 0; from < tokens.length; from++) {
      for (let n = 1; n <= order && from + n <= tokens.length; n++) {
        const gram = tokens.slice(from, from + n).join(' ');
        counts.set(gram, (counts.get(gram) ?? 0) + 1);
      }
    }
  }
  const grams = [...counts.keys()];
  const length = (gram: string): number => gram.split(' ').length;
  const adjusted = (gram: string): number =>
    length(gram) === order || gram.startsWith('<s>')
      ? (counts.get(gram) ?? 0)
      : grams.filter((other) => length(other) === length(gram) + 1 && other.endsWith(` ${gram}`)).length;
  const discount = (n: number): ((count: number) => number) => {
    const of = (count: number): number =>
      grams.filter((gram) => length(gram) === n && !gram.endsWith('<s>') && adjusted(gram) === count).length;
    const [n1, n2, n3, n4] = [of(1), of(2), of(3), of(4)];
    const y = n1 > 0 && n2 > 0 ? n1 / (n1 + 2 * n2) : 0.5;
    let d = [0, y, y, y];
    if (Math.min(n1, n2, n3, n4) > 0) {
      d = [0, 1 - (2 * y * n2) / n1, 2 - (3 * y * n3) / n2, 3 - (4 * y * n4) / n3];
      if (d.some((value, i) => value < 0 || value > i)) d = [0, y, y, y];
    }
    return (count) => d[Math.min(count, 3)] ?? 0;
  };
  const discounts = Array.from({ length: order + 1 }, (_, n) => discount(n));
  const words = new Set(grams.filter((gram) => !gram.includes(' ') && gram !== '<s>'));
  const probability = (word: string, before: readonly string[]): number => {
    const context = before.slice(Math.max(0, before.length - order + 1));
    const n = context.length + 1;
    const lower = n === 1 ? 1 / (words.size + 1) : probability(word, context.slice(1));
    const followers = grams.filter(
      (gram) => length(gram) === n && gram.startsWith([...context, ''].join(' ')) && !gram.endsWith('<s>'),
    );
    if (followers.length === 0) return lower;
    const total = followers.reduce((sum, gram) => sum + adjusted(gram), 0);
    const held = followers.reduce((sum, gram) => sum + (discounts[n]?.(adjusted(gram)) ?? 0), 0);
    const own = adjusted([...context, word].join(' '));
    const kept = followers.includes([...context, word].join(' ')) ? own - (discounts[n]?.(own) ?? 0) : 0;
    return kept / total + (held / total) * lower;
  };
  return probability;
}

const corpus = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 7 }).map((words) => words.join(' ')),
  { minLength: 1, maxLength: 12 },
);

describe('smoothing', () => {
  test('a toy corpus worked out by hand', () => {
    const model = new NgramModel(['a b', 'a b', 'a c'], english, { order: 2 });
    // Bigrams: <s>a 3, ab 2, ac 1, b</s> 2, c</s> 1. Counted once: 2; twice: 2; so one discount, 2 / (2 + 2*2) = 1/3.
    // Unigrams count their contexts: a 1 (after <s>), b 1, c 1, </s> 2; once: 3, twice: 1; discount 3 / (3 + 2) = 3/5.
    // Words that can come next: a b c </s> and the unknown, so the uniform share is 1/5; left over: 4 * 3/5 of 5.
    const uni = (count: number): number => (count - 0.6) / 5 + (2.4 / 5) * 0.2;
    expect(p(model, 'nothing')).toBeCloseTo(0.096, 12);
    expect(p(model, 'a')).toBeCloseTo(uni(1), 12);
    expect(p(model, undefined)).toBeCloseTo(uni(2), 12);
    // After a: b 2 of 3, c 1 of 3; left over: 2 * 1/3 of 3.
    expect(p(model, 'b', 'a')).toBeCloseTo((2 - 1 / 3) / 3 + (2 / 9) * uni(1), 12);
    expect(p(model, 'c', 'a')).toBeCloseTo((1 - 1 / 3) / 3 + (2 / 9) * uni(1), 12);
    expect(p(model, 'a', 'a')).toBeCloseTo((2 / 9) * uni(1), 12);
    expect(p(model, 'a', undefined)).toBeCloseTo((3 - 1 / 3) / 3 + (1 / 9) * uni(1), 12);
    // A context never seen leaves everything to the shorter one.
    expect(p(model, 'a', 'zebra')).toBeCloseTo(uni(1), 12);
    // Perplexity of "a b": three predictions.
    const product = p(model, 'a', undefined) * p(model, 'b', 'a') * p(model, undefined, 'b');
    expect(model.perplexity('a b')).toBeCloseTo(product ** (-1 / 3), 10);
  });

  test('agrees with the definitions on any corpus', () => {
    fc.assert(
      fc.property(
        corpus,
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'x'), { maxLength: 4 }),
        (texts, order, before) => {
          const model = new NgramModel(texts, english, { order });
          const expected = reference(texts, order);
          for (const word of ['a', 'b', 'e', 'x']) {
            expect(p(model, word, ...before)).toBeCloseTo(expected(word, before), 11);
            expect(p(model, word, undefined, ...before)).toBeCloseTo(expected(word, ['<s>', ...before]), 11);
          }
          expect(p(model, undefined, ...before)).toBeCloseTo(expected('</s>', before), 11);
        },
      ),
      { numRuns: tries(150) },
    );
  });

  test('what can come next sums to one after any context', () => {
    fc.assert(
      fc.property(
        corpus,
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'x'), { maxLength: 5 }),
        (texts, order, before) => {
          const model = new NgramModel(texts, english, { order });
          const words = [...new Set(texts.join(' ').split(' ')), undefined, 'unknown'];
          const sum = (context: (string | undefined)[]): number =>
            words.reduce((total, word) => total + p(model, word, ...context), 0);
          expect(sum(before)).toBeCloseTo(1, 10);
          expect(sum([undefined, ...before])).toBeCloseTo(1, 10);
        },
      ),
    );
  });

  test('the order of the texts changes nothing', () => {
    fc.assert(
      fc.property(corpus, (texts) => {
        const [one, other] = [new NgramModel(texts, english), new NgramModel([...texts].reverse(), english)];
        expect(other.perplexity('a b c d e')).toBeCloseTo(one.perplexity('a b c d e'), 10);
        expect(other.candidates(['a'], ['b']).map((c) => c.word)).toEqual(
          one.candidates(['a'], ['b']).map((c) => c.word),
        );
      }),
    );
  });
});

describe('use', () => {
  const model = new NgramModel(
    [
      'this is a good film .',
      'this is a great film .',
      'this is a bad film .',
      'it is not a good story .',
      "I don't like this film .",
      'you do not know this story .',
      'a good story is a good film .',
    ],
    english,
  );

  test('tokenised and plain text are the same to it, and so are capitals', () => {
    expect(model.perplexity("I do n't like this film .")).toBe(model.perplexity("i don't like this film."));
    expect(model.surprisals("It's a film").tokens).toEqual(['It', "'s", 'a', 'film']);
  });

  test('surprisal falls on the word that does not belong', () => {
    const { tokens, bits } = model.surprisals('this is a constructor film .');
    expect(bits.indexOf(Math.max(...bits))).toBe(3);
    expect(bits).toHaveLength(tokens.length + 1);
    expect(model.knows('constructor')).toBe(false);
    expect(model.knows('Film')).toBe(true);
    expect(model.vocabulary).toBeGreaterThan(15);
  });

  test('candidates fit on both sides, best first', () => {
    expect(model.candidates(['is', 'a'], ['film', '.'], 3).map((c) => c.word)).toEqual(['good', 'bad', 'great']);
    expect(model.candidates([], ['is'], 2).map((c) => c.word)).toEqual(['this', 'it']);
    expect(model.candidates(['this'], [], 10).map((c) => c.word)).toContain('film');
    expect(model.candidates(['xyzzy'], ['xyzzy'], 4)).toHaveLength(4);
    for (const { word } of model.candidates(['a'], ['a'], 1000)) expect(word).not.toMatch(/^<.*>$/);
  });

  test('texts without words, and orders out of range, are refused', async () => {
    await refusal(() => new NgramModel([], english));
    await refusal(() => new NgramModel(['', ' '], english));
    await refusal(() => new NgramModel(['a'], english, { order: 7 }));
    await refusal(() => new NgramModel(['a'], english, { order: 1.5 }));
    expect(new NgramModel(['__proto__ constructor'], english).perplexity('__proto__ toString')).toBeGreaterThan(1);
    expect(Number.isFinite(model.perplexity(''))).toBe(true);
  });
});

test('a trie holds what was put in, through its growth', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(1e6)), { maxLength: 3000 }), (edges) => {
      const trie = new Trie();
      const made = new Map<string, number>();
      for (const [pick, word] of edges) {
        const parent = pick % trie.size;
        const node = trie.grow(parent, word);
        expect(made.get(`${parent} ${word}`) ?? node).toBe(node);
        made.set(`${parent} ${word}`, node);
      }
      expect(trie.size).toBe(made.size + 1);
      for (const [edge, node] of made) {
        const [parent, word] = edge.split(' ').map(Number) as [number, number];
        expect(trie.child(parent, word)).toBe(node);
        expect([trie.parent(node), trie.word(node)]).toEqual([parent, word]);
      }
      expect(trie.child(0, 2e6)).toBe(-1);
    }),
    { numRuns: tries(20) },
  );
});
