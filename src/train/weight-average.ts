/**
 * @file An exponential moving average of the weights (Polyak and Juditsky 1992; Tarvainen and Valpola, "Mean teachers",
 * NeurIPS 2017): what is measured and kept is the average, which generalises better than the last step.
 */
import type { Parameter } from './parameter.js';

export class WeightAverage {
  readonly #parameters: readonly Parameter[];
  readonly #averages: ReadonlyMap<string, Float32Array>;
  readonly #decay: number;
  #updates = 0;

  /** `decay`: the share of the old average that stays at each step, in [0, 1). */
  constructor(parameters: readonly Parameter[], decay: number) {
    this.#parameters = parameters;
    this.#averages = new Map(parameters.map(({ name, values }) => [name, values.slice()]));
    this.#decay = decay;
  }

  /** Takes in the current weights. Early on the average forgets faster, so that the initial weights soon count for nothing. */
  update(): void {
    this.#updates++;
    const decay = Math.min(this.#decay, (1 + this.#updates) / (10 + this.#updates));
    for (const { name, values } of this.#parameters) blend(this.#averages.get(name) as Float32Array, values, 1 - decay);
  }

  /** Average of each parameter by name; the arrays are this object's own. */
  get values(): ReadonlyMap<string, Float32Array> {
    return this.#averages;
  }

  get updates(): number {
    return this.#updates;
  }

  restore(updates: number, saved: ReadonlyMap<string, Float32Array>): void {
    this.#updates = updates;
    for (const [name, values] of this.#averages) values.set(saved.get(name) as Float32Array);
  }
}

function blend(average: Float32Array, values: Float32Array, share: number): void {
  for (let i = 0; i < values.length; i++) {
    const old = average[i] as number;
    average[i] = old + share * ((values[i] as number) - old);
  }
}
