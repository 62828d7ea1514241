import type { Detector } from '../../core/detector.js';
import { Draft } from '../../core/draft.js';
import { languagePart } from '../../core/language.js';
import { foremostLabel } from '../../core/prediction.js';
import { matchCase } from '../../language/match-case.js';

/** Words rarer than this share of the running words of clean texts are replaced. */
const RARE_WORDS_SHARE = 0.2;

/**
 * Attacks use rare words. Each rare word is replaced by its most frequent synonym, and a text whose prediction loses confidence is
 * suspicious. Words in no dictionary, which the paper leaves unchanged, are replaced by the nearest spelling.
 */
export const fgws: Detector = {
  kind: 'detector',
  name: 'fgws',
  summary:
    'A prediction that falls when rare words are replaced by commoner synonyms, and misspelt ones by right ones.',
  paper: {
    title:
      'Mozes, Stenetorp, Kleinberg, Griffin: Frequency-Guided Word Substitutions for Detecting Textual Adversarial Examples, EACL 2021',
    url: 'https://arxiv.org/abs/2004.05887',
  },
  needs: 'label scores',
  language: ['dictionary', 'spelling', 'synonyms', 'antonyms', 'stopWords'],
  create: async ({ victim, clean, vocabulary, language }) => {
    const [synonyms, { areOpposed }] = [languagePart(language, 'synonyms'), languagePart(language, 'antonyms')];
    const stopWords = languagePart(language, 'stopWords');
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, clean);
    const mend = languagePart(language, 'spelling').corrector(frequency);
    const rarest = quantile(
      clean.flatMap((text) => Draft.of(text).words.map((word) => frequency.of(word.toLowerCase()))),
      RARE_WORDS_SHARE,
    );
    const known = new Map<string, string>();
    const commoner = (word: string): string => {
      let best = known.get(word);
      if (best !== undefined) return best;
      best = frequency.of(word) === 0 ? mend(word) : word;
      for (const other of synonyms.lemmas(word)) {
        if (!stopWords.has(other) && !areOpposed(word, other) && frequency.of(other) > frequency.of(best)) best = other;
      }
      known.set(word, best);
      return best;
    };
    const plain = (text: string): string => {
      const draft = Draft.of(text);
      const changes = draft.words.flatMap((word, slot): [number, string][] => {
        const lower = word.toLowerCase();
        if (stopWords.has(lower) || frequency.of(lower) > rarest) return [];
        const other = commoner(lower);
        return other === lower ? [] : [[slot, matchCase(other, word)]];
      });
      return draft.replaceAll(new Map(changes)).text;
    };
    return async (texts) => {
      const [before, after] = await Promise.all([victim.classify(texts), victim.classify(texts.map(plain))]);
      return Float64Array.from(before, (row, at) => {
        const label = foremostLabel(row, victim.labels);
        return row[label]! - after[at]![label]!;
      });
    };
  },
};

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
