/** @file Rules that put words round a whole text, or turn a whole phrase: "There is no denying that ...", "anything but a ...". */

import { random } from '../../../core/random.js';
import { baseForms } from '../base-forms.js';
import { section } from '../data-files.js';
import { inflect } from '../inflection.js';
import type { Rule } from './rule.js';
import { NEGATORS, type Sentence } from './sentence.js';
import { verdictOf } from './sentiment-words.js';

const ASSERTION_OPENERS = section('negation-words.txt', 'assertion openers');
const SET_AGAINST = section('negation-words.txt', 'set against praise');

/** A complete assertion, as it could follow "that": one sentence with a subject at its head and a finite verb soon after. */
function isClause(sentence: Sentence): boolean {
  const { tokens } = sentence;
  const inner = tokens.slice(0, -1);
  if (
    tokens.length < 3 ||
    tokens.length > 30 ||
    sentence.asks(0) ||
    inner.some((token) => /^(?:[.!?:;]|\.{2,}|-+|[–—]|["“”`]|''|-lrb-)$/.test(token.word))
  )
    return false;
  if (/!/.test(sentence.text) || !ASSERTION_OPENERS.has(sentence.word(0))) return false;
  for (let at = 1; at < Math.min(tokens.length, 7); at++) {
    // What may or would have been needs no confirming.
    if (/^(?:VBZ|VBP|VBD|MD)$/.test(sentence.tag(at)))
      return !/^(?:may|might|could|would|should|must|ought)$/.test(sentence.word(at));
    if (!/^(?:NN|JJ|RB|VBN|VBG|POS|CD|IN|DT|PRP\$)/.test(sentence.tag(at))) return false;
  }
  return false;
}

/** "The soup is good." -> "There is no denying that the soup is good." */
const confirming: Rule = {
  capability: 'confirming negation',
  *rewrites(sentence) {
    // "that ... , but ..." would leave the second half outside.
    const plain = !sentence.holds(
      new Set(['but', 'although', 'though', 'however', 'yet', 'maybe', 'perhaps', 'please']),
    );
    if (!isClause(sentence) || !plain || sentence.tokens.length > 20) return;
    yield { relation: 'INV', text: sentence.after('There is no denying that') };
    // "No one can deny that I gave up" is strange: of the writer no one else need say so.
    if (!/^(?:i|we|my|our)$/.test(sentence.word(0)))
      yield { relation: 'INV', text: sentence.after('No one can deny that') };
  },
};

const [WHO, UNDONE, WHEN] = [
  section('negation-words.txt', 'who did not'),
  section('negation-words.txt', 'what was not done'),
  section('negation-words.txt', 'when it was not done'),
];

/** How many sentences `aside` can say. */
export const asides = (): number => WHO.words.length * UNDONE.words.length * WHEN.words.length;

/** A denial that says nothing of the thing judged, drawn for the text: "My sister did not bring a pen that day." */
function aside(text: string): string {
  const stream = random(0, text);
  const when = stream.pick(WHEN.words);
  return `${stream.pick(WHO.words)} did not ${stream.pick(UNDONE.words)}${when === '-' ? '' : ` ${when}`}.`;
}

/** "The soup is good." -> "I do not write many reviews. The soup is good." */
const elsewhere: Rule = {
  capability: 'negation elsewhere',
  *rewrites(sentence) {
    if (sentence.tokens.length < 3) return;
    yield { relation: 'INV', text: `${sentence.say(aside(sentence.text))} ${sentence.text}` };
  },
};

/** "The soup is good." -> "I wish I could say that the soup is good." */
const wish: Rule = {
  capability: 'unreal wish',
  *rewrites(sentence, polarity) {
    if (polarity === 'negative' || !isClause(sentence) || !sentence.simple) return;
    // "I wish I could say that I ..." wants a verdict of the writer's own or of the thing: both are sure.
    yield { relation: 'DIR', text: sentence.after('I wish I could say that') };
  },
};

/** A text that is one noun phrase of praise: "A charming and funny film." */
function isPraise(sentence: Sentence): boolean {
  const { tokens } = sentence;
  if (!/^(?:a|an)$/.test(sentence.word(0)) || tokens.length < 4 || tokens.length > 12 || sentence.holds(NEGATORS))
    return false;
  let praised = false;
  let noun = false;
  for (let at = 1; at < tokens.length; at++) {
    if (sentence.closes(at)) return praised && at === tokens.length - 1 && sentence.word(at) === '.';
    const word = sentence.word(at);
    const verdict = verdictOf(word);
    if (verdict?.polarity === 'negative') return false;
    // The praise must come before the first noun ("a film with a good cast" praises the cast), and what follows a comma
    // after it ("a film, funny and wise") may lie outside the denial.
    noun ||= /^NN/.test(sentence.tag(at));
    if (verdict !== undefined && !noun) praised = true;
    if (noun && word === ',') return false;
    if (
      (verdict === undefined && !/^(?:NN|JJ|RB|CC|IN|DT|PRP\$|VBN|POS|,)/.test(sentence.tag(at))) ||
      SET_AGAINST.has(word)
    )
      return false;
  }
  return praised;
}

/** "A charming and funny film." -> "Anything but a charming and funny film." */
const anythingBut: Rule = {
  capability: 'anything but',
  *rewrites(sentence, polarity) {
    if (polarity === 'negative' || !isPraise(sentence)) return;
    yield { relation: 'DIR', text: sentence.after('Anything but') };
    yield { relation: 'DIR', text: sentence.after('By no means') };
  },
};

/** "It is the best soup I have ever eaten." -> "I have never eaten a better soup." */
const comparison: Rule = {
  capability: 'negated comparison',
  *rewrites(sentence) {
    const opening = /^(?:it|this|that)$/.test(sentence.word(0)) && /^(?:is|was|'s)$/.test(sentence.word(1)) ? 2 : 0;
    if (sentence.word(opening) !== 'the') return;
    // the + superlative + noun + (that) I have (ever) + participle, and no more
    let at = opening + 1;
    const most = sentence.word(at) === 'most';
    if (most) at++;
    const adjective = sentence.word(at);
    const base = most
      ? adjective
      : baseForms(adjective, 'adjective').find((form) => inflect(form, 'JJS') === adjective);
    if (base === undefined || (most && sentence.tag(at) !== 'JJ' && verdictOf(adjective) === undefined)) return;
    const noun = ++at;
    while (/^NN$/.test(sentence.tag(at))) at++;
    const nounEnd = at;
    if (nounEnd === noun || nounEnd - noun > 3) return;
    if (sentence.word(at) === 'that') at++;
    const who = at;
    if (
      !/^(?:i|we)$/.test(sentence.word(who)) ||
      !/^(?:have|'ve)$/.test(sentence.word(who + 1)) ||
      sentence.word(who + 2) !== 'ever'
    )
      return;
    const participle = who + 3;
    const end = participle + 1;
    if (
      !/^VB[ND]$/.test(sentence.tag(participle)) ||
      !sentence.closes(end) ||
      end < sentence.tokens.length - 1 ||
      sentence.word(participle) === 'been'
    )
      return;
    const better = most ? `more ${adjective}` : inflect(base, 'JJR');
    const article = /^[aeiou]/.test(better ?? '') ? 'an' : 'a';
    const nouns = sentence.words(noun, nounEnd);
    yield {
      relation: 'INV',
      text: sentence.replace(
        0,
        end,
        `${sentence.word(who) === 'i' ? 'I' : 'we'} have never ${sentence.word(participle)} ${article} ${better} ${nouns}`,
      ),
    };
  },
};

export const WHOLE_TEXT_RULES: readonly Rule[] = [confirming, elsewhere, wish, anythingBut, comparison];
