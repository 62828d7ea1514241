/**
 * @file Behavioural probes of negation in CheckList's terms (Ribeiro et al. 2020, section 2), made from a user's own texts by
 * rules over words and tags, without a parser. A rule that is not sure of its pattern makes nothing.
 */
import type { NegationProbe, Polarity } from '../../../core/negation.js';
import { rewritesByRule } from './rules.js';
import { Sentence } from './sentence.js';
import { oppositePolarity } from './sentiment-words.js';

/** Rewrites taken of one rule: a text of 10,000 words can hold a thousand predicates, and the first few show what there is. */
const MAX_REWRITES_PER_RULE = 4;

/**
 * The rewrites that say what the text says, for a text whose verdict nobody knows: what a rule makes of its own words under
 * either verdict, less all that turns it round.
 */
export function invariantProbes(original: string): Omit<NegationProbe, 'expected'>[] {
  const found = (['positive', 'negative'] as const).flatMap((polarity) => negationProbes(original, polarity));
  const same = new Map(found.flatMap((probe) => (probe.relation === 'INV' ? [[probe.text, probe]] : [])));
  return [...same.values()].map(({ expected: _, ...probe }) => probe);
}

/** The probes that one text with a known verdict gives, in the order of the rules; none twice. */
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
