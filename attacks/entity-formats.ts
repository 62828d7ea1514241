/**
 * Formats: writes dates, numbers, internet addresses, addresses of mail and streets in another usual form.
 *
 * Threat: no attacker is needed: people write one date, phone number or account in many ways. What a redactor learnt in one form leaks in
 * another.
 * Example: "born 1984-03-05, call (212) 555-0199" -> "born 5 March 1984, call (212) 555-0199"
 * Readable because: the value stays. Digits keep their order, and a date keeps its day, month and year; months are written as words
 * wherever day and month could be taken for each other. `readValue` reads the value back from every form; a test does so for all of them.
 * Paper: none; the forms are those of ISO 8601, of ITU-T E.123 for telephone numbers (https://www.itu.int/rec/T-REC-E.123), of ISO 13616
 * for the groups of an IBAN, and the "[.]" and "(at)" with which addresses are hidden from programs.
 * Differs: there is no paper. Dates with slashes are left as they are.
 */
import { must } from '../src/core/errors.js';
import { type CalendarDay, monthName, readDay, readValue } from '../src/core/tags/value.js';
import { beam, type Draft, noRepeat, searchAttack } from '../src/plugin.js';

const pad = (number: number): string => String(number).padStart(2, '0');

function dateForms({ year, month, day }: CalendarDay): string[] {
  const name = must(monthName(month));
  const short = name.slice(0, 3);
  return [
    `${year}-${pad(month)}-${pad(day)}`,
    `${day} ${name} ${year}`,
    `${name} ${day}, ${year}`,
    `${day} ${short} ${year}`,
    `${short} ${day}, ${year}`,
    `${year}/${pad(month)}/${pad(day)}`,
    `${year}.${pad(month)}.${pad(day)}`,
  ];
}

/** Signs in groups of this size. */
const grouped = (signs: string, size: number): string[] => signs.match(new RegExp(`.{1,${size}}`, 'gu')) ?? [];

function numberForms(text: string): string[] {
  const plus = text.startsWith('+');
  const groups = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const signs = groups.join('');
  const parts = [groups, ...[2, 3, 4].map((size) => grouped(signs, size))];
  const forms = parts.flatMap((each) => [' ', '-', '.'].map((separator) => each.join(separator)));
  // A plus stays before the first digit.
  return [...forms, signs].map((form) => (plus ? `+${form}` : form));
}

const hostForms = (text: string): string[] => ['[.]', '(.)', ' . '].map((dot) => text.replaceAll('.', dot));

function mailForms(text: string): string[] {
  const [user = '', host = ''] = text.split('@');
  const dots = ['.', '[.]', ' [dot] ', ' (dot) '];
  return ['@', ' @ ', ' (at) ', '[at]'].flatMap((at) => dots.map((dot) => `${user}${at}${host.replaceAll('.', dot)}`));
}

/** Abbreviations of the ends of streets' names, as the Royal Mail and the US Postal Service write them. */
const STREETS: Readonly<Record<string, readonly string[]>> = {
  Street: ['St', 'St.'],
  Road: ['Rd', 'Rd.'],
  Lane: ['Ln', 'La.'],
  Avenue: ['Ave', 'Av.'],
  Close: ['Cl', 'Cl.'],
  Court: ['Ct', 'Ct.'],
  Drive: ['Dr', 'Drv'],
  Square: ['Sq', 'Sq.'],
  Place: ['Pl', 'Pl.'],
};

function streetForms(text: string): string[] {
  const [, start = '', end = ''] = /^(.*\s)(\p{L}+)$/u.exec(text) ?? [];
  return (STREETS[end] ?? []).map((short) => `${start}${short}`);
}

interface ValueKind {
  readonly pattern: RegExp;
  /** Words of its forms are abbreviations. */
  readonly abbreviated?: true;
  readonly forms: (text: string) => readonly string[];
}

const MONTH = '(?:January|February|March|April|May|June|July|August|September|October|November|December)';

