/** @file Rules that reword a negation where it stands, in any text, and the few verbs that hide one. */

import { baseForms } from '../base-forms.js';
import { section } from '../data-files.js';
import { inflect } from '../inflection.js';
import type { Rewrite, Rule } from './rule.js';
import { NEGATORS, type Sentence, withDo } from './sentence.js';
import { SUCCESS_VERBS, VIRTUE_NOUNS } from './sentiment-words.js';

const CONCERNS = section('negation-words.txt', 'what a success may concern');
const KNOWN_SETS = section('negation-words.txt', 'known sets');

/** Positions at which a token is one of these words. */
function* at(sentence: Sentence, words: RegExp): Iterable<number> {
  for (let i = 0; i < sentence.tokens.length; i++) if (words.test(sentence.word(i))) yield i;
}

const AUXILIARY: Readonly<Record<string, string>> = { fails: 'does', failed: 'did', lacks: 'does', lacked: 'did' };

/** "fails to thrill" -> "does not thrill"; "lacks charm" -> "does not have charm"; "manages to thrill" -> "fails to thrill". */
const implicit: Rule = {
  capability: 'implicit negation',
  *rewrites(sentence, polarity) {
    for (const i of at(sentence, /^(?:fails|failed)$/)) {
      const denied = sentence.holds(NEGATORS, sentence.opening(i), i);
      if (sentence.word(i + 1) !== 'to' || sentence.tag(i + 2) !== 'VB' || denied || sentence.asks(i)) continue;
      // "failed to" may be a participle: "a plan that, having failed to..."
      if (!/^(?:NN|PRP|WDT|DT|WP)/.test(sentence.tag(i - 1)) && sentence.word(i - 1) !== 'that') continue;
      yield { relation: 'INV', text: sentence.replace(i, i + 2, `${AUXILIARY[sentence.word(i)]} not`) };
    }
    for (const i of at(sentence, /^(?:lacks|lacked)$/)) {
      const thing = sentence.tag(i + 1);
      // "does not have wit and warmth" might have one of them; "does not have all trace" is no English.
      let end = i + 1;
      while (!sentence.closes(end) && !/^[,;:]$/.test(sentence.word(end))) end++;
      const plain = !sentence.holds(new Set(['and', 'or', 'all', 'every', 'both', 'most', 'much', 'some']), i + 1, end);
      if (
        !plain ||
        !/^(?:NN|JJ|DT|PRP\$)/.test(thing) ||
        sentence.holds(NEGATORS, sentence.opening(i), i) ||
        sentence.asks(i)
      )
        continue;
      if (!/^(?:NN|PRP|WDT|DT|WP)/.test(sentence.tag(i - 1)) && sentence.word(i - 1) !== 'that') continue;
      yield { relation: 'INV', text: sentence.replace(i, i + 1, `${AUXILIARY[sentence.word(i)]} not have`) };
    }
    if (polarity === 'positive') {
      yield* unfulfilled(sentence);
      for (const i of at(sentence, /^(?:manages|managed)$/)) {
        // The one verdict of the text: nothing else may be praised, and nothing blamed.
        if (!sentence.simple || sentence.word(i + 1) !== 'to' || sentence.tag(i + 2) !== 'VB') continue;
        if (sentence.tokens.some(({ word }) => /^(?:finally|still|even|barely|somehow)$/.test(word))) continue;
        yield {
          relation: 'DIR',
          text: sentence.replace(i, i + 1, sentence.word(i) === 'manages' ? 'fails' : 'failed'),
        };
      }
    }
  },
};

/** "The film has charm." -> "The film lacks charm."; "The screenplay sparkles." -> "The screenplay fails to sparkle." */
function* unfulfilled(sentence: Sentence): Iterable<Rewrite> {
  const verb = sentence.tokens.findIndex(({ tag }) => tag === 'VBZ' || tag === 'VBD');
  if (
    !sentence.simple ||
    verb < 1 ||
    !/^(?:NN|PRP|DT)/.test(sentence.tag(verb - 1)) ||
    /^(?:i|we|you|they)$/.test(sentence.word(verb - 1))
  )
    return;
  const [word, tag] = [sentence.word(verb), sentence.tag(verb)];
  if (/^(?:has|had)$/.test(word)) {
    let at = verb + 1;
    if (/^(?:real|great|genuine|true)$/.test(sentence.word(at))) at++;
    const two = sentence.word(at + 1) === 'and' && VIRTUE_NOUNS.has(sentence.word(at + 2)) ? at + 2 : at;
    if (VIRTUE_NOUNS.has(sentence.word(at)) && sentence.closes(two + 1)) {
      yield { relation: 'DIR', text: sentence.replace(verb, verb + 1, word === 'has' ? 'lacks' : 'lacked') };
    }
    return;
  }
  const form = withDo(word, tag);
  if (form === undefined || !SUCCESS_VERBS.has(form.base)) return;
  // "works as a comedy", "works on every level": the failure must be of the whole.
  for (let at = verb + 1; !sentence.closes(at); at++) if (!CONCERNS.has(sentence.word(at))) return;
  yield {
    relation: 'DIR',
    text: sentence.replace(verb, verb + 1, `${tag === 'VBZ' ? 'fails' : 'failed'} to ${form.base}`),
  };
}

