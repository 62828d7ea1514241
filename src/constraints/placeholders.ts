/** @file Keeps placeholders unchanged. */
import { constraint } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { PLACEHOLDER } from '../core/placeholder.js';
import type { Constraint } from '../core/search.js';

interface Found {
  /** Slots of words inside a placeholder. */
  readonly slots: ReadonlySet<number>;
  /** Placeholder -> number of occurrences in the text. */
  readonly counts: ReadonlyMap<string, number>;
}

const NONE: Found = { slots: new Set(), counts: new Map() };

/** Keyed by the unedited draft. */
const known = new WeakMap<Draft, Found>();

const findIn = (draft: Draft): Found => getOrCompute(known, draft.original, placeholdersOf);

function placeholdersOf({ text, spans, size }: Draft): Found {
  const matches = Array.from(text.matchAll(PLACEHOLDER), ({ 0: written, index }) => ({ written, index }));
  if (matches.length === 0) return NONE;
  const slots = new Set<number>();
  for (let slot = 0; slot < size; slot++) {
    const [start, end] = [spans[2 * slot]!, spans[2 * slot + 1]!];
    if (matches.some(({ written, index }) => start < index + written.length && end > index)) slots.add(slot);
  }
  const counts = new Map<string, number>();
  for (const { written } of matches) counts.set(written, (counts.get(written) ?? 0) + 1);
  return { slots, counts };
}

/** Recipes that edit every word, like their authors' or peers' implementations. */
const PEERS = ['textattack', 'none'];

/**
 * Placeholders stay unchanged: an edited `@user` deceives no reader, and a model trained on `@user` has never seen `@usr`. It applies
 * neither to attacks that rewrite the whole text (base64, another letter case) nor to word swaps under TextAttack's constraints or none.
 */
export const keepPlaceholders: Constraint = {
  name: 'placeholders kept',
  editable: (draft, at) => !findIn(draft).slots.has(at),
  accepts(candidates, original) {
    const { slots, counts } = findIn(original);
    if (counts.size === 0) return candidates.map(() => true);
    return candidates.map((candidate) => {
      if (candidate.sharesOriginalWith(original) && [...candidate.editedSince(original)].some((at) => slots.has(at)))
        return false;
      return [...counts].every(([written, count]) => candidate.text.split(written).length > count);
    });
  },
  ofWords: true,
  binds: ({ constraints }) => !(typeof constraints === 'string' && PEERS.includes(constraints)),
};

/** Active in every run by default: see --protect placeholders=edit. */
export const placeholderConstraints = [
  constraint({
    name: 'keep-placeholders',
    summary: 'Placeholders stay: @user, http, <NAME>, {{x}}.',
    create: () => keepPlaceholders,
  }),
];
