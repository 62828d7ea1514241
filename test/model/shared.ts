/** Third-party victims and data, read where they lie; tests that need them are skipped elsewhere. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const shared = fileURLToPath(new URL('../../../shared/', import.meta.url));
export const victims = `${shared}models/`;
export const haveShared = existsSync(victims);

/** Rows of a shared .tsv without its header, cells trimmed. */
export const rows = (file: string): string[][] =>
  readFileSync(`${shared}data/${file}`, 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map((cell) => cell.trim()));

/** The string model's text processing needs it. */
export const haveLocale = (() => {
  try {
    return /^en_US\.utf-?8$/im.test(execFileSync('locale', ['-a'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
})();
