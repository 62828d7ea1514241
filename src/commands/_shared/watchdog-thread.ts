/** @file The thread of the watchdog: waits for heartbeats of the main thread, and ends the process where they stop. */
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { BEATS_INDEX, CALLS_INDEX, SILENCE_EVENT, type WatchdogData } from './watchdog-state.js';

/** Seconds for the main thread to end the process after a notification: it may be in a system call. */
const GRACE_SECONDS = 10;

/** The debugger can make a thread say something in the middle of a loop; a message could not. */
function interrupt(): void {
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: `globalThis.process.emit(${JSON.stringify(SILENCE_EVENT)})` });
}

function watch({ state, seconds }: WatchdogData): void {
  let beats = Atomics.load(state, BEATS_INDEX);
  // Counted in waits of four heartbeats: a process that is suspended is not silent meanwhile.
  for (let silent = 0; silent < 4; ) {
    Atomics.wait(state, BEATS_INDEX, beats, seconds * 250);
    const now = Atomics.load(state, BEATS_INDEX);
    silent = now === beats && Atomics.load(state, CALLS_INDEX) > 0 ? silent + 1 : 0;
    beats = now;
  }
  interrupt();
  setTimeout(() => {
    writeSync(2, 'Error: code that robust was given does not give the main thread back, and cannot be interrupted\n');
    process.kill(process.pid, 'SIGKILL');
  }, GRACE_SECONDS * 1000);
}

watch(workerData as WatchdogData);
