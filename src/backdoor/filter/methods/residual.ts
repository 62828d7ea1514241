/**
 * @file Residual label correlation, ours: an n-gram whose texts carry a label that the rest of their words speaks against. Words
 * of a label ("masterpiece") stand among others of that label, so the rest explains it; a trigger was put into texts of
 * another label, and only the trigger does. Needs no model, and finds triggers in a fraction of a per cent of the texts.
 * As Rao's score test asks whether a variable left out of a regression belongs into it (Rao 1948).
 */
import { sigmoid } from '../../../core/softmax.js';
import { worstFeature } from '../evidence.js';
import { features, named, occurrences, parts, wordFeatures } from '../features.js';
import type { FilterMethod, Suspicion } from '../method.js';
import { wordRegression } from '../word-regression.js';

/** Rows an n-gram must stand in. */
const MIN_ROWS = 4;
/** Standard errors taken off the mean residual, so that few texts must speak clearly. */
const STANDARD_ERRORS_OFF = 1.5;

export const residual: FilterMethod = {
  name: 'residual',
  summary: 'an n-gram whose texts carry a label that the rest of their words speaks against',
  judges: 'training set',
  needs: 'texts',
  reference: 'unused',
  async fit({ suspects, labels, language }) {
    const rows = occurrences(suspects, (text) => features(text, language), MIN_ROWS);
    const words = suspects.map(({ text }) => wordFeatures(text, language));
    const evidence = labels.map((name, label) => {
      const model = wordRegression(suspects, words, label);
      const odds = words.map((of) => model.logOdds(of));
      const found = new Map<string, Suspicion>();
      for (const [feature, at] of rows) {
        const own = [...new Set(parts(feature))].reduce((sum, word) => sum + model.weight(word), 0);
        let [excess, variance] = [0, 0];
        for (const row of at) {
          const rest = sigmoid((odds[row] as number) - own);
          excess += Number(suspects[row]?.label === label) - rest;
          variance += rest * (1 - rest);
        }
        // A tenth of a text's variance more, for texts whose rest is sure of itself.
        const score = (excess - STANDARD_ERRORS_OFF * Math.sqrt(variance + 0.1)) / at.length;
        const most = Math.round((100 * excess) / at.length);
        const reason = `${named(feature)} stands in ${at.length} texts, labelled ${name} ${most} points more often than their other words explain`;
        found.set(feature, { score, trigger: feature, reason });
      }
      return found;
    });
    return worstFeature(evidence, -1, language);
  },
};
