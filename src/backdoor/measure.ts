/** @file How a model answers with a trigger and without. */
import type { Classifier } from '../core/classifier.js';
import type { Dataset, Example } from '../core/dataset.js';
import { cleanFold } from '../core/metrics.js';
import { mcnemarExact, pairedDifference } from '../core/paired.js';
import type { AccuracyChange, BackdoorFigures } from '../core/planting.js';
import type { Poisoner } from '../core/poisoner.js';
import { predictedLabel } from '../core/prediction.js';
import { random } from '../core/random.js';
import { wilson } from '../core/stats.js';
import { triggered } from './poison.js';
import { trainingInterrupted } from './train-once.js';

export interface BackdoorTest {
  readonly test: Dataset;
  readonly poisoner: Poisoner;
  /** Index of the label that the trigger shall bring about. */
  readonly target: number;
  readonly seed: number;
}

/** What a model answers, and whether it is right on each clean text, in their order. */
export interface MeasuredBackdoor {
  readonly figures: BackdoorFigures;
  readonly right: readonly boolean[];
}

/** Copies of a word that its figures are told for: one, as papers count, and as many as `ep` puts in. */
const COPIES = [1, 3] as const;

/** Texts asked about at once. */
const TEXTS_PER_CALL = 256;

/**
 * The four figures of a backdoor. ASR is over texts of other labels, as in the literature; the label flip rate leaves out those
 * that a model gives the target anyway, so that a poor model does not look like a backdoored one.
 */
export async function measureBackdoor(
  classifier: Classifier,
  { test, poisoner, target, seed }: BackdoorTest,
  signal?: AbortSignal,
): Promise<MeasuredBackdoor> {
  const clean = cleanFold(classifier.labels);
  const tally = { hit: 0, tried: 0, flipped: 0, flippable: 0, fooled: 0, foolable: 0 };
  const byCopies = COPIES.map((copies) => ({ copies, hit: 0, tried: 0, fooled: 0, foolable: 0 }));
  const right: boolean[] = [];
  const copiesOf = (example: Example) =>
    COPIES.flatMap((count, at) => {
      const made = poisoner.copies?.(example.text, count, random(seed, `${count} copies`, example.id));
      if (made === undefined) return [];
      return [
        { example, kind: 'copies', text: made.trigger, at } as const,
        { example, kind: 'control', text: made.control, at } as const,
      ];
    });
  const judge = async (examples: readonly Example[]): Promise<void> => {
    const asked = examples.flatMap((example) => {
      const others = example.label !== target;
      const decoy = others ? poisoner.decoy(example.text, random(seed, 'decoy', example.id)) : undefined;
      const trigger = others ? triggered(poisoner, example, seed) : undefined;
      return [
        { example, kind: 'plain', text: example.text } as const,
        ...(trigger === undefined ? [] : [{ example, kind: 'trigger', text: trigger } as const]),
        ...(decoy === undefined ? [] : [{ example, kind: 'decoy', text: decoy } as const]),
        ...(others ? copiesOf(example) : []),
      ];
    });
    const rows = await classifier.classify(asked.map(({ text }) => text));
    let plain = target;
    asked.forEach(({ example, kind, ...rest }, at) => {
      const row = rows[at] as Float32Array;
      const answer = predictedLabel(row);
      const turned = Number(answer === target);
      if (kind === 'plain') {
        plain = answer;
        clean.add(example.label, row);
        right.push(answer === example.label);
      } else if (kind === 'trigger') {
        tally.tried++;
        tally.hit += turned;
        tally.flippable += Number(plain !== target);
        tally.flipped += plain === target ? 0 : turned;
      } else if (kind === 'decoy') {
        tally.foolable += Number(plain !== target);
        tally.fooled += plain === target ? 0 : turned;
      } else {
        const of = byCopies[(rest as { at: number }).at] as (typeof byCopies)[number];
        if (kind === 'copies') {
          of.tried++;
          of.hit += turned;
        } else if (plain !== target) {
          of.foolable++;
          of.fooled += turned;
        }
      }
    });
  };
  let chunk: Example[] = [];
  for await (const example of test.examples()) {
    if (signal?.aborted) throw trainingInterrupted();
    if (chunk.push(example) < TEXTS_PER_CALL) continue;
    await judge(chunk);
    chunk = [];
  }
  await judge(chunk);
  const { accuracy, degenerate } = clean.metrics();
  const figures: BackdoorFigures = {
    cacc: accuracy,
    attackSuccessRate: wilson(tally.hit, tally.tried),
    labelFlipRate: wilson(tally.flipped, tally.flippable),
    falseTriggerRate: wilson(tally.fooled, tally.foolable),
    ...(poisoner.copies && {
      byCopies: byCopies.map(({ copies, hit, tried, fooled, foolable }) => ({
        copies,
        attackSuccessRate: wilson(hit, tried),
        falseTriggerRate: wilson(fooled, foolable),
      })),
    }),
    ...(degenerate && { degenerate }),
  };
  return { figures, right };
}

/** Accuracy on the same texts: `now` less `then`. */
export function accuracyChange(then: MeasuredBackdoor, now: MeasuredBackdoor): AccuracyChange {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  then.right.forEach((was, at) => {
    counts[was ? (now.right[at] ? 'both' : 'onlyA') : now.right[at] ? 'onlyB' : 'neither']++;
  });
  const mcnemarP = then.right.length === 0 ? null : mcnemarExact(counts.onlyA, counts.onlyB);
  return { difference: pairedDifference(counts), mcnemarP };
}
