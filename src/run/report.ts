/** @file From a finished run folder to its report, in one streaming pass over the journal. */
import { UsageError } from '../core/errors.js';
import { wilson } from '../core/stats.js';
import type { AttackMetrics, Outcome, Report } from '../core/types.js';
import type { RunFolder } from './folder.js';
import { entriesOf } from './journal.js';
import { attackFold } from './metrics.js';
import { Telling } from './telling.js';

/** Reads a finished run. Throws UsageError RUN_UNFINISHED for one that is not. */
export async function readReport(folder: RunFolder): Promise<Report> {
  const { record } = folder;
  if (record.status !== 'done' || record.clean === undefined) {
    throw new UsageError(`expected a finished run, but ${folder.id} was left before its end`, {
      code: 'RUN_UNFINISHED',
      hint: `Finish it with: robust attack --resume ${folder.id}`,
    });
  }
  const folds = new Map(record.attacks.map(({ name }) => [name, attackFold(record.model.labels)]));
  const overall = new Overall(record.clean.examples);
  const telling = new Telling();
  for await (const { index, outcome } of entriesOf(folder.journal)) {
    folds.get(outcome.attack)?.add(outcome);
    overall.add(index, outcome);
    telling.add(outcome);
  }
  const attacks = record.attacks.map(
    (attack): AttackMetrics => ({
      ...attack,
      ...(folds.get(attack.name) as ReturnType<typeof attackFold>).metrics(),
      seconds: record.seconds.attacks[attack.name] ?? 0,
    }),
  );
  const errored = attacks.filter((attack) => attack.errored > 0);
  return {
    model: record.model,
    data: { name: record.data.name, sha256: record.data.sha256, examples: record.clean.examples },
    seed: record.seed,
    engine: record.engine,
    toolVersion: record.toolVersion,
    clean: record.clean.metrics,
    attacks,
    overall: overall.rates(),
    examples: { [Symbol.asyncIterator]: () => outcomesOf(folder.journal) },
    telling: telling.list,
    warnings: [
      ...record.warnings,
      ...errored.map((attack) => `${attack.name}: ${attack.errored} of ${tried(attack)} examples errored`),
    ],
    verdict: errored.some((attack) => attack.errored > record.maxErrorRate * tried(attack)) ? 'inconclusive' : 'none',
    run: record.run,
    command: record.command,
  };
}

/** Examples an attack was tried on: those the model got right. */
const tried = ({ succeeded, failed, errored }: AttackMetrics): number => succeeded + failed + errored;

async function* outcomesOf(journal: string): AsyncGenerator<Outcome> {
  for await (const { outcome } of entriesOf(journal)) yield outcome;
}

/**
 * All attacks together: an example is broken when any attack broke it, and holds when every attack tried failed. One
 * that errored under some attack and was broken by none could not be judged, and is in neither.
 */
class Overall {
  static readonly #BIT = { skipped: 1, failed: 2, errored: 4, succeeded: 8 } as const;
  /** One byte per example: which statuses it was given. */
  readonly #seen: Uint8Array;

  constructor(examples: number) {
    this.#seen = new Uint8Array(examples);
  }

  add(index: number, { status }: Outcome): void {
    this.#seen[index] = (this.#seen[index] as number) | Overall.#BIT[status];
  }

  rates(): Report['overall'] {
    const { skipped, failed, errored, succeeded } = Overall.#BIT;
    let broken = 0;
    let held = 0;
    let wrong = 0;
    for (const seen of this.#seen) {
      if (seen & succeeded) broken++;
      else if (seen & errored) continue;
      else if (seen & failed) held++;
      else if (seen & skipped) wrong++;
    }
    return {
      attackSuccessRate: wilson(broken, broken + held),
      accuracyUnderAttack: wilson(held, broken + held + wrong),
    };
  }
}
