/** @file The process that computes for a worker: BullMQ starts it by its path, and calls what it exports with each job. */
import { processor } from '../../fleet/processor.js';
import { openPlan } from './open-plan.js';

export default processor(
  (setup, warn) => (document, examples, content) => openPlan(document, examples, content, { ...setup, warn }),
);
