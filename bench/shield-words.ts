/**
 * @file Writes packages/shield/src/word-list.ts: everyday English words, the most frequent first in each group.
 *
 *     npm run bench dist/bench/shield-words.js
 */
import { writeFileSync } from 'node:fs';
import { stopWords } from '../src/language/english/stop-words.js';
import { EnglishFrequency } from '../src/language/english/word-frequency.js';

const MOST = 8000;
/** Words of attacks on language models that newswire and WordNet's texts do not have among the first. */
const OURS =
  'bypass chatbot developer disregard forget hack hidden ignore instruction instructions jailbreak malware override password passwords ' +
  'previous prompt prompts reveal rules secret secrets system';

const frequency = new EnglishFrequency();
const common = [...frequency.everyday()]
  .filter((word) => /^[a-z]{2,}$/.test(word) && frequency.isCommon(word))
  .sort((a, b) => frequency.of(b) - frequency.of(a) || (a < b ? -1 : 1))
  .slice(0, MOST);
const words = [
  ...new Set([...common, ...OURS.split(' '), ...stopWords()].filter((word) => /^[a-z]+$/.test(word))),
].sort();

let [before, written] = ['', ''];
for (const word of words) {
  let shared = 0;
  while (shared < Math.min(before.length, 25) && before[shared] === word[shared]) shared++;
  written += String.fromCharCode(65 + shared) + word.slice(shared);
  before = word;
}
const lines = (written.match(/.{1,140}/g) ?? []).map((line) => `  '${line}'`).join(' +\n');
writeFileSync(
  new URL('../../packages/shield/src/word-list.ts', import.meta.url),
  `/**
 * @file Everyday English words, sorted: each as the number of letters that it shares with the one before (A: 0, B: 1, ...), then the rest. Written by
 * bench/shield-words.ts. Source: words that WordNet 3.1's tagged texts use often (WordNet licence), and stop words.
 */
// biome-ignore format: a table
export const WORD_LIST =
${lines};
`,
);
console.log(`${words.length} words`);
