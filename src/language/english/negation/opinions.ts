/** @file Rules on "I love it": what the writer feels, does again, or does not. */

import type { Polarity } from '../../../core/negation.js';
import { section } from '../data-files.js';
import type { Rule } from './rule.js';
import { type Sentence, withDo } from './sentence.js';
import { INTENSIFIERS, opinionVerb, verdictOf } from './sentiment-words.js';

const TIME_AND_PLACE = section('negation-words.txt', 'time and place');
const COMING_AGAIN = section('negation-words.txt', 'coming again');
const LIMITS_A_PROMISE = section('negation-words.txt', 'after a promise');
const QUALIFYING = section('negation-words.txt', 'qualifying');

interface Opinion {
  /** Token of the verb; what is liked lies in [verb + 1, end). */
  readonly verb: number;
  readonly end: number;
  readonly base: string;
  readonly auxiliary: string;
  readonly polarity: Polarity;
}

/** A whole text of the form "I (really) love this film.": the opinion and a plain noun phrase. */
function opinionOf(sentence: Sentence): Opinion | undefined {
  if (!sentence.simple || !/^(?:i|we)$/.test(sentence.word(0))) return undefined;
  let verb = 1;
  while (INTENSIFIERS.has(sentence.word(verb))) verb++;
  const tag = /^VB[PD]$/.test(sentence.tag(verb))
    ? sentence.tag(verb)
    : sentence.word(verb).endsWith('ed')
      ? 'VBD'
      : 'VBP';
  const form = withDo(sentence.word(verb), tag);
  const polarity = form === undefined ? undefined : opinionVerb(form.base);
  if (form === undefined || polarity === undefined) return undefined;
  let end = verb + 1;
  while (!sentence.closes(end)) end++;
  return isThing(sentence, verb + 1, end) ? { verb, end, polarity, ...form } : undefined;
}

/** One noun phrase without a verb, list or clause: "it", "this little film", "the soup at Da Mario". */
function isThing(sentence: Sentence, from: number, to: number): boolean {
  if (to - from === 1) return /^(?:it|this|them|him|her|PRP)$/.test(sentence.word(from));
  if (!/^(?:DT|PRP\$)$/.test(sentence.tag(from)) || to - from > 7 || !/^NN/.test(sentence.tag(to - 1))) return false;
  if (/^(?:every|each|all|any|some|a|an)$/.test(sentence.word(from))) return false;
  for (let at = from + 1; at < to; at++) {
    if (!/^(?:NN|JJ|RB|VBN|POS|DT|PRP\$|CD)/.test(sentence.tag(at)) && !/^(?:of|in|at|on)$/.test(sentence.word(at)))
      return false;
    if (TIME_AND_PLACE.has(sentence.word(at))) return false;
  }
  return true;
}

/** Who does not love a thing may still like it. */
const denied = (base: string): string => (/^(?:love|adore)$/.test(base) ? 'like' : base);

/** "I love this film." -> "I do not like this film." */
const singleNegation: Rule = {
  capability: 'single negation',
  *rewrites(sentence, polarity) {
    const opinion = opinionOf(sentence);
    if (opinion === undefined || opinion.polarity !== polarity || polarity === 'negative') return;
    yield {
      relation: 'DIR',
      text: sentence.replace(1, opinion.verb + 1, `${opinion.auxiliary} not ${denied(opinion.base)}`),
    };
  },
};

/**
 * "I love this film." -> "There is nothing I do not love about this film." and, the other way, "There is nothing I like
 * about this film."; "I hate it." -> "There is nothing I like about it."
 */
const nothingNot: Rule = {
  capability: 'nothing not',
  *rewrites(sentence, polarity) {
    const opinion = opinionOf(sentence);
    if (opinion === undefined || opinion.polarity !== polarity || opinion.base === 'recommend') return;
    const { auxiliary, base, verb, end } = opinion;
    const past = auxiliary === 'did';
    const who = sentence.word(0) === 'i' ? 'I' : 'we';
    const say = (feel: string): string =>
      sentence.replace(
        0,
        end,
        `there ${past ? 'was' : 'is'} nothing ${who} ${feel} about ${sentence.words(verb + 1, end)}`,
      );
    const praise = polarity === 'positive';
    if (praise) yield { relation: 'INV', text: say(`${auxiliary} not ${base}`) };
    yield { relation: praise ? 'DIR' : 'INV', text: say(past ? 'liked' : 'like') };
  },
};

