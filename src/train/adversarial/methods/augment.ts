import { z } from 'zod';
import { adversarialMethod } from './method.js';

const options = z.strictObject({ attacks: z.string().min(1) });

/** Learns copies of the texts that a suite or an attack rewrites: `augment:typos`. The attack may have options of its own. */
export const augment = adversarialMethod(
  'augment',
  options,
  ({ attacks }) => ({ against: [attacks], copiesBy: attacks }),
  (text) => new Map([['attacks', text]]),
);
