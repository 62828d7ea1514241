/** @file English: resources from WordNet, the tagger's newswire lexicon and the lists in data/. */
import type { Language } from '../../core/language.js';
import { TEXTBOOK_PROBE } from '../../core/negation.js';
import { LETTERS } from '../character-edits.js';
import { lazily } from '../data-files.js';
import { codeSwitchingBy, wordTable } from '../word-tables.js';
import { areOpposed } from './antonyms.js';
import { agreeArticle, isArticle, wrongArticles } from './articles.js';
import { baseForms } from './base-forms.js';
import { contract, expandContraction } from './contractions.js';
import { table, wordList } from './data-files.js';
import { isEnglishWord, readsAsWord } from './dictionary.js';
import { entitiesOf, namesOf } from './entities.js';
import { inflect } from './inflection.js';
import { neighbourKeys } from './keyboard.js';
import { misspellings, soundSlips } from './misspellings.js';
import { areContrary, denialsIn } from './negation/denials.js';
import { labelPolarities } from './negation/label-polarity.js';
import { invariantProbes, negationProbes } from './negation/probes.js';
import { additions, isNegating, judgmentOf } from './negation/sentiment-words.js';
import { templateProbes } from './negation/templates.js';
import { numberToWords, wordsToNumber } from './number-words.js';
import { phrases } from './phrases.js';
import { registers } from './registers.js';
import { SpellingCorrector } from './spelling.js';
import { SpellingInContext } from './spelling-in-context.js';
import { isStopWord } from './stop-words.js';
import { synonymsAt } from './synonyms.js';
import { tagDraft } from './tag-draft.js';
import { tokenize } from './tokens.js';
import { EnglishFrequency } from './word-frequency.js';
import { wordSimilarity } from './word-similarity.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';
import { lemmasOfFirstMeaning, wordnetLemmas } from './wordnet-lemmas.js';

const everydayWords = lazily(() => wordList('everyday-words.txt'));

export const english: Required<Language> = {
  code: 'en',
  name: 'English',
  tokenize,
  letters: LETTERS,
  keyboard: { neighbours: neighbourKeys },
  misspellings: { known: misspellings, bySound: soundSlips },
  stopWords: { has: isStopWord },
  dictionary: {
    has: isEnglishWord,
    readsAsWord,
    words: () => WORD_CLASSES.flatMap((wordClass) => [...wordnet.lemmas(wordClass)]),
    frequency: (vocabulary, texts) => new EnglishFrequency(vocabulary, texts),
  },
  spelling: {
    corrector(frequency, context, unknown) {
      const spelling =
        context === undefined
          ? new SpellingCorrector(frequency)
          : new SpellingInContext(frequency, context, { unknown });
      return (text) => spelling.mend(text);
    },
  },
  // Spelling errors in an English ending do not change the form.
  endings: { lettersOf: () => 0 },
  inflection: { baseForms: (word, wordClass) => baseForms(word, wordClass), inflect },
  articles: { has: isArticle, agree: agreeArticle, wrongIn: wrongArticles },
  partOfSpeech: { tags: tagDraft },
  synonyms: {
    inContext: (draft, at) => synonymsAt(draft, at),
    lemmas: wordnetLemmas,
    ofFirstMeaning: lemmasOfFirstMeaning,
    similarity: wordSimilarity,
  },
  antonyms: { areOpposed },
  contractions: { expand: expandContraction, contract },
  entities: {
    of: entitiesOf,
    names: {
      person: [namesOf('female'), namesOf('male')],
      place: [namesOf('country'), namesOf('city'), namesOf('region')],
    },
    numberToWords,
    wordsToNumber,
  },
  negation: {
    probes: negationProbes,
    invariantProbes,
    templateProbes: (random, each) => [TEXTBOOK_PROBE, ...templateProbes(random, each)],
    labelPolarities,
    judges: (word) => judgmentOf(word) !== undefined,
    judgment: judgmentOf,
    additions,
    denies: isNegating,
    denials: denialsIn,
    contrary: areContrary,
  },
  phrases,
  registers,
  get everydayWords() {
    return everydayWords();
  },
  codeSwitching: codeSwitchingBy(wordTable(() => table('function-words-abroad.tsv'))),
};
