/** @file The exhaustive check of a space as an attack, so that runs of it are resumed, sharded, distributed and reported like any other. */
import { wordsChanged, wordsOf } from '../core/draft.js';
import type { Language } from '../core/language.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Goal } from '../core/search.js';
import type { MeteredVictim } from '../core/victim.js';
import { allowedEdits } from './allowed.js';
import { withstands } from './bounds.js';
import { charactersOf } from './characters.js';
import { type CheckedVictim, checkSpace, type SpaceCheck } from './check.js';
import { withstandsReplacements } from './replacement-bounds.js';
import { languageOf, type PlaceTerms, placesOf, SPACES, type SpaceName } from './spaces.js';

export interface ExhaustiveOptions {
  readonly spaces: readonly SpaceName[];
  /** Most edits in one text; 0 for any number of words, each replaced once. */
  readonly edits: 0 | 1 | 2;
  /** `letters`: the lower-case letters of the language and the blank; `data`: the characters of the texts; else these characters. */
  readonly alphabet: string;
}

const LATIN = 'abcdefghijklmnopqrstuvwxyz';

/** Sends every text of the spaces to the victim, or all until one changes its prediction. */
export function exhaustiveCheck(options: ExhaustiveOptions): EvasionAttack {
  const { spaces, edits, alphabet } = options;
  const language = languageOf(spaces);
  const perPlace = replacesWords(spaces) && (edits === 0 || spaces[0] === 'synonyms');
  let learnt: readonly string[] | undefined;
  const charactersFor = (text: string, { letters }: Language): readonly string[] => {
    if (alphabet === 'data') return learnt ?? charactersOf([text]);
    if (alphabet !== 'letters') return [...new Set(alphabet)];
    return [...(letters?.filter((letter) => letter === letter.toLowerCase()) ?? LATIN), ' '];
  };
  return {
    constraints: [...conditions(options), ...(edits === 2 ? ['two edits do not overlap'] : [])],
    ...(language.length > 0 && { language }),
    async prepare(sample) {
      if (alphabet === 'data') learnt = charactersOf(sample.map(({ text }) => text));
    },
    async run({ text, label }, target) {
      const wanted = target.goal;
      const alphabet = charactersFor(text, target.language);
      const terms = { language: target.language, alphabet, repeats: edits === 2 };
      // A bound proves the whole space.
      if (await isBounded({ text, label }, target, options, terms)) return boundedAttempt(text, target.original);
      // Single edits of one space give each text once: the meter need not remember them.
      const distinct = edits === 1 && spaces.length === 1 && spaces[0] === 'characters';
      const victim = victimOf(text, label, target, wanted, distinct);
      const result = await checkSpace(text, placesOf(spaces, text, terms), victim, { edits, perPlace });
      return attemptOf(text, target.original, result);
    },
  };
}

/** The limits that all texts of the spaces keep, printed beside every rate. */
function conditions({ spaces, edits, alphabet }: ExhaustiveOptions): string[] {
  const kinds = spaces.map((name) => SPACES[name].edit);
  const characters = alphabet === 'letters' ? 'lower-case letters and the blank' : alphabet;
  return [
    edits === 0 ? 'any number of edits, at most one a word' : `at most ${edits === 1 ? 'one edit' : 'two edits'}`,
    ...kinds,
    ...(spaces.includes('characters') ? [`alphabet: ${characters}`] : []),
  ];
}

function victimOf(text: string, label: number, target: MeteredVictim, goal: Goal, distinct: boolean): CheckedVictim {
  const classify = (distinct && target.classifyDistinct) || target.classify;
  return {
    get remaining() {
      return target.remaining;
    },
    allowed: allowedEdits(text, target.constraints, target.language),
    async answers(texts) {
      const rows = await classify(texts);
      return rows.map((row) => {
        const broken = goal.reached(row, label);
        return { row, broken, score: goal.score(row, label), tied: !broken && goal.tied?.(row, label) === true };
      });
    },
  };
}

/** The reason of an example that is proved because the space holds no text for it. */
export const EMPTY_SPACE = 'the space holds no text';

/** Whether the places of a text are its words, so that any number of them can be replaced. */
export const replacesWords = (spaces: readonly SpaceName[]): boolean =>
  spaces.length === 1 && spaces[0] !== 'characters' && spaces[0] !== 'layout';

/** Whether a bound on the victim's votes proves the text robust, without a query. */
async function isBounded(
  { text, label }: { readonly text: string; readonly label: number },
  { goal, votes }: MeteredVictim,
  { spaces, edits }: Pick<ExhaustiveOptions, 'spaces' | 'edits'>,
  terms: PlaceTerms,
): Promise<boolean> {
  if (votes === undefined || goal.name !== 'untargeted') return false;
  const model = await votes();
  if (model === undefined) return false;
  if (spaces.join() === 'characters' && edits > 0)
    return withstands(text, label, { edits: edits === 2 ? 2 : 1, alphabet: terms.alphabet }, model);
  // Two edits of other spaces than synonyms may be of one word.
  if (!replacesWords(spaces) || (edits === 2 && spaces[0] !== 'synonyms')) return false;
  return withstandsReplacements(text, label, { places: placesOf(spaces, text, terms), edits }, model);
}

const boundedAttempt = (text: string, original: Float32Array): Attempt => ({
  succeeded: false,
  text,
  probabilities: original,
  words: wordsOf(text).length,
  changed: 0,
  verification: { texts: 0, finished: true, method: 'bounds' },
});

function attemptOf(text: string, original: Float32Array, { found, texts, finished }: SpaceCheck): Attempt {
  const broken = found?.broken === true;
  const untried = finished ? EMPTY_SPACE : 'the query budget ended the check';
  return {
    succeeded: broken,
    text: found?.text ?? text,
    probabilities: found?.row ?? original,
    words: wordsOf(text).length,
    changed: found === undefined ? 0 : wordsChanged(text, found.text),
    ...(!broken && (!finished || texts === 0) && { reason: untried }),
    verification: { texts, finished },
  };
}
