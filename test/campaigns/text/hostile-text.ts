/** @file Texts that try to be more than text: the corpus of injections, and mixtures of them that nobody wrote down. */
import type { Random } from '../../../src/plugin.js';
import { INJECTIONS } from '../../reports/injections.js';

/** Sequences that end, begin or separate something in one of the formats, on a screen or in a log. */
const JOINTS = [
  ...['', ' ', '\n', '\r', '\r\n', '\n\n', '\t', '\v', '\f', '\u0085', '\u00A0', '\u2028', '\u2029', '\u3000', '\0'],
  ...['"', "'", '`', '```', '~~~', '\\', '|', ',', ';', ':', '::', '#', '##', '<', '>', '</', '/>', '&', '&#', ']]>'],
  ...[
    '[',
    ']',
    '](',
    '{',
    '}',
    '{{',
    '}}',
    '-',
    '---',
    '--',
    '=',
    '*',
    '%',
    '%0A',
    '$',
    '@',
    '!',
    '!!',
    '?',
    '\u001B[',
  ],
  ...['\u200B', '\u200D', '\u202E', '\u2066', '\uFEFF', '\uFFFE', '\uD83D', '\uDE00', '\u00AD', '\u061C', '\u180E'],
];

const MOST = 400;

/** An injection as it stands, several joined, a piece of one, or a soup of what is between them. */
export function hostileText(random: Random): string {
  switch (random.int(4)) {
    case 0:
      return random.pick(INJECTIONS);
    case 1:
      return mixed(random, () => random.pick(INJECTIONS), random.pick(JOINTS));
    case 2: {
      const text = mixed(random, () => random.pick(INJECTIONS), '');
      const from = random.int(text.length);
      return text.slice(from, from + 1 + random.int(30));
    }
    default:
      return mixed(random, () => (random.int(4) === 0 ? random.pick(INJECTIONS) : random.pick(JOINTS)), '');
  }
}

const mixed = (random: Random, piece: () => string, joint: string): string =>
  Array.from({ length: 2 + random.int(6) }, piece)
    .join(joint)
    .slice(0, MOST);
