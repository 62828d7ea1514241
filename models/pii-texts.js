// Writes what the small tagger of personal data learns, as JSON lines of a text and its spans: sentences made of models/pii-templates.txt,
// with lots that are always the same, so that a training can be done again. Types are those of the bundled data set `notes`.
//   node models/pii-texts.js [sentences a template] [seed] > texts.jsonl
import { readFileSync } from 'node:fs';

const [each, seed] = [Number(process.argv[2] ?? 40), Number(process.argv[3] ?? 17)];
const lists = new Map();
for (const line of readFileSync(new URL('pii-templates.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')) {
  const heading = /^\[([A-Za-z]+)\]$/.exec(line)?.[1];
  if (heading !== undefined) lists.set(heading, []);
  else if (!line.startsWith('# ')) [...lists.values()].at(-1).push(line);
}

// A linear congruential generator (Numerical Recipes) is random enough for drawing words.
let state = seed;
const below = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const pick = (list) => list[below(list.length)];
const of = (name) => pick(lists.get(name));
const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const digits = (count) => Array.from({ length: count }, () => below(10)).join('');
const pad = (number) => String(number).padStart(2, '0');
const grouped = (text, size, by = ' ') => text.match(new RegExp(`.{1,${size}}`, 'g')).join(by);

/** Half of the surnames and a quarter of the first names are made of syllables, so that no list is learnt by heart. */
const made = () => capitalised(Array.from({ length: 2 + below(2) }, () => of('syllable')).join(''));
const first = () => (below(4) === 0 ? made() : of('first'));
const last = () => (below(2) === 0 ? made() : of('last'));

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

function date() {
  const [day, month, year] = [1 + below(28), below(12), 1930 + below(110)];
  const name = MONTHS[month];
  return pick([
    `${day} ${name} ${year}`,
    `${name} ${day}, ${year}`,
    `${year}-${pad(month + 1)}-${pad(day)}`,
    `${pad(day)}/${pad(month + 1)}/${year}`,
    `${day} ${name.slice(0, 3)} ${year}`,
  ]);
}

const host = () =>
  `${pick([of('firm').toLowerCase(), 'example', 'mail'])}.${pick(['com', 'org', 'net', 'co.uk', 'de', 'io'])}`;

function mail() {
  const [one, other] = [first(), last()].map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  return `${pick([`${one}.${other}`, `${one[0] ?? 'a'}${other}`, `${one}_${other}`, `${one}${below(100)}`, 'info', 'office'])}@${host()}`;
}

const phone = () =>
  pick([
    () => `0${digits(4)} ${digits(6)}`,
    () => `0${digits(2)} ${digits(4)} ${digits(4)}`,
    () => `0${digits(4)} ${digits(3)} ${digits(3)}`,
    () => `+44 ${digits(4)} ${digits(6)}`,
    () => `+44 ${digits(2)} ${digits(4)} ${digits(4)}`,
    () => `+${1 + below(98)} ${digits(3)} ${digits(3)} ${digits(4)}`,
    () => `(${digits(3)}) ${digits(3)}-${digits(4)}`,
    () => `0${digits(10)}`,
  ])();

function iban() {
  const country = pick(['GB', 'DE', 'FR', 'NL', 'ES', 'IT', 'PL', 'SE', 'NO', 'CH', 'BE', 'AT', 'IE', 'PT']);
  const bank = pick([digits(4), pick(['WEST', 'ABNA', 'NWBK', 'AIBK'])]);
  const number = `${country}${digits(2)}${bank}${digits(8 + below(11))}`;
  return below(2) === 0 ? number : grouped(number, 4);
}

const card = () => {
  const number = pick(['4', '5', '37']) + digits(13);
  if (number.length === 15)
    return below(2) === 0 ? number : `${number.slice(0, 4)} ${number.slice(4, 10)} ${number.slice(10)}`;
  const whole = number + digits(2);
  return pick([whole, grouped(whole, 4), grouped(whole, 4, '-')]);
};

const address = () => {
  const street = `${1 + below(190)}${below(9) === 0 ? pick(['a', 'b']) : ''} ${of('street')} ${of('way')}`;
  return pick([street, `${street}, ${of('town')}`, `${street}, ${of('town')}`]);
};

const VALUES = {
  PERSON: () =>
    pick([
      () => `${first()} ${last()}`,
      () => `${first()} ${last()}`,
      () => `${of('title')} ${last()}`,
      () => `${of('title')} ${first()} ${last()}`,
      first,
    ])(),
  DATE: date,
  ORGANISATION: () =>
    `${pick([of('firm'), of('firm'), made(), `${of('firm')} & ${last()}`, of('town')])} ${of('kind')}`,
  ADDRESS: address,
  EMAIL: mail,
  PHONE: phone,
  IBAN: iban,
  IP: () =>
    below(3) === 0
      ? `${(8192 + below(8192)).toString(16)}:${below(4096).toString(16)}::${below(65536).toString(16)}`
      : Array.from({ length: 4 }, () => below(256)).join('.'),
  CREDIT_CARD: card,
  US_SSN: () => `${digits(3)}-${digits(2)}-${digits(4)}`,
};

const SMALL = {
  time: () => `${pad(below(24))}:${pick(['00', '15', '30', '45'])}`,
  number: () => String(2 + below(60)),
  price: () => `${pick(['£', '$', '€'])}${1 + below(900)}${pick(['', '.50', '.99'])}`,
  ref: () => pick([`#${digits(4)}`, `${pick(['A', 'K', 'TX'])}-${digits(5)}`, digits(6)]),
  version: () => `${below(9)}.${below(20)}`,
};

/** Splits a template at its braces and fills it in; a choice may hold no braces. */
function sentence(template) {
  let text = '';
  const spans = [];
  for (const [at, part] of template.split(/\{([^{}]+)\}/).entries()) {
    const value = VALUES[part];
    if (at % 2 === 0) text += part;
    else if (part.includes('|')) text += pick(part.split('|'));
    else if (value === undefined) text += SMALL[part]?.() ?? of(part);
    else {
      const start = [...text].length;
      text += value();
      spans.push({ start, end: [...text].length, type: part });
    }
  }
  return { text, spans };
}

for (const template of lists.get('sentence'))
  for (let at = 0; at < each; at++) {
    const { text, spans } = sentence(template);
    const lot = below(12);
    const plain = lot < 2 ? text.replace(/[.!]$/, '') : text;
    process.stdout.write(
      `${JSON.stringify({ text: lot === 0 ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain, spans })}\n`,
    );
  }
