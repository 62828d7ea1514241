/** @file Whole texts and their translations: a file of the user's, read on first use. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, RobustError } from '../core/errors.js';
import { getOrCompute } from '../core/get-or-compute.js';

const row = z.object({
  text: z.string().trim().min(1),
  translation: z.string().trim().min(1),
  language: z.string().exactOptional(),
});

/** A line of a table. */
type TranslationRow = z.infer<typeof row>;

/** Its rows by text, in the order of the file. */
type TranslationTable = Map<string, TranslationRow[]>;

const files = new Map<string, TranslationTable>();

/** Translations of a text, into one language if it is named. Throws RobustError DATA_DAMAGED. */
export function translationsAt(path: string, text: string, language = ''): string[] {
  const rows = getOrCompute(files, path, () => readTable(path)).get(text.trim()) ?? [];
  return rows.flatMap((each) => (language === '' || each.language === language ? each.translation : []));
}

function readTable(path: string): TranslationTable {
  const table: TranslationTable = new Map();
  for (const [at, line] of read(path).split('\n').entries()) {
    if (line.trim() === '') continue;
    const found = parse(line, `${path}, line ${at + 1}`);
    getOrCompute(table, found.text, () => []).push(found);
  }
  return table;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RobustError(`expected a table of translations at ${path}: ${messageOf(error)}`, {
      code: 'DATA_DAMAGED',
      hint: 'Name a file with one {"text": ..., "translation": ...} a line: translated:table=FILE',
    });
  }
}

function parse(line: string, where: string): TranslationRow {
  let found: unknown;
  try {
    found = JSON.parse(line);
  } catch {
    found = undefined;
  }
  const parsed = row.safeParse(found);
  if (parsed.success) return parsed.data;
  throw new RobustError(`${where}: expected {"text": ..., "translation": ...}, got ${line.slice(0, 60)}`, {
    code: 'DATA_DAMAGED',
    hint: 'Each line is one JSON object with both texts, neither empty.',
  });
}
