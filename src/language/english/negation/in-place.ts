/**
 * @file Rules that turn one phrase of a text, of any length, into another that says the same: a denial in other words, or a plain word as its
 * opposite denied. What stands around the phrase stays, so that the text's verdict does, whatever it is.
 */
import { baseForms } from '../base-forms.js';
import { section, table } from '../data-files.js';
import { wordnet } from '../wordnet.js';
import type { Rewrite, Rule } from './rule.js';
import { NEGATORS, type Sentence, withDo } from './sentence.js';
import { verdictOf } from './sentiment-words.js';

const ACHIEVING = section('negation-words.txt', 'achieving');
const PRONOUNS = section('negation-words.txt', 'subjects of a short copula');
const AUXILIARIES = section('negation-words.txt', 'auxiliaries that "not" leans on');
const FIXED_NO = section('negation-words.txt', 'behind "no" in fixed phrases');
const BEFORE_LACK = section('negation-words.txt', 'before "lack of"');
const COMPARED = section('negation-words.txt', 'degrees');
const NO_QUALITY = section('negation-words.txt', 'no adjective behind them is denied');
const SET_NOUNS = section('negation-words.txt', 'nouns of fixed phrases');
const MEASURED = section('negation-words.txt', 'before "often" and "many"');
const SMALL = section('negation-words.txt', 'what "little" calls small');
const LIMITING = section('negation-words.txt', 'limits of an achievement');
const PREFIXED = new Map(
  table('negated-adjectives.tsv').map(([negated, plain]) => [negated as string, plain as string]),
);
const OF_DEGREE = new Map(
  table('gradable-opposites.tsv').map(([word, opposite]) => [word as string, opposite as string]),
);
const same = (text: string): Rewrite => ({ relation: 'INV', text });

const SUBJECT = /^(?:NNS?|NNPS?|PRP|WDT|WP|EX)$/;
const SEPARATE = new Map([
  ['ca', 'can'],
  ['wo', 'will'],
  ['sha', 'shall'],
]);
const EFFORTS = new Map([
  ['hard', 'easy'],
  ['difficult', 'easy'],
  ['easy', 'hard'],
]);
const DETERMINER = /^(?:DT|PDT|PRP\$|WP\$|POS|CD)$/;

/** Is another denial in the same sentence before token `at`, or right behind it? A second one there would be another text. */
const denied = (sentence: Sentence, at: number): boolean =>
  sentence.holds(NEGATORS, sentence.opening(at), at) || NEGATORS.has(sentence.word(at + 1));

/** Does a subject stand before token `at`, as in an assertion? "has" of "has it" asks, and of "to have" is none. */
const hasSubject = (sentence: Sentence, at: number): boolean =>
  (SUBJECT.test(sentence.tag(at - 1)) || /^(?:that|which|who|this|it|there)$/.test(sentence.word(at - 1))) &&
  !sentence.asks(at);

/** Behind "not": "not only", "not just" deny no verb. */
const NOT_OF_A_VERB = /^(?:only|just|merely|simply|even|so|because|without)$/;

