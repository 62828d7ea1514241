/**
 * @file Minimum functionality tests of negation (MFT, Ribeiro et al. 2020, section 2): plain sentences with known sentiment from templates,
 * and rewrites of them by the rules that also rewrite the user's texts.
 */
import { getOrCompute } from '../../../core/get-or-compute.js';
import { CAPABILITIES, type NegationProbe, type Polarity } from '../../../core/negation.js';
import type { Random } from '../../../core/random.js';
import { lazily } from '../../data-files.js';
import { articleFor } from '../articles.js';
import { section, table } from '../data-files.js';
import { inflect } from '../inflection.js';
import { negationProbes } from './probes.js';
import { verdictOf } from './sentiment-words.js';

const EXTREME = section('negation-words.txt', 'takes no "very"');

interface Domain {
  readonly thing: readonly string[];
  readonly praise: readonly string[];
  readonly blame: readonly string[];
  /** "seen", as in: the best film I have ever seen. Empty if the phrase needs more words. */
  readonly participle: readonly string[];
  readonly succeed: readonly string[];
  readonly virtue: readonly string[];
  /** "I love this", completed by the thing. */
  readonly opinions: readonly string[];
  /** "a delight", "worth the money". */
  readonly treats: readonly string[];
}

const allDomains = lazily(() =>
  table('negation-templates.tsv').map((row) => {
    const [thing, praise, blame, participle, succeed, virtue, opinions, treats] = row
      .slice(1)
      .map((cell) => (cell === '-' ? [] : cell.split('|')));
    return { thing, praise, blame, participle, succeed, virtue, opinions, treats } as Domain;
  }),
);

type Template = (domain: Domain, random: Random) => readonly [text: string, polarity: Polarity] | undefined;

/** Positive or negative with equal probability. */
const verdict = (
  praise: readonly string[],
  blame: readonly string[],
  random: Random,
): readonly [words: readonly string[], polarity: Polarity] =>
  random.int(2) === 0 ? [praise, 'positive'] : [blame, 'negative'];

/** Two different words of a list. */
const two = (words: readonly string[], random: Random): readonly [string, string] =>
  random.shuffle(words).slice(0, 2) as [string, string];

/** Words that combine with "very" and "most"; strong praise ("superb") takes neither. */
const gradable = (words: readonly string[]): readonly string[] =>
  words.filter((word) => verdictOf(word)?.denied === word && !EXTREME.has(word));

const TEMPLATES: readonly Template[] = [
  ({ thing, praise, blame }, random) => {
    const [words, polarity] = verdict(praise, blame, random);
    const adjective = random.pick(words);
    const very = gradable(words).includes(adjective) ? random.pick(['', '', 'really ', 'very ']) : '';
    return [`The ${random.pick(thing)} ${random.pick(['is', 'was'])} ${very}${adjective}.`, polarity];
  },
  ({ thing, praise, blame }, random) => {
    const [words, polarity] = verdict(praise, blame, random);
    return [`The ${random.pick(thing)} ${random.pick(['is', 'was'])} ${two(words, random).join(' and ')}.`, polarity];
  },
  ({ thing, praise }, random) => {
    const phrase = random.pick([random.pick(praise), two(praise, random).join(' and ')]);
    return [`${articleFor(phrase) === 'an' ? 'An' : 'A'} ${phrase} ${random.pick(thing)}.`, 'positive'];
  },
  ({ thing, opinions }, random) => {
    const opinion = random.pick(opinions);
    const polarity = /hate|dislike|not/.test(opinion) ? 'negative' : 'positive';
    return [`${opinion} ${random.pick(thing)}.`, polarity];
  },
  ({ thing, praise }, random) => [
    `The ${random.pick(thing)} ${random.pick(['is', 'was'])} not ${random.pick(gradable(praise))}.`,
    'negative',
  ],
  ({ participle: [participle], thing, praise, blame }, random) => {
    if (participle === undefined) return undefined;
    const [words, polarity] = verdict(['best', ...gradable(praise)], ['worst', ...gradable(blame)], random);
    const word = random.pick(words);
    const most = ['best', 'worst'].includes(word) ? word : inflect(word, 'JJS');
    return [`It is the ${most} ${random.pick(thing)} I have ever ${participle}.`, polarity];
  },
  (_, random) => {
    const surely = random.pick(['', 'definitely ', 'certainly ', 'gladly ']);
    return [
      `${random.pick(['I', 'We'])} will ${surely}${random.pick(['come back', 'recommend it', 'go back', 'buy it again'])}.`,
      'positive',
    ];
  },
  // "Managed to work" would be faint praise.
  ({ thing, succeed }, random) => {
    const verb = random.pick(succeed);
    if (['work', 'deliver'].includes(verb)) return undefined;
    return [`The ${random.pick(thing)} ${random.pick(['manages', 'managed'])} to ${verb}.`, 'positive'];
  },
  ({ thing, succeed }, random) => {
    const verb = random.pick(succeed);
    const works = inflect(verb, 'VBZ') ?? verb;
    return [
      `The ${random.pick(thing)} ${random.pick([`always ${works}`, `never fails to ${verb}`, works])}.`,
      'positive',
    ];
  },
  ({ thing, succeed }, random) => [
    `The ${random.pick(thing)} ${random.pick(['fails', 'failed'])} to ${random.pick(succeed)}.`,
    'negative',
  ],
  ({ thing, virtue }, random) => {
    if (virtue.length === 0) return undefined;
    const has = random.int(2) === 0;
    return [
      `The ${random.pick(thing)} ${has ? 'has' : 'lacks'} ${random.pick(virtue)}.`,
      has ? 'positive' : 'negative',
    ];
  },
  ({ thing, treats }, random) =>
    treats.length === 0
      ? undefined
      : [`The ${random.pick(thing)} ${random.pick(['is', 'was'])} ${random.pick(treats)}.`, 'positive'],
  ({ thing, praise }, random) => [
    `None of the ${inflect(random.pick(thing), 'NNS')} ${random.pick(['is', 'was'])} ${random.pick(gradable(praise))}.`,
    'negative',
  ],
];

/** Attempts to draw a sentence for one probe: the rarest capability comes up once in twenty. */
const MAX_DRAWS = 200;

/**
 * `each` different probes of every capability, with relation MFT; fewer if the templates have no more. Each capability has its own random
 * stream, so its probes do not depend on other requests.
 */
export function templateProbes(random: Random, each: number): NegationProbe[] {
  // Sentences repeat, for this capability and for others.
  const known = new Map<string, readonly NegationProbe[]>();
  const probesOf = (text: string, polarity: Polarity): readonly NegationProbe[] =>
    getOrCompute(known, `${polarity}: ${text}`, () => negationProbes(text, polarity));
  return CAPABILITIES.flatMap((capability) => {
    const stream = random.split(capability);
    const found = new Map<string, NegationProbe>();
    for (let draw = 0; draw < each * MAX_DRAWS && found.size < each; draw++) {
      const made = stream.pick(TEMPLATES)(stream.pick(allDomains()), stream);
      const probes = made === undefined ? [] : probesOf(...made).filter((probe) => probe.capability === capability);
      if (probes.length === 0) continue;
      const probe = stream.pick(probes);
      found.set(probe.text, { ...probe, relation: 'MFT' });
    }
    return [...found.values()];
  });
}
