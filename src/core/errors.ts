/**
 * @file The errors a user can act on. A message says what was expected, what came and where; the hint says what to do.
 * Libraries throw these; only commands print them and choose the exit code. Anything else that is thrown is a defect of ours (exit 70).
 */

/** Exit codes other programs rely on (conventions: "Exit codes"). */
export const EXIT = { done: 0, gateFailed: 1, usage: 2, input: 3, inconclusive: 4, internal: 70 } as const;

export interface ErrorDetails {
  /** Stable, upper snake case: what `--json` prints as `error.code`. */
  readonly code: string;
  /** What the reader can do about it, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error with a stable code, a hint and an exit code. */
export class RobustError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** Process exit code a command ends with. */
  readonly exit: number = EXIT.input;

  constructor(message: string, { code, hint, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
  }
}

/** A flag, argument, option or configuration value that cannot be used as given. */
export class UsageError extends RobustError {
  override readonly exit = EXIT.usage;
}

/** A model, tokenizer or manifest that cannot be loaded or run. */
export class ModelError extends RobustError {}

/**
 * A model that answers nothing any more, such as one that hangs. What it would have answered is not known and no text is to blame, so
 * whoever catches errors of single texts must let this one pass.
 */
export class ModelGone extends ModelError {
  /** The same, with more to do about it. */
  with(hint: string): ModelGone {
    const { message, code, cause } = this;
    const Kind = this.constructor as typeof ModelGone;
    return new Kind(message, { code, hint: `${this.hint ?? ''} ${hint}`.trim(), cause });
  }
}

/** An endpoint that may be asked no more, by the user's own limit: not a failure, but nothing may be concluded from what was answered so far. */
export class RequestsSpent extends ModelGone {
  override readonly exit = EXIT.inconclusive;
}

/** A model without a graph that we can differentiate; it stays usable as a black box. */
export class UnsupportedOpError extends ModelError {}

/** onnxruntime took the process down in which it ran a model (MODEL_CRASHED). */
export class ModelCrashedError extends ModelGone {}

/** A data file that cannot be read as labelled texts. */
export class DatasetError extends RobustError {}

/** An attack, suite or defence that cannot be found, loaded or configured. */
export class PluginError extends RobustError {}

/** A result that could not be written: the run folder or a report. */
export class OutputError extends RobustError {}
