/** @file Measures a model's predictions with and without a trigger. */
import type { Classifier } from '../core/classifier.js';
import type { Dataset, Example } from '../core/dataset.js';
import type { Poisoner } from '../core/poisoner.js';
import { predictedLabel } from '../core/prediction.js';
import { random } from '../core/random.js';
import { mcnemarExact, pairedDifference } from '../core/statistics/paired.js';
import type { Rate } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import type { AccuracyChange, BackdoorFigures } from '../results/backdoor/planting.js';
import { cleanFold } from '../tasks/clean.js';
import { triggered } from './poison.js';
import { trainingInterrupted } from './train-once.js';

export interface BackdoorTest {
  readonly test: Dataset;
  readonly poisoner: Poisoner;
  /** Index of the label that the trigger shall bring about. */
  readonly target: number;
  readonly seed: number;
}

/** The figures of a model, and whether it classifies each clean text correctly, in their order. */
export interface MeasuredBackdoor {
  readonly figures: BackdoorFigures;
  readonly right: readonly boolean[];
}

export interface MeasureHooks {
  readonly signal?: AbortSignal | undefined;
  /** Reports what begins, such as "measuring FOLDER". */
  phase?(text: string): void;
  /** Opens a model by its folder or by the name of the start. */
  open(model: string): Promise<Classifier & { close(): Promise<void> }>;
}

/** Opens a model, measures the backdoor in it, and closes it. Throws RobustError INTERRUPTED. */
export async function measureModel(model: string, test: BackdoorTest, hooks: MeasureHooks): Promise<MeasuredBackdoor> {
  hooks.phase?.(`measuring ${model}`);
  const classifier = await hooks.open(model);
  try {
    return await measureBackdoor(classifier, test, hooks.signal);
  } finally {
    await classifier.close();
  }
}

/** Numbers of copies of a word that have figures: 1 as in most papers, 3 as in `ep`. */
const COPIES = [1, 3] as const;

/** Texts of one call of the classifier. */
const TEXTS_PER_CALL = 256;

/** How often something happened. */
class HitCount {
  #hits = 0;
  #tried = 0;

  add(hit: boolean): void {
    this.#tried++;
    this.#hits += Number(hit);
  }

  get rate(): Rate {
    return wilson(this.#hits, this.#tried);
  }
}

/** Flips to the target: over all texts, and over those that the model did not predict as the target before. */
class Flips {
  readonly all = new HitCount();
  readonly flippable = new HitCount();

  add(before: number, after: number, target: number): void {
    this.all.add(after === target);
    if (before !== target) this.flippable.add(after === target);
  }
}

/**
 * The four figures of a backdoor. ASR is over texts of other labels, as in the literature. The label flip rate leaves out texts that are predicted as the
 * target anyway, so that a poor model does not look like a backdoored one.
 */
export async function measureBackdoor(
  classifier: Classifier,
  { test, poisoner, target, seed }: BackdoorTest,
  signal?: AbortSignal,
): Promise<MeasuredBackdoor> {
  const clean = cleanFold(classifier.labels);
  const [triggers, decoys] = [new Flips(), new Flips()];
  const byCopies = COPIES.map((copies) => ({ copies, triggers: new Flips(), controls: new Flips() }));
  const right: boolean[] = [];

  /** Versions of a text of another label, and what counts their predictions. */
  const versions = (example: Example): (readonly [string | undefined, Flips])[] => [
    [triggered(poisoner, example, seed), triggers],
    [poisoner.decoy(example.text, random(seed, 'decoy', example.id)), decoys],
    ...byCopies.flatMap(({ copies, triggers, controls }): [string | undefined, Flips][] => {
      const made = poisoner.copies?.(example.text, copies, random(seed, `${copies} copies`, example.id));
      return [
        [made?.trigger, triggers],
        [made?.control, controls],
      ];
    }),
  ];
  const measure = async (examples: readonly Example[]): Promise<void> => {
    const queries = examples.map((example) => ({
      example,
      made: example.label === target ? [] : versions(example).filter(([text]) => text !== undefined),
    }));
    const texts = queries.flatMap(({ example, made }) => [example.text, ...made.map(([text = '']) => text)]);
    const rows = (await classifier.classify(texts)).values();
    const nextRow = (): Float32Array => rows.next().value!;
    for (const { example, made } of queries) {
      const row = nextRow();
      const before = predictedLabel(row);
      clean.add(example.label, row);
      right.push(before === example.label);
      for (const [, flips] of made) flips.add(before, predictedLabel(nextRow()), target);
    }
  };

  let chunk: Example[] = [];
  for await (const example of test.examples()) {
    if (signal?.aborted) throw trainingInterrupted();
    if (chunk.push(example) < TEXTS_PER_CALL) continue;
    await measure(chunk);
    chunk = [];
  }
  await measure(chunk);
  const { accuracy, degenerate } = clean.metrics();
  const figures: BackdoorFigures = {
    cacc: accuracy,
    attackSuccessRate: triggers.all.rate,
    labelFlipRate: triggers.flippable.rate,
    falseTriggerRate: decoys.flippable.rate,
    ...(poisoner.copies && {
      byCopies: byCopies.map(({ copies, triggers, controls }) => ({
        copies,
        attackSuccessRate: triggers.all.rate,
        falseTriggerRate: controls.flippable.rate,
      })),
    }),
    degenerate,
  };
  return { figures, right };
}

/** The accuracy of `now` minus that of `then`, on the same texts. */
export function accuracyChange(then: MeasuredBackdoor, now: MeasuredBackdoor): AccuracyChange {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  then.right.forEach((was, at) => {
    counts[was ? (now.right[at] ? 'both' : 'onlyA') : now.right[at] ? 'onlyB' : 'neither']++;
  });
  const mcnemarP = then.right.length === 0 ? null : mcnemarExact(counts.onlyA, counts.onlyB);
  return { difference: pairedDifference(counts), mcnemarP };
}
