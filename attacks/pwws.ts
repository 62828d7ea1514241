/**
 * PWWS, probability weighted word saliency: swaps synonyms in the order of saliency times the gain of the best synonym.
 *
 * Threat: someone who sees scores and rewords a text, and can afford to try every synonym of every word first.
 * Example: "a risky film" -> "a dangerous film"; with `constraints=textattack` "it 's a charming journey" -> "it 's a
 * sorcerous journey"
 * Readable because: by default a synonym has the intended meaning, form and part of speech and is never an opposite. The
 * paper's candidates are often unreadable, as in the second example, which `constraints=textattack` demonstrates.
 * Paper: Shuhuai Ren, Yihe Deng, Kun He and Wanxiang Che, "Generating Natural Language Adversarial Examples through
 * Probability Weighted Word Saliency", ACL 2019, section 3; https://aclanthology.org/P19-1103
 * Differs: `constraints=textattack` takes every lemma of every WordNet meaning, as TextAttack's recipe does. `senses=first`
 * takes only those of the word's most frequent meaning, in its most frequent class, which is closer to the authors, who keep
 * the part of speech. Like TextAttack, we try a word's synonyms again in the current text, while the paper keeps the one
 * chosen on the original text, and a success among the ranking's queries is ignored. The gain is the increase of the score,
 * as in equation 4; TextAttack takes the score itself. `guard` removes opposites from the paper's candidates; it costs
 * nothing (1 of 11,242 candidates for SST-2 dev is an opposite), because words of one WordNet meaning are rarely opposites.
 * The default's cost comes from meaning, part of speech and form. `entities` adds the paper's named-entity swap (section
 * 3.2.1, not in TextAttack's recipe): a name, place, number or date is replaced by the most frequent one of its kind in
 * texts of other labels that never occurs in texts of its label. Entities are found by rules; in lower-case texts, only
 * numbers, dates and listed places. The paper swaps entities at once; here each is an additional candidate of its first
 * word.
 */
import {
  byWeightedSaliency,
  greedy,
  noOpposites,
  presetAttack,
  swapFirstLemmas,
  swapLemmas,
  swapSynonyms,
  withEntities,
  z,
} from '../src/plugin.js';

const options = {
  guard: z.boolean().default(false).describe('no opposites among the candidates of constraints=textattack or none'),
  senses: z
    .enum(['all', 'first'])
    .default('all')
    .describe('meanings whose lemmas are candidates of constraints=textattack or none: all, or the most frequent'),
  entities: z.boolean().default(false).describe("names and numbers become other labels' most frequent (the paper's)"),
};

export const pwws = presetAttack({
  name: 'pwws',
  summary: 'Swaps WordNet synonyms, in the order of saliency times the best gain: "funny" -> "humorous".',
  paper: {
    title: 'Generating Natural Language Adversarial Examples through Probability Weighted Word Saliency',
    url: 'https://aclanthology.org/P19-1103',
  },
  options,
  words({ entities, senses }, lax) {
    const words = !lax ? swapSynonyms() : senses === 'first' ? swapFirstLemmas : swapLemmas;
    return entities ? withEntities(words) : words;
  },
  always: ({ guard }, lax) => (lax && guard ? [noOpposites] : []),
  search: () => greedy(byWeightedSaliency()),
});
