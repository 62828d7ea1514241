import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Draft } from '../../src/core/draft.js';
import { partOfSpeech, tagTokens } from '../../src/language/english/part-of-speech.js';
import { synonymsAt } from '../../src/language/english/synonyms.js';
import { tagDraft } from '../../src/language/english/tag-draft.js';
import { isNewswire, newswireWords } from '../../src/language/english/tag-lexicon.js';

const tags = (text: string): string[] => {
  const draft = Draft.of(text);
  return tagDraft(draft).map((tag, i) => `${draft.words[i]}/${tag.penn}`);
};

/** Share of words tagged as by hand. */
function accuracy(part: 'tuned on' | 'held out'): number {
  const file = readFileSync(new URL('fixtures/tagged-sentences.txt', import.meta.url), 'utf8');
  const section = file.split('# -- ').find((text) => text.startsWith(part)) ?? '';
  let [right, all] = [0, 0];
  for (const line of section.split('\n').slice(1)) {
    const pairs = line.split(' ').filter((pair) => pair !== '' && !pair.endsWith('/PUNCT'));
    const tokens = line.split(' ').filter((pair) => pair !== '');
    const tagged = tagTokens(tokens.map((pair) => pair.slice(0, pair.lastIndexOf('/'))));
    tokens.forEach((pair, i) => {
      if (!pairs.includes(pair)) return;
      all++;
      if (partOfSpeech(tagged[i]?.tag ?? '').universal === pair.slice(pair.lastIndexOf('/') + 1)) right++;
    });
  }
  expect(all).toBeGreaterThan(200);
  return right / all;
}

describe('accuracy on hand-tagged sentences', () => {
  test('at least 98 % on those the repairs were tuned on', () => expect(accuracy('tuned on')).toBeGreaterThan(0.98));
  test('at least 94 % on those held out (the tagger alone: 89 %)', () =>
    expect(accuracy('held out')).toBeGreaterThan(0.94));
});

describe('alignment to the slots of a draft', () => {
  test.each([
    ["it 's a charming journey .", ['it/PRP', 's/VBZ', 'a/DT', 'charming/JJ', 'journey/NN']],
    ["I don't recommend it", ['I/PRP', "don't/VBP", 'recommend/VB', 'it/PRP']],
    ["we ca n't recommend it", ['we/PRP', 'ca/MD', "n't/RB", 'recommend/VB', 'it/PRP']],
    ["the film's jokes work", ['the/DT', "film's/NN", 'jokes/NNS', 'work/VBP']],
    ['the reason we keep going', ['the/DT', 'reason/NN', 'we/PRP', 'keep/VBP', 'going/VBG']],
    ['GREAT FILM', ['GREAT/JJ', 'FILM/NN']],
    ['Mark Wahlberg shines', ['Mark/NNP', 'Wahlberg/NNP', 'shines/VBZ']],
    ['...', []],
    ['', []],
  ])('%s', (text, expected) => expect(tags(text)).toEqual(expected));

  test('a slot that was emptied, and one that holds several words', () => {
    const draft = Draft.of('a very good film').remove(1).replace(2, 'g o o d');
    expect(tagDraft(draft).map((tag) => tag.universal)).toEqual(['DET', 'X', expect.any(String), 'NOUN']);
  });

  test('words that are names of object properties', () => {
    expect(tags('the constructor __proto__ hasOwnProperty')[1]).toBe('constructor/NN');
  });

  test('the same words get the same tags whatever came before', () => {
    const text = 'a bleak , unflinching , media-soaked fable';
    const before = tags(text);
    tags('bleak bleaker bleakest unflinching fables');
    expect(tags(text)).toEqual(before);
    expect(before.slice(1, 4)).toEqual(['bleak/JJ', 'unflinching/JJ', 'media-soaked/JJ']);
  });
});

test("what was read before changes neither the newswire nor anybody's synonyms", () => {
  // Words that WordNet knows and the newswire does not.
  const rare = ['macabre', 'gory', 'hoary', 'frightening', 'ghastly'];
  const synonyms = (): string[] => synonymsAt(Draft.of('a truly gruesome plot'), 2).map(({ text }) => text);
  const before = [rare.map(isNewswire), newswireWords().length, synonyms()];
  tagDraft(Draft.of(`a ${rare.join(' , ')} film of macabre and terrifying , ghoulish preposterousness`));
  expect([rare.map(isNewswire), newswireWords().length, synonyms()]).toEqual(before);
  expect(isNewswire('macabre')).toBe(false);
});