/** "does n't" <-> "does not": of an auxiliary after its subject. */
const contraction: Rule = {
  capability: 'contracted negation',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      const [word, before] = [sentence.word(i), sentence.word(i - 1)];
      // "is n't it funny": the subject follows, and "is not it funny" is no English.
      if (/^(?:PRP|EX)$/.test(sentence.tag(i + 1)) || sentence.asks(i)) continue;
      if (word === "n't" && !/^(?:ai|i)$/.test(before))
        yield same(
          sentence.replace(
            i - 1,
            i + 1,
            before === 'ca' && !sentence.tokenised ? 'cannot' : `${SEPARATE.get(before) ?? before} not`,
          ),
        );
      else if (
        word === 'not' &&
        /^'(?:s|re)$/.test(before) &&
        PRONOUNS.has(sentence.word(i - 2)) &&
        !NOT_OF_A_VERB.test(sentence.word(i + 1))
      ) {
        // "It's" has no space before its copula.
        const glued = sentence.text[(sentence.tokens[i - 1]?.start ?? 1) - 1] === ' ' ? '' : ' ';
        const copula = before === "'s" ? 'is' : 'are';
        yield same(sentence.replace(i - 1, i + 1, `${glued}${copula}${sentence.tokenised ? ' ' : ''}n't`));
      } else if (word === 'not' && AUXILIARIES.has(before)) {
        if (!NOT_OF_A_VERB.test(sentence.word(i + 1)) && hasSubject(sentence, i - 1))
          yield same(
            sentence.replace(
              i - 1,
              i + 1,
              `${{ can: 'ca', will: 'wo' }[before] ?? before}${sentence.tokenised ? ' ' : ''}n't`,
            ),
          );
      }
    }
  },
};

/** "has no plot" -> "does not have any plot"; "there is no plot" -> "there is not any plot"; "with no plot" <-> "without plot". */
const no: Rule = {
  capability: 'negated quantifier',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      const word = sentence.word(i);
      const before = sentence.word(i - 1);
      const thing = /^(?:NNS?|JJ)$/.test(sentence.tag(i + 1));
      const plain = !FIXED_NO.has(sentence.word(i + 1));
      if (word === 'no' && thing && plain && !sentence.asks(i)) {
        if (/^(?:has|have|had)$/.test(before) && hasSubject(sentence, i - 1)) {
          const auxiliary = { has: 'does', have: 'do', had: 'did' }[before as 'has' | 'have' | 'had'];
          yield same(sentence.replace(i - 1, i + 1, `${auxiliary} not have any`));
        } else if (/^(?:is|are|was|were|'s)$/.test(before) && sentence.word(i - 2) === 'there') {
          yield same(sentence.replace(i, i + 1, 'not any'));
        } else if (before === 'with') yield same(sentence.replace(i - 1, i + 1, 'without any'));
      } else if (word === 'without' && /^an?$/.test(sentence.word(i + 1)) && /^(?:NN|JJ)$/.test(sentence.tag(i + 2))) {
        yield same(sentence.replace(i, i + 2, 'with no'));
      } else if (
        word === 'without' &&
        /^(?:NNS?|JJ)$/.test(sentence.tag(i + 1)) &&
        !/ing$/.test(sentence.word(i + 1)) &&
        !denied(sentence, i) &&
        // "without wit or warmth": of "with no wit" the second half hangs loose.
        !/^(?:and|or|,|being|to)$/.test(sentence.word(i + 2))
      )
        yield same(sentence.replace(i, i + 1, 'with no'));
      else if (word === 'nothing' && /^(?:is|was|'s)$/.test(before) && sentence.word(i - 2) === 'there') {
        if (!/^(?:but|like|short|less|if)$/.test(sentence.word(i + 1)))
          yield same(sentence.replace(i, i + 1, 'not anything'));
      } else if (word === 'nothing' && sentence.word(i + 1) === 'more' && sentence.word(i + 2) === 'than') {
        yield same(sentence.replace(i, i + 3, 'no more than'));
      } else if (word === 'nothing' && sentence.word(i + 1) === 'but' && /^(?:is|are|was|were|'s)$/.test(before)) {
        yield same(sentence.replace(i, i + 2, 'no more than'));
      } else if (word === 'lack' && sentence.word(i + 1) === 'of' && BEFORE_LACK.has(before)) {
        if (before === 'a') yield same(sentence.replace(i - 1, i + 1, 'an absence'));
        else yield same(sentence.replace(i, i + 1, 'absence'));
      }
    }
  },
};

/** "never rises" -> "does not ever rise"; "hardly" <-> "scarcely"; "rarely" <-> "seldom". */
const never: Rule = {
  capability: 'never',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      if (sentence.word(i) !== 'never' || denied(sentence, i)) continue;
      const verb = withDo(sentence.word(i + 1), sentence.tag(i + 1));
      if (verb === undefined || /^(?:be|have|do|fail|cease|mind)$/.test(verb.base)) continue;
      if (
        /^(?:VBZ|VBD)$/.test(sentence.tag(i + 1)) &&
        hasSubject(sentence, i) &&
        !/^(?:and|but|or)$/.test(sentence.word(i + 2))
      )
        yield same(sentence.replace(i, i + 2, `${verb.auxiliary} not ever ${verb.base}`));
    }
  },
};

