// Writes what the detector of prompt injections learns, as tab-separated text and label: sentences made of models/detector-templates.txt,
// with lots that are always the same, so that a training can be done again.
//   node models/detector-texts.js [sentences a template] > texts.tsv
// A heading may name a family: [attack override].
import { readFileSync } from 'node:fs';

const each = Number(process.argv[2] ?? 30);
const lists = new Map();
/** Headings are in small letters: [INST] and its like are marks of a chat's format. */
const HEADING = /^\[([a-zA-Z0-9 -]*[a-z][a-zA-Z0-9 -]*)\]$/;
let list = [];
const content = readFileSync(new URL('detector-templates.txt', import.meta.url), 'utf8').trimEnd();
for (const line of content.split('\n')) {
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) {
    list = [];
    lists.set(heading, list);
  } else if (!line.startsWith('# ')) list.push(line);
}

// A linear congruential generator (Numerical Recipes) is random enough for drawing words.
let state = 17;
const below = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const pick = (list) => list[below(list.length)];
const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function filled(template) {
  return template.replaceAll(/\{([^{}"][^{}]*)\}/g, (_, part) => {
    if (part.includes('|')) return filled(pick(part.split('|')));
    const list = lists.get(part);
    if (list !== undefined) {
      const text = filled(pick(list));
      return part === 'please' && text !== '' ? `${text} ` : text;
    }
    const lower = lists.get(part.charAt(0).toLowerCase() + part.slice(1)) ?? lists.get(part.toLowerCase());
    if (lower === undefined) return `{${part}}`;
    return capitalised(filled(pick(lower)));
  });
}

// Most sentences begin with a capital and some do not; a few are shouted, and some lack their last full stop.
function written(text) {
  const tidy = text
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ ([.,?!;])/g, '$1')
    .trim();
  const lot = below(20);
  if (lot === 0) return tidy.toUpperCase();
  if (lot < 4) return tidy.replace(/[.!]$/, '');
  return lot < 6 ? tidy : capitalised(tidy);
}

process.stdout.write('text\tlabel\n');
const seen = new Set();
for (const label of ['attack', 'benign']) {
  const headings = [...lists.keys()].filter((name) => name === label || name.startsWith(`${label} `));
  const templates = headings.flatMap((name) => lists.get(name));
  for (const template of templates) {
    for (let at = 0; at < each; at++) {
      // Every third text is of two sentences of its kind, so that length tells nothing.
      const text = written(filled(template) + (below(3) === 0 ? ` ${capitalised(filled(pick(templates)))}` : ''));
      if (seen.has(text)) continue;
      seen.add(text);
      process.stdout.write(`${text}\t${label}\n`);
    }
  }
}
