/** @file Lowering of a compound operator to simpler ones. */
import type { Node } from '../../graph/model.js';
import type { Tape } from '../tape.js';

export interface LoweringContext {
  readonly g: Tape;
  readonly node: Node;
  readonly inputs: readonly string[];
  /** The first input. */
  readonly x: string;
}

/** Writes the same function in simpler operators and returns the outputs' names. Throws Unsupported for a case it cannot. */
export type Lowering = (at: LoweringContext) => readonly string[];
