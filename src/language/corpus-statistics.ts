/** @file What the texts under test say about their words: how rare each is, and which words follow which. */
import type { FillMask } from '../core/fill-mask.js';
import { isStopWord } from './english/stop-words.js';
import { ngramFillMask } from './ngram-fill-mask.js';
import { NgramModel } from './ngram-model.js';
import { inverseFrequency, type WordWeight } from './sentence-similarity.js';

/** Learned from a sample before an attack begins; until then stop words weigh a tenth and no text is more likely than another. */
export class TextsAtHand {
  #model: NgramModel | undefined;
  #fillMask: FillMask | undefined;
  #weight: WordWeight = (word) => (isStopWord(word) ? 0.1 : 1);

  get model(): NgramModel | undefined {
    return this.#model;
  }

  /** Who fills gaps: the masked language model of the run, else n-grams. */
  get fillMask(): FillMask | undefined {
    return this.#fillMask;
  }

  get weight(): WordWeight {
    return this.#weight;
  }

  /** For `prepare`, with its victim's masked language model where one is named. A sample without a word teaches nothing. */
  learn(sample: readonly { readonly text: string }[], fillMask?: FillMask): void {
    this.#fillMask = fillMask;
    const texts = sample.map(({ text }) => text).filter((text) => /[\p{L}\p{N}]/u.test(text));
    if (texts.length === 0) return;
    this.#model = new NgramModel(texts);
    this.#fillMask ??= ngramFillMask(this.#model);
    this.#weight = inverseFrequency(texts);
  }
}
