/**
 * @file The value of a number, a date or an address of mail, in whatever form it is written. Two spellings of one value are one value:
 * "1984-03-05" and "5 March 1984", "+44 1632 960 177" and "00441632960177", "ann@example.org" and "ann (at) example [.] org".
 */
import { must } from '../errors.js';

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** A day of the calendar; `month` from 1. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** `March`; undefined for no month. */
export const monthName = (month: number): string | undefined => {
  const name = MONTHS[month - 1];
  return name && must(name[0]).toUpperCase() + name.slice(1);
};

/** The month that a name or its first three letters mean. */
function monthOf(name: string): number | undefined {
  const word = name.toLowerCase().replace(/\.$/, '');
  const at = MONTHS.findIndex(
    (month) => word === month || word === month.slice(0, 3) || (word === 'sept' && month === 'september'),
  );
  return at < 0 ? undefined : at + 1;
}

const NAMED = String.raw`(?<month>\p{L}{3,9}\.?)`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const DATES = [
  /^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})$/u,
  new RegExp(`^(?:the )?${DAY}(?: of)? ${NAMED},? (?<year>\\d{4})$`, 'iu'),
  new RegExp(`^${NAMED} (?:the )?${DAY},? (?<year>\\d{4})$`, 'iu'),
];

/** The day that a text names; undefined for other texts, and where day and month could be taken for each other: "03/04/1984". */
export function readDay(text: string): CalendarDay | undefined {
  const plain = text.trim().replaceAll(/\s+/gu, ' ');
  for (const pattern of DATES) {
    const { year = '', month = '', day = '' } = pattern.exec(plain)?.groups ?? {};
    const found = {
      year: Number(year),
      month: /^\d/.test(month) ? Number(month) : (monthOf(month) ?? 0),
      day: Number(day),
    };
    const date = new Date(Date.UTC(found.year, found.month - 1, found.day));
    if (found.month > 0 && date.getUTCMonth() === found.month - 1 && date.getUTCDate() === found.day) return found;
  }
  return undefined;
}

const AT = /\s*(?:[([]\s*at\s*[)\]]|@)\s*/iu;
const DOT = /\s*(?:[([]\s*(?:dot|\.)\s*[)\]]|\.)\s*/giu;

/** The same text for all spellings of one value. */
export function readValue(text: string): string {
  const day = readDay(text);
  if (day !== undefined) return `${day.year}-${day.month}-${day.day}`;
  const [user, host, ...more] = text.trim().split(AT);
  if (user !== undefined && host !== undefined && more.length === 0)
    return `${user}@${host}`.replaceAll(DOT, '.').toLowerCase();
  // Dots part the numbers of an internet address.
  if (/^\d{1,3}(?:\s*[[(]?\.[\])]?\s*\d{1,3}){3}$/.test(text.trim())) return text.replaceAll(/[^\d.]/g, '');
  return signsOf(text).join('').replace(/^00/, '');
}

/** Letters and digits, in capitals and without accents. */
const signsOf = (text: string): string[] => [
  ...text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase(),
];

/** Digits from which on a reader puts groups together: of telephone numbers, cards and accounts. */
const LONG_NUMBER = 7;

/**
 * Do the digits stay together? A reader takes "19 77" and "1.977" for other numbers than "1977". Long numbers may be parted by blanks and
 * strokes, and by points into groups.
 */
export function keepsRuns(before: string, after: string): boolean {
  const runs = (text: string) =>
    text
      .normalize('NFKD')
      .replaceAll(/[\p{Cf}\p{M}]/gu, '')
      .match(/\p{N}+/gu) ?? [];
  const [from, to] = [runs(before), runs(after)];
  if (from.join('').length < LONG_NUMBER) return from.join(' ') === to.join(' ');
  const pointed = (text: string): boolean => /(?<!\p{N})\p{N}[.,]\p{N}|\p{N}[.,]\p{N}(?!\p{N})/u.test(text);
  return pointed(before) || !pointed(after);
}

/** Whether it is an address of mail or of a page. */
export const isAddress = (text: string): boolean =>
  /@|^(?:\w+:\/\/)?(?:[\w-]+\.)+\p{L}{2,}(?:\/\S*)?$/iu.test(text.trim());

/** Whether a rewritten address keeps its parts, and each part its signs. */
export function keepsAddress(before: string, after: string): boolean {
  const parts = (text: string): string[] =>
    text
      .trim()
      .split(AT)
      .flatMap((part) => part.split(DOT));
  const [from, to] = [parts(before), parts(after)];
  return from.length === to.length && from.every((part, at) => keepsSigns(part, must(to[at])));
}

/** Letters become at most look-alikes of other alphabets. */
function keepsSigns(before: string, after: string): boolean {
  const [from, to] = [signsOf(before), signsOf(after)];
  return (
    from.length === to.length &&
    from.every((sign, at) => sign === to[at] || (/\p{L}/u.test(sign) && /[^\P{L}A-Z]/u.test(must(to[at]))))
  );
}

/**
 * Does a rewritten word keep the value of one with digits? The digits stay, in their places among the letters; a letter stays, or becomes
 * one of another alphabet, as look-alikes do. Words without digits keep any.
 */
export function keepsDigits(before: string, after: string): boolean {
  return !/\p{N}/u.test(before) || (keepsSigns(before, after) && keepsRuns(before, after));
}
