/**
 * PWWS, probability weighted word saliency: swaps synonyms in the order of saliency times the gain of the best synonym.
 *
 * Threat: someone who sees scores and rewords a text, and can afford to try every synonym of every word first.
 * Example: "a risky film" -> "a dangerous film"; with `constraints=textattack` "it 's a charming journey" -> "it 's a sorcerous journey"
 * Readable because: by default a synonym has the intended meaning, form and part of speech and is never an opposite. The paper's candidates
 * are often unreadable, as in the second example, which `constraints=textattack` demonstrates.
 * Paper: Shuhuai Ren, Yihe Deng, Kun He and Wanxiang Che, "Generating Natural Language Adversarial Examples through Probability Weighted
 * Word Saliency", ACL 2019, section 3; https://aclanthology.org/P19-1103
 * Differs: `constraints=textattack` takes every lemma of every WordNet meaning, as TextAttack's recipe does; the authors keep the part of
 * speech. Like TextAttack, we try a word's synonyms again in the current text, while the paper keeps the one chosen on the original text,
 * and a success among the ranking's queries is ignored. The gain is the increase of the score, as in equation 4; TextAttack takes the score
 * itself. The paper's swap of named entities (section 3.2.1) is left out, as in TextAttack's recipe.
 */
import { byWeightedSaliency, greedy, presetAttack } from '../src/plugin.js';

export const pwws = presetAttack({
  name: 'pwws',
  summary: 'Swaps WordNet synonyms, in the order of saliency times the best gain: "funny" -> "humorous".',
  paper: {
    title: 'Generating Natural Language Adversarial Examples through Probability Weighted Word Saliency',
    url: 'https://aclanthology.org/P19-1103',
  },
  search: () => greedy(byWeightedSaliency()),
});
