/** @file What attack, gate and compare share: from flags to a finished run, interruptible and with progress. */
import type { Interfaces } from '@oclif/core';
import type { Report } from '../../core/report.js';
import type { PlannedAttack, RunFolder } from '../../run/index.js';
import { type attackFlags, SETTINGS } from './attack-flags.js';
import type { Attacked } from './attacked.js';
import { BaseCommand } from './base-command.js';
import { shardOf } from './shard-flag.js';
import { versions } from './versions.js';

export type AttackChoice = Interfaces.InferredFlags<typeof attackFlags>;

export interface How {
  /** Goes on with this run instead of a new one. */
  readonly resumed?: RunFolder;
  /** The command that goes on with an interrupted run. */
  again(run: string): string;
  /** Of the attacks that the flags choose, those with these labels. */
  readonly only?: readonly string[] | undefined;
  /** Weigh the words of the most telling texts, before and after. */
  readonly explain?: boolean;
  /** Refuses attacks before anything is loaded. */
  check?(attacks: readonly PlannedAttack[]): void;
}

export abstract class AttackingCommand extends BaseCommand {
  /** Carries out what the flags say; the report has this command's warnings, and what a defence is worth. */
  protected async attacked(choice: AttackChoice, how: How): Promise<{ report: Report; folder: RunFolder }> {
    const done = await this.attackedOpen(choice, how);
    const { model, folder, classifier } = done;
    let { report } = done;
    try {
      if (how.explain) {
        const { explainTelling } = await import('./explain-telling.js');
        report = { ...report, explanations: await explainTelling(report, model, classifier) };
      }
      if (report.model.defence !== undefined) report = { ...report, undefended: await this.#undefended(choice, done) };
    } finally {
      // Closing may have something to say that belongs into the report.
      await model.close();
    }
    return { report: { ...report, warnings: [...new Set([...report.warnings, ...this.warnings])] }, folder };
  }

  /** As `attacked`, but the model is left open, for the caller to close. */
  protected async attackedOpen(flags: AttackChoice, how: How): Promise<Attacked> {
    const [{ attacked }, { chooseAttacks }] = await Promise.all([
      import('./attacked.js'),
      import('./choose-attacks.js'),
    ]);
    const { attack, constraints, mlm, offline } = flags;
    const suite = flags.suite ?? (attack === undefined ? ['typos'] : undefined);
    // As a number, so that whoever resumes or replays it needs no job array.
    const which = flags.shard === undefined ? undefined : shardOf(flags.shard, process.env);
    const shard = which && `${which.index}/${which.count}`;
    const { only } = how;
    // Whoever resumes or replays a part of the suites must be told which.
    const choice = { ...flags, ...(only ? { suite: undefined, attack: [...only] } : { suite }), shard };
    const all = await chooseAttacks(suite ?? [], attack ?? [], { constraints, mlm }, await this.patience());
    how.check?.(all);
    const chosen = all.filter(({ label }) => only?.includes(label) ?? true);
    const means = {
      loading: (spec: string) => this.loadOptions(spec, offline),
      toolVersion: this.config.version,
      made: {
        config: this.settingsFile?.file ?? null,
        origins: Object.fromEntries(SETTINGS.map((name) => [name, this.originOf(name)])),
        versions: versions(),
      },
      ...(how.resumed && { resumed: how.resumed }),
    };
    let run = how.resumed?.id;
    const again = (): string => (run === undefined ? 'the same command' : how.again(run));
    const done = await this.interruptible(again, !choice['no-progress'], (hooks) =>
      attacked(choice, chosen, means, {
        ...hooks,
        began: (folder, { model, dataset, attacks }) => {
          run = folder.id;
          this.note(`${model.name} on ${dataset.name}: ${attacks.map(({ label }) => label).join(', ')}`);
        },
      }),
    );
    const { computed, batches, meanBatch, secondsBusy } = done.model.figures();
    this.detail(
      `${computed} texts computed in ${batches} batches of ${meanBatch.toFixed(1)}, ${secondsBusy.toFixed(1)} s of model time`,
    );
    return done;
  }

  /** The same attacks on the model without its defence. */
  async #undefended(choice: AttackChoice, { folder, classifier, report }: Attacked) {
    const { comparisonReport } = await import('./comparison-report.js');
    const bare = await this.attackedOpen(
      { ...choice, defend: undefined },
      { only: attacksOf(folder), again: () => `robust attack --resume ${folder.id}` },
    );
    try {
      const contenders = [bare, { folder, classifier }].map((each) => ({
        ...each,
        name: each.folder.record.model.name,
      }));
      return await comparisonReport(contenders, { toolVersion: this.config.version, command: report.command });
    } finally {
      await bare.model.close();
    }
  }
}

/** The attacks of a run that had to leave some out: no other needs those. Undefined where it left out nothing. */
export const attacksOf = ({ record: { attacks, leftOut } }: RunFolder): string[] | undefined =>
  leftOut && attacks.map(({ name }) => name);
