// The process of a toy run, begun or continued. Arguments: queue or "-", folder of runs, examples, milliseconds of a search, id of a run or none.
import { Coordinator } from '../../dist/src/fleet/coordinator.js';
import { attack, createRun, openRun } from '../../dist/src/run/index.js';
import { letters, toyPlan } from './toy-plan.mjs';

const [queue, root, examples, wait, run] = process.argv.slice(2);
const count = Number(examples);
const plan = toyPlan(letters(count));
const folder = run ? await openRun(root, run) : await createRun(root, plan);
const options = {
  ...{ queue, toolVersion: '0', settings: { count, poisonAt: -1, wait: Number(wait) } },
  models: async () => ({ model: { kind: 'name', name: 'toy' }, guessers: [] }),
};
const open = () => Coordinator.open(plan, folder, {}, options);
await attack(plan, folder, {}, queue === '-' ? undefined : open).catch((error) => {
  console.error(error);
  process.exitCode = error.exit ?? 70;
});
