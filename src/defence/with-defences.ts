/** @file A classifier behind its defences. */
import type { Classifier, WhiteBox } from '../core/classifier.js';
import type { Defence } from '../core/defence.js';
import { RobustError } from '../core/errors.js';
import { PAIR_SEPARATOR, queryParts } from '../core/pair.js';
import { random } from '../core/random.js';

/**
 * The victim behind the defences: texts pass the rewriting ones in the given order, then the one that votes, if any.
 * Equal texts get equal answers. Throws RobustError for a second one that votes.
 */
export function withDefences(victim: Classifier, defences: readonly Defence[], seed: number): Classifier {
  const voting = defences.filter(({ vote }) => vote !== undefined);
  if (voting.length > 1)
    throw new RobustError(
      `expected at most one defence that votes, got ${voting.map(({ name }) => name).join(' and ')}`,
      { code: 'DEFENCE_INVALID', hint: 'Give one of them.' },
    );
  const rewrittenPart = (text: string): string => defences.reduce((now, { rewrite }) => rewrite?.(now) ?? now, text);
  const rewriteQuery = (query: string): string => queryParts(query).map(rewrittenPart).join(PAIR_SEPARATOR);
  const vote = voting[0]?.vote;
  return {
    labels: victim.labels,
    classify: (texts) => {
      const read = texts.map(rewriteQuery);
      if (vote === undefined) return victim.classify(read);
      return Promise.all(read.map((text) => vote(text, victim, random(seed, 'defence', text))));
    },
  };
}

/**
 * Gradients for an attacker of a defended victim: those of the victim at the original text, as if the defence changed nothing (backward
 * pass differentiable approximation: Athalye, Carlini and Wagner 2018, section 4.1). Its answers to texts are the defended ones; embeddings
 * bypass the defence.
 */
export const whiteBoxBehind = (victim: WhiteBox, by: Classifier): WhiteBox => ({
  labels: victim.labels,
  hidden: victim.hidden,
  loss: victim.loss,
  classify: (texts) => by.classify(texts),
  gradient: (text, label) => victim.gradient(text, label),
  classifyEmbeddings: (batch, tokens) => victim.classifyEmbeddings(batch, tokens),
  gradientAt: (embeddings, tokens, label) => victim.gradientAt(embeddings, tokens, label),
  embeddingTable: () => victim.embeddingTable(),
  ...(victim.tableProducts && { tableProducts: victim.tableProducts.bind(victim) }),
  tokenText: (id) => victim.tokenText(id),
});
