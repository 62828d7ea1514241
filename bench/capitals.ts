/**
 * @file Gives lower-cased texts their capitals back, as far as a lexicon knows them: at the start of a sentence, in "I", in
 * listed first names and places, and in words that newswire only writes with a capital. Prints the file, so that an attack can be run on both.
 *
 *     npm run bench dist/bench/capitals.js ../shared/data/imdb/reviews200.tsv > cased.tsv
 */
import { readFileSync } from 'node:fs';
import { namesOf } from '../src/language/english/entities.js';
import { newswireWords } from '../src/language/english/tag-lexicon.js';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Expected a TSV file whose last column is the text.');
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const written = new Set(newswireWords());
const listed = (['country', 'city', 'region', 'female', 'male'] as const).map(namesOf);
const isName = (word: string): boolean =>
  word.length > 2 &&
  !written.has(word) &&
  (written.has(capital(word)) || listed.some((names) => names.has(capital(word))));

const cased = (text: string): string =>
  text
    .replace(/\p{L}+/gu, (word) => (word === 'i' || isName(word) ? capital(word) : word))
    .replace(/(?:^|[.!?] )["'( ]*\p{L}/gu, (start) => start.toUpperCase());

const [head, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n') as [string, ...string[]];
const lines = rows.map((row) => {
  const cells = row.split('\t');
  return [...cells.slice(0, -1), cased(cells.at(-1) as string)].join('\t');
});
process.stdout.write(`${[head, ...lines].join('\n')}\n`);
