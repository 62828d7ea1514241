/** @file No verdict without evidence: the tables of test/commands/no-evidence.ts and no-evidence-matrix.ts, a row a trial. */
import { CONTROL, faultOf, rows } from '../commands/no-evidence.js';
import { controls, matrix } from '../commands/no-evidence-matrix.js';
import type { Campaign } from './campaign.js';

const honest = [CONTROL, ...controls];
const all = [...honest, ...rows, ...matrix];

export const verdicts: Campaign = {
  name: 'verdicts',
  summary: 'Commands that have nothing, or too little, to measure: none may end with 0.',
  count: all.length,
  open: async () => ({
    async trial(number, { folder }) {
      const row = all[number % all.length] as (typeof all)[number];
      const fault = await faultOf(row, folder);
      const kind = honest.includes(row) ? 'with evidence' : (row.command.split(' ', 1)[0] as string);
      return { kind, ended: `exit code ${row.exit}`, ...(fault !== undefined && { fault: `${row.name}: ${fault}` }) };
    },
    [Symbol.asyncDispose]: async () => {},
  }),
};