const RARE = new Map([
  ['hardly', 'scarcely'],
  ['scarcely', 'hardly'],
  ['rarely', 'seldom'],
  ['seldom', 'rarely'],
]);

const almostNot: Rule = {
  capability: 'hardly and barely',
  *rewrites(sentence) {
    for (let i = 0; i < sentence.tokens.length; i++) {
      const other = RARE.get(sentence.word(i));
      if (other !== undefined) yield same(sentence.replace(i, i + 1, other));
    }
  },
};

/** "fail to please" -> "do not please"; "a film lacking wit" -> "a film without wit"; "is unfunny" -> "is not funny". */
const implicit: Rule = {
  capability: 'implicit negation',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      const [word, before, next] = [sentence.word(i), sentence.word(i - 1), sentence.word(i + 1)];
      if (
        word === 'fail' &&
        next === 'to' &&
        sentence.tag(i + 2) === 'VB' &&
        /^(?:NNS|PRP|WDT)$/.test(sentence.tag(i - 1)) &&
        !denied(sentence, i)
      )
        yield same(sentence.replace(i, i + 2, 'do not'));
      if (
        word === 'lacking' &&
        /^(?:,|NNS?)$/.test(sentence.tag(i - 1)) &&
        /^(?:NNS?|JJ|PRP\$|DT)$/.test(sentence.tag(i + 1)) &&
        !/^(?:in|and|or)$/.test(next)
      )
        yield same(sentence.replace(i, i + 1, 'without'));
      const plain = PREFIXED.get(word);
      if (plain === undefined || denied(sentence, i) || COMPARED.has(before)) continue;
      // "unfunny and dull": of "not funny and dull" the denial reaches further.
      if (/^(?:and|or|,|but)$/.test(next) || /^(?:and|or|,|but)$/.test(before)) continue;
      if (/^(?:is|are|was|were|'s)$/.test(before)) yield same(sentence.replace(i, i + 1, `not ${plain}`));
      else if (/^an?$/.test(before) && /^NN/.test(sentence.tag(i + 1)))
        yield same(sentence.replace(i - 1, i + 1, `a far from ${plain}`));
    }
  },
};

