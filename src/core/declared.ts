/** @file Helpers to declare records. Their types, the validation on reading and the published JSON Schema derive from one zod schema. */
import { z } from 'zod';

type ReadonlyDeep<T> = unknown extends T ? T : { readonly [K in keyof T]: ReadonlyDeep<T[K]> };

/** The type that a schema describes, read-only throughout. */
export type Declared<S extends z.ZodType> = ReadonlyDeep<z.output<S>>;

/** A property that this version always writes but that documents of earlier versions may lack. */
export const recent = <S extends z.ZodType>(schema: S): S => z.optional(schema) as unknown as S;

export const count = z.number().int().min(0);
export const positiveCount = z.number().int().min(1);
export const share = z.number().min(0).max(1);
export const texts = z.array(z.string());
export const nonEmpty = z.string().min(1);
/** Values by name, of any type. */
export const valuesByName = z.record(z.string(), z.unknown());
