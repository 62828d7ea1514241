/** @file The suites: lists of attacks that answer one question about a model. */
import type { Suite } from '../src/plugin.js';

const questions: readonly Suite[] = [
  {
    name: 'typos',
    summary:
      'Does a misspelled word turn the prediction? Slips of the finger and of spelling, and misspellings on purpose.',
    attacks: ['deepwordbug', 'pruthi', 'textbugger', 'human-typos'],
  },
  {
    name: 'chars',
    summary:
      'Does the same text in other characters turn it? Spaces, look-alikes, invisible characters, case, accents, marks.',
    attacks: [
      'split-words',
      'merge-words',
      'homoglyphs',
      'zero-width',
      'bidi',
      'leet',
      'case-flip',
      'diacritics',
      'punctuation',
    ],
  },
  {
    name: 'synonyms',
    summary:
      'Does another word for the same thing turn it? Synonyms of the meaning meant, in the form the sentence needs.',
    attacks: [
      'synonym',
      'pwws',
      'textfooler',
      'alzantot:population=20:generations=10',
      'pso:population=20:rounds=10',
      'kuleshov',
      'hard-label',
    ],
  },
  {
    name: 'masked',
    summary:
      'Does what a language model would have written there turn it? With --mlm a masked one, else n-grams of the texts.',
    attacks: ['bae', 'bert-attack', 'clare'],
  },
  {
    name: 'words',
    summary: 'Does a word more, a word less or another of its forms turn it? Additions, omissions, inflections, names.',
    attacks: ['word-deletion', 'word-insertion', 'morpheus', 'checklist'],
  },
  {
    name: 'sentences',
    summary:
      'Does what stands around a text turn it? A sentence, an instruction, a link more; other case; an end cut off.',
    attacks: ['appended-sentence', 'prompt-suffix', 'links-and-tags', 'whole-case', 'truncation'],
  },
  {
    name: 'negation',
    summary:
      'Does the model understand "nothing I do not like"? Texts that say the same or the opposite, and how often each kind fails.',
    attacks: ['negation'],
  },
  {
    name: 'embedding',
    summary:
      'How far must the word embeddings move before the prediction turns? Gradient steps, beside random ones of the same size.',
    attacks: ['fgsm', 'fgm', 'pgd', 'minimal-epsilon'],
  },
  {
    name: 'gradients',
    summary: 'Which words does the gradient say to change? White-box attacks whose results are texts.',
    attacks: ['hotflip', 'universal-trigger'],
  },
];

/** Questions about models that stand before a language model, which the texts of other classifiers do not raise. */
const guardrails: readonly Suite[] = [
  {
    name: 'guardrail',
    summary:
      'Does the same request pass a detector in another dress? Spacing, hidden and styled letters, padding, quoting, mixed languages.',
    attacks: [
      'split-words:max-fraction=1',
      'zero-width:max-words=1000',
      'unicode-tags',
      'variation-selectors',
      'homoglyphs:max-words=1000',
      'letter-styles',
      'leet:max-fraction=1',
      'diacritics:max-fraction=1',
      'bidi:max-words=1000',
      'case-flip:max-fraction=1',
      'benign-filler',
      'beyond-length',
      'line-breaks',
      'quoted',
      'code-switching',
    ],
  },
  {
    name: 'encodings',
    summary:
      'Does a detector let through what it cannot read? Base64, rot13 and hexadecimal, for a reader that decodes.',
    attacks: ['encoded:as=base64', 'encoded:as=rot13', 'encoded:as=hex'],
  },
];

/**
 * Everything that answers for a model by default. What is left out: input-reduction (what a model can do without is another
 * question), random-search (a yardstick for searches), charmer (what it types is no slip, and breaks any model), the suites for guardrails. The
 * searches that go on for thousands of queries are held shorter than their papers' as their options say.
 */
const all: Suite = {
  name: 'all',
  summary: 'Every suite but those for guardrails, and a2t, whose need of gradients keeps it out of the synonyms.',
  attacks: [...questions.flatMap(({ attacks }) => attacks), 'a2t'],
};

export const suites: readonly Suite[] = [...questions, ...guardrails, all];

/** The suite that asks the question an attack of `suite` answers: of what is in "all", its own. */
export const suiteOf = (suite: Suite, attack: string): string =>
  (suite === all ? questions.find(({ attacks }) => attacks.includes(attack)) : undefined)?.name ?? suite.name;
