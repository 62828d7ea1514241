/** @file Rules on "X is good": the verdict denied, or its opposite denied. */
import { copulaText, isCopula, pairOf, predicates, put, subject, verdictPredicate } from './predicate.js';
import type { Rewrite, Rule } from './rule.js';
import type { Sentence } from './sentence.js';
import { INTENSIFIERS, verdictOf } from './sentiment-words.js';

/** For every predicate, also within long texts: its opposite denied says the same. */
function* inPlace(sentence: Sentence, forms: readonly ((opposite: string) => string)[]): Iterable<Rewrite> {
  for (const { copula, end, opposite } of predicates(sentence)) {
    if (opposite === undefined) continue;
    for (const form of forms) yield { relation: 'INV', text: put(sentence, copula, end, form(opposite)) };
  }
}

/** "The soup is good." -> "The soup is not bad at all." */
const doubleNegation: Rule = {
  capability: 'double negation',
  rewrites: (sentence) => inPlace(sentence, [(opposite) => `not ${opposite} at all`]),
};

/** "The soup is good." -> "The soup is anything but bad." / "is by no means bad." */
const litotes: Rule = {
  capability: 'litotes',
  rewrites: (sentence) =>
    inPlace(sentence, [(opposite) => `anything but ${opposite}`, (opposite) => `by no means ${opposite}`]),
};

/** "The soup is good." -> "The soup is not good." Of denied blame only "not bad" is sure to be praise. */
const singleNegation: Rule = {
  capability: 'single negation',
  *rewrites(sentence, polarity) {
    const predicate = verdictPredicate(sentence, polarity);
    if (predicate === undefined || (polarity === 'negative' && predicate.denied !== 'bad')) return;
    yield { relation: 'DIR', text: put(sentence, predicate.copula, predicate.end, `not ${predicate.denied}`) };
  },
};

/** "The soup is good." -> "The soup is hardly good." */
const hardly: Rule = {
  capability: 'hardly and barely',
  *rewrites(sentence, polarity) {
    const predicate = verdictPredicate(sentence, polarity);
    if (predicate === undefined || polarity === 'negative') return;
    yield { relation: 'DIR', text: put(sentence, predicate.copula, predicate.end, `hardly ${predicate.denied}`) };
  },
};

/** "The soup is good." -> "No one would call the soup bad." and, the other way, "No one would call the soup good." */
const deniedOpinion: Rule = {
  capability: 'denied opinion',
  *rewrites(sentence, polarity) {
    const predicate = verdictPredicate(sentence, polarity);
    const of = predicate === undefined ? undefined : subject(sentence, predicate);
    if (predicate === undefined || of === undefined) return;
    const say = (adjective: string): string =>
      sentence.replace(0, predicate.end, `no one would call ${of} ${adjective}`);
    if (predicate.opposite !== undefined) yield { relation: 'INV', text: say(predicate.opposite) };
    if (polarity === 'positive') yield { relation: 'DIR', text: say(predicate.denied) };
  },
};

/** "The soup is good." -> "I would not say, after all I had heard, that the soup is good." */
const distance: Rule = {
  capability: 'negation at a distance',
  *rewrites(sentence, polarity) {
    const predicate = verdictPredicate(sentence, polarity);
    const of = predicate === undefined ? undefined : sentence.words(0, predicate.copula);
    if (predicate === undefined || of === undefined || subject(sentence, predicate) === undefined) return;
    const say = (adjective: string): string =>
      sentence.replace(
        0,
        predicate.end,
        `I would not say, having given it some thought, that ${of} ${copulaText(sentence, predicate.copula)} ${adjective}`,
      );
    if (predicate.opposite !== undefined) yield { relation: 'INV', text: say(predicate.opposite) };
    if (polarity === 'positive') yield { relation: 'DIR', text: say(predicate.denied) };
  },
};

