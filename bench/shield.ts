/**
 * @file Measures how many disguises the shield undoes, and how many clean texts it changes.
 *
 *     npm run bench dist/bench/shield.js PROMPTS.tsv CLEAN... [-- --peers]
 *
 * PROMPTS: one text a line, its last column. Each is dressed in every way below, and counts as undone if the shield gives the prompt back, or
 * `rescan` finds it. CLEAN: files or folders of ordinary texts, counted by label if they have `label`s; the shield should change none of them
 * visibly. `--peers` installs two npm packages that do a part of it into a temporary folder, and compares; they are skipped if npm cannot be
 * reached.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { rescan, shield } from '../packages/shield/src/index.js';
import { random } from '../src/core/random.js';
import { wilson } from '../src/core/statistics/stats.js';
import { homoglyph, leetSigns } from '../src/language/confusables.js';

const [prompts = '', ...clean] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const draw = random(42, 'shield');

const shifted = (small: number, capital: number) => (text: string) =>
  text.replace(/[a-z]/gi, (letter) =>
    String.fromCodePoint(letter.charCodeAt(0) + (letter <= 'Z' ? capital - 65 : small - 97)),
  );
const letters = (change: (letter: string, at: number) => string) => (text: string) =>
  Array.from(text, (letter, at) => (/\p{L}/u.test(letter) ? change(letter, at) : letter)).join('');
const words = (change: (word: string) => string) => (text: string) => text.replace(/\p{L}+/gu, change);
const bytes = (text: string): number[] => [...Buffer.from(text)];
/** Letters without accents as code words; everything else is dropped. */
const spelled = (alphabet: string) => (text: string) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .split(/[^a-z\p{M}]+/u)
    .map((word) => [...word].flatMap((letter) => alphabet.split(' ')[letter.charCodeAt(0) - 97] ?? []).join(' '))
    .join(' / ');

const capitalsApart = (text: string): string => words((word) => [...word.toUpperCase()].join(' '))(text);
/** Behind enough prose that most letters of the text belong to words. */
const inProse = (dress: (text: string) => string) => (text: string) =>
  `${'The meeting is moved to Thursday, because the room was taken. '.repeat(Math.ceil(text.length / 40))}${dress(text)}`;

/** Disguises; the tables are this file's own. */
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
  base32: (text) => {
    const bits = bytes(text).map((byte) => byte.toString(2).padStart(8, '0'));
    const fives = bits.join('').match(/.{1,5}/g) ?? [];
    return fives.map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
  },
  NATO: spelled(
    'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey x-ray yankee zulu',
  ),
  'Morse code': spelled(
    '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..',
  ),
  reversed: (text) => [...text].reverse().join(''),
  'reversed words': words((word) => [...word].reverse().join('')),
  'look-alikes of a third of the letters': letters((letter) =>
    draw.int(3) === 0 ? (homoglyph(letter) ?? letter) : letter,
  ),
  'spaced capitals': capitalsApart,
  'spaced capitals, wider gaps between words': (text) => capitalsApart(text.replaceAll(' ', '   ')),
  'spaced capitals in prose': inProse(capitalsApart),
  'spaced capitals in prose, wider gaps': inProse((text) => capitalsApart(text.replaceAll(' ', '   '))),
  'wide letters, spaced': (text) => words((word) => [...word].join(' '))(shifted(0xff41, 0xff21)(text)),
};

/** The words of Latin letters, without case and accents, which NATO and Morse lose. */
const plain = (text: string): string =>
  (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{Script=Latin}+/gu) ?? []
  ).join(' ');
const percent = (part: number, all: number): string => {
  const { low, high } = wilson(part, all);
  const [value, from, to] = [part / all, low ?? 0, high ?? 1].map((share) => (100 * share).toFixed(1));
  return `${value} % (${from}-${to})`;
};

interface LabelledText {
  readonly text: string;
  readonly label: string;
}