/** "a funny film" -> "a by no means dull film"; "far from funny" -> "by no means funny"; "anything but funny" -> "not funny at all". */
const litotes: Rule = {
  capability: 'litotes',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      const [word, before, next] = [sentence.word(i), sentence.word(i - 1), sentence.word(i + 1)];
      const judged = verdictOf(word);
      if (word === 'far' && next === 'from' && /^(?:JJ|VBN)$/.test(sentence.tag(i + 2)) && !denied(sentence, i))
        yield same(sentence.replace(i, i + 2, 'by no means'));
      if (word === 'anything' && next === 'but' && verdictOf(sentence.word(i + 2)) !== undefined)
        yield same(sentence.replace(i, i + 2, 'by no means'));
      if (
        word === 'less' &&
        next === 'than' &&
        verdictOf(sentence.word(i + 2))?.polarity === 'positive' &&
        !/^(?:no|nothing|much)$/.test(before)
      )
        yield same(sentence.replace(i, i + 2, 'not all that'));
      const opposite = judged?.opposite ?? OF_DEGREE.get(word);
      if (opposite === undefined || !/^JJ$/.test(sentence.tag(i)) || denied(sentence, i) || sentence.asks(i)) continue;
      // "high school", "easy chair"
      if (baseForms(next, 'noun').some((noun) => wordnet.has(`${word} ${noun}`, 'noun'))) continue;
      // Right before its noun: of a list it would be unclear how far the denial reaches.
      // "a warm and funny film": before the noun its denial reaches no other.
      const last = /^(?:,|and|but)$/.test(before) && sentence.tag(i - 2) === 'JJ';
      if (!DETERMINER.test(sentence.tag(i - 1)) && !/^(?:IN|VBZ)$/.test(sentence.tag(i - 1)) && !last) continue;
      // "bad writing, bad direction": of a list the first would not be alone.
      if (!last && !DETERMINER.test(sentence.tag(i - 1)) && /^(?:,|and|or)$/.test(sentence.word(i + 2))) continue;
      if (NO_QUALITY.has(before)) continue;
      if (
        !/^NN/.test(sentence.tag(i + 1)) ||
        SET_NOUNS.has(next) ||
        word === 'perfect' ||
        // "one of the great minds"; "a breath of fresh air"
        (sentence.word(i - 2) === 'of' && sentence.word(i - 3) === 'one') ||
        (word === 'fresh' && next === 'air')
      )
        continue;
      const article = /^an?$/.test(before);
      yield same(
        article
          ? sentence.replace(i - 1, i + 1, `a by no means ${opposite}`)
          : sentence.replace(i, i + 1, `by no means ${opposite}`),
      );
    }
  },
};

/** "often" -> "not infrequently"; "many viewers" -> "not a few viewers"; "is hard to watch" -> "is not easy to watch". */
const understatement: Rule = {
  capability: 'litotes',
  *rewrites(sentence) {
    for (let i = 0; i < sentence.tokens.length; i++) {
      const [word, before, next] = [sentence.word(i), sentence.word(i - 1), sentence.word(i + 1)];
      if (denied(sentence, i) || sentence.asks(i)) continue;
      const graded = MEASURED.has(before);
      if (word === 'often' && !graded && !/^(?:than|as|enough)$/.test(next))
        yield same(sentence.replace(i, i + 1, 'not infrequently'));
      if (word === 'many' && !graded && sentence.tag(i + 1) === 'NNS')
        yield same(sentence.replace(i, i + 1, 'not a few'));
      const opposite = EFFORTS.get(word);
      if (
        opposite !== undefined &&
        next === 'to' &&
        sentence.tag(i + 2) === 'VB' &&
        /^(?:is|are|was|were|'s)$/.test(before)
      )
        yield same(sentence.replace(i, i + 1, `not ${opposite}`));
    }
  },
};

/** "a comedy rather than a drama" -> "a comedy and not a drama". */
const instead: Rule = {
  capability: 'implicit negation',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      const pair = `${sentence.word(i)} ${sentence.word(i + 1)}`;
      if (pair !== 'rather than' && pair !== 'instead of') continue;
      if (!/^(?:NN|NNS|JJ)$/.test(sentence.tag(i - 1)) || denied(sentence, i)) continue;
      if (
        !/^(?:NN|NNS|DT|JJ)$/.test(sentence.tag(i + 2)) ||
        sentence.holds(new Set(['more', 'would', 'prefer']), sentence.opening(i), i)
      )
        continue;
      yield same(sentence.replace(i, i + 2, 'and not'));
    }
  },
};

