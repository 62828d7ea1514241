/** @file The words that carry a verdict, and their counterparts under a negation. */
import { table } from '../data-files.js';

export type Polarity = 'positive' | 'negative';

export interface Verdict {
  readonly polarity: Polarity;
  /** "good" -> "bad": not bad at all. Undefined where no denied word says nearly the same. */
  readonly opposite: string | undefined;
  /** What to deny to say the contrary: itself, or "good" for "superb". */
  readonly denied: string;
}

let verdicts: ReadonlyMap<string, Verdict> | undefined;

/** The verdict of an adjective, or undefined where it has none by itself. */
export const verdictOf = (word: string): Verdict | undefined => allVerdicts().get(word);

/** The adjectives that carry a verdict. */
export const verdictWords = (): string[] => [...allVerdicts().keys()];

function allVerdicts(): ReadonlyMap<string, Verdict> {
  verdicts ??= new Map(
    table('opposites.tsv').map(([adjective, sign, opposite, denied]) => [
      adjective as string,
      {
        polarity: sign === '+' ? 'positive' : 'negative',
        opposite: opposite === '-' ? undefined : (opposite as string),
        denied: denied ?? (adjective as string),
      },
    ]),
  );
  return verdicts;
}

/** Words that only strengthen the adjective after them, and go when it is denied. */
export const STRENGTHENS = new Set(
  'very really truly extremely incredibly absolutely utterly totally completely thoroughly wonderfully amazingly remarkably genuinely highly deeply simply just also always'.split(
    ' ',
  ),
);

/** Nouns that are a verdict of praise: "it is a delight". */
export const PRAISE_NOUNS = new Set(
  'delight joy pleasure treat triumph masterpiece success gem winner bargain revelation marvel wonder charmer knockout blast'.split(
    ' ',
  ),
);
/** Qualities that are good to have. */
export const VIRTUES = new Set(
  'charm wit style heart warmth humour humor depth soul energy imagination grace flair substance tension suspense chemistry atmosphere personality elegance charisma intelligence'.split(
    ' ',
  ),
);
/** Verbs that say a thing does well what it is for. */
export const SUCCEEDS = new Set(
  'work deliver entertain shine sparkle delight charm thrill captivate convince impress amuse satisfy engage inspire dazzle enchant'.split(
    ' ',
  ),
);

/** Verbs of liking and disliking in their base forms. */
export const OPINION_VERBS: ReadonlyMap<string, Polarity> = new Map([
  ...['love', 'like', 'enjoy', 'adore', 'admire', 'appreciate', 'recommend'].map((verb) => [verb, 'positive'] as const),
  ...['hate', 'dislike', 'loathe', 'detest'].map((verb) => [verb, 'negative'] as const),
]);

export const flipped = (polarity: Polarity): Polarity => (polarity === 'positive' ? 'negative' : 'positive');
