/** `--language auto`: each text is judged by itself; tweets, short texts, Hindi in Latin letters, and the proposals for undecided texts. */
import { describe, expect, test } from 'vitest';
import { openLanguage } from '../../src/app/language.js';
import { english } from '../../src/language/english/index.js';
import { packs } from '../../src/language/packs/index.js';
import { recogniseLanguage } from '../../src/language/recognise-language.js';
import { refusal } from '../refusal.js';

const detect = (texts: readonly string[]) => recogniseLanguage(texts, [english, ...packs]);
const repeated = (texts: readonly string[], times = 5): string[] => Array.from({ length: times }, () => texts).flat();

const ARABIC_TWEETS = [
  '@user @user @user كذاب http',
  '@user والله حرام http https://t.co/aB3',
  'مبروك يا شباب @user @user <LF><LF>',
  '@user شو هالحكي http',
  '@user ما بعرف ليش هيك @user',
];
const ROMANISED_HINDI = [
  'yaar kya baat hai',
  'mujhe nahi pata bhai',
  'kal movie dekhne ja raha hu',
  '@user bahut accha gana hai',
  'phone charge nahi ho raha yaar',
];
const SHORT = ['great', 'ok', 'not bad', 'I love it', 'it was the best', 'meh', 'lol', 'this is bad', 'so good'];
const DUTCH = [
  'De trein naar Utrecht is weer te laat',
  'Ik heb gisteren een nieuwe fiets gekocht',
  'Wat een mooie dag was het toch',
  'We gaan morgen met de kinderen zwemmen',
  'Hij zei dat hij er niets van wist',
];
const PERSIAN = ['این کتاب خیلی خوب بود', 'من دیروز به تهران رفتم', 'چرا این کار را کردی'];

describe('the language of', () => {
  test.each([
    ['Arabic tweets with mentions and links', repeated(ARABIC_TWEETS), 'ar'],
    ['Hindi in Latin letters', repeated(ROMANISED_HINDI), 'hi-latn'],
    ['short English texts', repeated(SHORT), 'en'],
    ['Persian, by its letters', repeated(PERSIAN), 'fa'],
    ['Japanese, some of it without kana', ['最高', '悪い店員', '普通'], 'ja'],
    ['Japanese in characters of its own', ['駅前', '最高'], 'ja'],
    ['short Chinese texts', ['最高', '不错', '质量差'], 'zh'],
    ['Chinese with one Japanese text', ['这个很好用', '不错的东西', '我不喜欢', '悪い店員'], 'zh'],
    ['Ukrainian, by its letters', ['Це дуже гарна книжка', 'Як ти сьогодні їдеш'], 'uk'],
  ])('%s', (_, texts, code) => expect(detect(texts)).toMatchObject({ code }));

  test('Dutch is not taken for German or English', () => {
    expect(detect(repeated(DUTCH))).not.toHaveProperty('code');
  });

  test('texts of several languages have no single one, and the error gives their shares', () => {
    const german = ['Das ist ein sehr schönes Haus und es ist nicht weit', 'Wir haben das nicht gewusst'];
    const mixed = detect([
      ...repeated(german),
      ...repeated(['this is not what it was', 'they are in the house of it']),
    ]);
    expect(mixed).toEqual({
      mixed: expect.arrayContaining([
        ['de', 0.5],
        ['en', 0.5],
      ]),
    });
  });

  test('a minority of others is counted, and so are undecided texts', () => {
    const texts = [
      ...repeated(['this is what it was', 'they are in the house of it']),
      'lol',
      'ok',
      'я не знаю что это',
    ];
    expect(detect(texts)).toMatchObject({ code: 'en', unsure: 2 / 13, others: 1 / 13 });
  });
});

const source = (texts: readonly string[]) => async () => ({
  async *examples() {
    for (const text of texts) yield { text };
  },
});

describe('what --language auto says', () => {
  test.each([
    [ARABIC_TWEETS.map(() => '12 !')],
    [['Bugün hava çok güzel', 'Yarın okula gideceğim']],
    // One stray English stop word is no reason to advise English.
    [[...repeated(['Bugün hava çok güzel', 'Yarın okula gideceğim']), 'Bu bir an sonra']],
    [[...repeated(['this is what it was']), ...repeated(['das ist nicht was es war'])]],
  ])('%j is refused with an offer that fits', async (texts) => {
    await refusal(openLanguage('auto', undefined, source(texts)), 'LANGUAGE_INVALID');
  });

  test('a language that most texts do not show is taken with a warning', async () => {
    const told: string[] = [];
    const texts = [...repeated(['this is what it was']), ...repeated(['lol', 'wow'])];
    const language = await openLanguage('auto', undefined, source(texts), (message) => told.push(message));
    expect(language.code).toBe('en');
    expect(told).toEqual([expect.stringContaining('67 % of the first 15 texts do not show their language')]);
  });

  test('Hindi in Latin letters is a language of its own, without the knowledge of Hindi', async () => {
    const language = await openLanguage('auto', undefined, source(repeated(ROMANISED_HINDI)));
    expect([language.code, language.stopWords]).toEqual(['hi-latn', undefined]);
  });
});
