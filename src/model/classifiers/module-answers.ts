/** @file What a user's module answers: scores, labels alone, spans, or texts without what they redact; read as the answers of a victim. */
import { ModelError, messageOf, must } from '../../core/errors.js';
import type { TagReading } from '../../core/output-reading.js';
import { tagLabels } from '../../core/tags/entity-row.js';
import { textOfQuery } from '../../core/tags/tagged-query.js';
import { type AnsweredTags, SpanAnswers } from '../../remote/index.js';
import type { LoadedModel, LoadOptions } from '../loaded-model.js';
import { activate } from '../output/activation.js';

/** The default export of a module: `labels`, and one of `classify`, `tag` and `redact`. */
export interface OwnVictim {
  readonly labels: readonly string[];
  /** Of all texts at once: a row of scores each, or a label each. */
  classify?(texts: readonly string[]): unknown;
  /** Of one text: `{ start, end, type, score }` for each span, in UTF-16 code units. */
  tag?(text: string): unknown;
  /** Of one text: the text without what it is to lose. */
  redact?(text: string): unknown;
  /** @default probabilities */
  readonly scores?: 'probabilities' | 'logits' | 'labels';
  /** The label of a text whose highest scores are equal. */
  readonly tie?: string;
}

/** Calls one of its functions. */
type Call = (name: 'classify' | 'tag' | 'redact', given: unknown) => Promise<unknown>;

/** How the answers become rows. */
export interface OwnAnswers extends Pick<LoadedModel, 'labels' | 'output'> {
  /** Of a module that tags: what it answered before. */
  readonly tags?: AnsweredTags;
  /** Rows of texts, or of queries for entities. Throws ModelError PLUGIN_DAMAGED for answers that are none. */
  rows(queries: readonly string[], call: Call): Promise<Float32Array[]>;
}

const KEYS = { type: 'type', score: 'score' };
const TAG_HINT =
  'A span is { start, end, type, score }, with offsets in UTF-16 code units as those of slice, and a type among labels.';

export const HINT =
  'Export default { labels: ["negative", "positive"], classify: async (texts) => texts.map(() => [0.5, 0.5]) }; with --task regression one label, the name of the number, and rows of one. See docs/reference/models.md.';

export function invalid(path: string, what: string, cause?: unknown, hint = HINT): ModelError {
  return new ModelError(`${path}: ${what}`, { code: 'PLUGIN_DAMAGED', hint, cause });
}

const MOST_SHOWN = 100;

/** NaN and infinities as what they are, which JSON calls null. */
export const display = (value: unknown): string =>
  (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' && !Number.isFinite(each) ? String(each) : each,
    ) ?? typeof value
  )
    .replaceAll(/"(NaN|-?Infinity)"/g, '$1')
    .slice(0, MOST_SHOWN);

/** `given`: the labels that the user named instead of the module's. */
export function ownAnswers(
  path: string,
  victim: OwnVictim,
  { labels: given, decision, tags, onWarning }: LoadOptions,
): OwnAnswers {
  if ((victim.classify === undefined) !== (decision === 'tags')) throw otherTask(path, victim);
  if (victim.classify !== undefined) return scored(path, { ...victim, labels: given ?? victim.labels }, decision);
  return tagged(path, victim, { aggregation: 'simple', match: 'whole', least: 0, ...tags }, onWarning);
}

const otherTask = (path: string, { classify }: OwnVictim): ModelError =>
  new ModelError(
    `${path}: expected ${classify ? 'tag or redact with --task tags, got classify' : '--task tags for a module that tags or redacts, got labels'}`,
    {
      code: 'TASK_MISMATCH',
      hint: classify ? 'Leave --task tags out.' : 'Add --task tags, and data with spans (docs/data.md).',
    },
  );

