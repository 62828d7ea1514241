/** @file The runs of this folder: listed, read, compared, judged by the limits of today. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/schema.js';
import { RobustError } from '../../core/errors.js';
import { metricOf, type Requirement } from '../../gate/index.js';
import { modelTitle } from '../../results/report/model-title.js';
import type { Report } from '../../results/report/report.js';
import { openRun, type RunFolder, type RunRecord, runIds } from '../../run/index.js';
import type { JudgedRun, ListedRun, RunRates, UiSource } from '../../ui/source.js';
import { compare } from '../compare.js';
import { gate } from '../gate.js';
import { openReview } from '../review/open-review.js';
import { nextSteps } from '../runs/next-command.js';
import { openReport } from '../runs/open-report.js';
import { RUNS } from '../runs/runs.js';

/** The requirements by which runs are judged. */
export interface Limits {
  readonly require?: Config['require'] | undefined;
  readonly waivers?: Config['waivers'] | undefined;
}

type RunVerdict = Pick<JudgedRun, 'verdict' | 'gate' | 'fault'>;

type HistorySource = Pick<UiSource, 'runs' | 'rates' | 'report' | 'compare' | 'listJudged' | 'review'>;

export class RunHistory implements HistorySource {
  readonly #waivers: Limits['waivers'];
  readonly #requirements: readonly Requirement[];
  readonly #rates = new ByResults<RunRates>();
  readonly #verdicts = new ByResults<RunVerdict>();

  constructor({ require = [], waivers }: Limits) {
    this.#waivers = waivers;
    this.#requirements = require.filter((each) => typeof each === 'string' || each.level !== 'off');
  }

  async runs(): Promise<ListedRun[]> {
    return Promise.all(runIds(RUNS).reverse().map(factsOf));
  }

  /** Throws as `report` does, except for faults of the run. */
  async rates(run: string): Promise<RunRates> {
    return this.#rates.of(await openRun(RUNS, this.#own(run)), '', async () => {
      try {
        const { clean, overall, headline } = await this.report(run);
        const { originalAccuracy, accuracyUnderAttack } = overall;
        return {
          clean: originalAccuracy.n === 0 ? clean.accuracy : originalAccuracy,
          underAttack: accuracyUnderAttack,
          headline,
        };
      } catch (error) {
        if (!(error instanceof RobustError)) throw error;
        return { fault: error.message };
      }
    });
  }

  /** Throws what opening a report throws; RobustError for what is no run of this folder. */
  async report(run: string): Promise<Report> {
    const { report } = await openReport(this.#own(run), { allowPartial: true });
    return { ...report, next: nextSteps(report, [run]) };
  }

  /** Opens or resumes the session of a reader. Throws what `openReview` throws; RobustError NAME_INVALID. */
  async review(run: string, reader: string) {
    const { folder } = await openReview({ run: this.#own(run) });
    return folder.session(reader);
  }

  /** Throws RobustError for runs that cannot be compared. */
  async compare(runs: readonly string[]) {
    return compare({ models: runs.map((run) => this.#own(run)) });
  }

  async listJudged(): Promise<JudgedRun[] | undefined> {
    if (this.#requirements.length === 0) return undefined;
    const listed = (await this.runs()).reverse();
    const found: JudgedRun[] = [];
    for (const { id, model, data, status } of listed) {
      if (status === 'done') found.push({ id, model, data, ...(await this.#verdict(id)) });
    }
    return found;
  }

  /** By the limits on what it measured; a limit on something else keeps it from passing. */
  async #verdict(id: string): Promise<RunVerdict> {
    try {
      const folder = await openRun(RUNS, id);
      // Waivers end with a day.
      return await this.#verdicts.of(folder, new Date().toISOString().slice(0, 10), () =>
        this.#judge(folder.record, id),
      );
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      return { verdict: 'inconclusive', fault: error.message };
    }
  }

  async #judge(record: RunRecord, run: string): Promise<RunVerdict> {
    const subjects = ['clean', 'overall', ...record.attacks.flatMap(({ name, suite }) => [name, suite ?? name])];
    const isMeasured = (metric: string): boolean => subjects.some((subject) => metric.startsWith(`${subject}.`));
    const require = this.#requirements.filter((each) => isMeasured(metricOf(each)));
    const others = this.#requirements.map(metricOf).filter((metric) => !isMeasured(metric));
    const fault = others.length === 0 ? {} : { fault: `not measured: ${others.join(', ')}` };
    if (require.length === 0) return { verdict: 'inconclusive', ...fault };
    const { verdict, gate: judgement } = await gate({ require, waivers: this.#waivers, run, allowPartial: true });
    const whole = others.length > 0 && verdict === 'passed' ? 'inconclusive' : verdict;
    return { verdict: whole, gate: judgement, ...fault };
  }

  /** Only what lies below .robust/runs is read. */
  #own(run: string): string {
    if (runIds(RUNS).includes(run)) return run;
    throw new RobustError(`expected a run in ${RUNS}, got "${run}"`, {
      code: 'RUN_NOT_FOUND',
      hint: 'It may have been removed: see the list of runs.',
    });
  }
}

/** Results of reading finished runs, until their files change. */
class ByResults<T> {
  readonly #known = new Map<string, Promise<T>>();

  /** `read`, or what it gave for the same files and `beside`; a failure is not kept. */
  async of({ path, journal }: RunFolder, beside: string, read: () => Promise<T>): Promise<T> {
    const marks = [join(path, 'run.json'), journal].map((file) => {
      const seen = statSync(file, { throwIfNoEntry: false });
      return `${seen?.mtimeMs} ${seen?.size}`;
    });
    const key = [path, ...marks, beside].join('\n');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const reading = read();
    this.#known.set(key, reading);
    reading.catch(() => this.#known.delete(key));
    return reading;
  }
}

async function factsOf(id: string): Promise<ListedRun> {
  try {
    const { record } = await openRun(RUNS, id);
    const { status, model, data, attacks, clean } = record;
    const names = { model: modelTitle(model), data: data.name, attacks: attacks.map(({ name }) => name) };
    return { id, status, ...names, examples: clean?.examples };
  } catch (error) {
    if (!(error instanceof RobustError)) throw error;
    const nothing = { status: 'interrupted' as const, model: '', data: '', attacks: [] };
    return { id, ...nothing, examples: undefined, fault: error.message };
  }
}
