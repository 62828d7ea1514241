/**
 * Other names: puts names of other origins and scripts in the place of a person's name, and reports how many are found by origin.
 *
 * Threat: no attacker is needed: a redactor that finds "Daniel Pryce" and misses "Ngozi Eze" protects some people and not others.
 * Example: "Please call Marta Olsen back." -> "Please call Ngozi Eze back."
 * Readable because: another person's name stands where a person's name stood, so the type of the entity stays.
 * Paper: Marco Tulio Ribeiro, Tongshuang Wu, Carlos Guestrin and Sameer Singh, "Beyond Accuracy: Behavioral Testing of NLP Models with
 * CheckList", ACL 2020, section 2 (invariance tests); https://arxiv.org/abs/2005.04118
 * Differs: CheckList exchanges names of one list, and asks for the label of a text. Here each origin has a list of invented names
 * (datasets/data/names-by-origin.tsv), and names of each origin are put into every text, so origins are compared on the same texts. Only
 * names that the model finds in the text itself are exchanged. Titles stay.
 */
import { must } from '../src/core/errors.js';
import { overlaps, type TagSpan } from '../src/core/tags/span.js';
import { type NameOfOrigin, namesByOrigin } from '../src/language/names-by-origin.js';
import {
  type Draft,
  type EvasionPlugin,
  type Measure,
  note,
  type Rate,
  rateSchema,
  type Transformation,
  table,
  valueAt,
  wilson,
  wordsOf,
  z,
} from '../src/plugin.js';
import { Space } from '../src/search/space.js';

const options = z.strictObject({
  each: z.int().min(1).max(4).default(1).describe('names of each origin tried for an entity'),
  type: z.string().default('').describe('type of the entities; by default any that is called PER, PERSON or NAME'),
});

const found = z.object({ origin: z.string(), text: z.string(), found: z.boolean() });
type Probe = z.output<typeof found>;

const byOrigin = z.array(
  z.object({ name: z.string(), found: rateSchema.describe('Share of the names of this origin that were found.') }),
);

/** Names found, by origin. */
const origins: Measure<z.output<typeof byOrigin>> = {
  name: 'origins',
  evidence: { key: 'names', schema: z.array(found) },
  schema: byOrigin,
  fold() {
    const counts = new Map<string, { hits: number; n: number }>();
    return {
      add(outcome) {
        for (const { origin, found: hit } of (valueAt(outcome, 'names') ?? []) as readonly Probe[]) {
          const count = counts.get(origin) ?? { hits: 0, n: 0 };
          counts.set(origin, { hits: count.hits + Number(hit), n: count.n + 1 });
        }
      },
      value: () =>
        counts.size === 0
          ? undefined
          : [...counts]
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, { hits, n }]) => ({ name, found: wilson(hits, n) })),
    };
  },
  sections: (all) =>
    all.map(({ attack, value }, at) => ({
      id: `origins-${at}`,
      title: `Names found, by origin: ${attack}`,
      blocks: [
        table(
          `Names found, by origin, ${attack}`,
          ['origin', 'found', 'names'],
          value
            .toSorted((a, b) => (a.found.value ?? 0) - (b.found.value ?? 0))
            .map(({ name, found: rate }): [string, { rate: Rate }, number] => [name, { rate }, rate.n]),
        ),
        note('Invented names in the place of names that the model finds. 95 % Wilson intervals.'),
      ],
    })),
};

const NAMED = /(?:^|[_-])(?:PER|PERSON|NAME)(?:$|[_-])/i;
const TITLE = /^(?:dr|mr|mrs|ms|miss|prof|sir|madam)$/i;

/** The draft with another name in the slots of a span. Undefined if a word lies in it only partly, or if it has no words but titles. */
export function renamed(draft: Draft, span: TagSpan, { given, family }: NameOfOrigin): Draft | undefined {
  const slots = nameSlots(draft, span);
  const [first, last] = [slots?.[0], slots?.at(-1)];
  if (slots === undefined || first === undefined || last === undefined || slots.length > 2) return undefined;
  // Names in Chinese characters begin with the family, without a space.
  const han = /\p{Script=Han}/u.test(given);
  if (first === last) return draft.replace(first, han ? family + given : given);
  const words = han ? [family, given] : [given, family];
  const made = draft.replace(first, must(words[0])).replace(last, must(words[1]));
  return han ? made.withGap(last, '') : made;
}

/** The slots of a span, without a title before them. Undefined if a word lies in it only partly. */
function nameSlots(draft: Draft, span: TagSpan): number[] | undefined {
  const { spans } = draft;
  const slots: number[] = [];
  for (let slot = 0; slot < draft.size; slot++) {
    const [start, end] = [must(spans[2 * slot]), must(spans[2 * slot + 1])];
    if (!overlaps({ start, end }, span)) continue;
    if (start < span.start || end > span.end) return undefined;
    if (slots.length > 0 || !TITLE.test(draft.word(slot))) slots.push(slot);
  }
  return slots;
}

const exchange: Transformation = { name: "another person's name", edits: () => [] };

export const otherNames: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'other-names',
  level: 'word',
  otherEntities: true,
  needs: 'labels',
  summary: 'Puts names of other origins in the place of names, and reports how many are found: "Ngozi Eze".',
  paper: {
    title: 'Beyond Accuracy: Behavioral Testing of NLP Models with CheckList',
    url: 'https://arxiv.org/abs/2005.04118',
  },
  options,
  measures: [origins],
  create: ({ each, type }) => ({
    constraints: ["another person's name, whatever it is"],
    async run({ text, label, entities = [], entity = -1 }, target) {
      const span = entities[entity];
      const wanted = span !== undefined && (type === '' ? NAMED.test(span.type) : span.type === type);
      const { goal, constraints } = target;
      const space = new Space({ text, label, target, goal, constraints, transformation: exchange });
      const all = namesByOrigin();
      const names = [...new Set(wanted ? all.map(({ origin }) => origin) : [])].flatMap((origin) =>
        target.random.shuffle(all.filter((name) => name.origin === origin)).slice(0, each),
      );
      const made = names.flatMap((name) => {
        const draft = renamed(space.start.draft, must(span), name);
        return draft === undefined ? [] : [{ draft, origin: name.origin }];
      });
      const scored = await space.probe(await space.legal(made.map(({ draft }) => draft)));
      const probes = scored.map(
        ({ draft, reached }): Probe => ({
          origin: must(made.find((one) => one.draft === draft)).origin,
          text: draft.text,
          found: !reached,
        }),
      );
      const best = scored.find(({ reached }) => reached) ?? scored[0];
      return {
        succeeded: best?.reached ?? false,
        text: best?.draft.text ?? text,
        probabilities: best?.probabilities ?? target.original,
        words: wordsOf(text).length,
        changed: best?.draft.changed ?? 0,
        names: probes,
        ...(scored.length === 0 && { reason: 'not the name of a person in one or two words' }),
      };
    },
  }),
};
