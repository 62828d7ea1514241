/** @file Swaps names and numbers for the most frequent ones in texts of other labels: PWWS's named-entity swap. */
import { transformation } from '../core/component.js';
import type { Example } from '../core/dataset.js';
import { Draft } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { type Entities, type Entity, type EntityKind, languagePart } from '../core/language.js';
import type { Transformation } from '../core/search.js';
import { withArticleAgreement } from './article-agreement.js';
import { matchCase } from './match-case.js';

/** Entities in the texts of each label. */
class EntityCounts {
  /** Kind -> text -> label -> frequency. */
  readonly #counts = new Map<EntityKind, Map<string, Map<number, number>>>();

  learn(sample: readonly Pick<Example, 'text' | 'label'>[], known: Entities): void {
    this.#counts.clear();
    for (const { text, label } of sample) {
      const draft = Draft.of(text);
      for (const entity of known.of(draft)) {
        const kind = getOrCompute(this.#counts, entity.kind, () => new Map<string, Map<number, number>>());
        const labels = getOrCompute(kind, textOf(draft, entity), () => new Map<number, number>());
        labels.set(label, (labels.get(label) ?? 0) + 1);
      }
    }
  }

  /**
   * The most frequent entity of a kind in texts of other labels that never occurs in texts of `label` (Ren et al. 2019, section 3.2.1);
   * ties in alphabetical order.
   */
  foreign(kind: EntityKind, label: number): string | undefined {
    let best: { text: string; count: number } | undefined;
    for (const [text, labels] of this.#counts.get(kind) ?? []) {
      if (labels.has(label)) continue;
      const count = [...labels.values()].reduce((sum, n) => sum + n, 0);
      if (best === undefined || count > best.count || (count === best.count && text < best.text))
        best = { text, count };
    }
    return best?.text;
  }
}

const textOf = (draft: Draft, { first, last }: Entity): string => {
  const start = draft.startOf(first);
  return draft.text.slice(start, draft.startOf(last) + draft.word(last).length);
};

/** The edits of `words`, if any, and for the first word of an entity its most frequent counterpart in other labels' texts. */
export function withEntities(words?: Transformation): Transformation {
  const entities = new EntityCounts();
  return {
    name: `${words === undefined ? '' : `${words.name}, and `}named entities of other labels`,
    bounds: ['named entities become those of other labels'],
    language: [...(words?.language ?? []), 'entities'],
    async prepare(sample, victim) {
      entities.learn(sample, languagePart(victim.language, 'entities'));
      await words?.prepare?.(sample, victim);
    },
    async *edits(draft, at, random, space) {
      if (words !== undefined) yield* words.edits(draft, at, random, space);
      const wanted = new Set(at);
      for (const entity of languagePart(space.language, 'entities').of(draft)) {
        if (!wanted.has(entity.first)) continue;
        const other = entities.foreign(entity.kind, space.label);
        if (other === undefined || other === textOf(draft, entity)) continue;
        let swapped = draft;
        for (let slot = entity.last; slot > entity.first; slot--) swapped = swapped.remove(slot);
        const cased = matchCase(other, draft.word(entity.first));
        yield withArticleAgreement(swapped.replace(entity.first, cased), entity.first, space.language);
      }
    },
  };
}

export const swapEntities = transformation({
  name: 'swap-entities',
  summary: 'Swaps names, places and numbers for the most frequent ones in texts of other labels: "Paris" -> "London".',
  paper: {
    title: 'Generating Natural Language Adversarial Examples through Probability Weighted Word Saliency',
    url: 'https://aclanthology.org/P19-1103',
  },
  create: () => withEntities(),
});
