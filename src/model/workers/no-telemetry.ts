/**
 * @file onnxruntime's own builds send Microsoft the name and the hashes of each model that is opened, and write files about it to the
 * home and the temporary folder, unless a variable forbids it. Nothing that robust runs tells anybody.
 */

/** To be called before onnxruntime is loaded, in the main thread: what threads set is not seen by native code. Whoever set it decides. */
export function withoutTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY ??= '1';
}