/** "The soup is good." -> "Nothing about the soup is bad." and, the other way, "Nothing about the soup is good." */
const nothingAbout: Rule = {
  capability: 'negated quantifier',
  *rewrites(sentence, polarity) {
    const predicate = verdictPredicate(sentence, polarity);
    const of = predicate === undefined ? undefined : subject(sentence, predicate);
    const noun = predicate?.denied.includes(' '); // "Nothing about it is a delight"
    if (predicate === undefined || of === undefined || noun || /^(?:me|us|everything|everyone)$/.test(of)) return;
    const verb = /^(?:was|were)$/.test(copulaText(sentence, predicate.copula)) ? 'was' : 'is';
    const say = (adjective: string): string =>
      sentence.replace(0, predicate.end, `nothing about ${of} ${verb} ${adjective}`);
    if (predicate.opposite !== undefined) yield { relation: 'INV', text: say(predicate.opposite) };
    if (polarity === 'positive') yield { relation: 'DIR', text: say(predicate.denied) };
  },
};

/** "It is funny and clever." -> "It is neither funny nor clever." and "It is neither dull nor stupid." */
const neitherNor: Rule = {
  capability: 'neither nor',
  *rewrites(sentence, polarity) {
    const pair = pairOf(sentence);
    if (pair === undefined) return;
    const [a, b] = [verdictOf(sentence.word(pair.first)), verdictOf(sentence.word(pair.second))];
    if (a === undefined || b === undefined || a.polarity !== b.polarity) return;
    const { copula, end } = pair;
    const say = (one: string, other: string): string => put(sentence, copula, end, `neither ${one} nor ${other}`);
    const opposites = a.opposite !== undefined && b.opposite !== undefined && a.opposite !== b.opposite;
    if (opposites) yield { relation: 'INV', text: say(a.opposite as string, b.opposite as string) };
    if (sentence.simple && polarity === 'positive' && a.polarity === 'positive') {
      if (a.denied !== b.denied) yield { relation: 'DIR', text: say(a.denied, b.denied) };
    }
  },
};

/** "It is funny and clever." -> "It is not only funny but also clever." */
const notOnly: Rule = {
  capability: 'not only but also',
  *rewrites(sentence) {
    const pair = pairOf(sentence);
    if (pair === undefined) return;
    const [a, b] = [verdictOf(sentence.word(pair.first)), verdictOf(sentence.word(pair.second))];
    if (a === undefined || b === undefined || a.polarity !== b.polarity) return;
    const one = sentence.words(pair.copula + 1, pair.first + 1);
    const other = sentence.words(pair.first + 2, pair.end);
    yield {
      relation: 'INV',
      text: put(sentence, pair.copula, pair.end, `not only ${one} but also ${other}`),
    };
  },
};

/** "We were impressed by the staff." -> "We were not impressed by the staff."; "It is worth a visit." -> "It is not worth a visit." */
const contented: Rule = {
  capability: 'single negation',
  *rewrites(sentence, polarity) {
    const copula = sentence.tokens.findIndex((_, i) => isCopula(sentence, i));
    if (polarity === 'negative' || copula < 0 || !sentence.simple) return;
    let at = copula + 1;
    while (INTENSIFIERS.has(sentence.word(at))) at++;
    const pleased =
      /^(?:impressed|pleased|satisfied|thrilled|delighted|happy)$/.test(sentence.word(at)) &&
      /^(?:by|with)$/.test(sentence.word(at + 1));
    const worth = sentence.word(at) === 'worth';
    // "... and pleased by the price": a second verdict would stay praise.
    if ((pleased || worth) && !sentence.tokens.some(({ word }) => word === 'and')) {
      yield { relation: 'DIR', text: put(sentence, copula, at, 'not') };
    }
  },
};

export const PREDICATE_RULES: readonly Rule[] = [
  singleNegation,
  contented,
  doubleNegation,
  litotes,
  deniedOpinion,
  distance,
  hardly,
  nothingAbout,
  neitherNor,
  notOnly,
];
