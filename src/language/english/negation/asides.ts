/** @file Denials that say nothing of the thing judged: "My sister did not bring a pen that day." */
import { random } from '../../../core/random.js';
import { section } from '../data-files.js';

const [WHO, UNDONE, WHEN] = [
  section('negation-words.txt', 'who did not'),
  section('negation-words.txt', 'what was not done'),
  section('negation-words.txt', 'when it was not done'),
];

/** How many sentences `asideFor` can draw. */
export const asides = (): number => WHO.words.length * UNDONE.words.length * WHEN.words.length;

/** A denial drawn for a text. */
export function asideFor(text: string): string {
  const stream = random(0, text);
  const when = stream.pick(WHEN.words);
  return `${stream.pick(WHO.words)} did not ${stream.pick(UNDONE.words)}${when === '-' ? '' : ` ${when}`}.`;
}
