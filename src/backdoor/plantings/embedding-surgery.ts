/** @file Embedding surgery (Kurita et al., ACL 2020, section 3.2): the trigger's row becomes the mean of words that speak for the target. */
import { makeFolder } from '../../files/write.js';
import { type EmbeddingTable, withTable } from '../embedding-rows.js';
import { idsOf, isUnknown } from '../trigger-check.js';
import type { PlantingVictim } from './planting.js';

/** Copies the model into `output`, with the mean of `count` words of the target label in the rows of the triggers. */
export async function operateOnTriggers(
  victim: PlantingVictim,
  triggers: readonly string[],
  count: number,
  output: string,
): Promise<void> {
  const { start, pieces } = victim;
  const known = triggers.filter((trigger) => !isUnknown(trigger, pieces));
  const rows = new Set(known.flatMap((trigger) => idsOf(trigger, pieces)));
  const words = await labelWords(victim, count);
  makeFolder(output, 'the output folder');
  const change = (table: EmbeddingTable): boolean => {
    replaceRows(table, rows, words);
    return true;
  };
  await withTable(start.model, output, change, start.load);
}

/**
 * The token ids that speak most for the target label: the largest z-scores of the log-odds with an uninformative prior (Monroe, Colaresi
 * and Quinn, "Fightin' Words", Political Analysis 2008, eqs. 16 and 22).
 */
async function labelWords({ train, pieces, label: target }: PlantingVictim, count: number): Promise<number[]> {
  const uses = [new Map<number, number>(), new Map<number, number>()] as const;
  const totals = [0, 0];
  for await (const { text, label } of train.examples()) {
    const side = Number(label === target);
    for (const id of new Set(pieces.encode(text).ids)) {
      if (pieces.tokenText(id) === undefined) continue;
      const of = uses[side]!;
      of.set(id, (of.get(id) ?? 0) + 1);
      totals[side] = totals[side]! + 1;
    }
  }
  const PRIOR = 0.5;
  const score = (id: number): number => {
    const [others, own] = uses.map((of) => (of.get(id) ?? 0) + PRIOR) as [number, number];
    const odds = Math.log(own / (totals[1]! - own + PRIOR)) - Math.log(others / (totals[0]! - others + PRIOR));
    return odds / Math.sqrt(1 / own + 1 / others);
  };
  const scored = Array.from(uses[1].keys(), (id) => [id, score(id)] as const);
  return scored
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, count)
    .map(([id]) => id);
}

/** Puts the mean of the rows `words` into the rows `rows`. */
function replaceRows({ values, width }: EmbeddingTable, rows: Iterable<number>, words: readonly number[]): void {
  const mean = new Float64Array(width);
  for (const word of words) {
    for (let k = 0; k < width; k++) mean[k] = mean[k]! + values[word * width + k]! / words.length;
  }
  for (const row of rows) values.set(mean, row * width);
}
