/**
 * @file Preloaded into the processes of bench/start.ts: reports the first query of a model, and the end, each with its time and processor
 * time.
 */
import { writeSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

/** Milliseconds since the process began, and those its threads computed, to the file descriptor that start.ts reads. */
const tell = (moment: 'query' | 'end'): void => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${moment} ${performance.now()} ${(user + system) / 1000}\n`);
};

if (isMainThread) {
  process.on('exit', () => tell('end'));
  const { postMessage } = Worker.prototype;
  let asked = false;
  Worker.prototype.postMessage = function (message, ...rest: unknown[]) {
    if (!asked && typeof message === 'object' && message !== null && 'request' in message) {
      asked = true;
      tell('query');
    }
    return Reflect.apply(postMessage, this, [message, ...rest]) as undefined;
  };
}
