/** @file Rules of a pipeline: words, patterns, length and share of marks. */
import { RE2JS } from 're2js';
import { ModelError, messageOf } from '../../../core/errors.js';
import type { RulesStage } from './schema.js';

/** Number of rules that a text breaks. Throws ModelError PIPELINE_INVALID for a pattern that RE2 cannot decide. */
export function ruleCounter(rules: RulesStage, where: string): (text: string) => number {
  const patterns = (rules.patterns ?? []).map((source) => {
    try {
      return RE2JS.compile(source);
    } catch (cause) {
      throw new ModelError(`${where}: patterns: expected a pattern of RE2, got ${source}: ${messageOf(cause)}`, {
        code: 'PIPELINE_INVALID',
        hint: 'RE2 has no back references and no lookaheads.',
        cause,
      });
    }
  });
  const words = (rules.words ?? []).map(folded);
  const { longest = Number.POSITIVE_INFINITY, marks } = rules;
  return (text) => {
    const plain = folded(text);
    const matched = [
      ...words.map((word) => occursAlone(plain, word)),
      ...patterns.map((pattern) => pattern.matcher(text).find()),
      text.length > longest,
      marks !== undefined && shareOfMarks(text) >= marks,
    ];
    return matched.filter(Boolean).length;
  };
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
