// Computes for toy-worker.mjs.
import { RobustError } from '../../dist/src/core/errors.js';
import { processor } from '../../dist/src/fleet/processor.js';
import { letters, toyPlan } from './toy-plan.mjs';

export default processor(process.env.ROBUST_WORKER_SETUP, () => async (document, examples) => {
  if (process.env.ROBUST_TEST_REFUSES) throw new RobustError('not here', { code: 'WORKER_UNFIT', hint: 'Elsewhere.' });
  const { count, poisonAt, wait, refusedAs } = document.settings;
  if (refusedAs === 'SIGKILL') process.kill(process.pid, 'SIGKILL');
  if (refusedAs) throw new RobustError('a bad plan', { code: refusedAs });
  const plan = toyPlan(letters(count, poisonAt), { poison: () => process.kill(process.pid, 'SIGKILL'), wait });
  if (examples[0].text !== letters(count, poisonAt)[0].text) throw new Error('other examples');
  return { plan, close: async () => {} };
});
