import { expect, test } from 'vitest';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { splitShared } from '../../src/train/split-shared.js';

test('merged parameters part, shared ones stay', () => {
  const g = new GraphBuilder();
  const x = g.input('x', DataType.float, ['batch', 3]);
  const ones = g.initializer('norm.weight', [3], Float32Array.of(1, 1, 1));
  const copy = g.ops('Identity', [ones], ['norm2.weight'])[0]!;
  const matrix = g.initializer('albert', [3, 3], Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
  let y = g.op('MatMul', [g.op('Mul', [x, ones]), matrix]);
  y = g.op('MatMul', [g.op('Mul', [y, copy]), matrix]);
  g.output(g.op('Mul', [y, ones]));
  const { initializers, nodes } = splitShared(g.graph());
  expect(Array.from(initializers.keys())).toEqual(['norm.weight', 'albert', 'norm2.weight', 'norm.weight_2']);
  expect(nodes.map((node) => node.inputs[1])).toEqual([
    'norm.weight',
    'albert',
    'norm2.weight',
    'albert',
    'norm.weight_2',
  ]);
});

test('a matrix read through an Identity is one parameter: layers that a model shares stay shared', () => {
  const g = new GraphBuilder();
  const x = g.input('x', DataType.float, ['batch', 2]);
  const matrix = g.initializer('layer', [2, 2], Float32Array.of(1, 2, 3, 4));
  const again = g.ops('Identity', [matrix], ['layer again'])[0]!;
  const third = g.ops('Identity', [again], ['and again'])[0]!;
  g.output(g.op('MatMul', [g.op('MatMul', [g.op('MatMul', [x, matrix]), again]), third]));
  const { initializers, nodes } = splitShared(g.graph());
  expect([...initializers.keys()]).toEqual(['layer']);
  expect(nodes.map((node) => node.inputs[1])).toEqual(['layer', 'layer', 'layer']);
});
