/** @file A defence by name as a function of texts, for the stages of pipelines. */
import { RobustError } from '../../core/errors.js';
import { parseOptions, splitSpec } from '../../core/plugin-options.js';
import { didYouMean } from '../../core/suggest.js';
import { defences } from '../../defence/index.js';
import { english } from '../../language/english/index.js';

/** Rewrites English texts as a defence of the package does. Throws RobustError for another name, one that votes, and options that do not fit. */
export function rewriterOf(spec: string): (text: string) => string {
  const { name, given } = splitSpec(spec);
  const plugin = defences.find((each) => each.name === name);
  const known = defences.map((each) => each.name);
  if (plugin === undefined)
    throw new RobustError(`expected one of ${known.join(', ')}, got "${name}"`, {
      code: 'DEFENCE_NOT_FOUND',
      hint: didYouMean(name, known),
    });
  const material = { vocabulary: [], texts: [], mask: '[UNK]', seed: 42, language: english };
  const { rewrite } = plugin.create(parseOptions(plugin, given), material);
  if (rewrite === undefined)
    throw new RobustError(`expected a defence that rewrites texts, got ${name}, which votes`, {
      code: 'DEFENCE_INVALID',
      hint: 'Put it before the whole pipeline: --defend.',
    });
  return rewrite;
}
