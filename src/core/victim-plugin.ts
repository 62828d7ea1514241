/** @file Interface of a victim in code that has options. Types only. */
import type { z } from 'zod';
import type { Classifier } from './classifier.js';

export interface VictimPlugin<O = unknown> {
  readonly kind: 'victim';
  readonly name: string;
  /** One sentence: what it classifies, and how. */
  readonly summary: string;
  /** zod object; every option has a default, so `{}` parses. */
  readonly options: z.ZodType<O>;
  create(options: O): Classifier | Promise<Classifier>;
}
