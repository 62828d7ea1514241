/** @file The runs of this folder: listed, read, compared, judged by the limits of today. */
import type { Config } from '../../config/schema.js';
import { RobustError } from '../../core/errors.js';
import type { Report } from '../../core/report.js';
import { openRun, type RunFolder, type RunRecord, runIds } from '../../run/index.js';
import type { JudgedRun, ListedRun, UiSource } from '../../ui/source.js';
import { compare } from '../compare.js';
import { gate } from '../gate.js';
import { openReport } from '../runs/open-report.js';
import { RUNS } from '../runs/runs.js';

/** What runs are judged by. */
export interface Limits {
  readonly thresholds?: Config['thresholds'] | undefined;
  readonly waivers?: Config['waivers'] | undefined;
}

export class RunHistory implements Pick<UiSource, 'runs' | 'report' | 'compare' | 'judged'> {
  readonly #limits: Limits;
  /** Of finished runs, which do not change: what was read of each, by the hash of its results. */
  readonly #rates = new Map<string, Promise<ListedRun['rates']>>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async runs(): Promise<ListedRun[]> {
    return Promise.all(
      runIds(RUNS)
        .reverse()
        .map((id) => this.#listed(id)),
    );
  }

  /** Throws what opening a report throws; UsageError for what is no run of this folder. */
  async report(run: string): Promise<Report> {
    return (await openReport(this.#own(run), { allowPartial: true })).report;
  }

  /** Throws UsageError for runs that cannot be compared. */
  async compare(runs: readonly string[]) {
    return compare({ models: runs.map((run) => this.#own(run)) });
  }

  async judged(): Promise<JudgedRun[] | undefined> {
    const { thresholds } = this.#limits;
    if (thresholds === undefined || Object.keys(thresholds).length === 0) return undefined;
    const listed = (await this.runs()).reverse();
    const found: JudgedRun[] = [];
    for (const { id, model, data, status } of listed) {
      if (status === 'done') found.push({ id, model, data, ...(await this.#verdict(id)) });
    }
    return found;
  }

  /** By the limits on what it measured; a limit on something else keeps it from passing. */
  async #verdict(id: string): Promise<Pick<JudgedRun, 'verdict' | 'gate' | 'fault'>> {
    const { thresholds = {}, waivers } = this.#limits;
    try {
      const { record } = await openRun(RUNS, id);
      const subjects = ['clean', 'overall', ...record.attacks.flatMap(({ name, suite }) => [name, suite ?? name])];
      const measured = (metric: string): boolean => subjects.some((subject) => metric.startsWith(`${subject}.`));
      const limits = Object.fromEntries(Object.entries(thresholds).filter(([metric]) => measured(metric)));
      const others = Object.keys(thresholds).filter((metric) => !measured(metric));
      const fault = others.length === 0 ? {} : { fault: `not measured: ${others.join(', ')}` };
      if (Object.keys(limits).length === 0) return { verdict: 'inconclusive', ...fault };
      const { verdict, gate: judgement } = await gate({ thresholds: limits, waivers, run: id, allowPartial: true });
      const whole = others.length > 0 && verdict === 'passed' ? 'inconclusive' : verdict;
      return { verdict: whole, ...(judgement && { gate: judgement }), ...fault };
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      return { verdict: 'inconclusive', fault: error.message };
    }
  }

  /** Only what lies below .robust/runs is read. */
  #own(run: string): string {
    if (runIds(RUNS).includes(run)) return run;
    throw new RobustError(`expected a run in ${RUNS}, got "${run}"`, {
      code: 'RUN_NOT_FOUND',
      hint: 'It may have been removed: see the list of runs.',
    });
  }

  async #listed(id: string): Promise<ListedRun> {
    try {
      const folder = await openRun(RUNS, id);
      const { record } = folder;
      const rates = record.status === 'done' ? await this.#ratesOf(folder) : undefined;
      return { ...factsOf(record), ...(rates && { rates }) };
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      const nothing = { status: 'interrupted' as const, model: '', data: '', attacks: [] };
      return { id, ...nothing, examples: undefined, fault: error.message };
    }
  }

  #ratesOf(folder: RunFolder): Promise<ListedRun['rates']> {
    const { run, resultsSha256 = '' } = folder.record;
    const key = `${run} ${resultsSha256}`;
    const known = this.#rates.get(key);
    if (known !== undefined) return known;
    const reading = openReport(run, { allowPartial: true }).then(({ report: { clean, overall } }) => ({
      clean: clean.accuracy,
      underAttack: overall.accuracyUnderAttack,
      success: overall.attackSuccessRate,
    }));
    this.#rates.set(key, reading);
    reading.catch(() => this.#rates.delete(key));
    return reading;
  }
}

const factsOf = ({ run, status, model, data, attacks, clean }: RunRecord): ListedRun => ({
  id: run,
  status,
  model: model.name,
  data: data.name,
  attacks: attacks.map(({ name }) => name),
  examples: clean?.examples,
});
