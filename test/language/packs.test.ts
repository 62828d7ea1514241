/** The languages besides English: their data, and thirty sentences of each under the attacks on letters. */
import { readFileSync } from 'node:fs';
import { distance } from 'fastest-levenshtein';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { shield } from '../../packages/shield/src/index.js';
import { withoutLanguage } from '../../src/app/attacks/applicable.js';
import { chooseAttacks } from '../../src/app/attacks/choose-attacks.js';
import { openLanguage } from '../../src/app/language.js';
import { hanKept, keepsDenials } from '../../src/core/han-writing.js';
import { random } from '../../src/core/random.js';
import { presentationForms } from '../../src/language/confusables.js';
import { english } from '../../src/language/english/index.js';
import { bareLanguage, packs } from '../../src/language/packs/index.js';
import { rowNeighbours } from '../../src/language/packs/keyboard-rows.js';
import { recogniseLanguage } from '../../src/language/recognise-language.js';
import { normaliseUnicode } from '../../src/language/unicode-normalisation.js';
import { Draft, type EvasionPlugin, graphemesOf, homoglyph, type Language, wordsOf } from '../../src/plugin.js';
import { readings, withoutDoubles } from '../attacks/readings.js';
import { refusal } from '../refusal.js';
import { blind } from '../search/toys.js';