/** The first kind that matches at a place counts. */
const KINDS: readonly ValueKind[] = [
  {
    pattern: new RegExp(String.raw`\b(?:\d{4}-\d\d-\d\d|\d{1,2} ${MONTH} \d{4}|${MONTH} \d{1,2}, \d{4})\b`, 'gu'),
    forms: (text) => {
      const day = readDay(text);
      return day === undefined ? [] : dateForms(day);
    },
  },
  { pattern: /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]\d)/gu, forms: hostForms },
  // Dates whose day and month could be taken for each other, and what looks like a date.
  { pattern: /\b(?:\d{1,2}([-./])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([-./])\d{1,2}\2\d{1,2})\b/gu, forms: () => [] },
  { pattern: /(?<!\S)[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.\p{L}{2,}/gu, forms: mailForms },
  { pattern: /\b\p{Lu}{2}\d{2}(?: ?[\p{Lu}\d]{4}){2,7}(?: ?[\p{Lu}\d]{1,3})?\b/gu, forms: numberForms },
  // Telephone numbers, cards, social security numbers.
  { pattern: /(?<![\p{L}\p{N}])\+?\(?\d(?:[ ().-]{0,2}\d){6,24}(?![\p{L}\p{N}])/gu, forms: numberForms },
  {
    pattern: new RegExp(String.raw`\b\d{1,4} (?:\p{Lu}\p{L}+ ){1,3}(?:${Object.keys(STREETS).join('|')})\b`, 'gu'),
    abbreviated: true,
    forms: streetForms,
  },
];

/** A part of a text that has a value, and other forms of it. */
export interface FormattedPart {
  readonly start: number;
  readonly end: number;
  readonly forms: readonly string[];
}

/** In the order of the text, without overlaps. */
export function formattedParts(text: string): FormattedPart[] {
  const parts: FormattedPart[] = [];
  for (const { pattern, forms, abbreviated } of KINDS)
    for (const { 0: found, index: start } of text.matchAll(pattern)) {
      const end = start + found.length;
      if (parts.some((part) => part.start < end && start < part.end)) continue;
      const keeps = (form: string): boolean => form !== found && (abbreviated || readValue(form) === readValue(found));
      parts.push({ start, end, forms: [...new Set(forms(found))].filter(keeps) });
    }
  return parts.filter(({ forms }) => forms.length > 0).sort((a, b) => a.start - b.start);
}

/** The slots whose words lie in a part; undefined if a word lies in it only partly, or was edited. */
function slotsOf(draft: Draft, { start, end }: FormattedPart): number[] | undefined {
  const { spans } = draft.original;
  const slots: number[] = [];
  for (let slot = 0; slot < draft.size; slot++) {
    const [from, to] = [must(spans[2 * slot]), must(spans[2 * slot + 1])];
    if (to <= start || from >= end) continue;
    if (from < start || to > end || draft.word(slot) !== draft.originalWord(slot)) return undefined;
    slots.push(slot);
  }
  return slots.length === 0 ? undefined : slots;
}

/** The words of a form in these slots, each with a letter or digit; the last slot holds the rest. Undefined if there are too few. */
function respelt(draft: Draft, slots: readonly number[], form: string): Draft | undefined {
  const [first, last] = [form.search(/[\p{L}\p{N}]/u), slots.length - 1];
  let [rest, made] = [form.slice(first), draft];
  for (const [at, slot] of slots.entries()) {
    if (at === last) return made.replace(slot, rest);
    // Words of the form, or its signs one by one where it has fewer words than slots.
    const words = rest.match(/[\p{L}\p{N}]+/gu) ?? [];
    const length = words.length > last - at ? must(words[0]).length : 1;
    const gap = must(/^[^\p{L}\p{N}]*/u.exec(rest.slice(length)))[0];
    made = made.replace(slot, rest.slice(0, length)).withGap(slot + 1, gap);
    rest = rest.slice(length + gap.length);
    if (rest === '') return undefined;
  }
  return undefined;
}

/** The digits of "(212) 555" lose both. */
const withoutParenthesis = (draft: Draft, slot: number): Draft =>
  draft.withGap(slot, draft.gapBefore(slot).replace(/\($/, ''));

export function* reformatted(draft: Draft, at: readonly number[]): Iterable<Draft> {
  const free = new Set(at);
  for (const part of formattedParts(draft.original.text)) {
    const slots = slotsOf(draft, part);
    if (slots === undefined || !slots.every((slot) => free.has(slot))) continue;
    const before = draft.original.text.slice(part.start, part.end);
    for (const form of part.forms) {
      const made = respelt(draft, slots, form);
      if (made !== undefined) yield before.startsWith('(') ? withoutParenthesis(made, must(slots[0])) : made;
    }
  }
}

export const entityFormats = searchAttack({
  name: 'entity-formats',
  level: 'character',
  otherEntities: true,
  summary: 'Writes dates, numbers and addresses in another usual form: "1984-03-05" -> "5 March 1984".',
  edits: () => ({ name: 'other forms of dates, numbers and addresses', edits: (draft, at) => reformatted(draft, at) }),
  constraints: () => [noRepeat],
  search: () => beam(1),
});
