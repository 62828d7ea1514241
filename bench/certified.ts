/**
 * @file Measures the accuracy that a certified network (robust train --arch char-cnn or word-votes) keeps under edits, proved by bounds, and
 * checks the bounds by brute force.
 *
 *     npm run bench dist/bench/certified.js MODEL DATA EXAMPLES CHECKED
 *
 * Prints the accuracy, and the shares of all examples that the bounds prove: one and two edits of characters for a model of characters, one
 * or any number of words replaced by synonyms for a model of words. Then it classifies every text of the space of the first CHECKED proved examples: one
 * edit of characters (a-z and the blank), else every combination of synonyms up to 20,000. A change of prediction would contradict the proof.
 */
import { openDataset } from '../datasets/index.js';
import { predictedLabel } from '../src/core/prediction.js';
import type { Rate } from '../src/core/statistics/rate.js';
import { wilson } from '../src/core/statistics/stats.js';
import { applyEdits, type TextEdit } from '../src/core/text-edit.js';
import { english } from '../src/language/english/index.js';
import { loadModel } from '../src/model/load.js';
import { windowVotes } from '../src/train/window-votes.js';
import { withstands } from '../src/verify/bounds.js';
import { withstandsReplacements } from '../src/verify/replacement-bounds.js';
import { placesOf } from '../src/verify/spaces.js';

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz '];
const COMBINATIONS = 20_000;
const print = (line: string) => process.stdout.write(`${line}\n`);
const percent = (share: number | null): string => (100 * (share ?? Number.NaN)).toFixed(1);
const shown = ({ value, low, high }: Rate): string => `${percent(value)} % (${percent(low)}-${percent(high)})`;

const terms = { language: english, alphabet: ALPHABET, repeats: false };
const synonymsOf = (text: string) => [...placesOf(['synonyms'], text, terms)];

const editedTexts = (text: string): string[] =>
  [...placesOf(['characters'], text, terms)].flatMap((place) =>
    [...place.edits()].map((edit) => applyEdits(text, [edit])),
  );

/** The text with every combination of synonyms whose edits do not overlap; undefined if there are too many. */
function combinations(text: string): string[] | undefined {
  let chosen: TextEdit[][] = [[]];
  for (const place of synonymsOf(text)) {
    const edits = [...place.edits()];
    const free = (before: readonly TextEdit[], edit: TextEdit) => before.every(({ end }) => end <= edit.start);
    chosen = [
      ...chosen,
      ...chosen.flatMap((before) => edits.filter((edit) => free(before, edit)).map((edit) => [...before, edit])),
    ];
    if (chosen.length > COMBINATIONS) return undefined;
  }
  return chosen.map((edits) => applyEdits(text, edits));
}

const [path = '', data = '', examples = '0', checked = '100'] = process.argv.slice(2).filter((each) => each !== '--');
const model = await loadModel(path, { workers: 1 });
const votes = model.onnx && (await windowVotes(model.onnx, model.maximumTokens));
if (votes === undefined) throw new Error(`${path}: expected a model of robust train --arch char-cnn or word-votes`);
const dataset = await openDataset(data, { labels: model.labels });

const ofCharacters = votes.reads === 'characters';
const SPACES: Readonly<Record<string, (text: string, label: number) => boolean>> = {
  ...(ofCharacters
    ? {
        'one edit': (text, label) => withstands(text, label, { edits: 1, alphabet: ALPHABET }, votes),
        'two edits': (text, label) => withstands(text, label, { edits: 2, alphabet: ALPHABET }, votes),
      }
    : {
        'one synonym': (text, label) =>
          withstandsReplacements(text, label, { places: synonymsOf(text), edits: 1 }, votes),
        'any synonyms': (text, label) =>
          withstandsReplacements(text, label, { places: synonymsOf(text), edits: 0 }, votes),
      }),
};
const brute = ofCharacters ? 'one edit' : 'any synonyms';

const proved = new Map(Object.keys(SPACES).map((name) => [name, 0]));
const count = { all: 0, correct: 0, checked: 0, texts: 0, violations: 0, replaceable: 0 };
for await (const { text, label } of dataset.examples()) {
  if (typeof label !== 'number' || (Number(examples) > 0 && count.all === Number(examples))) break;
  count.all++;
  const [row] = await model.classify([text]);
  if (row === undefined || predictedLabel(row) !== label) continue;
  count.correct++;
  if (synonymsOf(text).some((place) => [...place.edits()].length > 0)) count.replaceable++;
  const holds = Object.entries(SPACES).flatMap(([name, prove]) => (prove(text, label) ? [name] : []));
  for (const name of holds) proved.set(name, (proved.get(name) ?? 0) + 1);
  if (!holds.includes(brute) || count.checked === Number(checked)) continue;
  const texts = ofCharacters ? editedTexts(text) : combinations(text);
  if (texts === undefined) continue;
  const rows = await model.classify(texts);
  count.checked++;
  count.texts += rows.length;
  count.violations += rows.filter((each) => predictedLabel(each) !== label).length;
}
print(
  `correct ${shown(wilson(count.correct, count.all))} of ${count.all}; ${count.replaceable} of the correct ones have synonyms`,
);
for (const [name, found] of proved) print(`proved by the bound, ${name} ${shown(wilson(found, count.all))}`);
print(
  `brute force (${brute}) on ${count.checked} proved examples: ${count.texts} texts, ${count.violations} violations`,
);
await model.close();
