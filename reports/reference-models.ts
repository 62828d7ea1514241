/**
 * @file Reference models: the outcomes of common attacks on models that robust ships or trains by a committed recipe. A success rate of a run
 * is shown beside theirs if attacks, conditions and task are the same.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AttackMetrics } from '../src/core/attack-metrics.js';
import { type Block, note } from '../src/core/document.js';
import { quantity } from '../src/core/figure-text.js';
import { MIN_COMPARED_EXAMPLES } from '../src/core/hardening.js';
import { labelMeaning } from '../src/core/label-words.js';
import type { Outcome } from '../src/core/outcome.js';
import { packaged } from '../src/core/package-root.js';
import type { Report } from '../src/core/report.js';

/** Letters of `outcomes`: 1 flipped, 0 not flipped, s misclassified without an edit. Errors are not allowed. */
const outcomes = z.string().regex(/^[01s]+$/);

export const referenceSchema = z.strictObject({
  about: z.string(),
  command: z.string(),
  toolVersion: z.string(),
  measured: z.iso.date(),
  /** The task of the models, for readers. */
  task: z.string(),
  labels: z.tuple([z.string(), z.string()]),
  data: z.strictObject({ name: z.string(), sha256: z.string(), examples: z.number().int().positive() }),
  seed: z.number().int(),
  /** Words of the longest text: longer texts give an attack more room. */
  longestText: z.number().int().positive(),
  models: z.array(z.strictObject({ name: z.string(), sha256: z.string(), recipe: z.string() })).min(3),
  /** Attack -> its identity, and its outcomes on each model in their order. */
  attacks: z.record(z.string(), z.strictObject({ identity: z.string(), outcomes: z.array(outcomes) })),
});

export type ReferenceModels = z.infer<typeof referenceSchema>;

/** Facts of a run that may differ from those of the reference: the model, the texts, the seed. */
const FREE = new Set([
  ...['toolVersion', 'model', 'labels', 'data', 'dataLabels', 'attacks', 'numExamples', 'seed', 'engine'],
  ...['shuffle', 'offset', 'precision', 'defend'],
]);
/** The reference's own conditions. */
const CONDITIONS: Readonly<Record<string, unknown>> = {
  queryBudget: null,
  runBudget: null,
  goal: 'untargeted',
  constraints: [],
};

let read: ReferenceModels | undefined;

/** The figures we ship, read once. */
export function referenceModels(): ReferenceModels {
  read ??= referenceSchema.parse(JSON.parse(packaged('reports', 'data', 'reference-models.json')));
  return read;
}

/** A hash of an attack's options and constraints, 16 hex digits. Figures of an attack that was changed no longer match. */
export const identityOf = ({ options, constraints }: Pick<AttackMetrics, 'options' | 'constraints'>): string =>
  createHash('sha256')
    .update(JSON.stringify([Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)), constraints]))
    .digest('hex')
    .slice(0, 16);

/** The letter of one outcome on a reference model; undefined for an error. */
export const letterOf = ({ status }: Pick<Outcome, 'status'>): string | undefined =>
  ({ succeeded: '1', failed: '0', tied: '0', skipped: 's', errored: undefined })[status];

/** Success rates of these attacks together on each reference model: an example counts as flipped if any of them flips it. */
export function referenceRates(names: readonly string[], { models, attacks } = referenceModels()): number[] {
  return models.map((_, model) => {
    const rows = names.map((name) => attacks[name]?.outcomes[model] ?? '');
    const letters = [...(rows[0] ?? '')].map((letter, at) => (rows.some((row) => row[at] === '1') ? '1' : letter));
    return letters.filter((letter) => letter === '1').length / letters.filter((letter) => letter !== 's').length;
  });
}

/** Do the reference models decide the same kind of question, in the same version, under the same conditions, on texts of a similar length? */
export function isComparable(report: Report, reference = referenceModels()): boolean {
  const { model, provenance, closest, overall, partial = [], reasons = [] } = report;
  if (
    provenance === undefined ||
    report.toolVersion !== reference.toolVersion ||
    model.decision !== undefined ||
    model.output?.windows !== undefined
  )
    return false;
  if (partial.length + reasons.length > 0 || overall.attackSuccessRate.n < MIN_COMPARED_EXAMPLES) return false;
  const conditions = Object.entries(provenance.fingerprint).filter(([name]) => !FREE.has(name));
  const same = conditions.every(([name, value]) => JSON.stringify(value) === JSON.stringify(CONDITIONS[name]));
  const meanings = new Set(model.labels.map((label) => labelMeaning(label, reference.labels)));
  const sameTask = model.labels.length === 2 && reference.labels.every((label) => meanings.has(label));
  // No success shows how long the texts are.
  return same && sameTask && closest.length > 0 && closest.every(({ words }) => words <= reference.longestText);
}

/**
 * The lowest and highest success rate of these attacks together on the reference models: `85-99 %`. Undefined if the run is not comparable, or
 * if an attack has other options or constraints.
 */
export function referenceRange(
  report: Report,
  attacks: readonly Pick<AttackMetrics, 'name' | 'options' | 'constraints'>[],
  reference = referenceModels(),
): string | undefined {
  const known = attacks.every(({ name, ...attack }) => own(reference, name)?.identity === identityOf(attack));
  if (attacks.length === 0 || !known || !isComparable(report, reference)) return undefined;
  const rates = referenceRates(
    attacks.map(({ name }) => name),
    reference,
  ).map((rate) => Math.round(100 * rate));
  const [low, high] = [Math.min(...rates), Math.max(...rates)];
  return low === high ? `${low} %` : `${low}-${high} %`;
}

const own = ({ attacks }: ReferenceModels, name: string) => (Object.hasOwn(attacks, name) ? attacks[name] : undefined);

/** The origin of the ranges, for a run that has one. */
export function referenceNote(report: Report, reference = referenceModels()): Block[] {
  if (!report.attacks.some((attack) => referenceRange(report, [attack], reference) !== undefined)) return [];
  const { models, data, task } = reference;
  return [
    note(
      `Reference models: lowest and highest success rate of the same attacks on ${quantity(models.length, 'model')} (${task}; ${data.name}, n = ${data.examples}): ${models.map(({ name }) => name).join(', ')}.`,
    ),
  ];
}
