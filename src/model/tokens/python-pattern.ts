/**
 * @file A regular expression of Python's `re`, as scikit-learn's token patterns are, in JavaScript: its classes are Unicode's, and
 * what is written differently is rewritten. What has no counterpart is refused rather than matched otherwise.
 */
import { must } from '../../core/errors.js';

/** `str.isalnum` and the underscore: marks are no part of a word. */
const WORD = '\\p{L}\\p{N}_';
/** `str.isspace`. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const END = '(?![^])';

const OUTSIDE: Readonly<Record<string, string>> = {
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
  A: '(?<![^])',
  Z: END,
  a: '\\x07',
};
const INSIDE: Readonly<Record<string, string>> = {
  w: WORD,
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  s: SPACE,
  b: '\\x08',
  a: '\\x07',
};

/** Throws SyntaxError, which says what cannot be used. */
export function pythonPattern(source: string): RegExp {
  const [whole, letters = ''] = /^\(\?([a-zA-Z]+)\)/.exec(source) ?? [''];
  const unknown = Array.from(letters).find((letter) => !'iu'.includes(letter));
  if (unknown !== undefined) throw new SyntaxError(`the flag (?${unknown}) is not supported`);
  return new RegExp(translate(source.slice(whole.length)), letters.includes('i') ? 'giu' : 'gu');
}

function translate(source: string): string {
  let out = '';
  let inside = false;
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const [piece, length] = rest.startsWith('\\') ? readEscape(rest, inside) : inside ? member(rest) : plain(rest);
    inside = inside ? !rest.startsWith(']') : rest.startsWith('[');
    out += piece;
    at += length;
  }
  return out;
}

/** A piece of the pattern in JavaScript, and the number of Python characters that it replaces. */
type PatternPiece = [piece: string, length: number];

function readEscape(rest: string, inside: boolean): PatternPiece {
  const code = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))/i.exec(rest);
  if (code) return [`\\u{${code[1] ?? code[2] ?? code[3]}}`, code[0].length];
  const letter = String.fromCodePoint(rest.codePointAt(1) ?? 0x5c);
  const known = inside ? INSIDE[letter] : OUTSIDE[letter];
  if (known !== undefined) return [known, 2];
  if (/[nrtfv]/.test(letter) || (!inside && /[1-9]/.test(letter))) return [`\\${letter}`, 2];
  if (/[A-Za-z0-9]/.test(letter) || rest.length < 2) {
    throw new SyntaxError(`\\${letter} is not supported ${inside ? 'within a class' : 'here'}`);
  }
  return [
    /[\^$\\.*+?()[\]{}|/-]/.test(letter) && (inside || letter !== '-') ? `\\${letter}` : letter,
    1 + letter.length,
  ];
}

/** Within a class. */
const member = (rest: string): PatternPiece => [
  /^[[&~]/.test(rest) ? `\\${rest[0]}`.replace(/\\([&~])/, '$1') : must(rest[0]),
  1,
];

function plain(rest: string): PatternPiece {
  const first = must(rest[0]);
  switch (first) {
    case '[': {
      // A closing bracket that comes first is one of the class.
      const [open = '['] = /^\[\^?\]?/.exec(rest) ?? [];
      return [open.replace(']', '\\]'), open.length];
    }
    case '(': {
      const named = /^\(\?P<(\w+)>/.exec(rest);
      if (named) return [`(?<${named[1]}>`, named[0].length];
      const again = /^\(\?P=(\w+)\)/.exec(rest);
      if (again) return [`\\k<${again[1]}>`, again[0].length];
      if (/^\(\?(?!:|=|!|<=|<!)/.test(rest)) throw new SyntaxError(`${rest.slice(0, 4)} is not supported`);
      return ['(', 1];
    }
    case '{': {
      const times = /^\{(\d*)(,?)(\d*)\}/.exec(rest);
      if (!times || (times[1] === '' && times[3] === '')) return ['\\{', 1];
      return [`{${times[1] || '0'}${times[2]}${times[3]}}`, times[0].length];
    }
    case '.':
      return ['[^\\n]', 1];
    case '$':
      return [`(?=\\n?${END})`, 1];
    case ']':
    case '}':
      return [`\\${first}`, 1];
    default:
      return [first, 1];
  }
}
