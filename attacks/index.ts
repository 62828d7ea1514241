/** @file The built-in attacks. An attack is listed here under its file name; a test holds the two together. */
import type { EvasionPlugin, PoisonPlugin } from '../src/plugin.js';
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
import { deepwordbug } from './deepwordbug.js';
import { dfep } from './dfep.js';
import { diacritics } from './diacritics.js';
import { encoded } from './encoded.js';
import { ep } from './ep.js';
import { fgm } from './fgm.js';
import { fgsm } from './fgsm.js';
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
import { lwp } from './lwp.js';
import { mergeWords } from './merge-words.js';
import { minimalEpsilon } from './minimal-epsilon.js';
import { morpheus } from './morpheus.js';
import { negation } from './negation.js';
import { pgd } from './pgd.js';
import { promptSuffix } from './prompt-suffix.js';
import { pruthi } from './pruthi.js';
import { pso } from './pso.js';
import { punctuation } from './punctuation.js';
import { pwws } from './pwws.js';
import { quoted } from './quoted.js';
import { randomSearch } from './random-search.js';
import { ripples } from './ripples.js';
import { sos } from './sos.js';
import { splitWords } from './split-words.js';
import { style } from './style.js';
import { synonym } from './synonym.js';
import { syntactic } from './syntactic.js';
import { textbugger } from './textbugger.js';
import { textfooler } from './textfooler.js';
import { truncation } from './truncation.js';
import { unicodeTags } from './unicode-tags.js';
import { universalTrigger } from './universal-trigger.js';
import { variationSelectors } from './variation-selectors.js';
import { wholeCase } from './whole-case.js';
import { wordDeletion } from './word-deletion.js';
import { wordInsertion } from './word-insertion.js';
import { zeroWidth } from './zero-width.js';

export { suiteOf, suites } from './suites.js';

export const attacks: readonly EvasionPlugin[] = [
  deepwordbug,
  pruthi,
  textbugger,
  humanTypos,
  splitWords,
  mergeWords,
  homoglyphs,
  zeroWidth,
  bidi,
  leet,
  caseFlip,
  diacritics,
  punctuation,
  synonym,
  pwws,
  textfooler,
  a2t,
  alzantot,
  pso,
  kuleshov,
  randomSearch,
  hardLabel,
  bae,
  bertAttack,
  clare,
  wordDeletion,
  wordInsertion,
  morpheus,
  charmer,
  checklist,
  inputReduction,
  appendedSentence,
  promptSuffix,
  linksAndTags,
  wholeCase,
  truncation,
  unicodeTags,
  variationSelectors,
  letterStyles,
  benignFiller,
  beyondLength,
  lineBreaks,
  quoted,
  codeSwitching,
  encoded,
  negation,
  fgsm,
  fgm,
  pgd,
  minimalEpsilon,
  hotflip,
  universalTrigger,
];

/** What `robust backdoor plant` can plant. */
export const poisoners: readonly PoisonPlugin[] = [
  badnets,
  insertsent,
  charTrigger,
  syntactic,
  style,
  ep,
  dfep,
  sos,
  lwp,
  ripples,
];
