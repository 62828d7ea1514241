import { type Beside, otherText } from '../../core/pair.js';
import { attentionOfPair, classifierOfPair, whiteBoxOfPair } from '../../core/pair-victim.js';
import type { Explainable, ExplainedText, StandIn } from '../../explain/index.js';
import type { LoadedModel } from '../../model/load.js';
import { readPartOf } from '../../model/tokens/read-part.js';

/** The model as it reads one text of a pair, with the other one beside it, or a text with its entities. */
export function explainedBeside(model: ExplainedText, other: Beside): ExplainedText {
  const { entities, entity } = other;
  if (entities !== undefined) return { ...model, tagged: { entities, entity } };
  if (otherText(other) === undefined) return model;
  const { read: _, ...rest } = model;
  return { ...rest, ...beside(model, other) };
}

const beside = ({ classifier, gradients, attention }: Explainable, other: Beside): Explainable => ({
  classifier: classifierOfPair(classifier, other),
  ...(gradients && { gradients: whiteBoxOfPair(gradients, other) }),
  ...(attention && { attention: attentionOfPair(attention, other) }),
});

/** The tokens of a hidden and of an unknown word. */
const MASKS = ['[MASK]', '<mask>'];
const UNKNOWNS = ['[UNK]', '<unk>'];

export function explainWith(model: LoadedModel, inside: Pick<ExplainedText, 'gradients' | 'attention'>): ExplainedText {
  const { name, sha256, onnx } = model;
  const read = readPartOf(model);
  const encoder = onnx?.encoder;
  /** The token that is this text, if it is one. */
  const standIn = (text: string): StandIn | undefined => {
    const [token, ...others] = encoder?.tokens(text).filter(({ start, end }) => end > start) ?? [];
    return token === undefined || others.length > 0 || token.end - token.start < text.length
      ? undefined
      : { text, id: token.id };
  };
  const first = (names: readonly string[]): StandIn | undefined => {
    for (const each of names) {
      const found = standIn(each);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const mask = first(MASKS);
  return {
    name,
    sha256,
    classifier: model,
    ...inside,
    // A model without such a token has hardly met the word "[UNK]" either.
    tokens: { unknown: first(UNKNOWNS) ?? { text: '[UNK]' }, mask },
    ...(read && { read: (text: string) => read(text) ?? { start: 0, end: text.length } }),
  };
}
