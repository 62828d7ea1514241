/** @file The verdict of the exhaustive check on each example, and the rates of the verdicts. */
import { z } from 'zod';
import { count } from '../core/declared.js';
import { besideGoal, type Outcome } from '../core/outcome.js';
import { type Rate, rateSchema } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import { type AttackValue, type Measure, valueAt } from '../results/measures/measure.js';
import { note, type Section } from '../results/report/document.js';

const place = z.object({
  start: count.describe('Offset in the text, UTF-16 code units.'),
  end: count,
  breaking: count.describe('Edits at this place that change the prediction.'),
  edits: count.describe('Edits at this place.'),
});

const evidence = z.object({
  texts: count.describe('Texts of the space that the victim classified.'),
  finished: z.boolean().describe('It classified all of them.'),
  method: z
    .literal('bounds')
    .describe('How it was proved without classifying texts: by bounds on the votes of the model.')
    .exactOptional(),
  places: z.array(place).describe('With `count`: the places where some edit changes the prediction.').exactOptional(),
});

type Verification = z.infer<typeof evidence>;

const EVIDENCE = { key: 'verification', schema: evidence };

/** `wrong`: the unedited text is classified incorrectly, so that the model is not robust on it. */
export type ProofVerdict = 'wrong' | 'proved' | 'broken' | 'unfinished';

/** The verdict on an example; undefined if it says nothing: the victim errored or refused, or the goal does not concern the text. */
export function verdictOf(outcome: Outcome): ProofVerdict | undefined {
  const { status, details } = outcome;
  if (status === 'errored' || besideGoal(outcome)) return undefined;
  if (status === 'skipped') return 'wrong';
  if (status === 'succeeded') return 'broken';
  const found = valueAt(outcome, EVIDENCE.key) as Verification | undefined;
  return status === 'failed' && found?.finished === true && details?.refused === undefined ? 'proved' : 'unfinished';
}

export const verificationOf = (outcome: Outcome): Verification | undefined =>
  valueAt(outcome, EVIDENCE.key) as Verification | undefined;

interface VerdictRate {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly verdicts: readonly ProofVerdict[];
}

/** The share of all examples, wrongly classified ones included, with one of these verdicts. */
const verdictRate = ({ name, label, about, verdicts }: VerdictRate): Measure<Rate> => ({
  name,
  evidence: EVIDENCE,
  schema: rateSchema,
  fold() {
    let [n, found] = [0, 0];
    return {
      add(outcome) {
        const verdict = verdictOf(outcome);
        if (verdict === undefined) return;
        n++;
        if (verdicts.includes(verdict)) found++;
      },
      value: () => (n === 0 ? undefined : wilson(found, n)),
    };
  },
  metrics: [{ key: name, unit: 'rate', label, about, column: null }],
});

/** Texts whose weak places a report shows. */
const PICTURES = 3;

const picture = z.object({
  text: z.string(),
  breaking: count.describe('Edits that change the prediction.'),
  texts: count,
  places: z.array(place),
});

type Picture = z.infer<typeof picture>;

const weakPlaces: Measure<readonly Picture[]> = {
  name: 'weakPlaces',
  schema: z.array(picture),
  fold() {
    let worst: Picture[] = [];
    return {
      add(outcome) {
        const { texts, places } = verificationOf(outcome) ?? {};
        if (texts === undefined || places === undefined || places.length === 0) return;
        const breaking = places.reduce((sum, each) => sum + each.breaking, 0);
        worst = [...worst, { text: outcome.text, breaking, texts, places }]
          .sort((a, b) => b.breaking - a.breaking || (a.text < b.text ? -1 : 1))
          .slice(0, PICTURES);
      },
      value: () => (worst.length === 0 ? undefined : worst),
    };
  },
  sections: (found) => found.map(weakSection),
};

const BARS = ' ▁▂▃▄▅▆▇█';
/** Words shown for each text. */
const WORDS = 8;

function weakSection({ attack, value }: AttackValue<readonly Picture[]>, at: number): Section {
  return {
    id: `weak-places-${at}`,
    title: `Weak places: ${attack}`,
    blocks: [
      ...value.flatMap(({ text, breaking, texts, places }) => [
        { kind: 'prose' as const, text: `${text} (${breaking} of ${texts} edits change the prediction)` },
        {
          kind: 'table' as const,
          caption: 'Edits that change the prediction, by word',
          columns: [
            { title: 'word' },
            { title: 'by position', align: 'left' as const },
            { title: 'breaking' },
            { title: 'of' },
          ],
          rows: weakWords(text, places).slice(0, WORDS),
        },
      ]),
      note(
        'A bar for each character: the share of the edits there that change the prediction, from ▁ (few) to █ (all).',
      ),
    ],
  };
}

/** The stretches without blanks in which edits change the prediction, the weakest first. */
function weakWords(
  text: string,
  places: readonly z.infer<typeof place>[],
): (readonly [string, string, number, number])[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
    // The position behind a word belongs to it.
    const within = places.filter(({ start }) => start >= index && start <= index + word.length);
    const bars = Array.from({ length: word.length + 1 }, (_, at) => barAt(within, index + at)).join('');
    const sum = (key: 'breaking' | 'edits'): number => within.reduce((all, each) => all + each[key], 0);
    return [word, bars, sum('breaking'), sum('edits')] as const;
  })
    .filter(([, , breaking]) => breaking > 0)
    .sort((a, b) => b[2] - a[2]);
}

function barAt(places: readonly z.infer<typeof place>[], at: number): string {
  const share = Math.max(
    0,
    ...places
      .filter(({ start, end }) => start === at || (start <= at && at < end))
      .map(({ breaking, edits }) => breaking / edits),
  );
  return BARS[Math.ceil(share * (BARS.length - 1))] as string;
}

export const verificationMeasures: readonly Measure[] = [
  verdictRate({
    name: 'proved',
    label: 'Proved robust',
    about: 'examples whose prediction no text of the space changes: a lower bound of the robust accuracy',
    verdicts: ['proved'],
  }),
  verdictRate({
    name: 'notBroken',
    label: 'Not broken',
    about: 'correctly classified examples for which no breaking edit was found: an upper bound of the robust accuracy',
    verdicts: ['proved', 'unfinished'],
  }),
  verdictRate({
    name: 'broken',
    label: 'Broken by an edit',
    about: 'examples whose prediction some text of the space changes',
    verdicts: ['broken'],
  }),
  verdictRate({
    name: 'unfinished',
    label: 'Check unfinished',
    about: 'examples for which the query budget ended the check, or an edit ties the prediction',
    verdicts: ['unfinished'],
  }),
  weakPlaces,
];
