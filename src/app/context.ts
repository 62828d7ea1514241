/** @file Shared by all use cases: hooks of the caller, loading of models, open resources, and options with their defaults. */
import { flagOf, type GivenValues, type Settings, type Values } from '../config/setting.js';
import { ClosingStack, closing } from '../core/closing-stack.js';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { Override } from '../core/override.js';
import { packaged } from '../core/package-root.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../core/patience.js';
import { faultTexts, readBy } from '../core/read-by.js';
import { didYouMean } from '../core/suggest.js';
import { isHubSpec } from '../model/hub/spec.js';
import type { Download, HubOptions, LoadOptions, RemoteAccess } from '../model/load.js';
import { guardOptions } from '../model/opening/guard.js';
import type { OutcomeOf, RunHooks } from '../run/index.js';
import type { DataLoading } from './data/open-data.js';
import type { Progress, WorkProgress } from './progress.js';

/** Options of every use case. */
export interface UseCaseHooks {
  /** Ends the work with a RobustError INTERRUPTED; what is done is kept. */
  readonly signal?: AbortSignal | undefined;
  onProgress?(now: Progress): void;
  /** Called with every outcome of a run of attacks. */
  onOutcome?(outcome: Outcome, of: OutcomeOf): void;
  onDownload?(now: Download): void;
  /** Warnings. Each comes once. */
  onWarning?(message: string): void;
  /** Notes on the progress, for people. */
  /** Work begins that cannot be stopped: signals are to end the process at once. */
  onUnstoppable?(): void;
  onNote?(line: string): void;
  /** For people who want to know more: stacks of unexpected errors, figures of speed. */
  onDetail?(line: string): void;
  /** The id of a run that was begun or resumed. */
  onRun?(id: string): void;
  /** How the Hugging Face Hub is reached; the environment is not read. */
  readonly hub?: HubOptions | undefined;
  /** How long code of the caller's own may take, with somebody who sees a loop that never ends; timers alone without it. */
  watch?(seconds: number): TimeLimit;
  /** How endpoints are reached: variables for secrets, proxies; the environment is not read. */
  readonly remote?: RemoteAccess | undefined;
  /** How the options came about, for the record of a run. */
  readonly made?: {
    readonly config: string | null;
    readonly origins: Readonly<Record<string, string>>;
    readonly overrides?: readonly Override[];
  };
}

export const toolVersion: string = (JSON.parse(packaged('package.json')) as { version: string }).version;

/** The settings of a use case that say how models, data and code of the user's own are reached. */
interface AccessSettings {
  readonly offline?: boolean | undefined;
  readonly isolate?: boolean | undefined;
  readonly workers?: number | undefined;
  readonly timeout?: number | undefined;
  readonly labels?: string | undefined;
  readonly headers?: readonly string[] | undefined;
  readonly prompt?: string | undefined;
  readonly answers?: string | undefined;
  /** Maximum request rate, such as `50/s`. A number is the rate of another setting. */
  readonly rate?: string | number | undefined;
  readonly maxRequests?: number | undefined;
}

/** One call of a use case: its hooks, what it has opened, and the warnings so far. */
export class Context {
  constructor(
    readonly hooks: UseCaseHooks,
    readonly access: AccessSettings = {},
    /** Closed when the use case ends. */
    readonly opened: ClosingStack = new ClosingStack(),
    readonly warnings: string[] = [],
  ) {}

  /** The same call with other hooks or other access. */
  with({ hooks = this.hooks, access = this.access }: { hooks?: UseCaseHooks; access?: AccessSettings }): Context {
    return new Context(hooks, access, this.opened, this.warnings);
  }

  /** Does a part of the work and closes what that opened. */
  scope<T>(work: (context: Context) => Promise<T>): Promise<T> {
    return closing((opened) => work(new Context(this.hooks, this.access, opened, this.warnings)));
  }

  readonly warn = (message: string): void => {
    if (this.warnings.includes(message)) return;
    this.warnings.push(message);
    this.hooks.onWarning?.(message);
  };

