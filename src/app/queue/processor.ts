/** @file The process that computes for a worker: BullMQ starts it by its path, and calls what it exports with each job. */
import { processor, SETUP } from '../../fleet/processor.js';
import { openPlan } from './open-plan.js';

export default processor(
  process.env[SETUP],
  (setup, warn) => (document, examples, content) => openPlan(document, examples, content, { ...setup, warn }),
);
