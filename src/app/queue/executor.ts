/** @file The process that computes for a worker: started by its path, all else comes by messages. */
import { serveWorker } from '../../fleet/executor-side.js';
import { openPlan } from './open-plan.js';

serveWorker(({ cache, threads, device, offline, plugins, machine }, warn) => ({
  machine,
  open: (document, examples, content) =>
    openPlan(document, examples, content, { cache, threads, device, offline, plugins, warn }),
  hooks: { warn },
}));
