/**
 * @file Interprets a score: how often models of known kind, which did not influence the threshold, score at least as high. Models of other
 * kinds are recognised here, because their scores are unknown.
 */
import { z } from 'zod';
import { packaged } from '../../core/package-root.js';
import { sigmoid } from '../../core/statistics/softmax.js';
import { wilson } from '../../core/statistics/stats.js';
import type { ScanCalibration } from '../../results/backdoor/backdoor-findings.js';
import { fitLogistic } from '../filter/platt.js';
import { BACKDOOR_SCORE } from './verdict.js';

/** Facts about a scanned model. */
export interface ModelKind {
  /** As its configuration says; undefined where nothing does. */
  readonly architecture: string | undefined;
  readonly whiteBox: boolean;
  /** Width of its embeddings. */
  readonly width: number | undefined;
  /** How many. */
  readonly labels: number;
}

const model = z.strictObject({
  name: z.string(),
  data: z.string(),
  architecture: z.string(),
  width: z.number(),
  labels: z.number(),
  accuracy: z.number(),
  /** As `--attack` of robust backdoor plant; null in clean models. */
  planted: z.string().nullable(),
  /** A planting that works: of 90 % attack success or more. */
  counts: z.boolean(),
  attackSuccessRate: z.number().nullable(),
  score: z.number(),
});
const schema = z.strictObject({
  source: z.string(),
  command: z.string(),
  licence: z.string(),
  models: z.array(model).nonempty(),
});

type HeldOut = z.infer<typeof schema>;
let read: HeldOut | undefined;

/** The models held out: bench/backdoor-zoo writes the file. */
export function heldOut(): HeldOut {
  read ??= schema.parse(JSON.parse(packaged('src', 'backdoor', 'scan', 'data', 'held-out.json')));
  return read;
}

const scores = (of: HeldOut['models'], planted: boolean): number[] =>
  of.filter(({ counts, planted: what }) => (planted ? counts : what === null)).map(({ score }) => score);
const above = (of: readonly number[], is: (score: number) => boolean) => wilson(of.filter(is).length, of.length);

/** Why nothing is known of the scores of such a model; empty where something is. */
export function unfamiliar({ architecture, whiteBox }: ModelKind): string[] {
  if (!whiteBox) {
    return [
      'scanned as a black box, with words of the dictionary and of the texts: its own vocabulary was not searched, and what scores are usual so is not known',
    ];
  }
  const { models } = heldOut();
  const known = [...new Set(models.map((each) => each.architecture))].sort();
  if (architecture !== undefined && known.includes(architecture)) return [];
  return [
    `the verdict is calibrated on ${known.join(', ')}, and this is ${architecture === undefined ? 'of unknown architecture' : `"${architecture}"`}: its own words may be as strong as a planted one`,
  ];
}

/** Null where the model is unfamiliar; the probability also where it differs in size. */
export function calibrationOf(
  score: number,
  kind: ModelKind,
): { calibration: ScanCalibration | null; probability: number | null } {
  if (unfamiliar(kind).length > 0) return { calibration: null, probability: null };
  const { models } = heldOut();
  const [clean, planted] = [scores(models, false), scores(models, true)];
  const within = (value: number, of: readonly number[]): boolean =>
    value >= Math.min(...of) && value <= Math.max(...of);
  const [widths, labels] = [models.map(({ width }) => width), models.map((each) => each.labels)];
  const range = (of: readonly number[]): string => [...new Set([Math.min(...of), Math.max(...of)])].join('-');
  const unlike = [
    ...(within(kind.width ?? 0, widths) ? [] : [`embeddings of ${kind.width}`]),
    ...(within(kind.labels, labels) ? [] : [`${kind.labels} labels`]),
  ];
  const trained = `trained here: two layers, embeddings of ${range(widths)}, ${range(labels)} labels`;
  const calibration: ScanCalibration = {
    clean: above(clean, (other) => other >= score),
    planted: above(planted, (other) => other >= score),
    falseAlarms: above(clean, (other) => other > BACKDOOR_SCORE),
    detected: above(planted, (other) => other > BACKDOOR_SCORE),
    note: `${clean.length} clean models and ${planted.length} with a backdoor that works, ${trained}, scanned by an earlier version with up to 400 texts each; none chose the threshold${unlike.length > 0 ? `. This model is unlike them (${unlike.join(', ')}): they say little of its score` : ''}`,
  };
  return { calibration, probability: unlike.length > 0 ? null : probabilityOf(score, clean, planted) };
}

/**
 * Probability that a model with this score is backdoored if both kinds were equally frequent: logistic regression with targets that account
 * for the few models (Platt, 1999, section 2.2), limited by the rule of succession.
 */
export function probabilityOf(score: number, clean: readonly number[], planted: readonly number[]): number {
  const least = 1 / (clean.length + 2);
  const most = (planted.length + 1) / (planted.length + 2);
  const points = [
    ...clean.map((x) => ({ x, target: least, weight: 1 / clean.length })),
    ...planted.map((x) => ({ x, target: most, weight: 1 / planted.length })),
  ];
  const { slope, offset } = fitLogistic(points, { steps: 50, pull: 0, least: 1e-9 });
  return Math.min(most, Math.max(least, sigmoid(slope * score + offset)));
}
