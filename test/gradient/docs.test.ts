/**
 * docs/supported-ops.md is made from the rules and spellings: what their tables hold, and the formula above each. This test
 * writes it and fails when the file says something else; `npx vitest run test/gradient/docs.test.ts -u` brings it up to date.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OLDEST_OPSET } from '../../src/gradient/differentiate.js';
import { LOWERINGS } from '../../src/gradient/lower/index.js';
import { RULES } from '../../src/gradient/rules/index.js';
import { DEQUANTISED } from '../../src/gradient/simplify/dequantise.js';
import { NEWEST_IR, NEWEST_OPSET } from '../../src/onnx/versions.js';

const room = new URL('../../src/gradient/', import.meta.url).pathname;

/** Exported rule or spelling -> the comment it stands under, in one line. */
function formulas(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(`${room}${folder}`)) {
    let comment = '';
    const source = readFileSync(`${room}${folder}/${file}`, 'utf8');
    for (const [, text, name] of source.matchAll(/\/\*\*(.*?)\*\/|export const (\w+): (?:Rule|Lowering)\b/gs)) {
      if (text !== undefined) comment = text.replace(/\s*\n \* ?/g, ' ').trim();
      else found.set(name!, comment);
    }
  }
  return found;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('*', '\\*');

function table(names: readonly string[], known: ReadonlyMap<string, string>): string {
  return [
    '| operator | formula |',
    '|---|---|',
    ...names.map((name) => `| ${name} | ${cell(known.get(name)!)} |`),
  ].join('\n');
}

const rules = formulas('rules');
const spellings = formulas('lower');

test('every rule and every spelling says what it computes', () => {
  const silent = (names: readonly string[], known: ReadonlyMap<string, string>) =>
    names.filter((name) => !known.get(name));
  expect(silent(Object.keys(RULES), rules)).toEqual([]);
  expect(silent(Object.values(LOWERINGS).flatMap(Object.keys), spellings)).toEqual([]);
});

test('docs/supported-ops.md', async () => {
  const page = `# What can be differentiated

Made from the rule table in \`src/gradient/rules\` and the spellings in \`src/gradient/lower\`: change those, then run
\`npx vitest run test/gradient/docs.test.ts -u\`.

Gradient attacks, training and trigger searches need every operator *between the token embeddings (or the weights) and the
loss* to be in these tables. What stands elsewhere (integers that steer shapes, masks) may be anything the runtime runs. A
graph with other operators on that way still runs as a black box; the error names all of them at once.

Opsets ${OLDEST_OPSET} to ${NEWEST_OPSET}, file format (IR) up to ${NEWEST_IR}; batch and sequence dynamic or fixed. Control flow (If, Loop, Scan) is not
differentiated. Where several elements tie for a maximum they share its gradient.

## Operators with a rule (ai.onnx)

\`dy\` is the gradient of the output, \`dx\` that of the first input.

${table(Object.keys(RULES).sort(), rules)}

## Compound operators, spelt out first

ai.onnx:

${table(Object.keys(LOWERINGS['']!).sort(), spellings)}

com.microsoft (what onnxruntime's transformer optimiser writes):

${table(Object.keys(LOWERINGS['com.microsoft']!).sort(), spellings)}

## 16-bit and quantised graphs

16-bit weights and activations are widened: the gradient is that of the same graph at single precision. Quantised graphs
are differentiated through a surrogate: the graph that computes the same without rounding and saturation, with the weights
that are stored (a straight-through estimator). Attacks are still judged by the quantised model itself. Covered:
${DEQUANTISED.toSorted().join(', ')}.
`;
  await expect(page).toMatchFileSnapshot('../../docs/supported-ops.md');
});
