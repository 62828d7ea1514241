/** The contract of every component of an attack. A new one is tested here once its list contains it. */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { describe, expect, test } from 'vitest';
import { partNamed } from '../../src/app/attacks/parts.js';
import { PARTS, parts } from '../../src/app/plugins/registry.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { type ComponentPlugin, type Constraint, Draft, type Parts, type Transformation, z } from '../../src/plugin.js';
import { compose } from '../../src/search/compose.js';
import { Space } from '../../src/search/space.js';
import { tries } from '../cover.js';
import { refusal } from '../refusal.js';
import { labelOf, toyTarget } from '../search/toys.js';

const SENTENCES = [
  'A lovely, charming film with a great cast; not dull at all.',
  'What a tedious, awful and poor film! The plot is dull.',
  'Peter saw 3 good films in Paris, and he did not like a bad one.',
  'good',
];

const SAMPLE = SENTENCES.map((text, at) => ({ id: String(at), text, label: labelOf(text) }));

const all = PARTS.flatMap((kind) =>
  (parts[kind] as readonly ComponentPlugin[]).map((plugin) => [`${kind} ${plugin.name}`, plugin] as const),
);

/** Made with its defaults; undefined of one that cannot do without an option, which it must say. */
function made<K extends keyof Parts>(plugin: ComponentPlugin<K>): Parts[K] | undefined {
  try {
    return plugin.create(plugin.options.parse({}), ['negative', 'positive']);
  } catch (error) {
    expect(error).toMatchObject({ exit: 2 });
    return undefined;
  }
}

