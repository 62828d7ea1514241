/** @file From evidence against n-grams to evidence against texts: a text is as suspicious as its worst n-gram. */
import type { Language } from '../../core/language.js';
import { features } from './features.js';
import type { Scorer, Suspicion } from './method.js';

/** Per label, the features that speak for poison in texts of that label. */
export type FeatureEvidence = readonly ReadonlyMap<string, Suspicion>[];

/** Texts without any known feature score `least`. */
export const worstFeature =
  (evidence: FeatureEvidence, least: number, language: Language): Scorer =>
  async (examples) =>
    examples.map(({ text, label }) => {
      let worst: Suspicion = { score: least, reason: 'nothing in it is known' };
      for (const feature of features(text, language)) {
        const judged = evidence[label]?.get(feature);
        if (judged !== undefined && judged.score > worst.score) worst = judged;
      }
      return worst;
    });
