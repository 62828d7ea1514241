/** @file Rules of a pipeline: words, patterns, length and share of marks. */
import { RE2JS } from 're2js';
import { ModelError, messageOf } from '../../../core/errors.js';
import type { RulesStage } from './schema.js';

export interface TextRules {
  /** As messages name them: `word "password"`, `longest`. */
  readonly names: readonly string[];
  /** Indices of the rules that a text breaks. */
  broken(text: string): number[];
}

/** Throws ModelError PIPELINE_INVALID for a pattern that RE2 cannot decide. */
export function rulesOf({ words = [], patterns = [], longest, marks }: RulesStage, where: string): TextRules {
  const rules = [
    ...words.map((word) => rule(`word "${word}"`, (_, plain) => occursAlone(plain, folded(word)))),
    ...patterns.map((source) => {
      const pattern = compiled(source, where);
      return rule(`pattern ${source}`, (text) => pattern.matcher(text).find());
    }),
    ...(longest === undefined ? [] : [rule('longest', (text) => text.length > longest)]),
    ...(marks === undefined ? [] : [rule('marks', (text) => shareOfMarks(text) >= marks)]),
  ];
  return {
    names: rules.map(([name]) => name),
    broken: (text) => {
      const plain = folded(text);
      return rules.flatMap(([, breaks], at) => (breaks(text, plain) ? [at] : []));
    },
  };
}

const rule = (name: string, breaks: (text: string, plain: string) => boolean) => [name, breaks] as const;

function compiled(source: string, where: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    throw new ModelError(`${where}: patterns: expected a pattern of RE2, got ${source}: ${messageOf(cause)}`, {
      code: 'PIPELINE_INVALID',
      hint: 'RE2 has no back references and no lookaheads.',
      cause,
    });
  }
}

/** Lower case, with single blanks. */
const folded = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ');

/** Whether a phrase occurs between characters that are no letters or digits. */
function occursAlone(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const around = [text.slice(Math.max(0, at - 2), at), text.slice(at + phrase.length, at + phrase.length + 2)];
    if (!/[\p{L}\p{N}]$/u.test(around[0] ?? '') && !/^[\p{L}\p{N}]/u.test(around[1] ?? '')) return true;
  }
  return false;
}

function shareOfMarks(text: string): number {
  const characters = Array.from(text);
  return (
    characters.filter((character) => !/[\p{L}\p{M}\p{N}\s]/u.test(character)).length / Math.max(1, characters.length)
  );
}
