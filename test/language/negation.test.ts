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

describe('rules', () => {
  test.each<[string, Polarity, string]>([
    ['The soup is good.', 'positive', 'double negation INV: The soup is not bad at all.'],
    ['The soup is superb.', 'positive', 'single negation DIR: The soup is not good.'],
    ["It's good", 'positive', 'single negation DIR: It is not good'],
    ["it 's good .", 'positive', 'single negation DIR: it is not good .'],
    ['The soup is bad.', 'negative', 'single negation DIR: The soup is not bad.'],
    ['The jokes were really funny!', 'positive', 'litotes INV: The jokes were anything but dull!'],
    ['He is friendly.', 'positive', 'denied opinion INV: No one would call him unfriendly.'],
    [
      'the food was great .',
      'positive',
      'negation at a distance DIR: i would not say , having given it some thought , that the food was good .',
    ],
    ['The room is clean.', 'positive', 'hardly and barely DIR: The room is hardly clean.'],
    ['The room is clean.', 'positive', 'negated quantifier INV: Nothing about the room is dirty.'],
    ['It is funny and clever.', 'positive', 'neither nor DIR: It is neither funny nor clever.'],
    ['It is funny and very clever.', 'positive', 'not only but also INV: It is not only funny but also very clever.'],
    ['We were pleased with the room.', 'positive', 'single negation DIR: We were not pleased with the room.'],
    ['It is worth a visit.', 'positive', 'single negation DIR: It is not worth a visit.'],
    ['I like the ending.', 'positive', 'nothing not INV: There is nothing I do not like about the ending.'],
    ['We loved this place.', 'positive', 'single negation DIR: We did not like this place.'],
    ['I love it.', 'positive', 'double negation INV: It is impossible not to love it.'],
    ['I hate it', 'negative', 'nothing not INV: There is nothing I like about it'],
    ["We'll definitely come back.", 'positive', 'never DIR: We will never come back.'],
    ['It always works.', 'positive', 'never INV: It never fails to work.'],
    ['I do not recommend it.', 'negative', 'negation removed DIR: I recommend it.'],
    ["it is n't funny .", 'negative', 'negation removed DIR: it is funny .'],
    ["It isn't funny.", 'negative', 'negation removed DIR: It is funny.'],
    ['A film that fails to thrill.', 'negative', 'implicit negation INV: A film that does not thrill.'],
    ['The script lacks depth.', 'negative', 'implicit negation INV: The script does not have depth.'],
    ['The script has real wit.', 'positive', 'implicit negation DIR: The script lacks real wit.'],
    ['None of the jokes land.', 'negative', 'negated quantifier INV: Not one of the jokes land.'],
    ['It is the best cake I have ever eaten.', 'positive', 'negated comparison INV: I have never eaten a better cake.'],
    ['A charming and witty film.', 'positive', 'anything but DIR: Anything but a charming and witty film.'],
    ["it does n't work .", 'negative', 'contracted negation INV: it does not work .'],
    ["It's not a comedy.", 'negative', "contracted negation INV: It isn't a comedy."],
    ['The script makes no sense.', 'negative', 'negated quantifier INV: The script does not make any sense.'],
    ['It has little wit.', 'negative', 'negated quantifier INV: It does not have much wit.'],
    ['A comedy without a plot.', 'negative', 'negated quantifier INV: A comedy with no plot.'],
    ['The lack of wit hurts.', 'negative', 'negated quantifier INV: The absence of wit hurts.'],
    ['The film never rises above it.', 'negative', 'never INV: The film does not ever rise above it.'],
    ['It is hardly a surprise.', 'negative', 'hardly and barely INV: It is scarcely a surprise.'],
    ['The jokes fail to amuse.', 'negative', 'implicit negation INV: The jokes do not amuse.'],
    ['It is unfunny.', 'negative', 'implicit negation INV: It is not funny.'],
    ['It is a comedy rather than a drama.', 'positive', 'implicit negation INV: It is a comedy and not a drama.'],
    ['It is a funny film, if a long one.', 'positive', 'litotes INV: It is a by no means dull film, if a long one.'],
    ['The plot is hard to follow.', 'negative', 'litotes INV: The plot is not easy to follow.'],
    ['It captures the mood.', 'positive', 'double negation INV: It does not fail to capture the mood.'],
    [
      'The actors bring new energy to the topic.',
      'positive',
      'double negation INV: The actors do not fail to bring new energy to the topic.',
    ],
    ['It is not only funny but also wise.', 'positive', 'not only but also INV: It is both funny and wise.'],
    ['The soup is superb.', 'positive', 'litotes INV: The soup is nothing short of superb.'],
    ['The acting is awful.', 'negative', 'litotes INV: The acting is nothing short of awful.'],
    [
      'He gives a brilliant performance.',
      'positive',
      'litotes INV: He gives nothing less than a brilliant performance.',
    ],
    ["There's no plot.", 'negative', "negated quantifier INV: There isn't any plot."],
    ['there is nothing new .', 'negative', "negated quantifier INV: there is n't anything new ."],
  ])('%s (%s) -> %s', (text, polarity, expected) => expect(made(text, polarity)).toContain(expected));

  test.each<[string, Polarity, string]>([
    ['Is the soup good?', 'positive', 'a question'],
    ['I do not think it is good.', 'negative', 'denied already'],
    ['If the soup is good, we stay.', 'positive', 'a condition'],
    ['I hoped that it was good.', 'negative', 'a hope'],
    ['Every song is great.', 'positive', '"not every" or "none"?'],
    ['The film was good for an hour.', 'positive', 'the verdict has a limit'],
    ['It was confusing, badly organised and loud.', 'negative', 'a list: what would be denied?'],
    ['He is as good as dead.', 'negative', 'a comparison'],
    ['I love how easy it is.', 'positive', 'a clause is what is loved'],
    ['I would love a refund.', 'negative', 'a wish'],
    ["I can't recommend it enough.", 'positive', 'praise by denial'],
    ['It is not too good.', 'negative', 'a degree'],
    ['A dress, elegant and comfortable.', 'positive', 'praise outside the phrase'],
    ['She has none of the charm.', 'negative', 'of one thing, not of several'],
    ['It lacks all trace of wit.', 'negative', '"all trace"'],
    ['It works as a paperweight.', 'negative', 'in one respect only'],
    ["Isn't it fun?", 'positive', 'a question that asks by denying'],
    ['It went over well in high school.', 'positive', '"high school" is no school that is high'],
    ['It captures nobody.', 'negative', 'denied already'],
    ['It is uninspired and dull.', 'negative', 'how far would "not" reach?'],
    ['Keep up the good work.', 'positive', 'a set phrase'],
    ['She did a great job.', 'positive', 'a set phrase'],
    ['It draws a beautiful chart.', 'positive', '"by no means ugly" is no praise'],
    ['It was such a good film.', 'positive', '"such a" goes with a degree'],
    ['The quiet American wins.', 'positive', 'a title, or no quality of degree'],
    ['It treads the fine line.', 'positive', 'an idiom of two words'],
    ['It is weird in a good way.', 'positive', 'a set phrase'],
    ['It is your typical thriller.', 'negative', 'the kind, not a quality of it'],
    ['You had better have a good plan.', 'positive', 'a wish'],
    ['We prefer a simple plan.', 'positive', 'a wish'],
    ['He asks whether it offers a cure.', 'positive', 'a question'],
    ['The actors bring new noise to the topic.', 'negative', 'no praise'],
    ['It makes your teeth hurt.', 'negative', 'nobody tried, so nothing failed'],
    ['All three deliver the goods.', 'positive', '"all" under a negation'],
    ['The film is without intent.', 'negative', 'no English with "is with"'],
    ['', 'positive', 'nothing'],
    ['größe 映画 __proto__ constructor', 'positive', 'not English'],
  ])('refuses %j (%s): %s', (text, polarity) =>
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
  const file = readFileSync(new URL('fixtures/negation-probes.tsv', import.meta.url), 'utf8');
  const rows = file
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [source, capability, relation, polarity, expected, reading, original, text] = line.split('\t') as string[];
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
