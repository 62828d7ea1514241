/**
 * @file Measures the accuracy that a certified character network (robust train --certify) keeps under edits of characters, proved by bounds
 * and by brute force.
 *
 *     npm run bench dist/bench/certified.js MODEL DATA EXAMPLES CHECKED
 *
 * Prints the accuracy, and the shares of all examples that the bound proves for one and for two edits. Then it classifies every text of
 * the edits of the first CHECKED proved examples: a change of prediction would contradict the proof. The alphabet of the check is "aex ".
 */
import { openDataset } from '../datasets/index.js';
import { predictedLabel } from '../src/core/prediction.js';
import type { Rate } from '../src/core/rate.js';
import { wilson } from '../src/core/stats.js';
import { applyEdits } from '../src/core/text-edit.js';
import { english } from '../src/language/english/index.js';
import { loadModel } from '../src/model/load.js';
import { windowVotes } from '../src/train/window-votes.js';
import { withstands } from '../src/verify/bounds.js';
import { placesOf } from '../src/verify/spaces.js';

const ALPHABET = [...'aex '];
const print = (line: string) => process.stdout.write(`${line}\n`);
const percent = (share: number | null): string => (100 * (share ?? Number.NaN)).toFixed(1);
const shown = ({ value, low, high }: Rate): string => `${percent(value)} % (${percent(low)}-${percent(high)})`;

function editedTexts(text: string): string[] {
  const terms = { language: english, alphabet: ALPHABET, repeats: false };
  return [...placesOf(['characters'], text, terms)].flatMap((place) =>
    [...place.edits()].map((edit) => applyEdits(text, [edit])),
  );
}

const [path = '', data = '', examples = '0', checked = '100'] = process.argv.slice(2);
const model = await loadModel(path, { workers: 1 });
const votes = model.onnx && (await windowVotes(model.onnx, model.maximumTokens));
if (votes === undefined) throw new Error(`${path}: expected a model of robust train --arch char-cnn`);
const dataset = await openDataset(data, { labels: model.labels });

const count = { all: 0, correct: 0, one: 0, two: 0, checked: 0, texts: 0, violations: 0 };
for await (const { text, label } of dataset.examples()) {
  if (typeof label !== 'number' || (Number(examples) > 0 && count.all === Number(examples))) break;
  count.all++;
  const [row] = await model.classify([text]);
  if (row === undefined || predictedLabel(row) !== label) continue;
  count.correct++;
  if (!(await withstands(text, label, { edits: 1, alphabet: ALPHABET }, votes))) continue;
  count.one++;
  if (await withstands(text, label, { edits: 2, alphabet: ALPHABET }, votes)) count.two++;
  if (count.checked === Number(checked)) continue;
  const rows = await model.classify(editedTexts(text));
  count.checked++;
  count.texts += rows.length;
  count.violations += rows.filter((each) => predictedLabel(each) !== label).length;
}
print(`correct ${shown(wilson(count.correct, count.all))} of ${count.all}`);
print(`proved by the bound, one edit  ${shown(wilson(count.one, count.all))}`);
print(`proved by the bound, two edits ${shown(wilson(count.two, count.all))}`);
print(`brute force on ${count.checked} proved examples: ${count.texts} texts, ${count.violations} violations`);
await model.close();