function scored(path: string, victim: OwnVictim, decision: LoadOptions['decision']): OwnAnswers {
  const { labels, tie } = victim;
  const all = tie === undefined || labels.includes(tie) ? labels : [...labels, tie];
  const oneHot = (at: number): Float32Array => Float32Array.from(all, (_, label) => (label === at ? 1 : 0));
  const rowOf = (row: unknown, text: string): Float32Array => {
    const label = typeof row === 'string' && decision !== 'regression' ? all.indexOf(row) : -1;
    if (label >= 0) return oneHot(label);
    const scores = scoresIn(path, row, text, victim, decision);
    if (tie === undefined || decision === 'regression') return scores;
    const most = Math.max(...scores);
    if (scores.filter((score) => score === most).length > 1) return oneHot(all.indexOf(tie));
    return all.length === scores.length ? scores : Float32Array.of(...scores, 0);
  };
  return {
    labels: all,
    async rows(texts, call) {
      const rows = await call('classify', texts);
      if (Array.isArray(rows) && rows.length === texts.length)
        return rows.map((row, at) => rowOf(row, texts[at] ?? ''));
      throw invalid(path, `expected ${texts.length} rows for as many texts, got ${display(rows)}`);
    },
  };
}

/** The probabilities of a row of scores, or its one number. Throws ModelError PLUGIN_DAMAGED. */
function scoresIn(
  path: string,
  row: unknown,
  text: string,
  { labels, scores }: OwnVictim,
  decision: LoadOptions['decision'],
): Float32Array {
  const values = row instanceof Float32Array ? row : Array.isArray(row) ? Float32Array.from(row) : undefined;
  const width = scores === 'labels' ? undefined : labels.length;
  if (values === undefined || values.length !== width || !values.every(Number.isFinite)) {
    const wanted = scores === 'labels' ? `one of ${labels.join(', ')}` : `${labels.length} probabilities`;
    const shown = `${display(row)} for ${display(text)}`;
    throw invalid(path, `expected ${decision === 'regression' ? 'one number' : wanted} per text, got ${shown}`);
  }
  if (decision === 'regression') return values;
  if (scores === 'logits')
    return activate(values, {
      activation: decision === 'multi-label' ? 'sigmoid' : 'softmax',
      normalise: false,
      width,
    });
  if (!values.every((p) => p >= 0 && p <= 1)) throw outside(path, values, text);
  return values;
}

function outside(path: string, row: Float32Array, text: string): ModelError {
  const percent = row.every((score) => score >= 0 && score <= 100);
  return invalid(
    path,
    `expected probabilities, got ${display([...row])} for ${display(text)}, outside of 0 to 1`,
    undefined,
    percent
      ? 'Percent? Divide by 100. Other scores of which the highest wins: export scores: "logits".'
      : 'Logits, or other scores of which the highest wins? Export scores: "logits".',
  );
}

/** Redactions whose place is not certain are told of once. */
function tagged(
  path: string,
  { labels, redact }: OwnVictim,
  reading: TagReading,
  warn: LoadOptions['onWarning'],
): OwnAnswers {
  const name = redact ? 'redact' : 'tag';
  const answers = new SpanAnswers(labels, reading, redact !== undefined);
  let told = false;
  const read = (text: string, output: unknown): void => {
    const uncertain = redact !== undefined && answers.readRedacted(text, output);
    if (redact === undefined) answers.read(text, output, KEYS, 'UTF-16 code units');
    if (!uncertain || told) return;
    told = true;
    warn?.(
      `${path}: what redact took from a text may be at several places, and the first counts: ${display(text)} became ${display(output)}`,
    );
  };
  return {
    labels: tagLabels(answers.types),
    output: { activation: 'none', normalised: false, decidedBy: 'decision', tags: answers.reading, remarks: [] },
    tags: answers,
    async rows(queries, call) {
      for (const text of new Set(queries.map(textOfQuery)))
        if (answers.tags(text) === undefined) {
          const output = await call(name, text);
          try {
            read(text, output);
          } catch (cause) {
            throw invalid(path, `${name}: ${messageOf(cause)} for ${display(text)}`, cause, TAG_HINT);
          }
        }
      return queries.map((query) => must(answers.row(query)));
    },
  };
}
