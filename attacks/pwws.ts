/**
 * PWWS: probability weighted word saliency; swaps synonyms in the order of saliency times what the best synonym gains.
 *
 * Threat: someone who sees scores and rewords a text, patient enough to try every synonym of every word first.
 * Example: "a risky film" -> "a dangerous film"; with `constraints=textattack` "it 's a charming journey" -> "it 's a sorcerous journey"
 * Readable because: by default a synonym has the meaning, form and part of speech meant and is never an opposite. The paper's own
 * candidates often fail a reader, as the second example does; that is what `constraints=textattack` is there to show.
 * Paper: Shuhuai Ren, Yihe Deng, Kun He and Wanxiang Che, "Generating Natural Language Adversarial Examples through Probability
 * Weighted Word Saliency", ACL 2019, section 3; https://aclanthology.org/P19-1103
 * Differs: `constraints=textattack` takes every lemma of every WordNet meaning, as TextAttack's recipe does; with `senses=first` those of the
 * word's commonest meaning alone, in the class it is commonest in, which is nearer to the authors, who keep to the part of speech. Like it we try a word's synonyms again in the text as it has become, where the paper keeps the one
 * chosen on the untouched text, and a success among the ranking's queries is passed over. The gain is the rise of the
 * score, as in equation 4; TextAttack takes the score itself. `guard` withholds opposites from the paper's candidates; it
 * costs nothing (1 of 11,242 candidates for SST-2 dev is an opposite), since words of one WordNet meaning hardly ever are:
 * what the default costs is the meaning, the part of speech and the form. `entities` adds the paper's named-entity swap (its section
 * 3.2.1; TextAttack's recipe has none): a name, place, number or date becomes the one of its kind that the sample's texts of
 * other labels hold most often and those of its own never. What is an entity is found by rule, in lower-case texts numbers,
 * dates and listed places only. The paper swaps entities at once; here each is one more candidate of its first word.
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
    .describe('meanings whose lemmas are candidates of constraints=textattack or none: all, or the commonest'),
  entities: z.boolean().default(false).describe("names and numbers become other labels' most frequent (the paper's)"),
};

export const pwws = presetAttack({
  name: 'pwws',
  summary: 'Swaps WordNet synonyms, first where saliency times the best gain is highest: "funny" -> "humorous".',
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
