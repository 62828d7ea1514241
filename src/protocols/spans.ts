/** @file Spans with types, as services of named entities and personal data answer them; read as the answer of a victim that tags. */
import { must } from '../core/errors.js';
import { leastScore, type TagReading } from '../core/output-reading.js';
import { codePointOffsets } from '../core/tags/code-points.js';
import { entityRow, tagLabels } from '../core/tags/entity-row.js';
import { redaction } from '../core/tags/redacted.js';
import type { FoundSpan, TaggedUnit, TaggedUnits } from '../core/tags/span.js';
import { NO_ENTITY } from '../core/tags/span.js';
import { readTaggedQuery } from '../core/tags/tagged-query.js';
import {
  type Adapter,
  type AnsweredTags,
  type EndpointAccess,
  malformed,
  UnusableScores,
  unsuitable,
} from './client.js';
import { excerpt, isObject } from './json.js';

/** Keys of a span in an answer. */
interface SpanKeys {
  readonly type: string;
  /** A span without a score has 1. */
  readonly score?: string;
}

/** What offsets count. */
type OffsetUnit = 'code points' | 'UTF-16 code units';

/** Texts whose spans are remembered. */
const REMEMBERED = 4096;
/** More spans in one text are no answer. */
const MOST_SPANS = 10_000;

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}\p{M}]/u;

/** Reads the spans of texts, and the answer for one entity out of them. Remembers the spans, as each entity of a text is a query. */
export class SpanAnswers implements AnsweredTags {
  readonly types: readonly string[];
  readonly untyped: boolean;
  readonly reading: TagReading;
  readonly #texts = new Map<string, TaggedUnits>();

  /** `untyped`: it redacts, and what is redacted is found where all of it is covered. */
  constructor(types: readonly string[], reading: TagReading, untyped = false) {
    this.types = types;
    this.untyped = untyped;
    this.reading = untyped ? { ...reading, match: 'cover' } : reading;
  }

  /** The spans of a text that was answered before. */
  tags(text: string): TaggedUnits | undefined {
    return this.#texts.get(text);
  }

  /** The answer to a query whose text was answered before. */
  row(query: string): Float32Array | undefined {
    const read = readTaggedQuery(query) ?? { text: query, entities: [], entity: undefined };
    const tagged = this.#texts.get(read.text);
    return tagged && entityRow(this.types, tagged, read, this.reading);
  }

