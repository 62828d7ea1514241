/** @file Statistics of the texts under test: word rarity and n-grams. */
import type { FillMask } from '../core/fill-mask.js';
import type { Language } from '../core/language.js';
import { ngramFillMask } from './ngram-fill-mask.js';
import { NgramModel } from './ngram-model.js';
import { inverseFrequency, type WordWeighting } from './sentence-similarity.js';

type TextSample = readonly { readonly text: string }[];

/** Statistics of one sample, each computed on first use. */
class SampleStatistics {
  readonly #texts: readonly string[];
  readonly #language: Language;
  #model: NgramModel | undefined;
  #fillMask: FillMask | undefined;
  #weight: WordWeighting | undefined;

  constructor(texts: readonly string[], language: Language) {
    this.#texts = texts;
    this.#language = language;
  }

  get model(): NgramModel {
    this.#model ??= new NgramModel(this.#texts, this.#language);
    return this.#model;
  }

  get fillMask(): FillMask {
    this.#fillMask ??= ngramFillMask(this.model);
    return this.#fillMask;
  }

  get weight(): WordWeighting {
    this.#weight ??= inverseFrequency(this.#texts, this.#language);
    return this.#weight;
  }
}

/** All parts of an attack get the same sample, so its statistics are shared. */
const learned = new WeakMap<TextSample, SampleStatistics>();

/** Statistics of a sample, collected before an attack begins. Until then all texts are equally probable, and stop words weigh a tenth. */
export class CorpusStatistics {
  #learned: SampleStatistics | undefined;
  #fillMask: FillMask | undefined;

  get model(): NgramModel | undefined {
    return this.#learned?.model;
  }

  /** Model that fills gaps: the masked language model of the run, otherwise n-grams. */
  get fillMask(): FillMask | undefined {
    return this.#fillMask ?? this.#learned?.fillMask;
  }

  weight(language: Language): WordWeighting {
    return this.#learned?.weight ?? ((word) => (language.stopWords?.has(word) ? 0.1 : 1));
  }

  /** Called in `prepare` with its victim. A sample without words has no effect. */
  learn(
    sample: TextSample,
    { language, fillMask }: { readonly language: Language; readonly fillMask?: FillMask | undefined },
  ): void {
    this.#fillMask = fillMask;
    const texts = sample.map(({ text }) => text).filter((text) => /[\p{L}\p{N}]/u.test(text));
    if (texts.length === 0) return;
    this.#learned = learned.get(sample) ?? new SampleStatistics(texts, language);
    learned.set(sample, this.#learned);
  }
}
