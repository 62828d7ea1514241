/**
 * Standard, context: every attack that leaves the text whole and adds something around it, in turn, until one succeeds.
 *
 * Threat: someone who may query as often as they like and hides a text among words that change nothing about it.
 * Example: "a dull film" -> "a dull film I saw it on a Tuesday."
 * Readable because: the text itself stays, word for word.
 * Paper: none. The cascade of attacks of increasing strength, each on the examples that the former ones left, follows Francesco Croce and
 * Matthias Hein 2020, "Reliable evaluation of adversarial robustness with an ensemble of diverse
 * parameter-free attacks", https://arxiv.org/abs/2003.01690
 * Differs: theirs attacks images by gradients; here the attacks query scores or labels. On detectors, such as those of injected prompts, the text
 * may also be padded, quoted, or broken into lines.
 */
import { cascadeAttack } from '../src/plugin.js';
import { appendedSentence } from './appended-sentence.js';
import { benignFiller } from './benign-filler.js';
import { beyondLength } from './beyond-length.js';
import { lineBreaks } from './line-breaks.js';
import { linksAndTags } from './links-and-tags.js';
import { promptSuffix } from './prompt-suffix.js';
import { quoted } from './quoted.js';

export const standardContext = cascadeAttack({
  name: 'standard-context',
  version: 'standard@1',
  level: 'sentence',
  summary:
    'The worst case of words around the text: three attacks in turn, seven on detectors. "... I saw it on a Tuesday.".',
  // In the order of docs/research/standard.md: flips per query.
  stages: [
    { plugin: promptSuffix },
    { plugin: appendedSentence },
    { plugin: linksAndTags },
    ...[quoted, lineBreaks, benignFiller, beyondLength].map((plugin) => ({ plugin, detectorsOnly: true as const })),
  ],
  limits: [],
});
