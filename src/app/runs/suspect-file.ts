/** @file `--suspects file`: who is suspected, and why. */
import { extname } from 'node:path';
import type { Example } from '../../core/dataset.js';
import { RobustError } from '../../core/errors.js';
import type { Suspect } from '../../results/backdoor/backdoor-findings.js';

type SuspectWriter = (
  suspects: readonly Suspect[],
  texts: ReadonlyMap<string, Example>,
  labels: readonly string[],
) => Iterable<string>;

const COLUMNS = ['id', 'score', 'label', 'text', 'reason'] as const;

/** One row per suspect. Throws RobustError for an ending that names no format. */
export function suspectFormat(path: string): SuspectWriter {
  const ending = extname(path).toLowerCase();
  if (ending === '.tsv') return tsv;
  if (ending === '.json') return json;
  throw new RobustError(`--suspects: expected a file ending in .tsv or .json, got "${path}"`, {
    code: 'FORMAT_NOT_FOUND',
    hint: 'The ending picks the format.',
  });
}

const rowsOf = (...[suspects, texts, labels]: Parameters<SuspectWriter>) =>
  suspects.map(({ id, score, reason }) => {
    const { text = '', label = 0 } = texts.get(id) ?? {};
    return { id, score, label: labels[label] ?? '', text, reason };
  });

function* tsv(...of: Parameters<SuspectWriter>): Iterable<string> {
  yield `${COLUMNS.join('\t')}\n`;
  for (const row of rowsOf(...of)) {
    yield `${COLUMNS.map((column) => String(row[column]).replaceAll(/[\t\r\n]+/g, ' ')).join('\t')}\n`;
  }
}

const json: SuspectWriter = (...of) => [`${JSON.stringify(rowsOf(...of), null, 1)}\n`];