/** "I love this film." -> "It is impossible not to love this film." */
const doubleNegation: Rule = {
  capability: 'double negation',
  *rewrites(sentence, polarity) {
    const opinion = opinionOf(sentence);
    if (
      opinion === undefined ||
      opinion.polarity !== polarity ||
      polarity === 'negative' ||
      opinion.auxiliary === 'did'
    )
      return;
    const thing = sentence.words(opinion.verb + 1, opinion.end);
    yield {
      relation: 'INV',
      text: sentence.replace(0, opinion.end, `it is impossible not to ${opinion.base} ${thing}`),
    };
  },
};

/** "We will come back." -> "We will never come back." */
const never: Rule = {
  capability: 'never',
  *rewrites(sentence, polarity) {
    if (
      polarity === 'negative' ||
      sentence.tokens.length > 14 ||
      !/^(?:i|we)$/.test(sentence.word(0)) ||
      !/^(?:will|'ll)$/.test(sentence.word(1))
    )
      return;
    let verb = 2;
    while (
      INTENSIFIERS.has(sentence.word(verb)) ||
      /^(?:definitely|certainly|gladly|surely|happily)$/.test(sentence.word(verb))
    )
      verb++;
    const returns = COMING_AGAIN.has(sentence.word(verb));
    const comesBack = /^(?:come|go|be)$/.test(sentence.word(verb)) && sentence.word(verb + 1) === 'back';
    const one = !sentence.tokens.some(({ word }, i) => i > 1 && LIMITS_A_PROMISE.has(word));
    if ((returns || comesBack) && one && !sentence.asks(0)) {
      yield {
        relation: 'DIR',
        text: sentence.replace(1, verb, `${sentence.word(1) === "'ll" && !sentence.tokenised ? ' ' : ''}will never`),
      };
    }
  },
};

const NEGATED = /^(?:do|does|did)$/;

/** "I do not recommend it." -> "I recommend it."; "It is not funny." -> "It is funny." */
const removed: Rule = {
  capability: 'negation removed',
  *rewrites(sentence, polarity) {
    const nots = sentence.tokens.flatMap(({ word }, i) => (word === 'not' || word === "n't" ? [i] : []));
    const [not] = nots;
    if (
      polarity === 'positive' ||
      not === undefined ||
      nots.length > 1 ||
      sentence.tokens.length > 14 ||
      sentence.asks(0)
    )
      return;
    const rest = sentence.tokens.filter((_, i) => i !== not).map((token) => token.word);
    if (rest.some((word) => QUALIFYING.has(word))) return;
    const [before, after] = [sentence.word(not - 1), sentence.word(not + 1)];
    if (/^(?:is|are|was|were)$/.test(before) && not - 1 > 0 && /^(?:NN|PRP|DT)/.test(sentence.tag(not - 2))) {
      let at = not + 1;
      if (sentence.word(at) === 'very') at++;
      const verdict = verdictOf(sentence.word(at));
      // "not superb" may still be good.
      if (verdict?.polarity !== 'positive' || verdict.denied !== sentence.word(at) || !sentence.closes(at + 1)) return;
      yield { relation: 'DIR', text: sentence.replace(not, not + 1, '') };
    } else if (
      NEGATED.test(before) &&
      opinionVerb(after) === 'positive' &&
      /^(?:i|we)$/.test(sentence.word(not - 2)) &&
      not === 2
    ) {
      let end = not + 2;
      while (!sentence.closes(end)) end++;
      if (!isThing(sentence, not + 2, end)) return;
      const past = before === 'did';
      const form = past
        ? after === 'like' || after === 'love' || after === 'admire' || after === 'adore' || after === 'appreciate'
          ? `${after}d`
          : `${after}ed`
        : after;
      yield { relation: 'DIR', text: sentence.replace(not - 1, not + 2, form) };
    }
  },
};

export const OPINION_RULES: readonly Rule[] = [singleNegation, nothingNot, doubleNegation, never, removed];
