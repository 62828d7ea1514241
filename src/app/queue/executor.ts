/** @file The process that computes for a worker: started by its path, all else comes by messages. */
import { serveWorker } from '../../fleet/executor.js';
import { openPlan } from './open-plan.js';

serveWorker(
  (setup, warn) => (document, examples, content) => openPlan(document, examples, content, { ...setup, warn }),
);
