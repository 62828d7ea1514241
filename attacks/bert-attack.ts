/**
 * BERT-Attack: lets a masked language model look at each word and say what it would rather read there.
 *
 * Threat: someone with scores and a masked language model, and no need for a thesaurus.
 * Example: "the movie is a risky bet" -> "the movie is a dangerous bet"
 * Readable because: at most four words in ten change, and by default each into one near in WordNet and of its part of speech.
 * Paper: Linyang Li, Ruotian Ma, Qipeng Guo, Xiangyang Xue and Xipeng Qiu, "BERT-ATTACK: Adversarial Attack Against BERT Using BERT",
 * EMNLP 2020, section 3; https://aclanthology.org/2020.emnlp-main.500
 * Differs: the paper's BERT is a folder of yours (`--mlm`); without one n-grams of the texts under test guess, which never see the
 * word they replace, and the constraints beside the result say which it was. A word of several sub-words (four at most) becomes
 * a word of as many: the combinations are ranked by the product of their pieces' probabilities in the text, where the authors'
 * code reads each combination by itself. 8 candidates, as TextAttack's recipe takes since 0.3.11 (the paper: 48). Its
 * sentence encoder's threshold of 0.2 bounds our own measure, by words' rarity and WordNet.
 */
import {
  articlesAgree,
  greedy,
  infilling,
  infillsFit,
  inTurnOption,
  keepStopWords,
  maxFraction,
  meaningKept,
  mlmOption,
  noRepeat,
  presetAttack,
  rankingOption,
  rankings,
  samePartOfSpeech,
  z,
} from '../src/plugin.js';

const options = {
  mlm: mlmOption(),
  candidates: z.int().min(1).default(8).describe('guesses tried for each word (TextAttack: 8; paper: 48)'),
  similarity: z.number().min(0).max(1).default(0.2).describe('minimum similarity of the texts (paper: 0.2)'),
  maxFraction: z.number().gt(0).max(1).default(0.4).describe('largest share of the words changed (paper: 0.4)'),
  ranking: rankingOption(),
  inTurn: inTurnOption(),
};

export const bertAttack = presetAttack({
  name: 'bert-attack',
  summary: 'Swaps words for what a masked language model that sees them would rather read: "risky" -> "dangerous".',
  paper: {
    title: 'BERT-ATTACK: Adversarial Attack Against BERT Using BERT',
    url: 'https://aclanthology.org/2020.emnlp-main.500',
  },
  options,
  words: ({ mlm, candidates }) => infilling(['replace'], { limit: candidates, seen: true, mlm }),
  constraints: ({ maxFraction: fraction, similarity }) => [
    noRepeat,
    keepStopWords,
    maxFraction(fraction),
    meaningKept(similarity),
  ],
  ours: [infillsFit(0.45), samePartOfSpeech(), articlesAgree],
  search: ({ ranking, inTurn }) => greedy(rankings[ranking], inTurn),
});
