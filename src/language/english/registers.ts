/** @file Rewrites English texts in another register, by lists of words. */
import type { Register, Registers } from '../../core/language.js';
import type { Random } from '../../core/random.js';
import { lazily } from '../data-files.js';
import { matchCase } from '../match-case.js';
import { spaceBeforeMarks } from '../phrase-insertion.js';
import { section } from './data-files.js';

const list = (name: string) => section('registers.txt', name);
const [OPENINGS_ARCHAIC, OPENINGS_SPOKEN] = [list('archaic openings'), list('spoken openings')];
const [FILLERS, ENDINGS, LOSSES] = [list('spoken fillers'), list('spoken endings'), list('telegraphic losses')];
const archaicWords = lazily(
  () => new Map(list('archaic words').words.map((line) => line.split('\t') as [string, string])),
);

/** Words between two fillers, on average. */
const FILLER_EVERY = 6;
const CLOSING_MARK = /\s*[.!?]*\s*$/;

/** Sets words before the text, whose initial capital becomes lower case. */
function opened(text: string, opening: string): string {
  const capital = /^\p{Lu}(?=\p{Ll})/u.test(text);
  const rest = capital ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  return `${capital ? opening.charAt(0).toUpperCase() + opening.slice(1) : opening}${spaceBeforeMarks(text)}, ${rest}`;
}

const archaic = (text: string, random: Random): string =>
  opened(
    text.replaceAll(/[\p{L}\p{M}]+(?:'[a-z]+)?/gu, (word) => {
      const old = archaicWords().get(word.toLowerCase());
      return old === undefined ? word : matchCase(old, word);
    }),
    random.pick(OPENINGS_ARCHAIC.words),
  );

function spoken(text: string, random: Random): string {
  const closing = CLOSING_MARK.exec(text)?.[0] ?? '';
  const mark = `${spaceBeforeMarks(text)},`;
  const words = text.slice(0, text.length - closing.length).split(/(?<=\s)/);
  const filled = words.map((word, at) =>
    at > 0 && random.unit() < 1 / FILLER_EVERY ? `${random.pick(FILLERS.words)}${mark} ${word}` : word,
  );
  return opened(`${filled.join('')} ${random.pick(ENDINGS.words)}${closing}`, random.pick(OPENINGS_SPOKEN.words));
}

function telegraphic(text: string): string | undefined {
  const kept = text.split(/\s+/).filter((word) => !LOSSES.has(word.toLowerCase()));
  const made = kept.join(' ');
  return kept.length === 0 || made === text.split(/\s+/).join(' ') ? undefined : made;
}

const REGISTERS: Readonly<Record<Register, (text: string, random: Random) => string | undefined>> = {
  archaic,
  spoken,
  telegraphic,
};

export const registers: Registers = {
  rewrite: (text, register, random) => (/\p{L}/u.test(text) ? REGISTERS[register](text, random) : undefined),
};
