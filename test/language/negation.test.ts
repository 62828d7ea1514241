import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AROUND_THE_TEXT, CAPABILITIES, type NegationProbe, type Polarity } from '../../src/core/negation.js';
import { random } from '../../src/core/random.js';
import { asides } from '../../src/language/english/negation/asides.js';
import { negationProbes } from '../../src/language/english/negation/probes.js';
import { Sentence } from '../../src/language/english/negation/sentence.js';
import { templateProbes } from '../../src/language/english/negation/templates.js';

/** Say little of their originals, and apply to nearly every one. */
const COMMON = AROUND_THE_TEXT;

const made = (text: string, polarity: Polarity): string[] =>
  negationProbes(text, polarity)
    .filter(({ capability }) => !COMMON.has(capability))
    .map((probe) => `${probe.capability} ${probe.relation}: ${probe.text}`);

/** Rows of a fixture. */
const table = (name: string) =>
  readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split('\t') as [string, Polarity, string]);

describe('rules', () => {
  test.each(table('negation-rules.tsv'))('%s (%s) -> %s', (text, polarity, expected) =>
    expect(made(text, polarity)).toContain(expected),
  );

  test.each(table('negation-refused.tsv'))('refuses %j (%s): %s', (text, polarity) =>
    // Every contraction can be expanded.
    expect(made(text, polarity).filter((probe) => !probe.startsWith('contracted negation'))).toEqual([]),
  );

  test('long texts keep all but the words that are rewritten', () => {
    const text = "The plot is thin. I waited a week, but the food was good, and we didn't complain.";
    expect(made(text, 'positive')).toContain(
      "double negation INV: The plot is thin. I waited a week, but the food was not bad at all, and we didn't complain.",
    );
    expect(made(text, 'positive').every((probe) => !probe.includes('DIR'))).toBe(true);
  });

  test('any text is taken, and probes are distinct and differ from it', () => {
    const words = fc.constantFrom(
      ...'the film is was not good bad funny and but , . i love it never fails to lacks none of a always works ? ! best have ever seen'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 25 }).map((w) => w.join(' ')),
        ),
        fc.constantFrom<Polarity>('positive', 'negative'),
        (text, polarity) => {
          const probes = negationProbes(text, polarity);
          expect(new Set(probes.map((probe) => probe.text)).size).toBe(probes.length);
          for (const probe of probes) {
            expect(probe.text).not.toBe(text);
            expect(probe.original).toBe(text);
            expect(probe.expected === polarity).toBe(probe.relation === 'INV');
          }
        },
      ),
    );
  });

  test('a text of 10,000 words gives a handful of probes', () => {
    expect(negationProbes(`the film is good and ${'very long indeed '.repeat(3400)}`, 'positive').length).toBeLessThan(
      20,
    );
    expect(negationProbes('it is good . '.repeat(2500), 'positive').length).toBeLessThan(20);
  });
});

describe('what is put before a text', () => {
  test('is drawn from a grammar of 500 sentences or more, the same for the same text, and counted apart', () => {
    const before = (text: string): string =>
      negationProbes(text, 'positive').find(({ capability }) => capability === 'negation elsewhere')?.text ?? '';
    const texts = Array.from({ length: 200 }, (_, at) => `The soup was warm on day ${at}.`);
    expect(asides()).toBeGreaterThanOrEqual(500);
    expect(new Set(texts.map((text) => before(text).replace(text, ''))).size).toBeGreaterThan(150);
    expect(texts.map(before)).toEqual(texts.map(before));
    expect([...AROUND_THE_TEXT].every((name) => (CAPABILITIES as readonly string[]).includes(name))).toBe(true);
  });

  const dev = '../shared/data/sst2/dev.tsv';
  test.skipIf(!existsSync(dev))(
    'nearly a quarter of the texts of a set give a rewrite within them (../shared/data)',
    () => {
      const texts = readFileSync(dev, 'utf8').trimEnd().split('\n').slice(1);
      const within = texts.filter((line) => {
        const [text, label] = line.split('\t') as [string, string];
        const probes = negationProbes(text.trim(), label.trim() === '1' ? 'positive' : 'negative');
        return probes.some(({ capability }) => !AROUND_THE_TEXT.has(capability));
      });
      expect(texts).toHaveLength(872);
      expect(within.length).toBeGreaterThanOrEqual(210);
    },
  );
});

describe('tokens of a sentence', () => {
  test('offsets hold in plain, tokenised and odd texts', () => {
    for (const text of ["It's the film’s best scene — isn't it?", "it 's n't bad .", 'cannot “quote”...', 'a\u00a0b']) {
      const sentence = new Sentence(text, 'positive');
      let end = 0;
      for (const token of sentence.tokens) {
        expect(token.start).toBeGreaterThanOrEqual(end);
        expect(sentence.text.slice(token.start, token.end)).toBe(token.text);
        end = token.end;
      }
      expect(sentence.text).toHaveLength(text.length);
    }
  });
});

describe('templates', () => {
  const probes = templateProbes(random(42, 'negation'), 6);

  test('meet every capability, with whole minimal pairs', () => {
    for (const capability of CAPABILITIES) {
      expect(
        probes.filter((probe) => probe.capability === capability),
        capability,
      ).toHaveLength(6);
    }
    expect(new Set(probes.map((probe) => probe.text + probe.capability)).size).toBe(probes.length);
    expect(probes.every((probe) => probe.relation === 'MFT' && probe.original !== probe.text)).toBe(true);
  });

  test('the same seed gives the same probes, whatever the number; another seed others', () => {
    expect(templateProbes(random(42, 'negation'), 6)).toEqual(probes);
    const two = templateProbes(random(42, 'negation'), 2);
    for (const probe of two) expect(probes).toContainEqual(probe);
    expect(templateProbes(random(43, 'negation'), 6)).not.toEqual(probes);
  });
});

describe('the probes that were read (fixtures/negation-probes.tsv)', () => {
  const rows = table('negation-probes.tsv').map((row) => {
    const [source, capability, relation, polarity, expected, reading, original, text] = row as string[];
    return { source, polarity, reading, probe: { capability, relation, original, text, expected } as NegationProbe };
  });

  test('are 200 or more, of all capabilities, and at most 3 % of them wrong', () => {
    expect(rows.length).toBeGreaterThanOrEqual(200);
    expect(new Set(rows.map(({ probe }) => probe.capability))).toEqual(new Set(CAPABILITIES));
    for (const { reading } of rows) expect(reading).toMatch(/^(?:right|wrong)$/);
    expect(rows.filter(({ reading }) => reading !== 'right').length / rows.length).toBeLessThanOrEqual(0.03);
  });

  test('are what the rules make of their originals, and nothing unread comes besides', () => {
    const texts = rows.filter(({ source }) => source === 'text');
    const read = new Set(texts.map(({ probe }) => `${probe.capability}: ${probe.text}`));
    for (const { probe, polarity } of texts) {
      const now = negationProbes(probe.original, polarity as Polarity);
      expect(now).toContainEqual(probe);
      const unread = now.filter((p) => !COMMON.has(p.capability) && !read.has(`${p.capability}: ${p.text}`));
      expect(unread).toEqual([]);
    }
  });

  test('are what the templates make', () => {
    expect(rows.filter(({ source }) => source === 'template').map(({ probe }) => probe)).toEqual(
      templateProbes(random(42, 'negation'), 6),
    );
  });
});
