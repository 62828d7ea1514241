/** Graphs as tools quantise them dynamically: weights at 8 bits, activations by the range of each run. */

import { constantTensors } from '../../../../src/model/graph/constant-tensors.js';
import { GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import type { Model, Node } from '../../src/graph/model.js';
import { Tensor } from '../../src/graph/tensor.js';

/** How a product is written: in parts, as quantize_dynamic does, or fused by onnxruntime's optimiser, half or whole. */
export const WRITTEN = ['in parts', 'MatMulIntegerToFloat', 'DynamicQuantizeMatMul'] as const;

/** The model with every product of stored weights quantised. */
export function quantised(model: Model, written: (typeof WRITTEN)[number] = 'in parts'): Model {
  const g = new GraphBuilder({ base: model });
  const constants = constantTensors(model.graph);
  const nodes = model.graph.nodes.flatMap((node): Node[] => {
    const [x = '', w = ''] = node.inputs;
    const weight = constants.floats(w);
    if (node.op !== 'MatMul' || weight?.dims.length !== 2) return [node];
    const values = weight.floats();
    const scale = values.reduce((most, each) => Math.max(most, Math.abs(each)), 0) / 127;
    const stored = g.shared(
      Tensor.of(
        `${w} quantised`,
        weight.dims,
        Int8Array.from(values, (each) => Math.round(each / scale)),
      ),
    );
    const zero = g.shared(Tensor.of('zero', [], Int8Array.of(0)));
    const domain = 'com.microsoft';
    const product = (): string => {
      if (written === 'DynamicQuantizeMatMul') return g.op(written, [x, stored, g.float(scale), zero], {}, domain);
      const [q, xScale, xZero] = g.ops('DynamicQuantizeLinear', [x], 3) as [string, string, string];
      if (written === 'MatMulIntegerToFloat')
        return g.op(written, [q, stored, xScale, g.float(scale), xZero, zero], {}, domain);
      const integers = g.op('MatMulInteger', [q, stored, xZero, zero]);
      const cast = g.op('Cast', [integers], { to: DataType.float });
      return g.op('Mul', [cast, g.op('Mul', [xScale, g.float(scale)])]);
    };
    const scaled = product();
    return [...g.take(), { ...node, op: 'Identity', inputs: [scaled], attributes: new Map() }];
  });
  const built = g.model();
  return { ...built, graph: { ...built.graph, nodes } };
}
