/** @file A victim of pairs presented to an attack or an explanation as a victim of single texts: the other text is fixed. */
import type { Attention, AttentionSource } from './attention.js';
import type { Classifier, EmbeddingGradient, Token, WhiteBox } from './classifier.js';
import { type Beside, otherText, queryText } from './pair.js';

export const classifierOfPair = (model: Classifier, other: Beside): Classifier => ({
  labels: model.labels,
  classify: (texts) => model.classify(texts.map((text) => queryText(text, other))),
});

/** Removes the tokens of the other text, which can be neither edited nor weighed. */
const attackedTokens = (tokens: readonly Token[], { attacked }: Beside): Token[] =>
  tokens.map((token) => ((token.second === true) === (attacked !== 'first') ? token : { ...token, special: true }));

export const attentionOfPair = (source: AttentionSource, other: Beside): AttentionSource => ({
  async attention(text): Promise<Attention> {
    const found = await source.attention(queryText(text, other));
    return { ...found, tokens: attackedTokens(found.tokens, other) };
  },
});

/** The white-box view of the model, restricted to the attacked text. */
export function whiteBoxOfPair(model: WhiteBox, other: Beside): WhiteBox {
  if (otherText(other) === undefined) return model;
  const query = (text: string): string => queryText(text, other);
  const restrict = (found: EmbeddingGradient): EmbeddingGradient => ({
    ...found,
    tokens: attackedTokens(found.tokens, other),
  });
  return {
    labels: model.labels,
    hidden: model.hidden,
    loss: model.loss,
    classify: (texts) => model.classify(texts.map(query)),
    gradient: async (text, label) => restrict(await model.gradient(query(text), label)),
    classifyEmbeddings: (batch, tokens) => model.classifyEmbeddings(batch, tokens),
    gradientAt: (at, tokens, label) => model.gradientAt(at, tokens, label),
    embeddingTable: () => model.embeddingTable(),
    tokenText: (id) => model.tokenText(id),
  };
}
