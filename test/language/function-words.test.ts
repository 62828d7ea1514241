/** Function words are never taken for their homographs. */
import { expect, test } from 'vitest';
import { baseForms } from '../../src/language/english/base-forms.js';
import { table } from '../../src/language/english/data-files.js';
import { english } from '../../src/language/english/index.js';
import { isFunctionWord, stopWords } from '../../src/language/english/stop-words.js';
import { synonymsAt } from '../../src/language/english/synonyms.js';
import { WORD_CLASSES } from '../../src/language/english/wordnet.js';
import { wordnetLemmas } from '../../src/language/english/wordnet-lemmas.js';
import { Draft } from '../../src/plugin.js';

/** Closed classes of a grammar (Quirk et al. 1985, 2.39), written down without looking at our list. */
const CLOSED = {
  modal: 'can could may might must shall should will would ought cannot',
  auxiliary: 'am is are was were be been being have has had having do does did doing',
  pronoun:
    'i me my mine we us our ours you your yours he him his she her hers it its they them their theirs who whom whose',
  determiner: 'a an the this that these those each some any no all both',
  conjunction: 'and but or nor if because as until while unless although though whereas whether since till',
  preposition:
    'of at by for with about against between into through during before after above below to from up down in out on off over under upon within without among toward towards onto per via besides except despite plus versus',
};
const words = Object.values(CLOSED).flatMap((list) => list.split(' '));
/** The only ones that are inflected, and from what. */
const INFLECTED: Readonly<Record<string, string>> = Object.fromEntries([
  ...'am is are was were been being'.split(' ').map((form) => [form, 'be']),
  ...'has had having'.split(' ').map((form) => [form, 'have']),
  ...'does did doing'.split(' ').map((form) => [form, 'do']),
]);

test('every function word is known', () => {
  expect(words.filter((word) => word !== 'mine' && !isFunctionWord(word))).toEqual([]);
});

test('none is a form of anything else', () => {
  const all = [...new Set([...words, ...stopWords()])].filter((word) => word !== 'won');
  const forms = all.flatMap((word) =>
    WORD_CLASSES.flatMap((wordClass) =>
      baseForms(word, wordClass)
        .filter((base) => base !== word)
        .map((base) => [word, wordClass, base]),
    ),
  );
  expect(forms.toSorted()).toEqual(
    all
      .filter((word) => INFLECTED[word] !== undefined)
      .map((word) => [word, 'verb', INFLECTED[word]])
      .toSorted(),
  );
});

test('none has a synonym, wherever it stands', () => {
  const offered = words.flatMap((word) =>
    [
      'They WORD see it.',
      'It was WORD good.',
      'WORD the film works.',
      'The WORD was there.',
      'He saw WORD films.',
    ].flatMap((frame) => {
      const draft = Draft.of(frame.replace('WORD', word));
      return synonymsAt(draft, draft.words.indexOf(word)).map(({ text }) => `${word}: ${text}`);
    }),
  );
  expect(offered).toEqual([]);
  expect(words.filter((word) => word !== 'mine' && wordnetLemmas(word).length > 0)).toEqual([]);
});

test.each([
  ['won', 'verb', ['win']],
  ['films', 'noun', ['film']],
  ['cans', 'noun', ['can']],
  ['wills', 'noun', ['will']],
] as const)('content words are inflected as before: %s', (word, wordClass, bases) =>
  expect(baseForms(word, wordClass)).toEqual(bases),
);

test('function words abroad: each replaces one word, and is not English', () => {
  const rows = table('function-words-abroad.tsv') as [string, string][];
  const others = rows.flatMap(([, translations]) => translations.split(' '));
  expect(new Set(others).size).toBe(others.length);
  expect(others.filter(isFunctionWord)).toEqual([]);
  for (const [word, translations] of rows) {
    for (const other of translations.split(' ')) expect(english.codeSwitching.meaning(other)).toBe(word);
  }
  expect(english.codeSwitching.translations('The')).toEqual(['das', 'les']);
});
