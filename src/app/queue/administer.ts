/** @file `robust queue`: what is on a queue. */
import type { QueueStatus } from '../../core/queue-status.js';
import { administer, type QueueAction } from '../../fleet/administration.js';
import { toolVersion } from '../context.js';

/** Carries out an action on a queue and returns its state. Throws RobustError QUEUE_UNREACHABLE. */
export const administerQueue = (
  queue: string,
  action: QueueAction,
  warn: (message: string) => void,
): Promise<QueueStatus> => administer(queue, toolVersion, action, warn);