  /** How to load a model of that name. */
  readonly loading = (spec: string): LoadOptions => {
    const { onNote, onDetail } = this.hooks;
    const { headers, prompt, rate, maxRequests, labels, workers, answers } = this.access;
    const { isolate = isHubSpec(spec) } = this.access;
    return {
      ...this.data,
      // Models from elsewhere run in a separate process.
      isolate,
      workers,
      labels: labels === undefined ? undefined : labelsOf(labels),
      guard: guardOptions(prompt, answers === undefined ? undefined : labelsOf(answers, '--prompt answers')),
      onNote: (line) => onNote?.(line),
      remote: {
        ...this.hooks.remote,
        headers,
        prompt,
        maxRequests,
        ...(typeof rate === 'string' && { rate }),
        onDetail: (line) => onDetail?.(line),
      },
    };
  };

  /** How to open data. */
  get data(): DataLoading {
    const { hub, onDownload } = this.hooks;
    const offline = this.access.offline === true || hub?.offline === true;
    const reached = { ...hub, offline, ...defined({ onDownload }) };
    return { hub: reached, patience: this.patience, onWarning: this.warn };
  }

  /** How long code of the user's may take. */
  get patience(): TimeLimit {
    const { timeout: seconds = 0 } = this.access;
    return this.hooks.watch?.(seconds) ?? (seconds === 0 ? NO_TIME_LIMIT : { seconds });
  }

  /** As the rooms below take them. */
  get run(): RunHooks & { work(now: WorkProgress): void } {
    const { signal, onProgress, onOutcome, onDetail } = this.hooks;
    return {
      signal,
      progress: (now) => onProgress?.(now),
      outcome: (outcome, of) => onOutcome?.(outcome, of),
      work: (now) => onProgress?.(now),
      warn: this.warn,
      debug: (message) => onDetail?.(message),
    };
  }

  /** Throws RobustError INTERRUPTED once the caller wants to stop. */
  check(what: string): void {
    if (this.hooks.signal?.aborted) throw new RobustError(what, { code: 'INTERRUPTED' });
  }
}

/** Throws RobustError. */
function labelsOf(written: string, flag = '--labels'): string[] {
  const labels = written.split(',').map((label) => label.trim());
  if (labels.length > 1 && labels.every((label, at) => label !== '' && labels.indexOf(label) === at)) return labels;
  throw new RobustError(`${flag}: expected two or more names separated by commas, got "${written}"`, {
    code: 'FLAG_INVALID',
    hint: `For example: ${flag} negative,positive`,
  });
}

const HOOKS: readonly (keyof UseCaseHooks)[] = [
  ...([
    'signal',
    'onProgress',
    'onOutcome',
    'onDownload',
    'onWarning',
    'onNote',
    'onDetail',
    'onRun',
    'onUnstoppable',
  ] as const),
  ...(['watch', 'hub', 'remote', 'made'] as const),
];

/** The options with their defaults. Throws RobustError for a value that does not fit, and for an unknown option. */
export function withDefaults<S extends Settings>(
  settings: S,
  given: GivenValues<S>,
  others: readonly string[] = [],
): Values<S> {
  const known = [...Object.keys(settings), ...others, ...HOOKS];
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new RobustError(`there is no option "${unknown}"`, {
      code: 'OPTION_NOT_FOUND',
      hint: didYouMean(unknown, known),
    });
  const entries = Object.entries(settings).map(([key, { schema }]) => {
    const read = readBy(schema, given[key]);
    if (read.success) return [key, read.data] as const;
    throw new RobustError(faultTexts(read.faults.map((fault) => ({ ...fault, path: [key, ...fault.path] }))), {
      code: 'FLAG_INVALID',
      hint: `It is what --${flagOf(key, must(settings[key]))} takes on the command line.`,
    });
  });
  return Object.fromEntries(entries) as Values<S>;
}

/** The options that were given in a call, by key, for use cases that resume with recorded settings. */
export const givenOf = <S extends Settings>(settings: S, options: Readonly<Record<string, unknown>>): GivenValues<S> =>
  Object.fromEntries(
    Object.keys(settings).flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  ) as GivenValues<S>;
