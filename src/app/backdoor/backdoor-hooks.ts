/** @file How planting and repair report their progress and open models. */
import type { PlantHooks } from '../../backdoor/plant.js';
import type { Context } from '../context.js';
import { countedWork, stopwatch } from '../progress.js';

export function plantHooks({ run: hooks, loading }: Context): PlantHooks {
  let phase = 'training';
  let seconds = stopwatch();
  return {
    signal: hooks.signal,
    stage: (text) => hooks.debug?.(text),
    phase: (text) => {
      phase = text;
      seconds = stopwatch();
      hooks.debug?.(text);
    },
    warn: (message) => hooks.warn?.(message),
    progress: ({ step, steps, loss, latest }) => {
      const work = countedWork(phase, 'steps', step, steps, seconds());
      const measured = latest ? `, validation ${(100 * (latest.validation.accuracy ?? 0)).toFixed(1)} %` : '';
      hooks.work({ ...work, words: `${work.words}, loss ${loss.toFixed(3)}${measured}` });
    },
    open: async (model) => {
      const { loadModel } = await import('../../model/load.js');
      return loadModel(model, loading(model));
    },
  };
}
