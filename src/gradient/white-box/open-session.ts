/** @file Opening a graph on the calling thread or, isolated, in a process of its own. */
import { type OpenSession, Session, type SessionOptions } from './session.js';

export interface OpenOptions extends SessionOptions {
  /** So that a crash of onnxruntime is an error (MODEL_CRASHED) and not the end of this process. @default false */
  readonly isolate?: boolean;
}

/** Throws ModelError. */
export async function openSession(
  model: Uint8Array,
  { isolate = false, ...options }: OpenOptions = {},
): Promise<OpenSession> {
  if (!isolate) return Session.open(model, options);
  return (await import('./isolated-session.js')).openIsolated(model, options);
}
