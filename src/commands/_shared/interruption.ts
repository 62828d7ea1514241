/** @file Ctrl-C: the first stops cleanly, the second at once. SIGTERM stops cleanly, and at once after five seconds. A crash stops as the first Ctrl-C does, and keeps what is done. */
import { RobustError } from '../../core/errors.js';
import { removeTemporaryFolders } from '../../files/temporary-folder.js';

/** Exit codes after a signal: 128 + its number. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const;

/** Event that bin/run.js emits for an uncaught error. */
const CRASH = 'crash';

type StopSignal = keyof typeof EXIT_CODE;

/** The user, or the system, stopped the command. */
export class CommandStopped extends RobustError {
  override readonly exit: number;

  constructor(message: string, exit: number, hint: string) {
    super(message, { code: 'INTERRUPTED', hint });
    this.exit = exit;
  }
}

export interface Interruption {
  readonly signal: AbortSignal;
  /** Exit code of the signal that came; SIGINT's where none came. */
  readonly exit: number;
  /** The uncaught error, if it stopped the work. */
  readonly crash: { readonly error: unknown } | undefined;
  /** Back to what signals do by themselves. */
  stopListening(): void;
}

/**
 * Listens for signals that ask to stop; `onRequest` is called at the first one. `grace`: seconds after SIGTERM in which the work may end cleanly, 0
 * for any number. Opening a model, for instance, cannot be stopped in between.
 */
export function interruption(onRequest: () => void, grace: number): Interruption {
  const controller = new AbortController();
  let exit: number = EXIT_CODE.SIGINT;
  let crash: { error: unknown } | undefined;
  let deadline: NodeJS.Timeout | undefined;
  const crashed = (error: unknown): void => {
    crash ??= { error };
    controller.abort();
  };
  const listener = (name: StopSignal): void => {
    if (controller.signal.aborted) die(name);
    else {
      exit = EXIT_CODE[name];
      controller.abort();
      onRequest();
      if (name === 'SIGTERM' && grace > 0) deadline = setTimeout(die, grace * 1000, name).unref();
    }
  };
  const names = Object.keys(EXIT_CODE) as StopSignal[];
  const stopListening = (): void => {
    clearTimeout(deadline);
    for (const name of names) process.off(name, listener);
    process.off(CRASH, crashed);
  };
  // By the signal itself: process.exit would wait for the threads that run the model.
  const die = (name: StopSignal): void => {
    stopListening();
    removeTemporaryFolders();
    process.kill(process.pid, name);
  };
  for (const name of names) process.on(name, listener);
  process.on(CRASH, crashed);
  return {
    signal: controller.signal,
    get exit() {
      return exit;
    },
    get crash() {
      return crash;
    },
    stopListening,
  };
}
