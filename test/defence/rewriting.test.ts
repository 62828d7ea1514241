import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Defence, type DefenceContext, defences, withDefences } from '../../src/defence/index.js';
import { english } from '../../src/language/english/index.js';

const material: DefenceContext = {
  vocabulary: 'the a movie film good idiot what is great story it was nothing like director'.split(' '),
  texts: [],
  mask: '[UNK]',
  seed: 7,
  language: english,
};

/** The rewriting of a defence with its default options. */
const rewriting = (name: string, given: Partial<DefenceContext> = {}): ((text: string) => string) => {
  const plugin = defences.find((each) => each.name === name);
  if (plugin === undefined) throw new Error(name);
  const made = plugin.create(plugin.options.parse({}), { ...material, ...given });
  return made.rewrite as (text: string) => string;
};

const CASES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  spelling: [
    ['What an idiit !', 'What an idiot !'],
    ['A graet moive', 'A great movie'],
    ['it was a go od film', 'it was a good film'],
    ['thefilm was good', 'the film was good'],
    ['a g\u043E\u043Ed film', 'a good film'],
    ['an Idoit', 'an Idiot'],
    ["it 's an idiot 's film", "it 's an idiot 's film"],
    ['2001: 3D at 24fps', '2001: 3D at 24fps'],
    ["don't mend won't", "don't mend won't"],
    ['constructor __proto__', 'constructor __proto__'],
  ],
  unicode: [
    ['a g\u043E\u043Ed f\u00EDlm', 'a good film'],
    ['go\u200Bod', 'good'],
    ['a \u202Edoog\u202C film', 'a good film'],
    ['ｇｏｏｄ', 'good'],
    ['\u0432\u043E\u0434\u0430', '\u0432\u043E\u0434\u0430'],
    ['👩\u200D👧 good', '👩\u200D👧 good'],
  ],
  'join-letters': [
    ['a g o o d film', 'a good film'],
    ['g.o.o.d', 'good'],
    ['g o o d s t o r y', 'good story'],
    ['plan a b c', 'plan a b c'],
    ['e. e. cummings', 'e. e. cummings'],
  ],
  'canonical-synonyms': [
    ['a cosy house', 'a cozy house'],
    ['the Movies', 'the Movies'],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  describe(name, () => {
    const rewrite = rewriting(name);
    test.each(cases)('%j is read as %j', (written, read) => {
      expect(rewrite(written)).toBe(read);
    });
  });
}

test('spelling: texts of the data set decide between words that are equally near', () => {
  const films = Array.from({ length: 30 }, () => 'this film is a fine film');
  expect(rewriting('spelling', { texts: films })('this fiml is fine')).toBe('this film is fine');
});

test('spelling: what is longer than two words, or of another script, is left alone', () => {
  const mend = rewriting('spelling');
  for (const text of ['good'.repeat(2500), 'пслам филмь', 'שלוום']) expect(mend(text)).toBe(text);
});

test('encodings: words that a slip turns into one another are read alike', () => {
  const plugin = defences.find((each) => each.name === 'encodings') as (typeof defences)[number];
  const vocabulary = ['film', 'firm', 'movie'];
  const { rewrite } = plugin.create(plugin.options.parse({ words: 100 }), {
    ...material,
    vocabulary,
  }) as Required<Defence>;
  expect(rewrite('a fllm')).toBe(rewrite('a film'));
  expect(rewrite('a firm')).toBe(rewrite('a film'));
  expect(rewrite('the Movei')).toBe(rewrite('the Movie'));
  expect(rewrite('the movie')).not.toBe(rewrite('the film'));
});

test.each(defences.map(({ name }) => name))('%s: any text is answered, the same text the same way', async (name) => {
  const plugin = defences.find((each) => each.name === name) as (typeof defences)[number];
  const made: Defence = { name, ...plugin.create(plugin.options.parse({}), material) };
  const victim = {
    labels: ['even', 'odd'],
    classify: async (texts: readonly string[]) => texts.map((t) => Float32Array.of(1 - (t.length % 2), t.length % 2)),
  };
  const behind = withDefences(victim, [made], 1);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
      const [once, twice] = await behind.classify([text, text]);
      expect(once).toEqual(twice);
      expect((once as Float32Array).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
    }),
    { numRuns: 20 },
  );
});

test('defences work one after the other; two that vote are refused', async () => {
  const seen: string[] = [];
  const victim = {
    labels: ['a', 'b'],
    classify: async (texts: readonly string[]) => {
      seen.push(...texts);
      return texts.map(() => Float32Array.of(1, 0));
    },
  };
  const step = (name: string, add: string): Defence => ({ name, conditions: '', rewrite: (text) => text + add });
  await withDefences(victim, [step('one', '1'), step('two', '2')], 1).classify(['x']);
  expect(seen).toEqual(['x12']);
  const vote: Defence = { name: 'v', conditions: '', vote: async () => Float32Array.of(1, 0) };
  expect(() => withDefences(victim, [vote, vote], 1)).toThrow(/at most one defence that votes/);
});
