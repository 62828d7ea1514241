/** @file How a model answers with a trigger and without. */
import { argmax } from '../core/argmax.js';
import type { Classifier } from '../core/classifier.js';
import type { Dataset, Example } from '../core/dataset.js';
import { cleanFold } from '../core/metrics.js';
import type { BackdoorFigures } from '../core/planting.js';
import type { Poisoner } from '../core/poisoner.js';
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
): Promise<BackdoorFigures> {
  const clean = cleanFold(classifier.labels);
  const tally = { hit: 0, tried: 0, flipped: 0, flippable: 0, fooled: 0, foolable: 0 };
  const judge = async (examples: readonly Example[]): Promise<void> => {
    const asked = examples.flatMap((example) => {
      const others = example.label !== target;
      const decoy = others ? poisoner.decoy(example.text, random(seed, 'decoy', example.id)) : undefined;
      const trigger = others ? triggered(poisoner, example, seed) : undefined;
      return [
        { example, kind: 'plain', text: example.text } as const,
        ...(trigger === undefined ? [] : [{ example, kind: 'trigger', text: trigger } as const]),
        ...(decoy === undefined ? [] : [{ example, kind: 'decoy', text: decoy } as const]),
      ];
    });
    const rows = await classifier.classify(asked.map(({ text }) => text));
    let plain = target;
    asked.forEach(({ example, kind }, at) => {
      const row = rows[at] as Float32Array;
      const answer = argmax(row);
      const turned = Number(answer === target);
      if (kind === 'plain') {
        plain = answer;
        clean.add(example.label, row);
      } else if (kind === 'trigger') {
        tally.tried++;
        tally.hit += turned;
        tally.flippable += Number(plain !== target);
        tally.flipped += plain === target ? 0 : turned;
      } else if (plain !== target) {
        tally.foolable++;
        tally.fooled += turned;
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
  return {
    cacc: accuracy,
    attackSuccessRate: wilson(tally.hit, tally.tried),
    labelFlipRate: wilson(tally.flipped, tally.flippable),
    falseTriggerRate: wilson(tally.fooled, tally.foolable),
    ...(degenerate && { degenerate }),
  };
}
