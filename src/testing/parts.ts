/** @file Contracts of the parts of an attack. */
import assert from 'node:assert/strict';
import { Draft } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { ComponentPlugin } from '../core/plugin.js';
import { random } from '../core/random.js';
import type { Constraint, Transformation } from '../core/search.js';
import { english } from '../language/english/index.js';
import { compose } from '../search/compose.js';
import { leaveOut } from '../search/leave-out.js';
import { Space } from '../search/space.js';
import { swapWords } from '../search/swap-words.js';
import { introduction, keep, optionsOf, type Promised } from './promises.js';
import { ODD, SENTENCES } from './texts.js';
import { labelOf, toyTarget } from './toys.js';

const NAMES = [
  'Peter saw 3 good films in Paris, and he did not like a bad one.',
  'Mary saw a great film in London.',
  'The bad film of 1984-03-05 is out; call (212) 555-0199 for a good one.',
];

const TEXTS: readonly string[] = [
  ...SENTENCES,
  ...NAMES,
  ...ODD.map(([, text]) => text).filter((text) => text.length < 200),
];

const SAMPLE = [...SENTENCES, ...NAMES].map((text, at) => ({ id: String(at), text, label: labelOf(text) }));

const LABELS = ['negative', 'positive'];

/** A space of rewrites of one text, and all drafts that one edit at the allowed slots reaches. */
async function reach(transformation: Transformation, text: string, allowed: (slot: number) => boolean) {
  const target = toyTarget(text, { random: random(7, text) });
  const constraints = [{ name: 'some slots', editable: (_: Draft, slot: number) => allowed(slot) }];
  await transformation.prepare?.(SAMPLE, { language: english });
  const space = new Space({ text, label: labelOf(text), target, goal: target.goal, transformation, constraints });
  return { space, found: await space.neighbours(space.start.draft) };
}

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export async function checkTransformation(
  plugin: ComponentPlugin<'transformation'>,
  options: object = {},
): Promise<void> {
  const create = () => plugin.create(optionsOf(plugin, options), LABELS);
  const each = (what: string, kept: (text: string) => Promise<void>): Promised[] =>
    TEXTS.map((text) => [`${what}: ${JSON.stringify(text)}`, () => kept(text)]);
  await keep(plugin.name, [
    ...introduction('transformation', plugin),
    [
      'it describes itself in a few words',
      () => assert(create().name.length > 3, 'expected a name such as "letters in another case"'),
    ],
    [
      'it edits at least one of the sentences',
      async () => {
        const all = await Promise.all([...SENTENCES, ...NAMES].map((text) => reach(create(), text, () => true)));
        assert(
          all.some(({ found }) => found.length > 0),
          'expected an edit, got none',
        );
      },
    ],
    ...each('the same seed gives the same edits, each a different text', async (text) => {
      const texts = async () => (await reach(create(), text, () => true)).found.map((draft) => draft.text);
      const first = await texts();
      assert.deepEqual(await texts(), first);
      assert(!first.includes(text), 'an edit returns the unchanged text');
    }),
    ...each('it edits only the given words', async (text) => {
      const { space, found } = await reach(create(), text, (slot) => slot % 2 === 1);
      const { draft: start } = space.start;
      for (const draft of found) {
        if (!draft.sharesOriginalWith(start)) continue;
        for (const slot of draft.editedSince(start)) {
          // An article may adapt to the noun.
          const article = /^an?$/i.test(draft.word(slot)) && (slot + 1) % 2 === 1;
          assert(slot % 2 === 1 || article, `word ${slot} of "${draft.text}" must not be edited`);
        }
      }
    }),
  ]);
}

const WORDS = ['fine', 'bad', 'movie', 'with', 'x', 'extraordinarily', 'is'];

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export async function checkConstraint(plugin: ComponentPlugin<'constraint'>, options: object = {}): Promise<void> {
  const make = async (): Promise<Constraint> => {
    const constraint = plugin.create(optionsOf(plugin, options), LABELS);
    await constraint.prepare?.(SAMPLE, { language: english });
    return constraint;
  };
  await keep(plugin.name, [
    ...introduction('constraint', plugin),
    [
      'its name states the requirement with its bounds, and it restricts words or rewrites',
      async () => {
        const { name, editable, accepts } = await make();
        assert(name.length > 3, 'expected a name such as "at most 30 edits"');
        assert(editable ?? accepts, 'expected editable, accepts or both');
      },
    ],
    ...TEXTS.map(
      (text): Promised => [
        `it accepts the unchanged text, and judges each rewrite independently and deterministically: ${JSON.stringify(text)}`,
        async () => {
          const constraint = await make();
          const original = Draft.of(text);
          for (let slot = 0; slot < original.size; slot++) {
            const answer = constraint.editable?.(original, slot, english);
            if (answer !== undefined) assert.equal(typeof answer, 'boolean', 'editable: expected true or false');
          }
          if (constraint.accepts === undefined) return;
          const rewrites = original.words.flatMap((_, slot) => WORDS.map((word) => original.replace(slot, word)));
          const drafts = [original, ...rewrites];
          const answers = await constraint.accepts(drafts, original, english);
          assert.equal(answers.length, drafts.length, 'accepts: expected one answer per candidate');
          assert.equal(answers[0], true, 'accepts: refuses the text itself');
          assert.deepEqual(await constraint.accepts(drafts, original, english), answers, 'accepts: answers differ');
          const last = must(drafts.at(-1));
          const [alone] = await constraint.accepts([last], original, english);
          assert.equal(alone, answers.at(-1), 'accepts: the answer depends on the other candidates');
        },
      ],
    ),
  ]);
}

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export async function checkSearch(plugin: ComponentPlugin<'search'>, options: object = {}): Promise<void> {
  // Texts with a z are illegal.
  const noZ: Constraint = { name: 'no z', accepts: (drafts) => drafts.map(({ text }) => !/z/i.test(text)) };
  const edits: Transformation[] = [leaveOut, swapWords('other words', () => ['bad', 'good', 'zebra', 'q'])];
  const run = async (text: string, budget: number, transformation: Transformation) => {
    const target = toyTarget(text, { budget, random: random(7, text) });
    const search = plugin.create(optionsOf(plugin, options), LABELS);
    const attack = compose({ transformation, constraints: [noZ], search });
    return {
      attempt: await attack.run({ id: '0', text, label: labelOf(text) }, target),
      queries: target.queried.length,
    };
  };
  await keep(plugin.name, [
    ...introduction('search', plugin),
    ...TEXTS.flatMap((text) =>
      edits.map(
        (transformation): Promised => [
          `it respects its budget and the constraints, reports correctly and is deterministic, with ${transformation.name}: ${JSON.stringify(text)}`,
          async () => {
            for (const budget of [1, 3, 40]) {
              const { attempt, queries } = await run(text, budget, transformation);
              assert(queries <= budget, `sent ${queries} queries with a budget of ${budget}`);
              assert.doesNotMatch(must(attempt.text), /z/i, 'its result is an illegal draft');
              assert.equal(attempt.succeeded, labelOf(must(attempt.text)) !== labelOf(text));
              assert.deepEqual(
                (await run(text, budget, transformation)).attempt,
                attempt,
                'the same seed gives a different result',
              );
            }
          },
        ],
      ),
    ),
  ]);
}
