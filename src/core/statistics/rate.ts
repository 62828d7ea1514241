/** @file Schemas of figures with their uncertainty. */
import { z } from 'zod';
import { count, type Declared, share } from '../declared.js';

export const rateSchema = z
  .object({ value: share.nullable(), low: share.nullable(), high: share.nullable(), n: count })
  .refine(({ value, n }) => (value === null) === (n === 0), 'a rate is null where n is 0, and nowhere else')
  .meta({
    id: 'rate',
    description: 'A fraction with its Wilson 95 % interval; null where n is 0, and bounds where there is no interval.',
  });

/** A fraction with its Wilson 95 % interval; `value`, `low` and `high` are null where n is 0. */
export interface Rate extends Declared<typeof rateSchema> {}

const number = z.number().nullable();

export const figureSchema = z.object({ value: number, low: number, high: number, n: count }).meta({
  id: 'figure',
  description:
    'A number with its 95 % interval: a fraction of 1, except for errors, which are in the unit of the numbers.',
});

/** A difference of two rates with its 95 % interval, fractions of 1; null where n is 0. */
export interface Difference extends Declared<typeof figureSchema> {}

export const estimateSchema = z
  .object({ value: z.number(), low: z.number(), high: z.number(), n: count })
  .meta({ id: 'estimate', description: 'A figure that is not a fraction, with its 95 % interval.' });

/** A figure that is not a fraction, with its 95 % interval and the number of examples it was measured on. */
export interface CountedEstimate extends Declared<typeof estimateSchema> {}

/** A figure with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}
