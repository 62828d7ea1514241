/** @file How a model's raw output was read as probabilities, and on whose word: a misread output makes every figure wrong. */
export interface OutputReading {
  /** What was applied to the output; "none" where it holds probabilities already, "log-softmax" where it holds their logarithms. */
  readonly activation: 'softmax' | 'sigmoid' | 'log-softmax' | 'none';
  /** Independent scores were divided by their sum, so that rows sum to 1; their order is kept. */
  readonly normalised: boolean;
  /** The robust.json, the graph's last operators, the config.json, the decision that was asked for (--task multi-label), or the values of a few answers. */
  readonly decidedBy: 'manifest' | 'graph' | 'config' | 'decision' | 'values';
  /** How texts were read that are longer than the model takes, where they were not cut: windows of so many tokens. */
  readonly windows?: { readonly by: 'max' | 'mean'; readonly tokens: number; readonly stride: number };
  /** What a reader of the figures should know of it. */
  readonly remarks: readonly string[];
}
