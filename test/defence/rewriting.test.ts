import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Defence, type DefenceContext, defences, withDefences } from '../../src/defence/index.js';
import { english } from '../../src/language/english/index.js';
import { refusal } from '../refusal.js';

const material: DefenceContext = {
  vocabulary: 'the a movie film good idiot what is great story it was nothing like director'.split(' '),
  texts: [],
  mask: '[UNK]',
  seed: 7,
  language: english,
};

/** The rewriting of a defence with its default options. */
const rewriting = (name: string, given: Partial<DefenceContext> = {}, options = {}): ((text: string) => string) => {
  const plugin = defences.find((each) => each.name === name);
  if (plugin === undefined) throw new Error(name);
  const made = plugin.create(plugin.options.parse(options), { ...material, ...given });
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

describe('spelling that has read texts', () => {
  const texts = [
    'a tedious film',
    'it is bleak and slow',
    'the movie lacks both',
    'a plain old story',
    'a good plan',
    "it doesn't work",
  ];
  const films = texts.flatMap((text) => Array.from({ length: 10 }, () => text));
  const mend = rewriting('spelling', { texts: films });

  test.each([
    ['equally near words', 'a tedious fiml', 'a tedious film'],
    ['a letter that became a blank', 'it is bl ak and slow', 'it is bleak and slow'],
    ['a blank within a word', 'the movie l acks both', 'the movie lacks both'],
    ['a mark within a word', 'a te.dious film', 'a tedious film'],
    ['a letter that became a mark', 'a tedi,us film', 'a tedious film'],
    ['a sign for a letter', 'the mov!e lacks both', 'the movie lacks both'],
    ['a sign at the beginning', 'a $tory', 'a story'],
    ['a lost blank', 'the movielacks both', 'the movie lacks both'],
    ['a letter for a blank', 'the moviexlacks both', 'the movie lacks both'],
    ['a mark for a blank', 'the movie!lacks both', 'the movie lacks both'],
    ['words of which one is only listed, run together', 'a tediousartichoke', 'a tedious artichoke'],
    ['a first letter that became a blank', 'the movie  acks both', 'the movie lacks both'],
    ['a last letter that became a blank', 'it is blea  and slow', 'it is bleak and slow'],
    ['a mark for a first letter', 'the movie .acks both', 'the movie lacks both'],
    ['two blanks between sentences', 'a good plan.  it is slow', 'a good plan.  it is slow'],
    ['a slip that spells a word', 'a plan old story', 'a plain old story'],
    ['the word itself', 'a good plan', 'a good plan'],
    ['capitals and marks', "It DOESN'T wrok: a Fiml!", "It DOESN'T work: a Film!"],
    ['what stands between words', ' it  is\tbleak \n', ' it  is\tbleak \n'],
  ])('reads %s as they were meant', (_, written, read) => {
    expect(mend(written)).toBe(read);
  });

  test('hides unknown words on request', async () => {
    const hiding = rewriting('spelling', { texts: films }, { backOff: 'neutral' });
    expect(hiding('the qzxvwkj lacks both')).toBe('the [UNK] lacks both');
    expect(mend('the qzxvwkj lacks both')).toBe('the qzxvwkj lacks both');
    expect(hiding('a tedious film of 2001, "a plan"')).toBe('a tedious film of 2001, "a plan"');
    await refusal(() => rewriting('spelling', {}, { backOff: 'neutral' }));
  });

  test('one typo anywhere in a text that it has read changes nothing, except for rare words', () => {
    const slips = fc.record({
      text: fc.constantFrom(...texts),
      at: fc.nat(),
      kind: fc.constantFrom('omit', 'insert', 'replace', 'exchange'),
      letter: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz ,.!1'),
    });
    let right = 0;
    const drawn = fc.sample(slips, { numRuns: 300, seed: 1 });
    for (const { text, at, kind, letter } of drawn) {
      const from = at % (text.length - 1);
      const [head, here, next, tail] = [
        text.slice(0, from),
        text[from] as string,
        text[from + 1] as string,
        text.slice(from + 2),
      ];
      const middle = { omit: next, insert: letter + here + next, replace: letter + next, exchange: next + here }[kind];
      if (
        mend(head + middle + tail)
          .replace(/[\s,.!]+/g, ' ')
          .trim() === text
      )
        right++;
    }
    expect(right / drawn.length).toBeGreaterThan(0.85);
  });
});

test('spelling: what is longer than two words, or of another script, is left alone', () => {
  const mend = rewriting('spelling');
  for (const text of ['good'.repeat(2500), 'пслам филмь', 'שלוום']) expect(mend(text)).toBe(text);
});

const TEXTS = ['a good film', 'the director was great'];
test.each([...defences.map(({ name }) => [name, []] as const), ['spelling', TEXTS] as const])(
  '%s, having read %j: any text is answered, the same text the same way',
  async (name, texts) => {
    const plugin = defences.find((each) => each.name === name) as (typeof defences)[number];
    const made: Defence = { name, ...plugin.create(plugin.options.parse({}), { ...material, texts }) };
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
  },
);

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
  await refusal(() => withDefences(victim, [vote, vote], 1));
});
