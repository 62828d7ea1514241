/**
 * @file No command ends without having said how it ended. Modules of the user's run in this process: one may call process.exit, or leave
 * nothing to wait for, and an exit code of 0 would then look like a passed gate.
 */
import { RobustError } from '../../core/errors.js';
import { failureDocument, failureOf, failureText } from './failure.js';
import { writeResult } from './guarded.js';

/** Event that bin/run.js emits when the process hangs: see watchdog.ts. */
const HUNG = 'hung';

const KEPT = 'If a run had begun, robust attack --resume continues it.';

export interface ExitGuard {
  /** An error that nothing caught: if nothing else is said of the end, it was its cause. */
  crashed(error: unknown): void;
  /** The command has ended and reported it: its exit code is final. */
  ended(code: number): void;
}

/** Watches the end of this process. `argv`: what the user wrote after `robust`. */
export function guardExit(argv: readonly string[]): ExitGuard {
  let final: number | undefined;
  let crash: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    const failure = failureOf(error);
    final = failure.exit;
    process.exitCode = failure.exit;
    process.stderr.write(`${failureText(failure, argv.includes('--verbose') || argv.includes('-v'))}\n`);
    if (argv.includes('--json')) writeResult(failureDocument(argv[0] ?? '', failure, []));
  };
  process.on('exit', (code) => {
    // What an error left waiting for ever has that error as its cause.
    if (final === undefined) fail(crash ? crash.error : endedEarly(code, new Error('the process ended here')));
    process.exitCode = final;
  });
  process.on(HUNG, (what: string) => {
    fail(hung(what));
    process.exit();
  });
  return {
    crashed: (error) => {
      crash ??= { error };
    },
    ended: (code) => {
      final = code;
    },
  };
}

function endedEarly(code: number, cause: Error): RobustError {
  const at = exitCalledAt(cause.stack);
  const what =
    at === undefined
      ? 'there is nothing left to wait for, but the command has no result: something it waits for never comes'
      : `process.exit(${code}) was called before the command had a result: ${at}`;
  const hint = `Modules that robust loads must answer or throw, and not end the process. ${KEPT}`;
  return new RobustError(what, { code: 'ENDED_EARLY', hint, cause });
}

/** Caller of process.exit, from a stack taken in a listener of `exit`: the first frame outside Node. */
function exitCalledAt(stack = ''): string | undefined {
  const frames = stack.split('\n').slice(1);
  const exit = frames.findIndex((frame) => /\bprocess\.exit\b/.test(frame));
  return exit === -1 ? undefined : frames[exit + 1]?.trim();
}

const hung = (what: string): RobustError =>
  new RobustError(`${what} does not give the main thread back: expected an answer within the time limit`, {
    code: 'PLUGIN_UNREACHABLE',
    hint: `Mend the endless loop, or allow more time: --runtime timeout=SECONDS (0: any). ${KEPT}`,
  });
