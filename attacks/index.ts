/**
 * @file The built-in attacks, each under its file name, and the suites: lists of attacks that answer one question about a model. Each
 * attack is listed once; a test checks that files and lists agree.
 */
import type { EvasionPlugin, PoisonPlugin, Suite } from '../src/plugin.js';
import { a2t } from './a2t.js';
import { alzantot } from './alzantot.js';
import { appendedSentence } from './appended-sentence.js';
import { badnets } from './badnets.js';
import { bae } from './bae.js';
import { benignFiller } from './benign-filler.js';
import { bertAttack } from './bert-attack.js';
import { beyondLength } from './beyond-length.js';
import { bidi } from './bidi.js';
import { caseFlip } from './case-flip.js';
import { charTrigger } from './char-trigger.js';
import { charmer } from './charmer.js';
import { checklist } from './checklist.js';
import { clare } from './clare.js';
import { codeSwitching } from './code-switching.js';
import { contextBeam } from './context-beam.js';
import { deepwordbug } from './deepwordbug.js';
import { diacritics } from './diacritics.js';
import { codes, encoded } from './encoded.js';
import { entityFormats } from './entity-formats.js';
import { entitySeam } from './entity-seam.js';
import { ep } from './ep.js';
import { fgm } from './fgm.js';
import { fgsm } from './fgsm.js';
import { flipSuffix } from './flip-suffix.js';
import { hardLabel } from './hard-label.js';
import { homoglyphs } from './homoglyphs.js';
import { hotflip } from './hotflip.js';
import { humanTypos } from './human-typos.js';
import { inputReduction } from './input-reduction.js';
import { insertsent } from './insertsent.js';
import { kuleshov } from './kuleshov.js';
import { leet } from './leet.js';
import { letterStyles } from './letter-styles.js';
import { lineBreaks } from './line-breaks.js';
import { linksAndTags } from './links-and-tags.js';
import { mergeWords } from './merge-words.js';
import { minimalEpsilon } from './minimal-epsilon.js';
import { morpheus } from './morpheus.js';
import { negation } from './negation.js';
import { otherNames } from './other-names.js';
import { pgd } from './pgd.js';
import { promptSuffix } from './prompt-suffix.js';
import { pruthi } from './pruthi.js';
import { pso } from './pso.js';
import { punctuation } from './punctuation.js';
import { pwws } from './pwws.js';
import { quoted } from './quoted.js';
import { randomSearch } from './random-search.js';
import { register } from './register.js';
import { sos } from './sos.js';
import { splitWords } from './split-words.js';
import { stacked } from './stacked.js';
import { standardCharacters } from './standard-characters.js';
import { standardContext } from './standard-context.js';
import { standardLayout } from './standard-layout.js';
import { standardWords } from './standard-words.js';
import { style } from './style.js';
import { synonym } from './synonym.js';
import { syntactic } from './syntactic.js';
import { textbugger } from './textbugger.js';
import { textfooler } from './textfooler.js';
import { tokenBreak } from './token-break.js';
import { truncation } from './truncation.js';
import { unicodeTags } from './unicode-tags.js';
import { universalTrigger } from './universal-trigger.js';
import { variationSelectors } from './variation-selectors.js';
import { verify } from './verify.js';
import { wholeCase } from './whole-case.js';
import { windowSeam } from './window-seam.js';
import { wordDeletion } from './word-deletion.js';
import { wordInsertion } from './word-insertion.js';
import { zeroWidth } from './zero-width.js';

interface ListedSuite {
  readonly name: string;
  readonly summary: string;
  /** Attacks, some with options as on the command line. */
  readonly attacks: readonly (EvasionPlugin | readonly [plugin: EvasionPlugin, options: string])[];
}

const questions: readonly ListedSuite[] = [
  {
    name: 'typos',
    summary: 'Do misspelt words flip the prediction? Typing errors, spelling errors, and deliberate misspellings.',
    attacks: [deepwordbug, pruthi, textbugger, humanTypos],
  },
  {
    name: 'chars',
    summary:
      'Does the same text in other characters flip the prediction? Spaces, look-alikes, invisible characters, case, accents, punctuation.',
    attacks: [splitWords, mergeWords, homoglyphs, zeroWidth, bidi, leet, caseFlip, diacritics, punctuation],
  },
  {
    name: 'synonyms',
    summary: 'Do synonyms flip the prediction? Synonyms of the intended meaning, inflected to fit the sentence.',
    attacks: [
      synonym,
      pwws,
      textfooler,
      [alzantot, 'population=20:generations=10'],
      [pso, 'population=20:rounds=10'],
      kuleshov,
      hardLabel,
    ],
  },
  {
    name: 'masked',
    summary:
      'Do words proposed by a language model flip the prediction? A masked language model with --language en:mlm=FOLDER, else n-grams of the texts.',
    attacks: [bae, bertAttack, clare],
  },
  {
    name: 'words',
    summary: 'Do added, omitted or inflected words flip the prediction? Also other names, places and numbers.',
    attacks: [wordDeletion, wordInsertion, morpheus, checklist],
  },
  {
    name: 'sentences',
    summary:
      'Do changes around the text flip the prediction? An added sentence, instruction or link; other letter case; a cut end.',
    attacks: [appendedSentence, promptSuffix, linksAndTags, wholeCase, truncation],
  },
  {
    name: 'negation',
    summary:
      'Does the model understand "nothing I do not like"? Texts with the same or the opposite meaning, and how often each kind fails.',
    attacks: [negation],
  },
  {
    name: 'embedding',
    summary:
      'How far must word embeddings move to flip the prediction? Gradient steps, compared with random steps of the same size.',
    attacks: [fgsm, fgm, pgd, minimalEpsilon],
  },
  {
    name: 'gradients',
    summary: 'Which words does the gradient select? White-box attacks that produce texts.',
    attacks: [hotflip, universalTrigger],
  },
];

