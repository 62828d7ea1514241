/** @file Processor time of the calling thread: on a busy machine, wall time is unreliable. */
import { openSync, readSync } from 'node:fs';

/** Node.js 23.9 and newer have it; in microseconds. */
interface ThreadClock {
  threadCpuUsage?(): { readonly user: number; readonly system: number };
}

/** Reads the processor seconds of the calling thread so far; undefined if the system does not report them. */
export function threadClock(): (() => number) | undefined {
  const { threadCpuUsage } = process as ThreadClock;
  if (threadCpuUsage !== undefined) {
    return () => {
      const { user, system } = threadCpuUsage.call(process);
      return (user + system) / 1e6;
    };
  }
  try {
    // Linux: nanoseconds on a processor, nanoseconds spent waiting for one, time slices (proc_schedstat(5)).
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const bytes = Buffer.alloc(64);
    return () => Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e9;
  } catch {
    return undefined;
  }
}
