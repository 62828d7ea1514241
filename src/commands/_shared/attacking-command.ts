/** @file What attack and gate share: from flags to a finished run. */
import type { Interfaces } from '@oclif/core';
import type { Report } from '../../core/types.js';
import type { OpenWhiteBox } from '../../gradient/white-box.js';
import type { PlannedAttack, RunFolder } from '../../run/index.js';
import { type attackFlags, SETTINGS } from './attack-flags.js';
import { BaseCommand } from './base-command.js';
import type { Guessers } from './fill-masks.js';
import { settingsOf } from './replay.js';
import { RUNS } from './runs.js';

export type AttackChoice = Interfaces.InferredFlags<typeof attackFlags>;

export interface How {
  /** Goes on with this run instead of a new one. */
  readonly resumed?: RunFolder;
  /** The command that goes on with an interrupted run. */
  again(run: string): string;
  /** Refuses attacks before anything is loaded. */
  check?(attacks: readonly PlannedAttack[]): void;
}

export abstract class AttackingCommand extends BaseCommand {
  /** Carries out what the flags say; the report has this command's warnings. */
  protected async attacked(choice: AttackChoice, how: How): Promise<{ report: Report; folder: RunFolder }> {
    const [engine, { chooseAttacks }, { openGuessers }, { planOf }, { openVictim }] = await Promise.all([
      import('../../run/index.js'),
      import('./choose-attacks.js'),
      import('./fill-masks.js'),
      import('./attack-plan.js'),
      import('./victim.js'),
    ]);
    const { attack, constraints, mlm, offline, workers } = choice;
    const suite = choice.suite ?? (attack === undefined ? ['typos'] : undefined);
    const chosen = await chooseAttacks(suite ?? [], attack ?? [], { constraints, mlm });
    how.check?.(chosen);
    const progress = !choice['no-progress'];
    const loading = await this.loadOptions(choice.model, offline);
    const victim = await this.showing(progress, () => openVictim(choice, loading));
    const { model, dataset } = victim;
    const settings = settingsOf({ ...choice, suite, model: model.pinned ?? choice.model }, SETTINGS);
    let inside: OpenWhiteBox | undefined;
    let guessers: Guessers | undefined;
    try {
      const speed = workers === undefined ? {} : { workers };
      guessers = await openGuessers(chosen, async (spec) => ({ ...(await this.loadOptions(spec, offline)), ...speed }));
      const { attacks } = guessers;
      if (attacks.some(engine.needsGradients)) {
        const { openWhiteBox } = await import('../../gradient/white-box.js');
        inside = await openWhiteBox(model, { engine: choice.engine === 'tfjs' ? 'tfjs' : 'onnx' });
      }
      const plan = planOf(choice, settings, attacks, victim, inside, this.config.version);
      const folder = how.resumed ?? (await engine.createRun(RUNS, plan));
      const report = await this.interruptible(how.again(folder.id), progress, (hooks) => {
        this.note(`${plan.model.name} on ${dataset.name}: ${attacks.map(({ label }) => label).join(', ')}`);
        return engine.attack(plan, folder, hooks);
      });
      const { computed, batches, meanBatch, secondsBusy } = model.figures();
      this.detail(
        `${computed} texts computed in ${batches} batches of ${meanBatch.toFixed(1)}, ${secondsBusy.toFixed(1)} s of model time`,
      );
      // Closing may have something to say that belongs into the report.
      await model.close();
      return { report: { ...report, warnings: [...new Set([...report.warnings, ...this.warnings])] }, folder };
    } finally {
      await inside?.close();
      await guessers?.close();
      await model.close();
    }
  }
}