test.each(all)('%s says what it is, and its options explain themselves', (_, plugin) => {
  expect(plugin.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(plugin.summary).toMatch(/^[A-Z].{15,140}\.$/s);
  expect(plugin.options.safeParse({ noSuchOption: 1 }).success).toBe(false);
  const { properties = {} } = z.toJSONSchema(plugin.options, { io: 'input' });
  for (const property of Object.values(properties)) {
    expect(property).toMatchObject({ default: expect.anything(), description: expect.any(String) });
  }
  if (plugin.main !== undefined) expect(Object.keys(properties)).toContain(plugin.main);
  const part = made(plugin as ComponentPlugin);
  if (part !== undefined) expect(part.name.length).toBeGreaterThan(3);
});

test.each(PARTS)('no two of a kind have one name: %s', (kind) => {
  const names = parts[kind].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a constraint takes one file: whatever a file of them lists can be named on the command line', async () => {
  const files = readdirSync('src/constraints').filter((file) => !['index.ts', 'presets.ts'].includes(file));
  const listed: string[] = [];
  for (const file of files) {
    const module = (await import(`../../src/constraints/${file.replace(/\.ts$/, '')}.ts`)) as Record<string, unknown>;
    const lists = Object.values(module).filter((each): each is ComponentPlugin<'constraint'>[] => Array.isArray(each));
    expect(lists.length, `${file} lists none`).toBe(1);
    listed.push(...lists.flat().map(({ name }) => name));
  }
  expect(parts.constraint.map(({ name }) => name).sort()).toEqual(listed.sort());
  for (const name of listed) expect((await partNamed('constraint', name)).plugin.name).toBe(name);
});

/** Slots whose word is another, or of a rewrite of the whole text those whose word went, the last of equals first. */
function differing(candidate: Draft, original: Draft): number[] {
  const slots = Array.from({ length: original.size }, (_, slot) => slot);
  if (candidate.sharesOriginalWith(original)) {
    return slots.filter((slot) => candidate.word(slot) !== original.word(slot));
  }
  const left = candidate.words.map((word) => word.toLowerCase());
  return slots.filter((slot) => {
    const at = left.indexOf(original.word(slot).toLowerCase());
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** All edits of a draft at some slots, as a search is offered them. */
async function offered(transformation: Transformation, text: string, allowed: ReadonlySet<number>, seed: number) {
  const target = toyTarget(text, { random: random(seed, text) });
  const constraints = [{ name: 'some slots', editable: (_: Draft, slot: number) => allowed.has(slot) }];
  await transformation.prepare?.(SAMPLE, { language: english });
  const space = new Space({ text, label: labelOf(text), target, goal: target.goal, transformation, constraints });
  return { space, found: await space.neighbours(space.start.draft) };
}

/** Components of a kind that can be created with their defaults and run against a black box. */
const makeable = <K extends keyof Parts>(kind: K) =>
  parts[kind].flatMap((plugin) => {
    const part = made(plugin);
    const inside = part !== undefined && 'needs' in part && part.needs === 'gradients';
    return part === undefined || inside ? [] : [[plugin.name, part] as const];
  });

describe.each(makeable('transformation'))('transformation %s', (_, transformation) => {
  test('the same seed gives the same edits, each a different text, of the same slots, at the slots asked for', async () => {
    const sentence = fc.constantFrom(...SENTENCES);
    await fc.assert(
      fc.asyncProperty(sentence, fc.array(fc.nat(11)), fc.nat(99), async (text, slots, seed) => {
        const allowed = new Set(slots);
        const { space, found } = await offered(transformation, text, allowed, seed);
        const again = await offered(transformation, text, allowed, seed);
        expect(again.found.map((draft) => draft.text)).toEqual(found.map((draft) => draft.text));
        // One assertion for all: a search is offered thousands.
        const faults: string[] = [];
        for (const draft of found) {
          if (draft.text === text) faults.push('the text itself');
          if (!draft.sharesOriginalWith(space.start.draft)) continue;
          if (draft.size !== space.start.draft.size) faults.push(`other slots: "${draft.text}"`);
          for (const slot of draft.editedSince(space.start.draft)) {
            const article = /^an?$/i.test(draft.word(slot)) && allowed.has(slot + 1);
            if (!allowed.has(slot) && !article) faults.push(`slot ${slot} of "${draft.text}"`);
          }
        }
        // A rewrite of the whole text keeps the words at all other slots, with their counts.
        for (const draft of await space.legal(found)) {
          if (draft.sharesOriginalWith(space.start.draft)) continue;
          const left = draft.words.map((word) => word.toLowerCase());
          for (const [slot, word] of space.start.draft.words.entries()) {
            if (allowed.has(slot)) continue;
            const at = left.indexOf(word.toLowerCase());
            if (at < 0) faults.push(`"${draft.text}" without ${word}`);
            else left.splice(at, 1);
          }
        }
        expect(faults).toEqual([]);
      }),
      { numRuns: tries(25) },
    );
  });
});

/** The quantity that a constraint prints with its defaults, measured in another way. Undefined if the constraint is the only measure. */
const MEASURED: Readonly<Record<string, (candidate: Draft, original: Draft) => boolean>> = {
  'max-words': (candidate, original) => differing(candidate, original).length <= 5,
  'max-fraction': (candidate, original) =>
    differing(candidate, original).length <= Math.max(1, Math.ceil(original.size * 0.25)),
  'max-edits': (candidate, original) => distance(candidate.text, original.text) <= 30,
  'keep-stop-words': (candidate, original) =>
    differing(candidate, original).every((slot) => !english.stopWords.has(original.word(slot))),
  'min-length': (candidate, original) =>
    differing(candidate, original).every((slot) => original.word(slot).length >= 4),
};

const WORDS = ['fine', 'bad', 'movie', 'with', 'x', 'extraordinarily', 'is', ''];

describe.each(makeable('constraint'))('constraint %s', (name, constraint) => {
  test('no draft that a search keeps breaks it, and the text itself does not', async () => {
    const rewriting: Transformation = {
      name: 'any words',
      *edits(draft, at) {
        for (const slot of at) for (const word of WORDS) yield draft.replace(slot, word);
      },
    };
    await constraint.prepare?.(SAMPLE, { language: english });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SENTENCES), fc.nat(1000), async (text, seed) => {
        const target = toyTarget(text, { budget: 300, random: random(seed, text) });
        const space = new Space({
          ...{ text, label: labelOf(text), target, goal: target.goal, transformation: rewriting },
          constraints: [constraint],
        });
        const original = space.start.draft;
        expect(await space.legal([original])).toEqual([original]);
        let draft = original;
        for (let step = 0; step < 8; step++) {
          const [next] = target.random.shuffle(await space.legal(await space.neighbours(draft)));
          if (next === undefined) break;
          expect(MEASURED[name]?.(next, original) ?? true, `${constraint.name}: "${next.text}"`).toBe(true);
          draft = next;
        }
        const wholes = [text.slice(0, seed % text.length), `${text} And so on.`, text.split(' ').reverse().join(' ')];
        for (const rewrite of await space.legal(wholes.map((each) => Draft.of(each)))) {
          expect(MEASURED[name]?.(rewrite, original) ?? true, `${constraint.name}: "${rewrite.text}"`).toBe(true);
        }
      }),
      { numRuns: tries(20) },
    );
  });
});

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['no-opposites', 'A good film.', 'A bad film.'],
  ['same-part-of-speech', 'A good film.', 'A quickly film.'],
  ['words-alike', 'A good film.', 'A good tomato.'],
  ['text-alike', 'A good film about friends.', 'A dull tomato about cars.'],
  ['articles-agree', 'A good film.', 'A odd film.'],
  ['guesses-fit', 'A good film.', 'A bad film.'],
];

