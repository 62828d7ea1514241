/** @file What a defence is worth: the same attacks with and without it, and whether texts made without it pass it. */
import type { ComparisonReport } from '../src/index.js';
import { pairRows } from './comparison-rows.js';
import { percent } from './figures.js';

/** Columns of a table: head first. Undefended is a, defended b. */
export function defenceColumns(undefended: ComparisonReport): string[][] {
  const rows = pairRows(undefended);
  const transfer = (title: string): string => {
    const found = undefended.transfer.find(({ attack }) => attack === title);
    return found === undefined ? '' : `${percent(found.rate.value)} (n ${found.rate.n})`;
  };
  return [
    ['accuracy', ...rows.map(({ title }) => title)],
    ['undefended', ...rows.map(({ a }) => a)],
    ['defended', ...rows.map(({ b }) => b)],
    ['gain', ...rows.map(({ difference }) => difference)],
    ['95 % interval', ...rows.map(({ bounds }) => bounds)],
    ['p', ...rows.map(({ p }) => p)],
    ['transfer', ...rows.map(({ title }) => transfer(title))],
  ];
}

export const DEFENCE_ABOUT =
  'The attacks see the defended answers and search through them (adaptive). Transfer: share of the texts made against the undefended model that fool the defended one too. A defence that only transfer suffers from breaks the search, not the attack.';
