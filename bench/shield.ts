/**
 * @file Measures how many disguises the shield undoes, and how many clean texts it changes.
 *
 *     npm run bench dist/bench/shield.js PROMPTS.tsv CLEAN...
 *
 * PROMPTS: one text a line, its last column. Each is dressed in every way below, and counts as undone if the shield gives the prompt back, or
 * `rescan` finds it. CLEAN: files or folders of ordinary texts; the shield should change none of them visibly.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { random } from '../src/core/random.js';
import { wilson } from '../src/core/stats.js';
import { homoglyph, leetSigns } from '../src/language/confusables.js';
import { rescan, shield } from '../src/shield/index.js';

const [prompts = '', ...clean] = process.argv.slice(2);
const draw = random(42, 'shield');

const shifted = (small: number, capital: number) => (text: string) =>
  text.replace(/[a-z]/gi, (letter) =>
    String.fromCodePoint(letter.charCodeAt(0) + (letter <= 'Z' ? capital - 65 : small - 97)),
  );
const letters = (change: (letter: string, at: number) => string) => (text: string) =>
  Array.from(text, (letter, at) => (/\p{L}/u.test(letter) ? change(letter, at) : letter)).join('');
const words = (change: (word: string) => string) => (text: string) => text.replace(/\p{L}+/gu, change);
const bytes = (text: string): number[] => [...Buffer.from(text)];

/** Disguises; no attack of robust has the last twelve. */
const DRESSES: Readonly<Record<string, (text: string) => string>> = {
  'look-alikes': letters((letter) => homoglyph(letter) ?? letter),
  'zero-width characters': words((word) => [...word].join('\u200B')),
  'tag characters': (text) =>
    bytes(text)
      .map((byte) => String.fromCodePoint(0xe0000 + byte))
      .join(''),
  'variation selectors': (text) =>
    `😀${bytes(text)
      .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
      .join('')}`,
  'direction override': (text) => `\u202E${[...text].reverse().join('')}\u202C`,
  'mathematical letters': shifted(0x1d4ea, 0x1d4d0),
  'wide letters': shifted(0xff41, 0xff21),
  'letters in circles': shifted(0x24d0, 0x24b6),
  'signs for letters': letters((letter) => leetSigns(letter)[0] ?? letter),
  'spaces between letters': words((word) => [...word].join(' ')),
  'alternating case': letters((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())),
  'stacked marks': letters((letter) => `${letter}\u0300\u0316\u033B\u0345`),
  base64: (text) => Buffer.from(text).toString('base64'),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  rot13: letters((letter) =>
    /[a-z]/i.test(letter)
      ? String.fromCharCode(((letter.charCodeAt(0) - (letter <= 'Z' ? 65 : 97) + 13) % 26) + (letter <= 'Z' ? 65 : 97))
      : letter,
  ),
  'hyphens between letters': words((word) => [...word].join('-')),
  'marks in words': words((word) => (word.length > 3 ? `${word.slice(0, 2)}.${word.slice(2)}` : word)),
  'struck out': letters((letter) => `${letter}\u0336`),
  'squared letters': (text) => shifted(0x1f130, 0x1f130)(text),
  'regional indicators': words((word) => (word.length > 2 ? shifted(0x1f1e6, 0x1f1e6)(word).toString() : word)),
  'letters repeated': words((word) => word.replace(/[aeiou]/i, (vowel) => vowel.repeat(4))),
  'url escapes': (text) =>
    bytes(text)
      .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
      .join(''),
  'html entities': (text) => Array.from(text, (letter) => `&#${letter.codePointAt(0)};`).join(''),
  reversed: (text) => [...text].reverse().join(''),
  'reversed words': words((word) => [...word].reverse().join('')),
  'look-alikes of a third of the letters': letters((letter) =>
    draw.int(3) === 0 ? (homoglyph(letter) ?? letter) : letter,
  ),
  'wide letters, spaced': (text) => words((word) => [...word].join(' '))(shifted(0xff41, 0xff21)(text)),
};

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const percent = (part: number, all: number): string => {
  const { low, high } = wilson(part, all);
  const [value, from, to] = [part / all, low ?? 0, high ?? 1].map((share) => (100 * share).toFixed(1));
  return `${value} % (${from}-${to})`;
};

/** The texts of a file: the last column of each line, or a field of each object. */
function textsOf(path: string): string[] {
  if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => textsOf(join(path, name)));
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  if (path.endsWith('.jsonl')) return lines.map((line) => String(JSON.parse(line).text ?? ''));
  if (path.endsWith('.tsv')) return lines.slice(1).map((line) => line.split('\t').at(-1) ?? '');
  return lines;
}

const asked = textsOf(prompts).filter((text) => /[a-z]/i.test(text) && text.length < 400);
console.log(
  `| dress | undone in the text or found by rescan, of ${asked.length} | letters of the prompt that the shield gives back |`,
);
console.log('|---|---:|---:|');
for (const [name, dress] of Object.entries(DRESSES)) {
  let [undone, kept, all] = [0, 0, 0];
  for (const text of asked) {
    const found = shield(dress(text)).text;
    const said = [found, ...rescan(dress(text)).map((each) => each.text)].map(plain);
    if (said.some((each) => each.includes(plain(text)))) undone++;
    const [meant, read] = [wordsOf(text), new Set(wordsOf(found))];
    kept += meant.filter((word) => read.has(word)).length;
    all += meant.length;
  }
  console.log(`| ${name} | ${percent(undone, asked.length)} | ${((100 * kept) / all).toFixed(0)} % of words |`);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}

console.log('\n| clean texts | n | changed visibly | candidates |');
console.log('|---|---:|---:|---:|');
let [characters, time] = [0, 0];
for (const path of clean) {
  const texts = textsOf(path);
  let [changed, candidates] = [0, 0];
  for (const text of texts) {
    const from = performance.now();
    const { changes } = shield(text);
    time += performance.now() - from;
    characters += text.length;
    if (changes.some(({ kind }) => kind !== 'invisible')) changed++;
    if (rescan(text).length > 0) candidates++;
  }
  console.log(
    `| ${basename(path)} | ${texts.length} | ${changed}: ${percent(changed, texts.length)} | ${candidates} |`,
  );
}
if (characters > 0) console.log(`\n${((1000 * time) / characters).toFixed(2)} µs a character`);
