// A run in a process of its own, so that it can be killed. Arguments: root folder, id of a run to continue (or "new").
// Prints the id, then one line per outcome.
import { attack, createRun, openRun } from '../../dist/src/run/index.js';
import { letters, toyPlan } from '../fleet/toy-plan.mjs';

const [root, id] = process.argv.slice(2);
const plan = toyPlan(letters(300));
const folder = id === 'new' ? await createRun(root, plan) : await openRun(root, id);
console.log(folder.id);
await attack(plan, folder, { progress: ({ stage, done }) => console.log(`${stage} ${done}`) });
