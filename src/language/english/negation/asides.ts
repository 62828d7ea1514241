/** @file Negated sentences that are irrelevant to the judged thing: "My sister did not bring a pen that day." */
import { random } from '../../../core/random.js';
import { section } from '../data-files.js';

const [WHO, UNDONE, WHEN] = [
  section('negation-words.txt', 'who did not'),
  section('negation-words.txt', 'what was not done'),
  section('negation-words.txt', 'when it was not done'),
];

/** Number of sentences that `asideFor` can produce. */
export const asides = (): number => WHO.words.length * UNDONE.words.length * WHEN.words.length;

/** An irrelevant negation, chosen by the text. */
export function asideFor(text: string): string {
  const stream = random(0, text);
  const when = stream.pick(WHEN.words);
  return `${stream.pick(WHO.words)} did not ${stream.pick(UNDONE.words)}${when === '-' ? '' : ` ${when}`}.`;
}