test.each(REFUSED)('%s refuses: %s -> %s', async (name, before, after) => {
  const { plugin, options } = await partNamed('constraint', name);
  const constraint: Constraint = plugin.create(options);
  const original = Draft.of(before);
  const words = Draft.of(after).words;
  const candidate = original.replaceAll(new Map(words.map((word, slot) => [slot, word])));
  expect(await constraint.accepts?.([candidate, original], original, english)).toEqual([false, true]);
});

describe.each(makeable('search'))('search %s', (_, search) => {
  test('it stays within its query budget, and asks about and ends with legal drafts alone', async () => {
    const { plugin: edits, options } = await partNamed('transformation', 'deepwordbug');
    // Whatever holds a z is illegal.
    const noZ: Constraint = { name: 'no z', accepts: (drafts) => drafts.map(({ text }) => !/z/i.test(text)) };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SENTENCES), fc.integer({ min: 1, max: 60 }), async (text, budget) => {
        const target = toyTarget(text, { budget });
        const attack = compose({ transformation: edits.create(options), constraints: [noZ], search });
        const attempt = await attack.run({ id: '0', text, label: labelOf(text) }, target);
        expect(target.queried.length).toBeLessThanOrEqual(budget);
        for (const asked of [...target.queried, attempt.text]) expect(asked).not.toMatch(/z/i);
        expect(attempt.succeeded).toBe(labelOf(attempt.text as string) !== labelOf(text));
      }),
      { numRuns: tries(25) },
    );
  });
});

test.each([
  ['search', 'baem', 'SEARCH_NOT_FOUND'],
  ['constraint', 'max-word', 'CONSTRAINT_NOT_FOUND'],
  ['constraint', 'textattack', 'CONSTRAINT_NOT_FOUND'],
  ['transformation', 'beam', 'TRANSFORMATION_NOT_FOUND'],
  ['goal', 'target', 'GOAL_NOT_FOUND'],
  ['search', 'beam:widht=4', 'OPTION_NOT_FOUND'],
  ['search', 'beam:width=0', 'OPTION_INVALID'],
  ['constraint', 'no-repeat=2', 'OPTION_INVALID'],
  ['transformation', './nowhere.mjs', 'PLUGIN_NOT_FOUND'],
] as const)('a bad name or option gives an error: %s %s', async (kind, spec, code) => {
  await refusal(partNamed(kind, spec), code);
});

test('the value of the main option may stand for all of them', async () => {
  expect((await partNamed('constraint', 'max-edits=3')).options).toEqual({ edits: 3 });
  expect((await partNamed('search', 'beam=7')).options).toEqual({ width: 7 });
  expect((await partNamed('goal', 'targeted=spam')).options).toEqual({ label: 'spam' });
});
