/** @file Evidence of the diagnostics: answers to a few extra queries that a run of the suite `standard` makes besides its attacks. Types and schemas only. */
import { z } from 'zod';
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import { count, type Declared } from '../../core/declared.js';
import type { Language } from '../../core/language.js';

const edits = z.object({
  texts: count,
  unanswered: count.describe('Errors, refusals and scores that are not finite.'),
  unchanged: count.describe('Answers that equal the answer to the unedited text to the bit.'),
});

/** Answers to texts that differ from an unedited one by one edit. */
export interface EditedAnswers extends Declared<typeof edits> {}

const compared = z.object({ n: count, agree: count, disagree: count });

/** Comparisons of scores: those that agree with what follows, those that disagree; the rest are ties. */
export interface ComparedScores extends Declared<typeof compared> {}

const rewrites = z.object({ texts: count, flipped: count });

export const diagnosticEvidenceSchema = z.object({
  queries: count.describe(
    'Texts and gradients that the diagnostics queried. They are not among the queries of attacks.',
  ),
  missing: z.string().describe('Why the diagnostics made no queries.').exactOptional(),
  examples: z
    .array(z.object({ id: z.string(), own: rewrites, foreign: rewrites }))
    .describe(
      'Random rewrites of each queried example within the limits of standard-characters: by edits of letters as attacks make them (own), and by digits and apostrophes (foreign).',
    ),
  edits: z
    .object({ own: edits, foreign: edits, removed: edits })
    .describe('Single edits of words in passages whose removal changes the answer.'),
  answers: z.object({
    examples: count,
    distinct: count.describe('Different answers to the unedited texts.'),
    edited: count.describe('Edited texts whose answer differs from that to the unedited text.'),
    shared: count.describe('Changed answers that texts of several labels got.'),
  }),
  long: z.object({ texts: count, unanswered: count, shared: count }),
  scores: z.object({
    texts: count,
    distinct: count,
    saturated: count.describe('Answers in which every score is 0 or 1.'),
    steps: count.describe('Least n up to 1,000 such that all scores are multiples of 1/n; 0 if no n fits.'),
    bands: z
      .object({ pairs: count, near: count, apart: count })
      .describe(
        'Pairs of answers to texts of different examples: those whose log-odds are within some distance, and those beyond it but within ten times as much, at the distance where the scores are most like a few narrow bands.',
      ),
  }),
  guidance: z
    .object({ effects: compared, paths: compared })
    .describe(
      'Effects: of two pairs of removed words, does the pair whose single removals lower the score more lower it more together? Paths: as a text turns word by word into another, is the score lower just before the label changes than earlier?',
    ),
  gradients: z
    .object({
      texts: count,
      notFinite: count,
      zero: count,
      constant: count.describe('Gradients that equal the gradient of another example to the bit.'),
      misled: count.describe(
        'Texts on which random steps lowered the score of the true label more than gradient steps.',
      ),
    })
    .exactOptional(),
  repeats: z
    .object({ texts: count, changed: count, difference: z.number().min(0) })
    .describe('Texts that were queried again in another order, past every cache. Absent if files fix the answers.')
    .exactOptional(),
});

/** Answers to the extra queries of a run, in counts. They are kept in run.json, where the checks read them. */
export interface DiagnosticEvidence extends Declared<typeof diagnosticEvidenceSchema> {}

/** An example that the victim classifies correctly, as the diagnostics query it. */
export interface DiagnosedExample {
  readonly example: Example;
  /** The label that the goal is after. */
  readonly label: number;
  /** The victim's answer to the unedited text. */
  readonly before: Float32Array;
  /** Whether an answer reaches the goal. */
  flipped(row: Float32Array): boolean;
}

/** A victim as the diagnostics see it. */
export interface DiagnosedVictim extends Pick<Classifier, 'classify'> {
  readonly seed: number;
  readonly language: Language;
  /** Its scores are probabilities of labels; false for regression. */
  readonly probabilities: boolean;
  readonly examples: readonly DiagnosedExample[];
  readonly gradients?: WhiteBox | undefined;
  /** Present where answers may vary: queries past every cache. */
  readonly repeating?: (Pick<Classifier, 'classify'> & { again(text: string): Promise<Float32Array> }) | undefined;
}

export type Diagnose = (victim: DiagnosedVictim) => Promise<DiagnosticEvidence>;

/** Examples that the diagnostics query. */
export const DIAGNOSED_EXAMPLES = 16;

const none = { texts: 0, unanswered: 0, unchanged: 0 } as const;

/** Evidence without a single query. */
export const withoutQueries = (missing: string): DiagnosticEvidence => ({
  queries: 0,
  missing,
  examples: [],
  edits: { own: none, foreign: none, removed: none },
  answers: { examples: 0, distinct: 0, edited: 0, shared: 0 },
  long: { texts: 0, unanswered: 0, shared: 0 },
  scores: { texts: 0, distinct: 0, saturated: 0, steps: 0, bands: { pairs: 0, near: 0, apart: 0 } },
  guidance: { effects: { n: 0, agree: 0, disagree: 0 }, paths: { n: 0, agree: 0, disagree: 0 } },
});
