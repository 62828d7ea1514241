/** @file How a decision is explained. */
import { z } from 'zod';
import { nonEmptyText, type Settings, textList, wholeNumber } from '../setting.js';
import { decisionSettings, pairSettings } from './decision.js';
import { guardSettings } from './endpoint.js';
import {
  columnSettings,
  engineSetting,
  offlineSetting,
  seedSetting,
  selectionSettings,
  speedSettings,
  victimSettings,
} from './victim.js';

/** Options of `--method`. */
const METHOD = { of: 'method' } as const;
const { task, positive, threshold, positiveScore, calibration } = decisionSettings;
/** The decision settings of attacks. A configuration may set regression, which has no words to explain and is refused. */
const explainedDecision = {
  task: {
    ...task,
    help: 'kind of prediction: single, multi-label or tags; single: the most probable label; multi-label: every label whose score reaches --threshold; tags: each entity, true in --data, or found in TEXT',
  },
  positive,
  threshold,
  positiveScore,
  calibration,
};

export const explainSettings = {
  model: {
    schema: z.union([textList, nonEmptyText.transform((one) => [one])]).default(['distilbert']),
    char: 'm',
    help: `${victimSettings.model.help}; twice: two models side by side`,
    configured: true,
  },
  ...guardSettings,
  method: {
    schema: z
      .array(z.enum(['lime', 'shap', 'integrated-gradients', 'gradient-x-input', 'attention']))
      .readonly()
      .default(['lime', 'shap']),
    help: 'explanation method: lime, shap, ...; repeat',
  },
  label: {
    schema: nonEmptyText.optional(),
    char: 'l',
    help: 'label to explain [default: the label that the first model predicts; for a detector the score that its threshold applies to]',
  },
  ...explainedDecision,
  ...columnSettings,
  textColumns: pairSettings.textColumns,
  attackColumn: {
    ...pairSettings.attackColumn,
    help: 'the text of a pair to explain; the other one stays unchanged [default: the second]',
  },
  beside: { schema: nonEmptyText.optional(), value: 'text', help: 'the other text of a pair, which precedes TEXT' },
  ...offlineSetting,
  data: {
    schema: nonEmptyText.optional(),
    char: 'd',
    help: 'explain these texts instead of one: bundled name, file or hf:owner/name:split',
    configured: true,
  },
  numExamples: {
    schema: wholeNumber(0).optional(),
    char: 'n',
    help: 'first N texts of --data, 0 for all [default: 10]',
    configured: true,
  },
  ...selectionSettings,
  samples: {
    schema: wholeNumber(10).optional(),
    ...METHOD,
    help: 'queries to explain one text [default: 5000 for lime, 2048 + 2 per word for shap]',
  },
  features: { schema: wholeNumber(1).default(10), ...METHOD, help: 'number of words to which lime gives a weight' },
  baseline: {
    schema: z.enum(['delete', 'unknown', 'mask']).default('delete'),
    ...METHOD,
    help: 'how a word is removed; integrated-gradients starts from the unknown token or the mask',
  },
  scale: {
    schema: z.enum(['probability', 'logit']).default('probability'),
    ...METHOD,
    help: 'what the weights add up to: the probability of the label or its log-odds',
  },
  steps: { schema: wholeNumber(8).default(64), ...METHOD, help: 'maximum gradients of integrated-gradients' },
  ...seedSetting,
  ...engineSetting,
  ...speedSettings,
} as const satisfies Settings;
