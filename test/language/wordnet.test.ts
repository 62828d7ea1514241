import { describe, expect, test } from 'vitest';
import { baseForms, irregularForms } from '../../src/language/english/base-forms.js';
import { WORD_CLASSES, WordNet, wordnet } from '../../src/language/english/wordnet.js';
import { refusal, thrown } from '../refusal.js';

describe('look-up', () => {
  test('meanings come most frequent first, with their words', () => {
    const [first, second] = wordnet.synsets('charming', 'adjective');
    expect(first).toMatchObject({ wordClass: 'adjective', satellite: true, words: ['charming'] });
    expect(second?.words).toContain('sorcerous');
    expect(wordnet.synsets('movie', 'noun')[0]?.words).toContain('film');
    expect(first?.gloss).toMatch(/pleas/);
  });

  test.each([
    ['Paris', 'noun'],
    ['ice cream', 'noun'],
    ["o'clock", 'adverb'],
    ['a', 'noun'], // near the first line
    ['zymurgy', 'noun'], // near the last
    ['zygomorphous', 'adjective'],
    ['.22-caliber', 'adjective'], // the first
  ] as const)('finds %s', (word, wordClass) => {
    expect(wordnet.has(word, wordClass)).toBe(true);
    expect(wordnet.synsets(word, wordClass).length).toBeGreaterThan(0);
  });

  test.each([
    '',
    ' ',
    '  1',
    'constructor ',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'größe',
    '映画',
    '\n',
    'good%',
    '%',
    'x'.repeat(1e5),
  ])('holds no %j', (word) => {
    for (const wordClass of WORD_CLASSES) {
      expect(wordnet.synsets(word, wordClass)).toEqual([]);
      expect(baseForms(word, wordClass)).toEqual([]);
    }
    expect(wordnet.counts(word).size).toBe(0);
  });

  test('verbs have their sentence frames, for all words of a meaning or for one', () => {
    const [tries] = wordnet.synsets('try', 'verb');
    expect(tries?.frames).toContainEqual({ frame: 28 }); // "Somebody ----s to INFINITIVE"
    const frames = wordnet.synsets('manage', 'verb').flatMap((synset) => synset.frames);
    expect(frames.some(({ word }) => word !== undefined)).toBe(true);
    for (const { frame } of frames) expect(frame).toBeGreaterThan(0);
    expect(wordnet.synsets('movie', 'noun')[0]?.frames).toEqual([]);
  });

  test('"constructor" is an ordinary noun', () => {
    expect(wordnet.synsets('constructor', 'noun').map((synset) => synset.words)).toContainEqual([
      'builder',
      'constructor',
    ]);
    expect(baseForms('constructors', 'noun')).toEqual(['constructor']);
  });

  test('every synset that the index of adverbs names can be read, and names the word', () => {
    let seen = 0;
    for (const word of ['well', 'badly', 'not', 'up', 'very', 'beautifully', "'tween decks"]) {
      for (const synset of wordnet.synsets(word, 'adverb')) {
        seen++;
        expect(synset.words.map((w) => w.toLowerCase())).toContain(word);
      }
    }
    expect(seen).toBeGreaterThan(15);
  });

  test('relations lead from a word or from a whole meaning', () => {
    const [good] = wordnet.synsets('good', 'adjective');
    if (good === undefined) throw new Error('no "good"');
    expect(wordnet.related(good, 'antonym', good.words.indexOf('good')).map((s) => s.words[0])).toEqual(['bad']);
    const [dog] = wordnet.synsets('dog', 'noun');
    if (dog === undefined) throw new Error('no "dog"');
    expect(wordnet.related(dog, 'hypernym').flatMap((s) => s.words)).toContain('canine');
    expect(wordnet.related(dog, 'hyponym').flatMap((s) => s.words)).toContain('puppy');
    expect(wordnet.related(dog, 'antonym')).toEqual([]);
  });

  test('tag counts belong to the synsets of the word', () => {
    const counts = wordnet.counts('charming');
    const [pleasing, magical] = wordnet.synsets('charming', 'adjective');
    expect(counts.get(pleasing?.id ?? '')).toBe(8);
    expect(counts.get(magical?.id ?? '')).toBe(0);
  });

  test('an invalid synset id, and a folder without WordNet, are named', async () => {
    await thrown(() => wordnet.synset('x1'));
    await thrown(() => wordnet.synset('n00000001'));
    await refusal(() => new WordNet('/nowhere').synsets('dog', 'noun'));
  });
});

describe('base forms', () => {
  test.each([
    ['films', 'noun', ['film']],
    ['feet', 'noun', ['foot']],
    ['Men', 'noun', ['men', 'man']],
    ['charmed', 'verb', ['charm']],
    ['saw', 'verb', ['saw', 'see']],
    ['stopped', 'verb', ['stop']],
    ['loving', 'verb', ['love']],
    ['better', 'adjective', ['better', 'good']],
    ['funniest', 'adjective', ['funny']],
    ['nicer', 'adjective', ['nice']],
    ['stickier', 'adjective', ['sticky']],
    ['badly', 'adverb', ['badly']],
    ['ing', 'verb', []],
  ] as const)('%s as a %s: %j', (word, wordClass, bases) => {
    expect(baseForms(word, wordClass)).toEqual(bases);
  });

  test('the exceptions read backwards', () => {
    expect(irregularForms('permit', 'verb')).toEqual(['permitted', 'permitting']);
    expect(irregularForms('constructor', 'verb')).toEqual([]);
  });
});
