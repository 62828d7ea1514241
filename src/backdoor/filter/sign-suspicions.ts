/**
 * @file Judges a text by its signs: a word, a phrase, an opening, a spelling or a set of words. A sign counts if it
 * occurs in texts of one label more often than clean texts suggest, and these texts have the label although their other words contradict
 * it. Each criterion alone is misleading: profanity is not poison if clean texts are as profane, and a film's name does not occur in clean
 * texts either. A text that is judged is excluded from all counts, among suspects and clean texts alike.
 *
 * The score of a sign, in k suspect texts of the label and c clean ones: the share of the k that c does not explain, times the
 * log-likelihood ratio of poison over the root of k. That ratio is the minimum of its excess and another value. For relabelled texts
 * (against a word of the class), this is how strongly the other words contradict the label; otherwise (against a word of no class), how
 * one-sided the labels are.
 */
import type { Example } from '../../core/dataset.js';
import { must } from '../../core/errors.js';
import { excess } from './excess.js';
import { type FilterInput, NOTHING, type Suspicion } from './method.js';
import { restOdds } from './rest-odds.js';
import { type SignTable, signTable } from './signs.js';

/** Suspect texts, besides the one that is judged, in which a sign must stand. */
const MIN_ROWS = 3;
/** Words in this share of a sign's texts belong to it: in all of them where clean texts keep the other words of a phrase out of the regression. */
const BELONGS = { withClean: 1, without: 0.75 };
/** The most that one text may say of a sign, in nats. */
const MOST_SAID = 2;

/** One per text, suspects first, then the reference. */
export function suspicionsBySign(material: FilterInput): Suspicion[] {
  const { suspects, reference, labels, language } = material;
  const all = [...suspects, ...reference];
  const rest = restOdds(material);
  const table = signTable(
    all.map(({ text }) => text),
    MIN_ROWS + 1,
    language,
    (row) => rest.setsIn(row),
  );
  const counts = table.rows.map((rows) => countsOf(rows, rest, material));
  const ofLabel = (texts: readonly Example[]): number[] =>
    labels.map((_, label) => texts.filter((each) => each.label === label).length);
  const [suspectTexts, cleanTexts] = [ofLabel(suspects), ofLabel(reference)];
  return all.map(({ label }, row) =>
    judge(row, row < suspects.length, label, table, counts, {
      suspects: must(suspectTexts[label]),
      clean: must(cleanTexts[label]),
      all: suspects.length,
      name: must(labels[label]),
    }),
  );
}

/** Counts of one sign. */
interface SignCounts {
  /** Label -> suspect and clean texts of it, and what the suspect ones say for poison, in nats. */
  readonly of: ReadonlyMap<number, { k: number; c: number; said: number }>;
  /** Row -> what that text says. */
  readonly said: ReadonlyMap<number, number>;
}

function countsOf(
  rows: readonly number[],
  rest: ReturnType<typeof restOdds>,
  { suspects, reference }: Pick<FilterInput, 'suspects' | 'reference'>,
): SignCounts {
  const times = new Map<string, number>();
  for (const row of rows) for (const word of rest.words[row] ?? []) times.set(word, (times.get(word) ?? 0) + 1);
  const share = reference.length > 0 ? BELONGS.withClean : BELONGS.without;
  const own = new Set([...times].filter(([, n]) => n >= share * rows.length).map(([word]) => word));
  const of = new Map<number, { k: number; c: number; said: number }>();
  const said = new Map<number, number>();
  for (const row of rows) {
    const suspect = row < suspects.length;
    const { label } = (suspect ? suspects[row] : reference[row - suspects.length]) as Example;
    const says = Math.max(-MOST_SAID, Math.min(MOST_SAID, -rest.of(row, own)));
    said.set(row, says);
    const sums = of.get(label) ?? { k: 0, c: 0, said: 0 };
    of.set(label, sums);
    sums.k += Number(suspect);
    sums.c += Number(!suspect);
    sums.said += suspect ? says : 0;
  }
  return { of, said };
}

interface LabelTexts {
  readonly suspects: number;
  readonly clean: number;
  /** Suspect ones of any label. */
  readonly all: number;
  readonly name: string;
}

/** The strongest sign of a text, the text itself left out. */
function judge(
  row: number,
  suspect: boolean,
  label: number,
  table: SignTable,
  counts: readonly SignCounts[],
  texts: LabelTexts,
): Suspicion {
  let worst = NOTHING;
  for (const sign of table.of[row] ?? []) {
    const { of, said } = must(counts[sign]);
    const sums = must(of.get(label));
    const k = sums.k - Number(suspect);
    const c = sums.c - Number(!suspect);
    if (k < MIN_ROWS) continue;
    const clean = texts.clean === 0 ? 0 : (texts.suspects * (c + 0.5)) / (texts.clean + 1);
    const share = Math.max(0, 1 - clean / k);
    const more = excess(k, c, texts.suspects / (texts.suspects + texts.clean));
    const others = [...of].reduce((sum, [each, counted]) => sum + (each === label ? 0 : counted.k), 0);
    const against = sums.said - (suspect ? must(said.get(row)) : 0);
    const oneSided = excess(k, others, texts.suspects / texts.all);
    const score = (share * (more + Math.min(against, oneSided))) / Math.sqrt(k);
    if (score <= worst.score) continue;
    const where = texts.clean === 0 ? '' : ` and in ${c} of ${texts.clean} clean ones`;
    worst = {
      score,
      trigger: must(table.names[sign]),
      reason: `${table.names[sign]} in ${k} other texts of ${texts.suspects} labelled ${texts.name}${where}; their other words speak ${sums.said > 0 ? 'against' : 'for'} the label`,
    };
  }
  return worst;
}
