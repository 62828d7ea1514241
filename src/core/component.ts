/** @file A named part of an attack: its options and how they create it. */
import { z } from 'zod';
import type { Decision } from './decision.js';
import type { ComponentPlugin, Parts } from './plugin.js';

export type OptionsShape = z.core.$ZodLooseShape;
/** Values of the options. */
export type OptionValues<S extends OptionsShape> = z.output<z.ZodObject<S, z.core.$strict>>;

export interface Described<K extends keyof Parts, S extends OptionsShape>
  extends Pick<ComponentPlugin, 'name' | 'summary' | 'paper'> {
  /** @default none */
  readonly options?: S;
  /** Option that may be given without its name. */
  readonly main?: keyof S & string;
  create(chosen: OptionValues<S>, labels?: readonly string[], decision?: Decision): Parts[K];
}

const component =
  <K extends keyof Parts>(kind: K) =>
  <S extends OptionsShape = Record<never, never>>({
    options,
    create,
    ...about
  }: Described<K, S>): ComponentPlugin<K> => ({
    kind,
    ...about,
    options: z.strictObject({ ...options }),
    create: (chosen, labels, decision) => create(chosen as OptionValues<S>, labels, decision),
  });

export const transformation = component('transformation');
export const search = component('search');
export const constraint = component('constraint');
export const goal = component('goal');
