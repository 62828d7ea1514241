/** @file A victim of pairs as an attack sees it: asked of one text, with the other one beside it. */
import type { EmbeddingGradient, WhiteBox } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import { askedText } from '../core/pair.js';

/** The model's inside, of the attacked text: the tokens of the other one are none that could be moved. */
export function whiteBoxOfPair(model: WhiteBox, example: Example): WhiteBox {
  if (example.text2 === undefined) return model;
  const asked = (text: string): string => askedText(text, example);
  const own = (found: EmbeddingGradient): EmbeddingGradient => ({
    ...found,
    tokens: found.tokens.map((token) =>
      (token.second === true) === (example.attacked !== 'first') ? token : { ...token, special: true },
    ),
  });
  return {
    labels: model.labels,
    hidden: model.hidden,
    loss: model.loss,
    classify: (texts) => model.classify(texts.map(asked)),
    gradient: async (text, label) => own(await model.gradient(asked(text), label)),
    classifyEmbeddings: (batch, tokens) => model.classifyEmbeddings(batch, tokens),
    gradientAt: (at, tokens, label) => model.gradientAt(at, tokens, label),
    embeddingTable: () => model.embeddingTable(),
    tokenText: (id) => model.tokenText(id),
  };
}