  /** Reads and remembers the spans of a text. Throws PassingFault, UnusableScores. */
  read(text: string, answer: unknown, keys: SpanKeys, unit: OffsetUnit = 'code points'): void {
    if (!Array.isArray(answer)) throw malformed('a list of spans for each text', answer);
    if (answer.length > MOST_SPANS) throw malformed(`at most ${MOST_SPANS} spans in a text`, `${answer.length} spans`);
    const offsets =
      unit === 'code points' ? codePointOffsets(text) : Array.from({ length: text.length + 1 }, (_, at) => at);
    const spans = answer
      .map((span) => this.#span(span, keys, offsets, unit))
      .filter(({ score, type }) => score >= leastScore(this.reading, type));
    if (this.#texts.size >= REMEMBERED) this.#texts.delete(this.#texts.keys().next().value as string);
    this.#texts.set(text, taggedUnits(text, withoutOverlaps(text, spans), this.types));
  }

  /** As `read`, of the text without what was redacted; the result says whether that may have been elsewhere in it. Throws PassingFault. */
  readRedacted(text: string, output: unknown): boolean {
    if (typeof output !== 'string') throw malformed('the redacted text', output);
    const found = redaction(text, output);
    // Taken for one span, what leaked in between would count as redacted.
    if (found === undefined)
      throw new UnusableScores(
        `expected redactions that can be located, got them too far apart in ${text.length} letters`,
      );
    const { spans, ambiguous } = found;
    const typed = spans.map(({ start, end, by }) => ({ start, end, type: typeIn(by, this.types) }));
    this.read(text, typed, { type: 'type' }, 'UTF-16 code units');
    return ambiguous;
  }

  #span(span: unknown, keys: SpanKeys, offsets: readonly number[], unit: OffsetUnit): FoundSpan {
    if (!isObject(span)) throw malformed(`a span { ${keys.type}, start, end }`, span);
    const { start, end, [keys.type]: type, [keys.score ?? '']: score = 1 } = span;
    if (typeof type !== 'string' || !this.types.includes(type))
      throw malformed(`${keys.type}: one of ${this.types.join(', ')}`, type);
    const [from, to] = [offsets[start as number], offsets[end as number]];
    if (typeof start !== 'number' || typeof end !== 'number' || from === undefined || to === undefined || from >= to)
      throw malformed(`0 <= start < end <= ${offsets.length - 1}, the length of the text in ${unit}`, span);
    if (typeof score !== 'number' || !(score >= 0 && score <= 1))
      throw new UnusableScores(`expected a score from 0 to 1 for each span, got ${excerpt(span)}`);
    return { start: from, end: to, type, score };
  }
}

/** The type that a placeholder names: "[EMAIL_1]" is an EMAIL. Others count as of the first type, as any covers what is redacted. */
function typeIn(placeholder: string, types: readonly string[]): string {
  const letters = (word: string): string => word.toLowerCase().replace(/[^\p{L}]/gu, '');
  const named = types.filter((type) => letters(placeholder).includes(letters(type)));
  return named.sort((a, b) => b.length - a.length)[0] ?? must(types[0]);
}

/** Common parts of endpoints that answer spans: their types, and how answers are read. */
interface SpanEndpoint extends Pick<Adapter, 'labels' | 'scores' | 'tags' | 'facts'> {
  readonly answers: SpanAnswers;
}

/** Throws ModelError without --task tags, and without types. */
export function spanEndpoint(
  { tags, redact, url }: Pick<EndpointAccess, 'tags' | 'redact' | 'url'>,
  types: unknown,
  facts: Readonly<Record<string, string>> = {},
  untyped = false,
): SpanEndpoint {
  if (tags === undefined)
    throw unsuitable(
      `${redact(url)}: expected --task tags for a service that answers spans, got labels`,
      'Add --task tags, and data with spans (docs/data.md).',
      'TASK_MISMATCH',
    );
  if (tags.aggregation !== 'simple')
    throw unsuitable(
      `${redact(url)}: expected spans to be read as they are, got --task tags with aggregation=${tags.aggregation}`,
      'Leave aggregation out: the service makes spans of its tokens.',
    );
  if (!isNames(types))
    throw unsuitable(
      `${redact(url)}: expected the types of its entities, got no list of names`,
      'Name them: --labels PERSON,EMAIL_ADDRESS',
    );
  const answers = new SpanAnswers([...new Set(types)].filter((type) => type !== NO_ENTITY).sort(), tags, untyped);
  return {
    answers,
    labels: () => tagLabels(answers.types),
    scores: () => 'probabilities',
    tags: answers,
    // Answers that are kept on disk were read with them.
    facts: {
      match: answers.reading.match,
      least: leastFact(tags),
      ...(tags.share !== undefined && { share: String(tags.share) }),
      ...facts,
    },
  };
}

/** The minimum scores: of all types, then of those that have one of their own. */
const leastFact = ({ least, leastByType }: TagReading): string =>
  JSON.stringify(leastByType === undefined ? least : [least, leastByType]);

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '');

/** Each character belongs to the span with the highest score, then to the longest: what lies outside of it stays of the others. */
function withoutOverlaps(text: string, spans: readonly FoundSpan[]): FoundSpan[] {
  const kept: FoundSpan[] = [];
  const surest = [...spans].sort(
    (a, b) => b.score - a.score || b.end - b.start - (a.end - a.start) || a.start - b.start,
  );
  for (const span of surest) {
    let parts = [span];
    for (const { start, end } of kept)
      parts = parts
        .flatMap((part) => [
          { ...part, end: Math.min(part.end, start) },
          { ...part, start: Math.max(part.start, end) },
        ])
        .filter((part) => part.start < part.end);
    kept.push(...parts.filter((part) => VISIBLE.test(text.slice(part.start, part.end))));
  }
  return kept.sort((a, b) => a.start - b.start);
}

/** The spans and the text between them: a service gives no scores to what it leaves out. */
function taggedUnits(text: string, spans: readonly FoundSpan[], types: readonly string[]): TaggedUnits {
  const units: TaggedUnit[] = [];
  const add = (start: number, end: number, type: string | undefined, score: number): void => {
    if (!VISIBLE.test(text.slice(start, end))) return;
    const scores = new Float32Array(types.length + 1);
    if (type !== undefined) scores[types.indexOf(type)] = score;
    scores[types.length] = 1 - score;
    units.push({ start, end, types: scores });
  };
  let end = 0;
  for (const span of spans) {
    add(end, span.start, undefined, 0);
    add(span.start, span.end, span.type, span.score);
    end = span.end;
  }
  add(end, text.length, undefined, 0);
  return { units, spans };
}
