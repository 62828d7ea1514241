import type { Transformation } from '../core/search.js';

/** The edits of several transformations of words, so that one search mixes them. None of them may rewrite the whole text. */
export function anyEdit(name: string, parts: readonly Transformation[]): Transformation {
  const learning = parts.filter(({ prepare }) => prepare !== undefined);
  return {
    name,
    language: [...new Set(parts.flatMap(({ language = [] }) => language))],
    ...(learning.length > 0 && {
      async prepare(sample, victim) {
        for (const part of learning) await part.prepare?.(sample, victim);
      },
    }),
    async *edits(...given) {
      for (const part of parts) yield* part.edits(...given);
    },
  };
}
