/**
 * BERT-Attack: replaces important words by words that a masked language model prefers in their place.
 *
 * Threat: someone with scores and a masked language model, who needs no thesaurus.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"
 * Readable because: at most four words in ten change, by default each into one of the same part of speech that is close in
 * WordNet.
 * Paper: Linyang Li, Ruotian Ma, Qipeng Guo, Xiangyang Xue and Xipeng Qiu, "BERT-ATTACK: Adversarial Attack Against BERT
 * Using BERT", EMNLP 2020, section 3; https://aclanthology.org/2020.emnlp-main.500
 * Differs: the paper's BERT is your folder (`--language en:mlm=FOLDER`); without one, n-grams of the texts under test guess without seeing the
 * replaced word, and the printed constraints say which was used. A word of several sub-words (at most four) is replaced by the same number.
 * Combinations are ranked by the product of their pieces' probabilities in the text; the authors' code reads each combination alone. There
 * are 8 candidates, as in TextAttack's recipe since 0.3.11 (paper: 48). Its sentence encoder's threshold of
 * 0.2 applies to our own measure, by word rarity and WordNet.
 */
import {
  infilling,
  infillsFit,
  maxFraction,
  meaningKept,
  mlmOption,
  presetAttack,
  samePartOfSpeech,
  z,
} from '../src/plugin.js';

const options = {
  mlm: mlmOption(),
  candidates: z.int().min(1).default(8).describe('guesses tried for each word (TextAttack: 8; paper: 48)'),
  similarity: z.number().min(0).max(1).default(0.2).describe('minimum similarity of the texts (paper: 0.2)'),
  maxFraction: z.number().gt(0).max(1).default(0.4).describe('largest share of the words changed (paper: 0.4)'),
};

export const bertAttack = presetAttack({
  name: 'bert-attack',
  summary: 'Swaps words for alternatives that a masked language model prefers: "risky" -> "dangerous".',
  paper: {
    title: 'BERT-ATTACK: Adversarial Attack Against BERT Using BERT',
    url: 'https://aclanthology.org/2020.emnlp-main.500',
  },
  options,
  words: ({ mlm, candidates }) => infilling(['replace'], { limit: candidates, seen: true, mlm }),
  constraints: ({ maxFraction: fraction, similarity }) => [maxFraction(fraction), meaningKept(similarity)],
  ours: [infillsFit(0.45), samePartOfSpeech()],
});
