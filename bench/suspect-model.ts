/** @file A small model trained on suspect data, for filters that look at what a model learnt from it. */
import { join } from 'node:path';
import { PLAIN_TRAINING } from '../src/backdoor/training.js';
import type { ClosingStack } from '../src/core/closing-stack.js';
import type { Dataset } from '../src/core/dataset.js';
import { temporaryFolder } from '../src/files/temporary-folder.js';
import { type LoadedModel, loadModel } from '../src/model/load.js';
import { type History, holdOut, type TrainingOptions, type TrainingProgress, trainModel } from '../src/train/index.js';
import type { FreshStart } from '../src/train/start.js';

/** Two layers of 128: learns a trigger in a minute. As `robust train --arch bert:layers=2:dim=128:heads=2:vocabulary=6000 --lr 1e-3 --epochs 6`. */
const START: FreshStart = {
  kind: 'fresh',
  architecture: 'bert',
  size: { vocabulary: 6000, maxTokens: 128, dim: 128, layers: 2, heads: 2, feedForward: 512 },
  dropout: { embedding: 0.1, hidden: 0.1 },
  half: false,
};

const OPTIONS: Omit<TrainingOptions, 'seed'> = { ...PLAIN_TRAINING, epochs: 6, rate: 1e-3 };

/** Share of the data that picks the weights to keep. */
const HELD_OUT = 0.1;

export interface SuspectModel {
  readonly model: LoadedModel;
  readonly history: History;
}

/** The model, open until `opened` is closed, which removes its files too. Throws DatasetError for data that cannot be learnt from. */
export async function trainSuspectModel(
  data: Dataset,
  seed: number,
  hooks: { readonly signal?: AbortSignal | undefined; progress(at: TrainingProgress): void },
  opened: ClosingStack,
): Promise<SuspectModel> {
  const { path: output, remove } = temporaryFolder('filter');
  opened.defer(remove);
  const history = await trainModel(
    {
      start: START,
      ...holdOut(data, HELD_OUT, seed),
      options: { ...OPTIONS, seed },
      output,
      folder: join(output, 'training'),
      resume: false,
    },
    hooks,
  );
  return { model: opened.add(await loadModel(output)), history };
}
