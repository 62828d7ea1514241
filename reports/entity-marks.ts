/** @file A text of a model that tags in pieces: where its true entities are, and what the model found there. */
import type { Outcome } from '../src/core/outcome.js';
import { overlaps, type TagSpan } from '../src/core/tags/span.js';

/** `found`: a true entity in a span of its type; `retyped`: in a span of another type; `leaked`: in no span; `beyond`: a span beyond the true entities. */
export const MARKS = ['found', 'retyped', 'leaked', 'beyond'] as const;

export interface MarkedPiece {
  readonly text: string;
  /** Absent outside of entities and spans. */
  readonly mark?: (typeof MARKS)[number];
  /** On the last piece of an entity or a span: its type, and what became of it: `PERSON missed`. */
  readonly label?: string;
}

export interface MarkedTexts {
  readonly before: readonly MarkedPiece[];
  /** Absent if nothing was edited. */
  readonly after?: readonly MarkedPiece[];
}

/** Undefined for other models. */
export function markedTexts({
  text,
  adversarial,
  entities,
  tags,
}: Omit<InQuestion, 'entity'>): MarkedTexts | undefined {
  if (entities === undefined || tags === undefined) return undefined;
  const before = markedPieces(text, entities, tags.before);
  if (adversarial === undefined || tags.after === undefined) return { before };
  return { before, after: markedPieces(adversarial, tags.entities ?? entities, tags.after) };
}

/** Pieces that add up to the text. */
function markedPieces(text: string, entities: readonly TagSpan[], found: readonly TagSpan[]): MarkedPiece[] {
  const bounds = [...entities, ...found].flatMap(({ start, end }) => [start, end]);
  const cuts = [...new Set([0, ...bounds, text.length])].sort((a, b) => a - b);
  return cuts.slice(1).map((end, at): MarkedPiece => {
    const start = cuts[at]!;
    const within = (span: TagSpan): boolean => span.start <= start && end <= span.end;
    const [entity, span] = [entities.find(within), found.find(within)];
    const piece = text.slice(start, end);
    if (entity === undefined) {
      if (span === undefined) return { text: piece };
      const alone = entities.every((each) => !overlaps(each, span));
      return { text: piece, mark: 'beyond', ...(alone && span.end === end && { label: `${span.type} false` }) };
    }
    const mark = span === undefined ? 'leaked' : span.type === entity.type ? 'found' : 'retyped';
    return { text: piece, mark, ...(entity.end === end && { label: labelOf(entity, found) }) };
  });
}

function labelOf(entity: TagSpan, found: readonly TagSpan[]): string {
  const over = found.filter((span) => overlaps(span, entity));
  const whole = over.find(({ start, end }) => start <= entity.start && entity.end <= end);
  if (over.length === 0) return `${entity.type} missed`;
  if (whole === undefined) return `${entity.type} cut`;
  return whole.type === entity.type ? entity.type : `${entity.type} as ${whole.type}`;
}

type InQuestion = Pick<Outcome, 'text' | 'entities' | 'entity'> & Partial<Pick<Outcome, 'adversarial' | 'tags'>>;

/** The entity in question before and after, in words: `entity: Ann Lee (PERSON); after: Amn Lee, missed`. */
export function entityInWords({ text, adversarial, entities = [], entity = -1, tags }: InQuestion): string | undefined {
  const span = entities[entity];
  if (span === undefined) return undefined;
  const [then, now] = [tags?.entities?.[entity], tags?.after];
  const words = `entity: ${text.slice(span.start, span.end)} (${span.type})`;
  if (adversarial === undefined || then === undefined || now === undefined) return words;
  const state = labelOf(then, now).slice(then.type.length + 1) || 'found';
  return `${words}; after: ${adversarial.slice(then.start, then.end)}, ${state}`;
}
