/**
 * @file onnxruntime's builds send Microsoft the name and the hashes of each opened model, and write files about it to the home and the
 * temporary folder, unless a variable forbids it. robust disables this.
 */

/** To be called before onnxruntime is loaded, in the main thread: what threads set is not seen by native code. Whoever set it decides. */
export function withoutTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY ??= '1';
}
