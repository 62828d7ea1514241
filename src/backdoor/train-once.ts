/** @file A training that is done once, however often the program is killed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { readState } from '../files/state.js';
import { historySchema } from '../train/history.js';
import { type TrainingHooks, type TrainingPlan, trainModel } from '../train/index.js';

/**
 * Trains, unless that was done before; goes on from a checkpoint if there is one. Throws what `trainModel` throws; RobustError
 * INTERRUPTED, TRAINING_DIVERGED.
 */
export async function trainOnce(plan: Omit<TrainingPlan, 'folder' | 'resume'>, hooks: TrainingHooks): Promise<void> {
  const folder = join(plan.output, 'training');
  const record = join(folder, 'history.json');
  const before = existsSync(record) ? readState(record, historySchema, 'the history of a training').end : 'running';
  if (before === 'finished' || before === 'stopped early' || before === 'worse than chance') return;
  const { end } = await trainModel({ ...plan, folder, resume: true }, hooks);
  if (end === 'interrupted') throw trainingInterrupted();
  if (end === 'diverged')
    throw new RobustError(`${plan.train.name}: the training diverged`, {
      code: 'TRAINING_DIVERGED',
      hint: 'Run again with a lower --lr.',
    });
}

/** The user stopped it; what is done is kept. */
export const trainingInterrupted = (): RobustError => new RobustError('interrupted', { code: 'INTERRUPTED' });
