/** @file Operators that work element by element: functions of one operand, activations, arithmetic, comparisons and logic. */
import { product, quotient, type SymbolicDim, sum } from '../symbolic-dim.js';
import { isNumber } from '../symbolic-shape.js';
import { any, broadcasting, each, elementwise, family, type NodeView } from './operator.js';

const unary = { ...elementwise, gradient: 'rule' } as const;
const arithmetic = { ...broadcasting, gradient: 'rule' } as const;
const logic = { ...broadcasting, gradient: 'none' } as const;
const alpha = { alpha: any } as const;
const lowered = { ...elementwise, gradient: 'lowering' } as const;
const loweredArithmetic = { ...broadcasting, gradient: 'lowering' } as const;

/** Arithmetic of sizes: two numbers give a number, a symbol stays one where the result can be written. */
const withValues = (compute: (one: SymbolicDim, other: SymbolicDim) => SymbolicDim) => ({
  ...arithmetic,
  values: (at: NodeView) => zip([at.values(0), at.values(1)], ([one, other]) => compute(one, other)),
});

/** Element by element; a single element goes with all of another list. */
function zip(
  lists: readonly (readonly SymbolicDim[] | undefined)[],
  compute: (elements: readonly SymbolicDim[]) => SymbolicDim,
): readonly SymbolicDim[] | undefined {
  if (lists.some((list) => list === undefined)) return undefined;
  const known = lists as readonly (readonly SymbolicDim[])[];
  const length = Math.max(...known.map((list) => list.length));
  if (known.some((list) => list.length !== 1 && list.length !== length)) return undefined;
  return Array.from({ length }, (_, at) => compute(known.map((list) => list[list.length === 1 ? 0 : at])));
}

function addDims(one: SymbolicDim, other: SymbolicDim): SymbolicDim {
  if (isNumber(other)) return sum(one, other);
  return isNumber(one) ? sum(other, one) : undefined;
}

function divideDims(one: SymbolicDim, other: SymbolicDim): SymbolicDim {
  if (!isNumber(one) || !isNumber(other)) return quotient(one, other);
  return other === 0 ? undefined : Math.trunc(one / other);
}

/** 1 where certainly equal, 0 where certainly not. */
function equal(one: SymbolicDim, other: SymbolicDim): SymbolicDim {
  if (one === undefined || other === undefined) return undefined;
  if (one === other) return 1;
  if (isNumber(one) && isNumber(other)) return 0;
  // A symbol is a size of at least 1.
  const number = [one, other].find(isNumber);
  return number !== undefined && number < 0 ? 0 : undefined;
}

export const elementwiseOperators = family({
  ...each(['Abs', 'Erf', 'Exp', 'Log', 'Neg', 'Reciprocal', 'Sqrt'], unary),
  ...each(['Ceil', 'Floor', 'Round', 'Sign'], { ...elementwise, gradient: 'none' }),
  ...each(['Sin', 'Cos'], unary),
  // No text classifier is made of these, so that no gradient passes them.
  ...each(['Tan', 'Sinh', 'Cosh', 'Asin', 'Acos', 'Atan', 'Asinh', 'Acosh', 'Atanh'], elementwise),
  ...each(['Celu', 'Shrink', 'ThresholdedRelu'], elementwise),
  Mod: broadcasting,
  ...each(['Clip', 'Relu', 'Sigmoid', 'Softplus', 'Tanh'], unary),
  ...each(['HardSwish', 'Mish', 'Softsign'], lowered),
  ...each(['Elu', 'LeakyRelu'], { ...unary, attributes: alpha }),
  Gelu: { ...lowered, attributes: { approximate: ['none', 'tanh'] } },
  HardSigmoid: { ...unary, attributes: { alpha: any, beta: any } },
  PRelu: loweredArithmetic,
  Selu: { ...lowered, attributes: { alpha: any, gamma: any } },

  Add: withValues(addDims),
  Sub: withValues((one, other) => (isNumber(other) ? sum(one, -other) : undefined)),
  Mul: withValues((one, other) => product([one, other])),
  Div: withValues(divideDims),
  ...each(['Max', 'Min', 'Pow'], arithmetic),
  ...each(['Mean', 'Sum'], loweredArithmetic),
  Where: {
    ...arithmetic,
    moves: { how: 'mix', inputs: [1, 2] },
    values: (at) =>
      zip([at.values(0), at.values(1), at.values(2)], ([chosen, one, other]) =>
        isNumber(chosen) ? (chosen === 0 ? other : one) : undefined,
      ),
  },

  Equal: { ...logic, values: (at) => zip([at.values(0), at.values(1)], ([one, other]) => equal(one, other)) },
  ...each(['And', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual', 'Or', 'Xor'], logic),
  Not: {
    ...elementwise,
    gradient: 'none',
    values: (at) => at.values(0)?.map((value) => (isNumber(value) ? Number(value === 0) : undefined)),
  },
  IsNaN: { ...elementwise, gradient: 'none' },
  IsInf: { ...elementwise, gradient: 'none' },
});

export const contributedElementwise = family({
  ...each(['BiasGelu', 'FastGelu', 'Gelu'], lowered),
  QuickGelu: { ...lowered, attributes: alpha },
});