const sentencesOf = (code: string): string[] =>
  readFileSync(`test/language/sentences/${code}.txt`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const clustersOf = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Where each part ends, in UTF-16 code units. */
const endsOf = (parts: readonly string[]): number[] => parts.map((_, at) => parts.slice(0, at + 1).join('').length);

/** Letters as one character each, so that a distance counts letters. */
const lettersApart = (a: string, b: string): number => {
  const codes = new Map<string, string>();
  const coded = (text: string) =>
    clustersOf(text)
      .map((cluster) => {
        if (!codes.has(cluster)) codes.set(cluster, String.fromCharCode(0xe000 + codes.size));
        return codes.get(cluster);
      })
      .join('');
  return distance(coded(a), coded(b));
};

/** An edited word that is still read as the original: by the attack's reader, or one typo away. */
function legible(plugin: EvasionPlugin, before: string, after: string, language: Language): boolean {
  const read = readings[plugin.name];
  if (read) return read(after, language) === read(before, language);
  const close = (text: string) => text.replaceAll(/[\s'-]/g, '');
  if (close(before) === close(after)) return true;
  // A swap is two replacements, a key one; an umlaut as two letters is two.
  return lettersApart(before, after) <= 2 || [...(language.misspellings?.known(before) ?? [])].includes(after);
}

describe.each(packs.map((language) => [language.name, language] as const))('%s', (_, language) => {
  const sentences = sentencesOf(language.code);

  test('its thirty sentences are recognised, and a single sentence is taken for another language in at most one of five cases', () => {
    expect(sentences).toHaveLength(30);
    expect(recogniseLanguage(sentences, [english, ...packs])).toMatchObject({ code: language.code });
    const wrong = sentences.filter((text) => {
      const found = recogniseLanguage([text], [english, ...packs]);
      return 'code' in found && found.code !== language.code;
    });
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(6);
  });

  test('every edit of a letter or a word is legible, and none cuts a letter in two', async () => {
    const suites = ['typos', 'chars', 'guardrail'];
    const { attacks: fit, leftOut } = withoutLanguage(
      { attacks: await chooseAttacks(suites, []), leftOut: [] },
      language,
    );
    const made = new Map<string, number>();
    for (const { plugin, options, label } of fit) {
      const { transformation } = plugin;
      if (transformation === undefined || plugin.level === 'sentence') continue;
      // The options of the attack's edits are among those of the attack.
      const own = Object.entries(options as object).filter(
        ([key]) => transformation.options.safeParse({ [key]: (options as Record<string, unknown>)[key] }).success,
      );
      const edits = transformation.create(transformation.options.parse(Object.fromEntries(own)));
      let count = 0;
      for (const text of sentences) {
        const draft = Draft.of(text);
        const slots = Array.from({ length: draft.size }, (_, at) => at);
        for await (const edited of edits.edits(draft, slots, random(3, label, text), { ...blind, language })) {
          if (edited.text === text) continue;
          count++;
          for (const { before, after } of edited.differences) {
            const ok = legible(plugin, before, after, language);
            if (!ok) expect.fail(`${label}: ${before} -> ${after}`);
            const orphan = clustersOf(after).find(
              (cluster, at) => /^\p{M}/u.test(cluster) && !/^\p{M}/u.test(clustersOf(before)[at] ?? ''),
            );
            if (orphan !== undefined) expect.fail(`${label}: a mark without its letter: ${before} -> ${after}`);
          }
        }
      }
      made.set(label, count);
    }
    const named = leftOut.map(({ name, reason }) => `${name}: ${reason}`);
    const idle = [...made].flatMap(([label, count]) => (count === 0 ? [label] : []));
    expect({ idle, leftOut: named }).toMatchSnapshot();
  });

  test('its letters are letters, its keys touch each other, its stop words are in lower case', () => {
    for (const letter of language.letters ?? []) {
      expect(letter).toMatch(/^\p{L}$/u);
      for (const key of language.keyboard?.neighbours(letter, 'touching') ?? []) {
        expect(language.keyboard?.neighbours(key, 'touching'), `${key} and ${letter}`).toContain(letter);
      }
    }
    const share =
      sentences.flatMap(wordsOf).filter(({ text }) => language.stopWords?.has(text)).length /
      sentences.flatMap(wordsOf).length;
    expect(share).toBeGreaterThan(0.15);
    expect(language.everydayWords?.length).toBeGreaterThanOrEqual(20);
    expect(language.everydayWords?.filter((word) => language.stopWords?.has(word))).toEqual([]);
  });

  test('letters end where Unicode says that a cluster ends', () => {
    for (const { text: word } of sentences.flatMap(wordsOf)) {
      const ends = endsOf(clustersOf(word));
      for (const end of endsOf(graphemesOf(word))) expect(ends, word).toContain(end);
    }
  });
});

test.each(packs.filter(({ codeSwitching }) => codeSwitching))(
  'function words of $name abroad are not its words, and each has one meaning',
  (language) => {
    const { codeSwitching, stopWords } = language;
    const own = readFileSync(`src/language/packs/data/${language.code}.txt`, 'utf8').split(
      '[function words abroad]\n',
    )[1];
    const words = (own ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0] as string);
    expect(words.length).toBeGreaterThanOrEqual(17);
    for (const word of words) {
      const others = codeSwitching?.translations(word) ?? [];
      expect(others.length, word).toBeGreaterThan(0);
      for (const other of others) {
        expect(codeSwitching?.meaning(other), other).toBe(word);
        expect([other, stopWords?.has(other), language.everydayWords?.includes(other)]).toEqual([other, false, false]);
      }
    }
  },
);

test.each([
  // Each letter as it is drawn beside its neighbours; lam and alef are one sign.
  ['مدرسة', 'ﻣﺪﺭﺳﺔ'],
  ['سلام', 'ﺳﻼﻡ'],
  ['آب', 'ﺁﺏ'],
])('%s in presentation forms is %s, which reads as the same', (word, drawn) => {
  expect(presentationForms(word)).toBe(drawn);
  expect(withoutDoubles(drawn)).toBe(word);
});

test('what has no presentation forms stays, and vowels of Devanagari have a double', () => {
  for (const word of ['film', 'مُدرسة', 'پدر', 'मेरा']) expect(presentationForms(word)).toBeUndefined();
  expect([homoglyph('औ'), homoglyph('आँ'), homoglyph('क')]).toEqual(['अौ', 'अाँ', undefined]);
  expect([withoutDoubles('अाज अौर'), normaliseUnicode('अाज अौर')]).toEqual(['आज और', 'आज और']);
});

test.each<[string, string, string[]]>([
  ['de', 'Grüße', ['Grusse', 'Grueße', 'Gruße', 'Grüsse']],
  ['fr', 'élève', ['eleve']],
  ['es', 'mañana', ['manana']],
  ['ru', 'учится', ['учиться']],
  ['ar', 'مدرسة', ['مدرسه']],
  ['hi', 'किताब', ['कीताब']],
  ['zh', '末来', ['未来']],
])('%s: how %s is misspelled', (code, word, some) => {
  const { misspellings } = packs.find((language) => language.code === code) as Language;
  const all = [...(misspellings?.known(word) ?? []), ...(misspellings?.bySound(word) ?? [])];
  expect(all.filter((one) => some.includes(one)).length, all.join(' ')).toBeGreaterThan(0);
});

test('a case ending stays under slips of spelling', () => {
  const russian = packs.find(({ code }) => code === 'ru') as Language;
  expect(russian.endings?.lettersOf('хорошего')).toBe(3);
  const plugin = attacks.find(({ name }) => name === 'human-typos') as EvasionPlugin;
  const edits = plugin.transformation
    ?.create({})
    .edits(Draft.of('хорошего'), [0], random(1), { ...blind, language: russian });
  const made = [...(edits as Iterable<Draft>)].map(({ text }) => text);
  expect(made.length).toBeGreaterThan(10);
  for (const text of made) expect(text).toMatch(/его$/);
});

test('keys touch beside, above and below', () => {
  const keys = rowNeighbours(['qwe', 'asd', 'z_c']);
  expect(keys.get('s')).toEqual(['a', 'd', 'w', 'e', 'z']);
});

describe('words of scripts without spaces', () => {
  test.each<[string, string[]]>([
    ['我喜欢看电影。', ['我', '喜欢', '看', '电影']],
    ['これはペンです', ['これ', 'は', 'ペン', 'です']],
    ['good电影', ['good', '电影']],
    ['ฉันรักแมว', ['ฉัน', 'รัก', 'แมว']],
  ])('%s', (text, words) => {
    expect(wordsOf(text).map((word) => word.text)).toEqual(words);
    for (const { text: word, start } of wordsOf(text)) expect(text.slice(start, start + word.length)).toBe(word);
    expect(Draft.of(text).text).toBe(text);
  });
});

describe('--language', () => {
  const of =
    (...texts: string[]) =>
    async () => ({
      async *examples() {
        for (const text of texts) yield { text };
      },
    });

  test('auto goes by the texts', async () => {
    expect(await openLanguage('auto', undefined, of(...sentencesOf('it')))).toBe(
      packs.find(({ code }) => code === 'it'),
    );
    expect(
      await openLanguage('auto', undefined, of('The cat sat on the mat and it was not amused by any of this.')),
    ).toBe(english);
    expect((await openLanguage('auto', undefined, of('これはペンです。映画を見ました。'))).name).toBe('Japanese');
  });

  test.each([
    ['pt-BR', 'pt'],
    ['de-AT', 'de'],
    ['pt_br', 'pt'],
    ['zh-CN', 'zh'],
    ['zh-Hant', 'zh'],
    ['zh-TW', 'zh'],
    ['en-US', 'en'],
    ['eng', 'en'],
    ['ger', 'de'],
    ['rus', 'ru'],
    ['hi-Latn', 'hi-latn'],
    ['nl-BE', 'nl-be'],
  ])('%s has the parts of %s', async (spec, code) => {
    const language = await openLanguage(spec);
    expect(language.code).toBe(code);
    expect(language.stopWords !== undefined).toBe([english, ...packs].some((each) => each.code === code));
  });

  test('an unknown code is told that any ISO code works', async () => {
    await refusal(openLanguage('xx'));
  });

  test('a language of which nothing is known is one without parts', async () => {
    expect(await openLanguage('nl')).toMatchObject({ code: 'nl', name: 'Dutch' });
    expect(bareLanguage('nl')?.letters).toBeUndefined();
    expect(bareLanguage('nl')?.tokenize('Dat is goed.')).toEqual(['Dat', 'is', 'goed', '.']);
  });

  test.each<[string, string[]]>([
    ['two scripts', ['Это хорошо и очень дёшево.', 'this is good and cheap too']],
    ['no stop words', ['xqz vbn rtp lkm', 'zzz']],
    ['no letters', ['12 34', '?!']],
    ['no text', []],
  ])('auto with %s asks for a name', async (_, texts) => {
    await refusal(openLanguage('auto', undefined, of(...texts)), 'LANGUAGE_INVALID');
  });
});

test('of words and marks a text may hold more than a call takes arguments', () => {
  const [language] = packs as [(typeof packs)[number]];
  expect(language.tokenize('!'.repeat(300_000))).toHaveLength(300_000);
});

/** What an attack's edits make of a text, within the rules that bind every attack. */
async function editsOf(name: string, language: Language, text: string): Promise<string[]> {
  const { transformation } = attacks.find((each) => each.name === name) as EvasionPlugin;
  const edits = transformation!.create(transformation!.options.parse({}));
  const draft = Draft.of(text);
  const made: Draft[] = [];
  for await (const each of edits.edits(draft, [...draft.words.keys()], random(1, name, text), { ...blind, language }))
    made.push(each);
  return made.filter((each) => hanKept(draft)?.(each) ?? true).map((each) => each.text);
}

describe('what is kept of other writings', () => {
  test.each<[string, string, string, RegExp]>([
    ['textbugger', 'zh', '还打不开', /不/],
    ['human-typos', 'zh', '不好看，没有意思', /不.*没/],
    ['charmer', 'zh', '打不开', /.不./],
    ['charmer', 'zh', '好看', /^[^不没]*$/],
    ['textbugger', 'zh', '沒有問題', /沒/],
    ['charmer', 'ja', '良くなかった', /な.?か.?っ/],
    ['charmer', 'ja', '食べません', /ま.?せ.?ん/],
    ['human-typos', 'zh', '電影很難看，應該', /^[^应]*$/],
  ])('%s of %s %s keeps what denies, and the writing', async (name, code, text, kept) => {
    const made = await editsOf(name, await openLanguage(code), text);
    expect(made.filter((each) => !kept.test(each.replaceAll(/\p{Cf}/gu, '')))).toEqual([]);
  });

  test.each([
    ['打不开', '打开', false],
    ['打不开', '打 不\u200b开', true],
    ['不好', '好不', false],
    ['没有', '有', false],
    ['ない', 'なし', false],
    ['看', '不看', false],
    ['不好', '不耗', true],
  ])('%s as %s keeps its denial: %s', (word, now, kept) => expect(keepsDenials(word, now)).toBe(kept));

  test.each([
    ['ko', '정말 좋아요'],
    ['th', 'ดีมาก'],
    ['he', 'שלום'],
    ['ka', 'კარგი'],
    ['am', 'ጥሩነው'],
    ['ta', 'நல்ல'],
    ['ja', 'すごい'],
    ['el', 'καλό'],
  ])('bidi and zero-width reach %s, and shield gives the text back', async (code, text) => {
    for (const name of ['bidi', 'zero-width']) {
      const made = await editsOf(name, bareLanguage(code)!, text);
      expect(made.length, name).toBeGreaterThan(1);
      expect(made.filter((each) => !/\u200b/.test(each) && shield(each).text !== text)).toEqual([]);
    }
  });

  test('joiners stay out of scripts whose letters they shape, and the order of joined letters is kept', async () => {
    for (const [code, text] of [
      ['ar', 'مرحبا'],
      ['hi', 'नमस्ते'],
    ] as const) {
      const made = await editsOf('zero-width', bareLanguage(code)!, text);
      expect(made.length).toBeGreaterThan(1);
      expect(made.join('')).not.toMatch(/[\u200c\u200d]/);
    }
    expect(await editsOf('bidi', bareLanguage('ar')!, 'مرحبا')).toEqual([]);
  });

  test('homoglyphs reach Greek', async () => {
    expect(await editsOf('homoglyphs', bareLanguage('el')!, 'βιβλίο')).toContain('βιβλίo');
  });

  test.each([
    ['tr', 'iyi IŞIK', ['İYİ IŞIK', 'iyi ışık', 'İyi Işık', 'İYİ ışık']],
    ['en', 'İyi film', ['İYI FILM', 'iyi film', 'Iyi Film', 'iYI FILM']],
  ])('case in %s', async (code, text, made) => {
    expect(await editsOf('whole-case', await openLanguage(code), text)).toEqual(made);
  });

  test.each(['deepwordbug', 'pruthi', 'textbugger', 'human-typos'])(
    '%s types letters in the case of their place',
    async (name) => {
      for (const code of ['de', 'en', 'pt']) {
        const language = await openLanguage(code);
        for (const text of ['insular', 'INSULAR', 'Insular']) {
          for (const made of await editsOf(name, language, text)) {
            const upper = made.slice(1).match(/\p{Lu}/gu)?.length ?? 0;
            const letters = made.slice(1).match(/\p{L}/gu)!.length;
            // A capital may have moved by one place.
            if (text === 'INSULAR') expect(upper, made).toBe(letters);
            else expect(upper, made).toBeLessThanOrEqual(Number(text === 'Insular'));
          }
        }
      }
    },
  );
});
