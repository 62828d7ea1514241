/** @file By what a run is judged. */
import { z } from 'zod';
import { messageOf } from '../../core/errors.js';
import { checkRequirement, REQUIREMENT } from '../../gate/requirements.js';
import { BASES } from '../../gate/threshold.js';
import { booleanFlag, fractionBelowOne, nonEmptyText, type Settings, wholeNumber } from '../setting.js';
import { attackSettings } from './attack.js';

const JUDGING = { group: 'judging' } as const;

/** Reports what `check` throws for a value as an issue of its schema. */
const issueOf =
  <T>(check: (written: T) => unknown) =>
  (written: T, context: z.RefinementCtx): void => {
    try {
      check(written);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
    }
  };

/** How much a violated requirement counts. */
const level = z.enum(['error', 'warn', 'off']);

const requirement = z
  .union([
    nonEmptyText.meta({ pattern: REQUIREMENT }),
    z.strictObject({
      limit: nonEmptyText.describe('such as "typos.attackSuccessRate <= 0.3"; the figure alone where the level is off'),
      level: level.describe('warn: reported, without an effect on the verdict').optional(),
      ci: z.enum(BASES).describe('what is compared with the limit').optional(),
      minExamples: wholeNumber(1).describe('fewer examples are inconclusive').optional(),
    }),
  ])
  .superRefine(issueOf(checkRequirement));

/** Requirements of a gate. */
export const requirements = z.array(requirement).readonly();

export const judgingSettings = {
  require: {
    schema: requirements.optional(),
    ...JUDGING,
    value: 'limit',
    blanks: true,
    help: 'requirement, e.g. "typos.attackSuccessRate <= 0.3"; it replaces those of the configuration on the same metric; repeat',
  },
  ci: {
    schema: z.enum(BASES).optional(),
    ...JUDGING,
    help: 'compare limits with the whole 95 % interval, or with the value alone [default: interval]',
    configured: true,
  },
  minExamples: {
    schema: wholeNumber(1).optional(),
    ...JUDGING,
    help: 'inconclusive below N attacked examples [default: 30]',
    configured: true,
  },
} as const satisfies Settings;

export const allowDegenerateSetting = {
  allowDegenerate: {
    schema: booleanFlag,
    ...JUDGING,
    help: 'also judge a model that predicts one class for all texts, or is worse than the most frequent class',
    configured: true,
  },
} as const satisfies Settings;

const OF_BASELINE = { ...JUDGING, of: 'baseline', configured: true } as const;

export const baselineSettings = {
  baseline: {
    schema: nonEmptyText.optional(),
    ...JUDGING,
    value: 'file',
    path: 'output',
    head: 'file',
    help: 'baseline to compare with',
    configured: true,
  },
  maxIncrease: {
    schema: fractionBelowOne.optional(),
    ...OF_BASELINE,
    help: 'tolerated regression; absolute for rates, areas and correlations, relative for errors [default: 0.03]',
  },
  baselineModel: {
    schema: nonEmptyText.optional(),
    ...OF_BASELINE,
    option: 'model',
    help: 'name of the model in the baseline, if it differs',
  },
} as const satisfies Settings;

export const ratchetSetting = {
  ratchet: {
    schema: booleanFlag,
    ...OF_BASELINE,
    help: 'update the baseline if the run passes, is better, and is worse in nothing',
  },
} as const satisfies Settings;

const transferSetting = {
  transfer: {
    schema: nonEmptyText.optional(),
    value: 'file',
    help: 'query only these saved adversarial texts; a cheap check, with requirements on transfer (robust baseline save --transfer writes the file)',
  },
} as const satisfies Settings;

export const allowPartialSetting = {
  allowPartial: {
    schema: booleanFlag,
    group: 'running',
    help: 'go on although shards or journal lines are missing; the gate never passes such a run',
  },
} as const satisfies Settings;

const { shard: _, ...attacking } = attackSettings;

/** A gate attacks, then judges: a run, not a part of one. */
export const gateSettings = {
  ...attacking,
  ...judgingSettings,
  ...allowDegenerateSetting,
  ...baselineSettings,
  ...ratchetSetting,
  ...transferSetting,
  ...allowPartialSetting,
} as const satisfies Settings;
