/** @file The table of ONNX operators: domain -> operator -> what is known of it. A new operator is a row of its family. */
import type { Node } from '../model.js';
import { classicalOperators } from './classical.js';
import { constantOperators } from './constants.js';
import { contributedElementwise, elementwiseOperators } from './elementwise.js';
import { contributedMovements, movements } from './movement.js';
import { fusedLayers, normalisations } from './normalisation.js';
import type { Operator } from './operator.js';
import { contributedProducts, contributedQuantisedProducts, products, quantisedProducts } from './product.js';
import { contributedQuantisers, quantisers } from './quantised.js';
import { contributedRecurrentLayers, recurrentLayers } from './recurrent.js';
import { reductions } from './reduction.js';
import { selections } from './selection.js';

export const OPERATORS = {
  '': {
    ...elementwiseOperators,
    ...reductions,
    ...products,
    ...quantisedProducts,
    ...normalisations,
    ...recurrentLayers,
    ...movements,
    ...selections,
    ...constantOperators,
    ...quantisers,
  },
  'com.microsoft': {
    ...contributedElementwise,
    ...contributedProducts,
    ...contributedQuantisedProducts,
    ...fusedLayers,
    ...contributedRecurrentLayers,
    ...contributedMovements,
    ...contributedQuantisers,
  },
  'ai.onnx.ml': classicalOperators,
} as const;

type OperatorTable = typeof OPERATORS;
export type OperatorDomain = keyof OperatorTable;

/** The operators of a domain that are differentiated in one of these ways: a table keyed by them cannot lack one. */
export type OperatorName<D extends OperatorDomain, G extends NonNullable<Operator['gradient']>> = {
  [N in keyof OperatorTable[D]]: OperatorTable[D][N] extends { readonly gradient: G } ? N : never;
}[keyof OperatorTable[D]] &
  string;

const ROWS: ReadonlyMap<string, ReadonlyMap<string, Operator>> = new Map(
  Object.entries(OPERATORS).map(([domain, rows]) => [domain, new Map(Object.entries<Operator>(rows))]),
);

/** The row of a node's operator; undefined for one that the table lacks, or of a domain where the name may mean something else. */
export const operatorOf = ({ op, domain }: Pick<Node, 'op' | 'domain'>): Operator | undefined =>
  ROWS.get(domain === 'ai.onnx' ? '' : domain)?.get(op);

/** Whether a node passes on the values of its first input as they are, at most as another type. */
export const isCopy = (node: Node): boolean => operatorOf(node)?.moves?.how === 'copy';

/** Whether a node passes on the values of its first input in their order, at most in another shape. */
export const keepsOrder = (node: Node): boolean => ['copy', 'reshape'].includes(operatorOf(node)?.moves?.how ?? '');
