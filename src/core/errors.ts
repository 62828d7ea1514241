/**
 * @file Errors that a user can act on. The message states what was expected, what was received and where; the hint states what to do.
 * Libraries throw them; only commands print them. Anything else that is thrown is a defect (exit 70).
 */

/** Exit codes that other programs rely on. */
export const EXIT = {
  done: 0,
  gateFailed: 1,
  usage: 2,
  input: 3,
  inconclusive: 4,
  internal: 70,
  interrupted: 130,
} as const;

/**
 * The last words of a code: the same mistake has one family, and a family one exit code. What must be asked for otherwise is 2; what must be
 * repaired, fetched or waited for is 3.
 */
export const FAMILIES = {
  NOT_FOUND: EXIT.usage,
  INVALID: EXIT.usage,
  TAKEN: EXIT.usage,
  UNSUPPORTED: EXIT.usage,
  MISMATCH: EXIT.usage,
  DAMAGED: EXIT.input,
  UNREACHABLE: EXIT.input,
  TOO_FEW: EXIT.input,
} as const;

/** Codes without a family: programs react to them. */
export const OWN_CODES = {
  ACCESS_DENIED: EXIT.input,
  ENDED_EARLY: EXIT.input,
  HUB_NOT_CACHED: EXIT.input,
  INCONCLUSIVE: EXIT.inconclusive,
  INTERNAL: EXIT.internal,
  INTERRUPTED: EXIT.interrupted,
  MODEL_CRASHED: EXIT.input,
  NOT_DETERMINISTIC: EXIT.input,
  NOT_ROBUST: EXIT.gateFailed,
  QUEUE_PARTS_FAILED: EXIT.input,
  REQUESTS_SPENT: EXIT.inconclusive,
  RUN_NAMES_CODE: EXIT.usage,
  RUN_OVER: EXIT.input,
  RUN_UNFINISHED: EXIT.usage,
  TRAINING_DIVERGED: EXIT.input,
  WORKER_UNFIT: EXIT.input,
} as const;

/** A noun with a family, or a code of its own. docs/reference/error-codes.md says what each means. */
export type ErrorCode = `${string}_${keyof typeof FAMILIES}` | keyof typeof OWN_CODES;

const exits = Object.entries<number>({ ...OWN_CODES, ...FAMILIES });

const exitOf = (code: ErrorCode): number =>
  exits.find(([end]) => code === end || code.endsWith(`_${end}`))?.[1] ?? EXIT.input;

export interface ErrorDetails {
  /** Stable: what `--json` prints as `error.code`. */
  readonly code: ErrorCode;
  /** Advice for the reader, as one sentence. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** An error with a stable code, a hint and an exit code. */
export class RobustError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** Exit code of the process. */
  readonly exit: number;

  constructor(message: string, { code, hint, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
    this.exit = exitOf(code);
  }
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

/** A model whose graph cannot be differentiated; it can still be attacked as a black box. */
export class UnsupportedOpError extends ModelError {}

/** onnxruntime crashed the process that ran the model (MODEL_CRASHED). */
export class ModelCrashedError extends ModelGone {}

/** A result that could not be written: the run folder or a report. */
export class OutputError extends RobustError {}

/** The mark of errors of packages/onnx. They derive from Error alone, and have the members of a RobustError. */
const FROM_ONNX = Symbol.for('@robust-text/onnx');

/** Lets `instanceof` of this class, and not of those derived from it, hold for errors of packages/onnx with some codes. */
function takesOnnxErrors(kind: typeof RobustError, holds: (code: unknown) => boolean): void {
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, thrown: unknown): boolean {
      if (Function.prototype[Symbol.hasInstance].call(this, thrown)) return true;
      return this === kind && thrown instanceof Error && FROM_ONNX in thrown && 'code' in thrown && holds(thrown.code);
    },
  });
}
takesOnnxErrors(RobustError, () => true);
takesOnnxErrors(ModelError, (code) => code !== 'FILE_DAMAGED');
takesOnnxErrors(UnsupportedOpError, (code) => code === 'GRADIENTS_UNSUPPORTED');

/** The message of a caught value. Modules of users may throw strings. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The system error code of a caught value, such as ENOENT. */
export const codeOf = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException | undefined)?.code;

/** The value, which the code around guarantees: an index within a list, a key that was set. Throws a defect of ours where there is none. */
export function must<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new TypeError('expected a value, got none');
  return value;
}
