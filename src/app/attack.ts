/** @file Attack a classifier: the run, its explanations, and the comparison with the model without its defence. */
import { isDeepStrictEqual } from 'node:util';
import type { GivenValues } from '../config/setting.js';
import { attackSettings } from '../config/settings/index.js';
import type { Classifier } from '../core/classifier.js';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { LoadedModel } from '../model/load.js';
import type { Report } from '../results/report/report.js';
import { nameLatest, openRun, type PlannedAttack, type RunFolder } from '../run/index.js';
import { isUnbounded } from '../tasks/words.js';
import { chooseAttacks } from './attacks/choose-attacks.js';
import { quote, recordOf } from './command-line.js';
import { Context, givenOf, type UseCaseHooks, withDefaults } from './context.js';
import { stopwatch } from './progress.js';
import type { FleetChoice } from './queue/coordinate.js';
import { type AttackChoice, attackList } from './runs/attack-plan.js';
import { comparisonReport } from './runs/comparison-report.js';
import { reachingSettings, recordedSettings, sealFor } from './runs/recorded-settings.js';
import { type AttackedRun, runAttacks } from './runs/run-attacks.js';
import { RUNS } from './runs/runs.js';
import { versions } from './runs/versions.js';

export interface AttackOptions extends GivenValues<typeof attackSettings>, UseCaseHooks {
  /** Weigh the words of the adversarial texts with fewest changes, before and after. @default false */
  readonly explain?: boolean | undefined;
  /** Resume this run, by id or folder, or the "latest"; settings that are not given stay as they were. */
  readonly resume?: string | undefined;
  /** Find adversarial texts on this model, and query `model` with each once. */
  readonly surrogate?: string | undefined;
  /** Have the workers on this queue compute the run: redis://host:port. `store`: where they find large files. */
  readonly queue?: string | undefined;
  readonly store?: string | undefined;
}

/**
 * Attacks a classifier and keeps the run in .robust/runs, from where it can be resumed, reported and judged. Throws RobustError,
 * ModelError, OutputError, and RobustError INTERRUPTED once `signal` is aborted; after all but the first four a run can be resumed.
 */
export async function attack(options: AttackOptions = {}): Promise<Report> {
  const { explain = false, resume, surrogate, queue, store, ...given } = options;
  const resumed = resume === undefined ? undefined : await openRun(RUNS, resume);
  const named = givenOf(attackSettings, given);
  const settled = resumed
    ? await recordedSettings(attackSettings, resumed.record, named, {
        what: `run ${resumed.id}`,
        again: `attack --resume ${quote(must(resume))}`,
      })
    : given;
  const choice = withDefaults(attackSettings, settled);
  const context = new Context(options, choice);
  const transferred = surrogate !== undefined && !resumed;
  const report = await attackAndReport(transferred ? await madeOn(surrogate, choice, context) : choice, context, {
    resumed,
    explain,
    fleet: queue === undefined ? undefined : { queue, store },
  });
  if (resumed) await takeOver(resumed, named);
  return report;
}

/** Signs a resumed run as this user's own if the command line named all the code and addresses that it uses. */
async function takeOver(run: RunFolder, given: GivenValues<typeof attackSettings>): Promise<void> {
  const { settings } = run.record;
  const reaching = Object.entries(reachingSettings(attackSettings, settings));
  const now = recordOf(attackSettings, given);
  if (reaching.length === 0 || !reaching.every(([flag, value]) => isDeepStrictEqual(now[flag], value))) return;
  run.update(await sealFor(attackSettings, settings));
}

/** The choice that asks the texts that a surrogate falls for under the attacks chosen. */
async function madeOn(surrogate: string, choice: AttackChoice, context: Context): Promise<AttackChoice> {
  const asked = { prompt: undefined, answers: undefined };
  const unset = { ...asked, headers: undefined, labels: undefined, price: undefined, defend: undefined };
  const access = { ...choice, ...unset, model: surrogate };
  // Its run is no part of the one that is reported, and not the one to resume.
  const hooks = { ...context.hooks, onRun() {} };
  const { folder, report } = await new Context(hooks, access).scope((scope) => attackModel(access, scope));
  const { transferred } = await import('./attacks/surrogate.js');
  return transferred(choice, surrogate, { path: folder.path, report });
}

export interface AttackExtras {
  /** Resumes this run instead of beginning a new one. */
  readonly resumed?: RunFolder | undefined;
  /** Only the chosen attacks with these labels. */
  readonly only?: readonly string[] | undefined;
  readonly explain?: boolean;
  /** Has others compute it. */
  readonly fleet?: FleetChoice | undefined;
  /** Refuses a run whose model is known, before its first attack. */
  accepts?(run: RunFolder): void;
  /** Refuses attacks before anything is loaded. */
  check?(attacks: readonly PlannedAttack[]): void;
}

