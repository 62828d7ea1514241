/** @file The run that the page starts: one at a time, followed by any number of pages, stopped by any of them. */
import { bundledDatasets } from '../../../datasets/index.js';
import type { Values } from '../../config/setting.js';
import { type uiSettings, victimSettings } from '../../config/settings/index.js';
import { defined } from '../../core/defined.js';
import { messageOf, RobustError } from '../../core/errors.js';
import { percent } from '../../core/figure-text.js';
import type { RunQuestion, StartedRun, UiSource } from '../../ui/source.js';
import { attack } from '../attack.js';
import type { Context } from '../context.js';
import { clock, GUESS, type Progress, tellsRates } from '../progress.js';

type UiChoice = Values<typeof uiSettings>;

export class RunStarter implements Pick<UiSource, 'data' | 'start' | 'current' | 'follow' | 'stop'> {
  readonly data: readonly string[];
  readonly #choice: UiChoice;
  readonly #context: Context;
  readonly #followers = new Set<() => void>();
  #ending = new AbortController();
  #state: StartedRun | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(choice: UiChoice, context: Context) {
    // Runs of the page are of labels.
    const bundled = bundledDatasets().flatMap(({ name, tags }) => (tags ? [] : [name]));
    const preset = victimSettings.data.schema.parse(undefined);
    this.data = [...new Set([...choice.data, preset, ...bundled])];
    this.#choice = choice;
    this.#context = context;
  }

  current(): StartedRun | undefined {
    return this.#state;
  }

  /** Throws RobustError for what the page does not offer, and while another run is under way. */
  start(question: RunQuestion): void {
    if (this.#state?.status === 'running') {
      throw new RobustError('a run is under way', { code: 'RUN_TAKEN', hint: 'Wait until it ends, or stop it.' });
    }
    if (!this.data.includes(question.data))
      throw new RobustError(`expected one of the data sets of this page, got "${question.data}"`, {
        code: 'DATA_NOT_FOUND',
        hint: `Start it with robust ui -d ${question.data || 'FILE'}, or choose from ${this.data.join(', ')}.`,
      });
    if (question.suites.length + question.attacks.length === 0)
      throw new RobustError('expected a suite or an attack, got none', {
        code: 'FLAG_INVALID',
        hint: 'Choose at least one.',
      });
    this.#ending = new AbortController();
    this.#state = { question, status: 'running', words: 'Loading the model and the data …' };
    this.#ended = this.#run(question);
  }

  stop(): void {
    this.#ending.abort();
  }

  /** Calls `changed` with each new state, until the run has ended or `signal` is aborted. */
  follow(changed: (state: StartedRun) => void, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const notify = (): void => {
        if (this.#state !== undefined) changed(this.#state);
        if (this.#state?.status === 'running' && !signal.aborted) return;
        this.#followers.delete(notify);
        resolve();
      };
      this.#followers.add(notify);
      signal.addEventListener('abort', notify);
      notify();
    });
  }

  /** Stops the run; what it has found is kept. */
  async close(): Promise<void> {
    this.stop();
    await this.#ended;
  }

  #change(change: Partial<StartedRun>): void {
    if (this.#state === undefined) return;
    this.#state = { ...this.#state, ...change };
    for (const notify of [...this.#followers]) notify();
  }

  async #run({ model, data, suites, attacks, examples, seed }: RunQuestion): Promise<void> {
    const { model: named, data: _, port, open, textColumns, ...settings } = this.#choice;
    const own = named.includes(model) ? settings : { ...settings, ...UNDECIDED };
    const { hub, remote, watch, onDetail, onWarning } = this.#context.hooks;
    const hooks = { hub, remote, ...defined({ watch, onDetail, onWarning }) };
    try {
      const report = await attack({
        ...hooks,
        ...own,
        model,
        data,
        numExamples: examples,
        seed,
        ...(suites.length > 0 && { suites }),
        ...(attacks.length > 0 && { attacks }),
        signal: this.#ending.signal,
        onRun: (run) => this.#change({ run }),
        onProgress: (now) => this.#change(progressOf(now)),
      });
      this.#change({ status: 'done', run: report.run, words: 'Done.' });
    } catch (error) {
      if (!(error instanceof RobustError)) this.#context.hooks.onDetail?.(String((error as Error).stack));
      this.#change(this.#ending.signal.aborted ? STOPPED : { status: 'failed', words: wordsOf(error) });
    }
  }
}

const STOPPED = {
  status: 'stopped',
  words: 'Stopped. Its outcomes are kept: robust attack --resume latest continues it.',
} as const;

function wordsOf(error: unknown): string {
  const message = messageOf(error);
  return error instanceof RobustError && error.hint !== undefined ? `${message}. ${error.hint}` : message;
}

/** How a model that was not named at the start decides: as its folder says. */
const UNDECIDED = {
  task: undefined,
  delta: undefined,
  positive: undefined,
  threshold: undefined,
  positiveScore: undefined,
  calibration: undefined,
} as const;

/** `120 of 800 searches, 63.0 % flipped so far, 0:12 left`. */
function progressOf(now: Progress): Pick<StartedRun, 'words' | 'share'> {
  if (!('stage' in now)) return { words: now.words };
  const { stage, done, total, resumed, succeeded, attacked, seconds, attack: name } = now;
  const share = total === undefined || total === 0 ? undefined : done / total;
  const rate = (done - resumed) / Math.max(seconds, 1e-3);
  const parts = [
    `${done}${total === undefined ? '' : ` of ${total}`} ${stage === 'clean' ? 'examples classified' : 'searches'}`,
    ...(attacked > 0 && tellsRates(now) ? [`${percent(succeeded / attacked)} flipped so far`] : []),
    ...(total !== undefined && rate > 0 && done >= GUESS * total ? [`${clock((total - done) / rate)} left`] : []),
    ...(name === undefined ? [] : [`latest: ${name}`]),
  ];
  return { words: parts.join(', '), share };
}
