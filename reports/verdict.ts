/** @file A gate's verdict as people read it on a screen. */
import type { GateResult } from '../src/index.js';
import { blocks, type GateLine, gateLines } from './gate.js';
import { beside, wrapped } from './layout.js';
import type { Screen } from './terminal.js';
import { visible } from './visible.js';

/** A line's word: what it says, and whether that counts. */
const wordOf = (line: GateLine): string =>
  line.verdict === 'passed' || blocks(line) ? line.verdict : `${line.verdict}, ${line.waived ? 'waived' : 'warning'}`;

export const SUMMARY: Readonly<Record<GateResult['verdict'], string>> = {
  passed: 'every threshold that counts holds',
  failed: 'a threshold is broken, or the run is less robust than the baseline',
  inconclusive: 'the run does not say enough to pass',
};

export function* verdictText(gate: GateResult, { width, chalk }: Screen): Iterable<string> {
  const paint = { passed: chalk.green, failed: chalk.red, inconclusive: chalk.yellow };
  const lines = gateLines(gate);
  const wide = Math.max(0, ...lines.map((line) => wordOf(line).length)) + 2;
  for (const line of lines) {
    const colour = line.verdict === 'passed' || blocks(line) ? paint[line.verdict] : chalk.dim;
    const word = wordOf(line);
    const notes = line.notes.length === 0 ? '' : ` (${line.notes.join('; ')})`;
    yield `${beside(colour(word), visible(`${line.asked}: ${line.found}${notes}`), width, wide)}\n`;
  }
  for (const reason of gate.reasons) yield `${wrapped(visible(reason), width, 0, chalk.yellow)}\n`;
  yield `${lines.length + gate.reasons.length > 0 ? '\n' : ''}${paint[gate.verdict].bold(`Gate ${gate.verdict}`)}: ${SUMMARY[gate.verdict]}\n`;
}