/** The report with the caller's warnings, and what a defence is worth. */
export async function attackAndReport(
  choice: AttackChoice,
  context: Context,
  extras: AttackExtras = {},
): Promise<Report> {
  // Closing the model may add a warning that belongs into the report.
  const report = await context.scope(async (scope) => {
    const done = await attackModel(choice, scope, extras);
    const { report } = done;
    return {
      ...report,
      ...(extras.explain && (await explanationsOf(done, scope))),
      ...(report.model.defence !== undefined && {
        undefended: await scope.scope((bare) => undefended(choice, bare, done, extras.fleet)),
      }),
    };
  });
  return { ...report, warnings: [...new Set([...report.warnings, ...context.warnings])] };
}

async function explanationsOf(
  { report, model, classifier }: AttackedRun,
  context: Context,
): Promise<Pick<Report, 'explanations'>> {
  if (unexplained(report)) {
    context.warn(
      '--explain: weights are of the score of a label, and of a text that is read alone and at once: left out',
    );
    return {};
  }
  const { explainClosest } = await import('./explanation/explain-closest.js');
  return { explanations: await explainClosest(report, model, stoppable(classifier, context.hooks.signal)) };
}

/** Asks nothing more once it was stopped. Throws RobustError INTERRUPTED. */
const stoppable = (classifier: Classifier, signal: AbortSignal | undefined): Classifier => ({
  ...classifier,
  async classify(texts) {
    if (signal?.aborted) throw new RobustError('the explanations were stopped', { code: 'INTERRUPTED' });
    return classifier.classify(texts);
  },
});

/** Explanations know neither windows nor numbers. */
const unexplained = ({ model }: Report): boolean =>
  isUnbounded(model.decision?.kind) || model.output?.windows !== undefined;

/** Opens what a choice of attacks names, plans the run and carries it out; the model stays open until the context is closed. */
export async function attackModel(
  given: AttackChoice,
  context: Context,
  { resumed, only, check, accepts, fleet }: AttackExtras = {},
): Promise<AttackedRun> {
  const { hooks } = context;
  const list = attackList(given);
  const all = await chooseAttacks(list.suites ?? [], list.attacks ?? [], list, context.patience);
  check?.(all);
  const chosen = all.filter(({ label }) => only?.includes(label) ?? true);
  // A part of the suites is resumed and replayed by the names of its attacks.
  const specs = chosen.map(({ label, spec = label }) => spec).filter((spec) => spec !== null);
  const choice = { ...given, ...(only ? { suites: undefined, attacks: specs } : { suites: list.suites }) };
  const { config = null, origins = {}, overrides = [] } = hooks.made ?? {};
  const seconds = stopwatch();
  const done = await runAttacks(choice, chosen, context, {
    elsewhere:
      fleet &&
      (async (...opened) => (await import('./queue/coordinate.js')).onFleet(fleet, choice, context, ...opened)),
    resumed,
    made: { config, origins, overrides, versions: versions() },
    began: (folder, { model, dataset, attacks }) => {
      accepts?.(folder);
      hooks.onRun?.(folder.id);
      hooks.onNote?.(`${model.name} on ${dataset.name}: ${someOf(attacks.map(({ label }) => label))}`);
    },
  });
  hooks.onDetail?.(modelTime(done.model.figures(), seconds()));
  return done;
}

/** Attacks in the first line of a run. */
const NAMED = 6;

const someOf = (names: readonly string[]): string =>
  names.length <= NAMED
    ? names.join(', ')
    : `${names.slice(0, NAMED - 1).join(', ')} and ${names.length - NAMED + 1} more attacks`;

/** The work of a model in `seconds` of a run, for people. */
export function modelTime(
  { computed, batches, meanBatch, secondsBusy, secondsProcessor, workers }: ReturnType<LoadedModel['figures']>,
  seconds: number,
): string {
  const share = Math.round((100 * secondsBusy) / Math.max(1e-9, seconds * Math.max(1, workers)));
  const computing = `its ${workers === 1 ? 'worker was' : `${workers} workers were`} busy ${share} % of ${seconds.toFixed(1)} s`;
  const processor = secondsProcessor === undefined ? '' : `, ${secondsProcessor.toFixed(1)} s of processor time`;
  return `${quantity(computed, 'text')} computed in ${batches} batches of ${meanBatch.toFixed(1)}${processor}; ${computing}`;
}

/** The same attacks on the model without its defence. */
async function undefended(
  choice: AttackChoice,
  context: Context,
  { folder, classifier, report }: AttackedRun,
  fleet: FleetChoice | undefined,
) {
  const bare = await attackModel({ ...choice, defend: undefined }, context, { only: attacksOf(folder), fleet }).finally(
    () => nameLatest(RUNS, folder.id),
  );
  const contenders = [bare, { folder, classifier }].map((each) => ({ ...each, name: each.folder.record.model.name }));
  return comparisonReport(contenders, { toolVersion: report.toolVersion, command: report.command });
}

/** The attacks of a run that had to leave some out: no other needs those. Undefined where it left out nothing. */
export const attacksOf = ({ record: { attacks, leftOut } }: RunFolder): string[] | undefined =>
  leftOut && attacks.map(({ name }) => name);
