/**
 * @file Behavioural probes of negation in CheckList's terms (Ribeiro et al. 2020, section 2), made from the user's texts by rules over
 * words and tags, without a parser. A rule makes nothing if its pattern is uncertain.
 */
import type { NegationProbe, Polarity } from '../../../core/negation.js';
import { rewritesByRule } from './rules.js';
import { Sentence } from './sentence.js';
import { oppositePolarity } from './sentiment-words.js';

/** Maximum rewrites per rule: a text of 10,000 words can contain a thousand predicates, and the first few are sufficient. */
const MAX_REWRITES_PER_RULE = 4;

/**
 * Rewrites with the same meaning, for a text of unknown sentiment: those that a rule makes under either sentiment, without all that reverse
 * the meaning.
 */
export function invariantProbes(original: string): Omit<NegationProbe, 'expected'>[] {
  const found = (['positive', 'negative'] as const).flatMap((polarity) => negationProbes(original, polarity));
  const same = new Map(found.flatMap((probe) => (probe.relation === 'INV' ? [[probe.text, probe]] : [])));
  return [...same.values()].map(({ expected: _, ...probe }) => probe);
}

/** Probes for one text with known sentiment, in the order of the rules, without duplicates. */
export function negationProbes(original: string, polarity: Polarity): NegationProbe[] {
  const sentence = new Sentence(original, polarity);
  const probes = new Map<string, NegationProbe>();
  for (const [capability, rewrites] of rewritesByRule(sentence)) {
    let taken = 0;
    for (const { relation, text } of rewrites) {
      if (taken++ === MAX_REWRITES_PER_RULE) break;
      if (text === original || probes.has(text)) continue;
      probes.set(text, {
        capability,
        relation,
        original,
        text,
        expected: relation === 'DIR' ? oppositePolarity(polarity) : polarity,
      });
    }
  }
  return [...probes.values()];
}