/** "None of the jokes" -> "Not one of the jokes"; "Nobody came" -> "Not a single person came"; and "every" -> "there is no ... that does not". */
const quantifier: Rule = {
  capability: 'negated quantifier',
  *rewrites(sentence) {
    for (const i of at(sentence, /^none$/)) {
      // Of several things, and as a subject: "exudes none of the charm" has neither.
      const noun = [3, 4].find((step) => /^NN/.test(sentence.tag(i + step)));
      const several =
        /^(?:us|them)$/.test(sentence.word(i + 2)) ||
        (noun !== undefined && sentence.tag(i + noun) === 'NNS' && sentence.word(i + noun) !== 'above');
      const known = KNOWN_SETS.has(sentence.word(i + 2));
      const opens = i === sentence.opening(i) || /^(?:and|,|;|because|that|but)$/.test(sentence.word(i - 1));
      if (sentence.word(i + 1) === 'of' && known && several && opens)
        yield { relation: 'INV', text: sentence.replace(i, i + 1, 'not one') };
    }
    for (const i of at(sentence, /^(?:nobody|no)$/)) {
      const single = sentence.word(i) === 'nobody';
      if (!single && sentence.word(i + 1) !== 'one') continue;
      const verb = i + (single ? 1 : 2);
      // As a subject that opens its clause, before a finite verb.
      const opens = i === sentence.opening(i) || /^(?:and|,|;|because)$/.test(sentence.word(i - 1));
      if (opens && /^(?:VBZ|VBD|MD)$/.test(sentence.tag(verb)) && !sentence.asks(i)) {
        yield { relation: 'INV', text: sentence.replace(i, verb, 'not a single person') };
      }
    }
  },
};

/** "It always works." -> "It never fails to work."; "never fails to work" -> "always works". */
const never: Rule = {
  capability: 'never',
  *rewrites(sentence): Iterable<Rewrite> {
    for (const i of at(sentence, /^always$/)) {
      const base = baseForms(sentence.word(i + 1), 'verb').find(
        (form) => inflect(form, 'VBZ') === sentence.word(i + 1),
      );
      const subject =
        /^(?:NN|NNP|PRP|DT)$/.test(sentence.tag(i - 1)) &&
        !/^(?:i|we|you|they|these|those)$/.test(sentence.word(i - 1));
      if (sentence.tag(i + 1) !== 'VBZ' || base === undefined || base === 'be' || base === 'have' || !subject) continue;
      if (sentence.holds(NEGATORS, sentence.opening(i), i) || sentence.asks(i)) continue;
      yield { relation: 'INV', text: sentence.replace(i, i + 2, `never fails to ${base}`) };
    }
    for (const i of at(sentence, /^never$/)) {
      if (sentence.word(i + 1) !== 'fails' || sentence.word(i + 2) !== 'to' || sentence.tag(i + 3) !== 'VB') continue;
      const form = inflect(sentence.word(i + 3), 'VBZ');
      if (form !== undefined && form !== 'is')
        yield { relation: 'INV', text: sentence.replace(i, i + 4, `always ${form}`) };
    }
  },
};

/** "impossible to ignore" -> "not possible to ignore"; "unable to" -> "not able to". */
const impossible: Rule = {
  capability: 'implicit negation',
  *rewrites(sentence) {
    for (const i of at(sentence, /^(?:impossible|unable)$/)) {
      const copula = /^(?:is|was|are|were|'s|am)$/.test(sentence.word(i - 1));
      const denied = sentence.word(i + 2) === 'not' || sentence.holds(NEGATORS, sentence.opening(i), i);
      if (!copula || sentence.word(i + 1) !== 'to' || denied) continue;
      yield {
        relation: 'INV',
        text: sentence.replace(i, i + 1, `not ${sentence.word(i) === 'impossible' ? 'possible' : 'able'}`),
      };
    }
  },
};

/** "without any wit" -> "with no wit". */
const without: Rule = {
  capability: 'negated quantifier',
  *rewrites(sentence) {
    for (const i of at(sentence, /^without$/)) {
      if (sentence.word(i + 1) !== 'any' || !/^(?:NN|JJ)/.test(sentence.tag(i + 2))) continue;
      yield { relation: 'INV', text: sentence.replace(i, i + 2, 'with no') };
    }
  },
};

export const REWORDING_RULES: readonly Rule[] = [implicit, quantifier, never, impossible, without];
