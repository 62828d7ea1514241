/** @file A weight that training changes. */
export interface Parameter {
  /** Name of the initialiser in the model file. */
  readonly name: string;
  readonly dims: readonly number[];
  /** Row-major; changed in place by the optimiser. */
  readonly values: Float32Array;
  /** Weight decay applies: matrices and tables yes, biases and normalisation no. */
  readonly decays: boolean;
  /** It is a lookup table [rows, width] whose gradient touches few rows a step. */
  readonly table: boolean;
  /** For a table in which only these rows change: row -> the L2 norm that it keeps (Yang et al., NAACL 2021, eq. 6). */
  readonly norms?: ReadonlyMap<number, number>;
}

/** Biases and the gains and shifts of normalisation are exempt (BERT's optimiser): decaying them only hurts. */
export const decays = (name: string, dims: readonly number[]): boolean =>
  dims.filter((size) => size > 1).length > 1 && !name.endsWith('bias');
