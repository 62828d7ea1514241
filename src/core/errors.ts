/**
 * @file Errors that a user can act on. The message states what was expected, what was received and where; the hint states what to do.
 * Libraries throw them; only commands print them and choose the exit code. Anything else that is thrown is a defect (exit 70).
 */

/** Exit codes that other programs rely on. */
export const EXIT = { done: 0, gateFailed: 1, usage: 2, input: 3, inconclusive: 4, internal: 70 } as const;

export interface ErrorDetails {
  /** Stable, upper snake case: what `--json` prints as `error.code`. */
  readonly code: string;
  /** Advice for the reader, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error with a stable code, a hint and an exit code. */
export class RobustError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** Exit code of the process. */
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
 * A model that no longer answers, for example because it hangs. No single text is to blame, so code that catches errors of single texts
 * must rethrow this one.
 */
export class ModelGone extends ModelError {
  /** The same error with a longer hint. */
  with(hint: string): ModelGone {
    const { message, code, cause } = this;
    const Kind = this.constructor as typeof ModelGone;
    return new Kind(message, { code, hint: `${this.hint ?? ''} ${hint}`.trim(), cause });
  }
}

/** The user's own limit on requests is reached. This is not a failure, but the answers so far support no conclusion. */
export class RequestsSpent extends ModelGone {
  override readonly exit = EXIT.inconclusive;
}

/** A model whose graph cannot be differentiated; it can still be attacked as a black box. */
export class UnsupportedOpError extends ModelError {}

/** onnxruntime crashed the process that ran the model (MODEL_CRASHED). */
export class ModelCrashedError extends ModelGone {}

/** A data file that cannot be read as labelled texts. */
export class DatasetError extends RobustError {}

/** An attack, suite or defence that cannot be found, loaded or configured. */
export class PluginError extends RobustError {}

/** A result that could not be written: the run folder or a report. */
export class OutputError extends RobustError {}

/** The message of a caught value. Modules of users may throw strings. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The system error code of a caught value, such as ENOENT. */
export const codeOf = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException | undefined)?.code;
