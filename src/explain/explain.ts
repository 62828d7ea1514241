/** @file Explains one text by one model with several methods. */
import { must, RobustError } from '../core/errors.js';
import type { Attribution, Explanation, WordBaseline } from '../results/report/explanation.js';
import { attentionView } from './attention-view.js';
import { fullCoalition, WordGame } from './game.js';
import { featuresOf, maskedText } from './masked-text.js';
import { type ExplainedText, type ExplanationOptions, explainWords } from './methods.js';

/** The part of a text that the model reads. Throws RobustError if it contains nothing but blanks. */
function readPart(model: Pick<ExplainedText, 'read'>, text: string) {
  const words = featuresOf(text);
  if (words.length === 0)
    throw new RobustError(
      `expected a text of at least one word or mark, got ${text === '' ? 'an empty one' : JSON.stringify(text)}`,
      { code: 'TEXT_INVALID', hint: 'Give a text: robust explain "A fine film."' },
    );
  const { start, end } = model.read?.(text) ?? { start: 0, end: text.length };
  const within = words.filter((word) => word.start >= start && word.start + word.text.length <= end);
  if (within.length === words.length || within.length === 0)
    return { text, offset: 0, words: words.length, of: words.length };
  return { text: text.slice(start, end), offset: start, words: within.length, of: words.length };
}

/** Replacement of a word. Throws RobustError if the model has no such token. */
function replacementOf({ name, tokens }: ExplainedText, baseline: WordBaseline) {
  if (baseline === 'delete') return { name: baseline, token: '' };
  const token = tokens[baseline]?.text;
  if (token !== undefined) return { name: baseline, token };
  throw new RobustError(`${name}: its tokenizer has no ${baseline === 'mask' ? 'mask' : 'unknown-word'} token`, {
    code: 'METHOD_UNSUPPORTED',
    hint: 'Delete words instead: --method lime:baseline=delete.',
  });
}

/** Explains one prediction. Deterministic for a given seed. Throws RobustError, ModelError. */
export async function explain(model: ExplainedText, text: string, options: ExplanationOptions): Promise<Explanation> {
  const { label, score, baseline, scale, seed } = options;
  const { classifier } = model;
  const part = readPart(model, text);
  const masked = maskedText(part.text, replacementOf(model, baseline), model.tagged);
  const game = new WordGame(classifier, masked, options);
  const [probabilities] = await classifier.classify([masked.keep(fullCoalition(masked.words.length))]);
  const methods: Attribution[] = [];
  for (const name of options.methods) {
    const { weights, check } = await explainWords(name, model, masked, game, options);
    const words = masked.words.map((word, at) => ({
      word: word.text,
      start: word.start + part.offset,
      ...must(weights[at]),
    }));
    methods.push({ name, words, check });
  }
  const attention = options.methods.includes('attention') && (await attentionView(model, masked));
  return {
    text,
    model: { name: model.name, sha256: model.sha256, labels: classifier.labels },
    label: score?.name ?? must(classifier.labels[label]),
    probabilities: Array.from(must(probabilities)),
    scale,
    baseline,
    seed,
    methods,
    queries: game.queries,
    ...(attention && { attention }),
    ...(part.words < part.of && { read: { words: part.words, of: part.of } }),
  };
}
