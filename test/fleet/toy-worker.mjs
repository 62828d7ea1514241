// A worker process. Arguments: queue, host name to pretend, seconds of lock, store or "-". Ends at SIGTERM.
import { fileURLToPath } from 'node:url';
import { storeAccess } from '../../dist/src/app/queue/store-access.js';
import { thisMachine } from '../../dist/src/fleet/machines.js';
import { work } from '../../dist/src/fleet/worker.js';

const [queue, host, lock, store] = process.argv.slice(2);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const cache = process.env.ROBUST_TEST_CACHE;
const version = process.env.ROBUST_TEST_VERSION ?? '0';
try {
  const result = await work({
    queue,
    concurrency: 2,
    lock: Number(lock),
    store: store === '-' ? null : store,
    access: storeAccess((name) => process.env[name]) ?? null,
    threads: null,
    device: null,
    cache,
    offline: true,
    plugins: [],
    machine: { ...thisMachine(version, '1'), host },
    processor: fileURLToPath(new URL('toy-processor.mjs', import.meta.url)),
    environment: process.env,
    signal: stop.signal,
    note: (line) => console.log(line),
    warn: (line) => console.log(`Warning: ${line}`),
  });
  console.log(JSON.stringify(result));
} catch (error) {
  console.log(`${error.code}: ${error.message}`);
  process.exitCode = error.exit ?? 70;
}
