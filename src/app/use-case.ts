/** @file Makes use cases functions of their options: recorded settings, defaults, one context, and everything closed at the end. */
import type { GivenValues, Settings, Values } from '../config/setting.js';
import { Context, type UseCaseHooks, withDefaults } from './context.js';

interface UseCase<S extends Settings, O, R> {
  readonly settings: S;
  /** Options besides the settings. */
  readonly others?: readonly Extract<keyof O, string>[];
  /** The options of a use case that resumes earlier work: what was not given is as it was. */
  recorded?(options: O): Promise<GivenValues<S>>;
  run(choice: Values<S>, context: Context, options: O): Promise<R>;
}

/** A use case as its callers see it: the options may be left out where all are optional. */
export type UseCaseFunction<O, R> = (...[options]: object extends O ? [options?: O] : [options: O]) => Promise<R>;

/** Throws RobustError for options that do not exist or do not fit, and what the use case throws. What it opened is closed either way. */
export function useCase<S extends Settings, R, O extends GivenValues<S> & UseCaseHooks = GivenValues<S> & UseCaseHooks>(
  it: UseCase<S, O, R>,
): UseCaseFunction<O, R> {
  return async (...[options = {} as O]) => {
    const given = it.recorded ? await it.recorded(options) : options;
    const choice = withDefaults(it.settings, given, it.others);
    return new Context(options, choice).scope((context) => it.run(choice, context, options));
  };
}
