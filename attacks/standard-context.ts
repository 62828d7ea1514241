/**
 * Standard, context: leaves the text whole and searches what to add around it: sentences, questions, tags and words that judge nothing.
 *
 * Threat: someone who may query as often as they like and hides a text among words that change nothing about it.
 * Example: "a dull film" -> "a dull film I saw it on a Tuesday. Do you see? bicycle"
 * Readable because: the text itself stays, word for word, and at most three things are added, none of which judges it.
 * Paper: none. The cascade of attacks of increasing strength, each on the examples that the former ones left, follows Francesco Croce and
 * Matthias Hein 2020, "Reliable evaluation of adversarial robustness with an ensemble of diverse
 * parameter-free attacks", https://arxiv.org/abs/2003.01690
 * Differs: theirs attacks images by gradients; here the attacks query scores or labels. On detectors, such as those of injected prompts, the text
 * may also be padded, quoted, or broken into lines. Instructions and links are tried first, then random additions by labels alone, and at
 * last a beam search combines additions.
 */
import { cascadeAttack, textAttack } from '../src/plugin.js';
import { appendedSentence } from './appended-sentence.js';
import { benignFiller } from './benign-filler.js';
import { beyondLength } from './beyond-length.js';
import { contextBeam, KEPT, MOST_ADDITIONS, withAddition } from './context-beam.js';
import { lineBreaks } from './line-breaks.js';
import { linksAndTags } from './links-and-tags.js';
import { promptSuffix } from './prompt-suffix.js';
import { quoted } from './quoted.js';

/** Texts with random additions. */
const DRAWS = 40;
/** By labels alone, for victims whose scores mislead. */
const contextDraws = textAttack({
  name: 'context-draws',
  summary: 'Random additions around the text.',
  edit: () => ['additions around the text', ...KEPT],
  language: () => ['phrases'],
  *rewrites(text, _, random, context) {
    for (let draw = 0; draw < DRAWS; draw++) {
      let now = text;
      for (let added = 0; added < MOST_ADDITIONS; added++) now = random.pick([...withAddition(now, random, context)]);
      yield now;
    }
  },
});

export const standardContext = cascadeAttack({
  name: 'standard-context',
  version: 'standard@2',
  level: 'sentence',
  summary:
    'The worst case of words around the text: a search over sentences, tags and words before, behind and within it. "... I saw it on a Tuesday.".',
  // In the order of docs/research/standard.md: flips per query, the strongest search last.
  stages: [
    { plugin: promptSuffix },
    { plugin: appendedSentence },
    { plugin: linksAndTags },
    ...[quoted, lineBreaks, benignFiller, beyondLength].map((plugin) => ({ plugin, detectorsOnly: true as const })),
    { plugin: contextDraws },
    { plugin: contextBeam },
  ],
  limits: [],
});
