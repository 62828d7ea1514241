/**
 * docs/reference/supported-ops.md is made from the rules and spellings: what their tables hold. The formula of each stands above it. This test
 * writes it and fails when the file says something else; `npx vitest run test/gradient/docs.test.ts -u` brings it up to date.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OLDEST_OPSET } from '../../packages/onnx/src/autodiff/differentiate.js';
import { LOWERINGS } from '../../packages/onnx/src/autodiff/lower/index.js';
import { RULES } from '../../packages/onnx/src/autodiff/rules/index.js';
import { LIFTABLE_OPSET } from '../../packages/onnx/src/autodiff/simplify/raise-opset.js';
import { OPERATORS } from '../../packages/onnx/src/graph/operators/index.js';
import type { Operator } from '../../packages/onnx/src/graph/operators/operator.js';
import { NEWEST_IR, NEWEST_OPSET } from '../../packages/onnx/src/graph/versions.js';
import { ops } from '../../src/gradient/tfjs/ops/index.js';
import { tfjsBackend } from '../../src/tfjs/backend.js';

const room = new URL('../../packages/onnx/src/autodiff/', import.meta.url).pathname;

/** Exported rule or spelling -> the comment it stands under, in one line. */
function formulas(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(`${room}${folder}`)) {
    let comment = '';
    const source = readFileSync(`${room}${folder}/${file}`, 'utf8');
    for (const [, text, name] of source.matchAll(/\/\*\*(.*?)\*\/|export const (\w+): (?:GradientRule|Lowering)\b/gs)) {
      if (text !== undefined) comment = text.replace(/\s*\n \* ?/g, ' ').trim();
      else found.set(name!, comment);
    }
  }
  return found;
}

const rules = formulas('rules');
const spellings = formulas('lower');

test('every rule and every spelling says what it computes', () => {
  const silent = (names: readonly string[], known: ReadonlyMap<string, string>) =>
    names.filter((name) => !known.get(name));
  expect(silent(Object.keys(RULES), rules)).toEqual([]);
  expect(silent(Object.values(LOWERINGS).flatMap(Object.keys), spellings)).toEqual([]);
});

test('whatever the onnx engine differentiates, the tfjs engine does too', async () => {
  const own = ops((await tfjsBackend()).tf);
  expect(Object.keys(RULES).filter((name) => !Object.hasOwn(own, name))).toEqual([]);
});

test('docs/reference/supported-ops.md', async () => {
  const rows = Object.entries(OPERATORS).flatMap(([domain, table]) =>
    Object.entries<Operator>(table)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([op, row]) => ({ domain, op, row })),
  );
  const none = rows.flatMap(({ op, row }) => (row.gradient === 'none' ? [op] : []));
  const surrogates = [...new Set(rows.flatMap(({ op, row }) => (row.gradient === 'surrogate' ? [op] : [])))];
  /** Attribute and values -> the operators that support no others. */
  const narrow = new Map<string, string[]>();
  for (const { domain, op, row } of rows) {
    for (const [name, values] of Object.entries(row.attributes ?? {})) {
      if (values === 'any') continue;
      const key = `| ${name} | ${values.join(', ')} |`;
      narrow.set(key, [...(narrow.get(key) ?? []), `${domain && `${domain}.`}${op}`]);
    }
  }
  const page = `# Supported operators

Gradient attacks, training and trigger searches need every operator *between the token embeddings (or the weights) and the loss* to be in these tables.
Operators elsewhere (integers that compute shapes, masks) may be anything that the runtime supports. A graph with other operators on that path still runs as a
black box; the error lists all of them, each with the engine, its node and the reason.

- The onnx engine runs whatever onnxruntime runs.
- The tfjs engine (\`--runtime engine=tfjs\`) runs the operators on that path itself, in single precision; onnxruntime runs the others for it.
- Opsets ${OLDEST_OPSET} to ${NEWEST_OPSET} are supported (look-ups by computed indices, as in DeBERTa, from ${LIFTABLE_OPSET} on), and file formats (IR) up to ${NEWEST_IR}. Batch and sequence may be dynamic or fixed.
- Ids may be reshaped, transposed or shifted before they are looked up. Control flow (If, Loop, Scan) is not differentiated.
- If several elements tie for a maximum, they share its gradient.

The formula of each rule is stated above it in [rules/](https://github.com/OWNER/robust/tree/main/packages/onnx/src/autodiff/rules) and
[lower/](https://github.com/OWNER/robust/tree/main/packages/onnx/src/autodiff/lower).

## Operators with a rule (ai.onnx)

${Object.keys(RULES).sort().join(', ')}.

Both engines run and differentiate these. No gradient passes through these: ${none.sort().join(', ')}.

## Compound operators

These operators are rewritten as simpler ones, which both engines differentiate. Each rewriting is tested against the operator itself.

- ai.onnx: ${Object.keys(LOWERINGS['']!).sort().join(', ')}
- com.microsoft (what onnxruntime's transformer optimiser writes): ${Object.keys(LOWERINGS['com.microsoft']!).sort().join(', ')}

## Attributes

An operator with an attribute that is not interpreted as onnxruntime interprets it is refused by name. All attributes of the
operators above are supported, except \`clip\` and peepholes of recurrent layers. These attributes are supported with the listed values only:

| attribute | values | operators |
|---|---|---|
${Array.from(narrow, ([key, names]) => `${key} ${names.join(', ')} |`).join('\n')}

Activations: for LSTM and GRU, Sigmoid or HardSigmoid for the gates and Tanh for the others.

## 16-bit and quantised graphs

16-bit weights and activations are widened: the gradient is that of the same graph in single precision. A quantised graph
is differentiated through a surrogate with the stored weights, without rounding and saturation (a straight-through estimator).
Attacks are still judged by the quantised model itself. Supported:
${surrogates.sort().join(', ')}.
`;
  await expect(page).toMatchFileSnapshot('../../docs/reference/supported-ops.md');
});