/** Suites for guardrail models, which protect a language model; other classifiers do not need them. */
const guardrails: readonly ListedSuite[] = [
  {
    name: 'guardrail',
    summary:
      'Does a disguised request pass the detector? Spacing, hidden and styled letters, padding, quoting, mixed languages, stacked disguises.',
    attacks: [
      [splitWords, 'max-fraction=1'],
      [zeroWidth, 'max-words=1000'],
      unicodeTags,
      variationSelectors,
      [homoglyphs, 'max-words=1000'],
      letterStyles,
      [leet, 'max-fraction=1'],
      [diacritics, 'max-fraction=1'],
      [bidi, 'max-words=1000'],
      [caseFlip, 'max-fraction=1'],
      [tokenBreak, 'max-fraction=1'],
      benignFiller,
      flipSuffix,
      beyondLength,
      windowSeam,
      lineBreaks,
      quoted,
      codeSwitching,
      stacked,
    ],
  },
  {
    name: 'encodings',
    summary:
      'Does encoded text pass the detector? Twenty codes from base64 to reversed words, for a reader that decodes.',
    attacks: [...codes.map((code) => [encoded, `as=${code}`] as const)],
  },
];

/** For models that tag: what a reader takes for the same entity, or for another one of its type. */
const taggers: readonly ListedSuite[] = [
  {
    name: 'entities',
    summary:
      'Do other forms of dates, numbers and addresses lose entities? Do names of another origin, or another place?',
    attacks: [entityFormats, otherNames, entitySeam],
  },
];

/**
 * Not in a suite: input-reduction tests which words a model can do without; random-search is a control for searches; charmer's edits are
 * not typos, and flip any model; verify is an exhaustive check (`robust verify`); context-beam is a stage of standard-context.
 */
const alone: readonly EvasionPlugin[] = [randomSearch, charmer, inputReduction, verify, contextBeam];

/** Its attacks name it among their constraints. Other stages, limits or options make another version. */
export const STANDARD_VERSION = 'standard@2';

/** The worst case within stated limits: the figure to compare models by. */
const standard: ListedSuite = {
  name: 'standard',
  summary:
    'How bad can it get within stated limits? The worst case of characters, words, layout and context, to compare models by.',
  attacks: [standardCharacters, standardWords, standardLayout, standardContext],
};

/** Name and options as on the command line: "deepwordbug:max-edits=30". */
const asSuite = ({ attacks: listed, ...about }: ListedSuite): Suite => ({
  ...about,
  attacks: listed.map((each) => ('name' in each ? each.name : `${each[0].name}:${each[1]}`)),
});

/**
 * The default measure of a model's robustness. Searches with thousands of queries have smaller budgets than in their papers, which their
 * options document.
 */
const all: Suite = {
  name: 'all',
  summary: 'Every suite except those for guardrails and for entities, and a2t, which needs gradients.',
  attacks: [...questions.flatMap((question) => asSuite(question).attacks), a2t.name],
};

export const suites: readonly Suite[] = [...[...questions, ...guardrails, ...taggers, standard].map(asSuite), all];

/** The suite of that name; `standard@1` is `standard` of the version that this tool has. */
export const suiteNamed = (name: string): Suite | undefined =>
  suites.find((each) => each.name === (name === STANDARD_VERSION ? standard.name : name));

const questionOf = new Map(
  questions.map(asSuite).flatMap(({ name, attacks: listed }) => listed.map((each) => [each, name])),
);

/** The suite of an attack: for "all", the original suite of the attack. */
export const suiteOf = (suite: Suite, attack: string): string =>
  (suite === all ? questionOf.get(attack) : undefined) ?? suite.name;

export const attacks: readonly EvasionPlugin[] = [
  ...new Set([
    ...[...questions, ...guardrails, ...taggers, standard].flatMap(({ attacks: listed }) =>
      listed.map((each) => ('name' in each ? each : each[0])),
    ),
    a2t,
    ...alone,
  ]),
];

/** Backdoors that `robust backdoor plant` can plant. */
export const poisoners: readonly PoisonPlugin[] = [
  badnets,
  insertsent,
  charTrigger,
  syntactic,
  style,
  register,
  ep,
  sos,
];