/** The texts of a file: the last column of each line, or fields of each object. */
function labelledTexts(path: string): LabelledText[] {
  if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => labelledTexts(join(path, name)));
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  if (path.endsWith('.jsonl'))
    return lines.map((line) => {
      const { text = '', label = '' } = JSON.parse(line) as Partial<LabelledText>;
      return { text: String(text), label: String(label) };
    });
  const texts = path.endsWith('.tsv') ? lines.slice(1).map((line) => line.split('\t').at(-1) ?? '') : lines;
  return texts.map((text) => ({ text, label: '' }));
}

const textsOf = (path: string): string[] => labelledTexts(path).map(({ text }) => text);

function byLabel(path: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { text, label } of labelledTexts(path)) groups.set(label, [...(groups.get(label) ?? []), text]);
  return groups;
}

/** Packages that undo a part of the disguises, and how each cleans a text. */
const PEERS = { 'confusables@1.1.1': 'remove', 'out-of-character@2.3.0': 'replace' } as const;

type Clean = (text: string) => string;

/** The packages, installed into a temporary folder; none if npm cannot be reached. */
function installPeers(): [name: string, clean: Clean][] {
  const folder = mkdtempSync(join(tmpdir(), 'robust-peers-'));
  try {
    const names = Object.keys(PEERS);
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, ...names], {
      stdio: 'pipe',
    });
    const require = createRequire(join(folder, 'index.js'));
    return Object.entries(PEERS).map(([name, method]) => {
      const found = require(name.replace(/@.*/, '')) as Record<string, Clean>;
      return [name, (text) => (found[method] as Clean)(text)];
    });
  } catch (error) {
    console.error(`The npm packages are skipped: ${(error as Error).message.split('\n')[0]}`);
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const cleaners: readonly [name: string, clean: Clean][] = [
  ['shield', (text) => shield(text).text],
  ...(process.argv.includes('--peers') ? installPeers() : []),
];

const asked = textsOf(prompts).filter((text) => /[a-z]/i.test(text) && text.length < 400);
const header = (first: string, others: readonly string[]) =>
  console.log(`| ${first} | ${others.join(' | ')} |\n|---|${others.map(() => '---:|').join('')}`);

header(`disguise, ${asked.length} prompts`, [
  'undone by the shield or read by rescan',
  ...cleaners.map(([name]) => name),
]);
for (const [name, dress] of Object.entries(DRESSES)) {
  const dressed = asked.map(dress);
  const undone = (read: (dressed: string) => readonly string[]): string =>
    percent(
      asked.filter((text, at) => read(dressed[at]!).some((each) => plain(each).includes(plain(text)))).length,
      asked.length,
    );
  const figures = [
    undone((text) => [shield(text).text, ...rescan(text).map((each) => each.text)]),
    ...cleaners.map(([, clean]) => undone((text) => [clean(text)])),
  ];
  console.log(`| ${name} | ${figures.join(' | ')} |`);
}

/** Whether a reader sees the difference. */
const isVisible = (before: string, after: string): boolean => {
  const seen = (text: string) => text.replace(/\p{Cf}|\p{Mn}|\s/gu, '');
  return seen(before) !== seen(after);
};

console.log('');
header('clean texts', [
  'n',
  'changed visibly',
  'besides letters closed up',
  'read as encoded',
  ...cleaners.slice(1).map(([name]) => name),
]);
let [characters, time] = [0, 0];
for (const path of clean) {
  for (const [label, texts] of byLabel(path)) {
    const from = process.cpuUsage();
    const changes = texts.map((text) => shield(text).changes.filter(({ kind }) => kind !== 'invisible'));
    const { user, system } = process.cpuUsage(from);
    time += user + system;
    characters += texts.join('').length;
    const share = (of: (text: string, at: number) => boolean) => percent(texts.filter(of).length, texts.length);
    const figures = [
      texts.length,
      share((_, at) => changes[at]!.length > 0),
      share((_, at) => changes[at]!.some(({ kind }) => kind !== 'spacing')),
      share((text) => rescan(text).length > 0),
      ...cleaners.slice(1).map(([, clean]) => share((text) => isVisible(text, clean(text)))),
    ];
    console.log(`| ${basename(path)}${label && ` (${label})`} | ${figures.join(' | ')} |`);
  }
}
if (characters > 0) console.log(`\n${(time / characters).toFixed(2)} µs of processor time a character`);