/** "makes no sense" -> "does not make any sense"; "offers nothing" -> "does not offer anything"; "has little wit" -> "does not have much wit". */
const nothingOf: Rule = {
  capability: 'negated quantifier',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length - 1; i++) {
      const verb = withDo(sentence.word(i), sentence.tag(i));
      if (
        verb === undefined ||
        verb.base === 'be' ||
        !hasSubject(sentence, i) ||
        denied(sentence, i - 1) ||
        sentence.holds(NEGATORS, sentence.opening(i), i)
      )
        continue;
      const [next, tag] = [sentence.word(i + 1), sentence.tag(i + 2)];
      const after = sentence.word(i + 2);
      const put = (any: string): Rewrite =>
        same(sentence.replace(i, i + 2, `${verb.auxiliary} not ${verb.base} ${any}`));
      if (next === 'no' && verb.base !== 'have' && /^(?:NNS?|JJ)$/.test(tag) && !FIXED_NO.has(after)) yield put('any');
      if (next === 'nothing' && !/^(?:but|like|short|less|more|if)$/.test(after)) yield put('anything');
      if (next === 'little' && (tag === 'NN' || /^(?:to|of|in)$/.test(after)) && !SMALL.has(after)) yield put('much');
      if (next === 'few' && tag === 'NNS') yield put('many');
    }
  },
};

/** "it captures the mood" -> "it does not fail to capture the mood": of what may be achieved, and is. */
const notFailing: Rule = {
  capability: 'double negation',
  *rewrites(sentence) {
    for (let i = 1; i < sentence.tokens.length; i++) {
      if (!/^(?:VBZ|VBD|VBP)$/.test(sentence.tag(i)) || !hasSubject(sentence, i)) continue;
      const verb = withDo(sentence.word(i), sentence.tag(i));
      if (verb === undefined || !ACHIEVING.has(verb.base)) continue;
      let end = i + 1;
      while (!sentence.closes(end) && !/^(?:,|;|:|--)$/.test(sentence.word(end))) end++;
      // "captures and holds", "gives up", "makes nothing of": one verb, and nothing denied or limited in its clause.
      const rest = sentence.tokens.slice(i + 1, end);
      if (rest.length === 0 && !/^(?:entertain|please|amuse|thrill|impress)$/.test(verb.base)) continue;
      if (rest.some(({ word, tag }) => NEGATORS.has(word) || LIMITING.has(word) || /^(?:VBZ|MD)$/.test(tag))) continue;
      if (
        denied(sentence, i) ||
        /^(?:i|we|you|what)$/.test(sentence.word(i - 1)) ||
        !/^(?:DT|PRP|PRP\$|NNS?|JJ|NNPS?)$/.test(sentence.tag(i + 1) || 'NN')
      )
        continue;
      yield same(sentence.replace(i, i + 1, `${verb.auxiliary} not fail to ${verb.base}`));
    }
  },
};

/** "not only funny but also wise" -> "both funny and wise". */
const both: Rule = {
  capability: 'not only but also',
  *rewrites(sentence) {
    for (let i = 0; i < sentence.tokens.length; i++) {
      if (sentence.word(i) !== 'not' || !/^(?:only|just|merely)$/.test(sentence.word(i + 1))) continue;
      let but = i + 2;
      while (but < i + 8 && !/^(?:,|but)$/.test(sentence.word(but))) but++;
      const comma = sentence.word(but) === ',' ? 1 : 0;
      const also = sentence.word(but + comma + 1) === 'also' ? 1 : 0;
      const [first, second] = [sentence.tag(i + 2), sentence.tag(but + comma + 1 + also)];
      if (sentence.word(but + comma) !== 'but' || first !== second || !/^(?:JJ|NNS?|DT|IN|VBN|VBG)$/.test(first))
        continue;
      const inner = sentence.tokens.slice(i + 2, but);
      if (inner.some(({ word, tag }) => word === 'and' || /^(?:VBZ|VBD|VBP|MD)$/.test(tag))) continue;
      yield same(sentence.replace(i, but + comma + 1 + also, `both ${sentence.words(i + 2, but)} and`));
    }
  },
};

export const IN_PLACE_RULES: readonly Rule[] = [
  contraction,
  no,
  never,
  almostNot,
  implicit,
  litotes,
  understatement,
  instead,
  nothingOf,
  notFailing,
  both,
];
