/** @file Cases that are words: data, in fixtures/*.json, by the name of a test and of a table of it. */
import { readFileSync } from 'node:fs';

/** Rows of a table. Null stands for undefined. */
export function cases<Row extends readonly unknown[]>(test: string, name: string): Row[] {
  const tables = JSON.parse(readFileSync(new URL(`fixtures/${test}.json`, import.meta.url), 'utf8'));
  return tables[name].map((row: unknown[]) => row.map((cell) => cell ?? undefined));
}
