/** @file Whole texts and their translations: a file of the user's, read on first use. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { DatasetError, messageOf } from '../core/errors.js';

const row = z.object({ text: z.string().trim().min(1), translation: z.string().trim().min(1) });

const files = new Map<string, ReadonlyMap<string, readonly string[]>>();

/** Translations by text, in the order of the file. Throws DatasetError TRANSLATIONS_UNREADABLE, TRANSLATIONS_ROW. */
export function translationsAt(path: string): ReadonlyMap<string, readonly string[]> {
  const known = files.get(path);
  if (known !== undefined) return known;
  const table = new Map<string, string[]>();
  for (const [at, line] of read(path).split('\n').entries()) {
    if (line.trim() === '') continue;
    const { text, translation } = parse(line, `${path}, line ${at + 1}`);
    table.set(text, [...(table.get(text) ?? []), translation]);
  }
  files.set(path, table);
  return table;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new DatasetError(`expected a table of translations at ${path}: ${messageOf(error)}`, {
      code: 'TRANSLATIONS_UNREADABLE',
      hint: 'Name a file with one {"text": ..., "translation": ...} a line: translated:table=FILE.',
    });
  }
}

function parse(line: string, where: string): z.infer<typeof row> {
  let found: unknown;
  try {
    found = JSON.parse(line);
  } catch {
    found = undefined;
  }
  const parsed = row.safeParse(found);
  if (parsed.success) return parsed.data;
  throw new DatasetError(`${where}: expected {"text": ..., "translation": ...}, got ${line.slice(0, 60)}`, {
    code: 'TRANSLATIONS_ROW',
    hint: 'Each line is one JSON object with both texts, neither empty.',
  });
}
