/** @file A model that tags behind defences that rewrite texts: what it finds in a rewritten text is led back to the text as it was. */
import { must, RobustError } from '../../core/errors.js';
import { entityRow } from '../../core/tags/entity-row.js';
import type { TagObserver } from '../../core/tags/evidence.js';
import { readTaggedQuery } from '../../core/tags/tagged-query.js';
import type { Defence } from '../../defence/index.js';
import { type LoadedModel, remembering } from '../../model/loaded-model.js';
import { AlignedText, type Span } from '../../model/tokens/aligned.js';

type TaggingModel = Pick<LoadedModel, 'labels' | 'output'> & { readonly tags: TagObserver };

/** Throws RobustError for a defence that votes: spans of different texts have no common vote. */
export function taggerBehind(
  { labels, tags, output }: TaggingModel,
  defences: readonly Defence[],
  remembered: number,
): Pick<LoadedModel, 'labels' | 'classify'> & { readonly tags: TagObserver } {
  const voting = defences.find(({ rewrite }) => rewrite === undefined);
  if (voting !== undefined) throw votes(voting);
  const { types } = tags;
  const reading = output?.tags ?? { match: 'whole' as const };
  const observer: TagObserver = {
    types,
    async tags(text) {
      const read = defences.reduce((so, { rewrite }) => so.rewrite(must(rewrite)), AlignedText.of(text));
      const found = await tags.tags(read.text);
      const back = <T extends Span>(each: T): T[] => {
        const place = read.span(each.start, each.end);
        return place.start < place.end ? [{ ...each, ...place }] : [];
      };
      return { units: found.units.flatMap(back), spans: found.spans.flatMap(back) };
    },
  };
  const ask = async (query: string): Promise<Float32Array> => {
    const asked = readTaggedQuery(query) ?? { text: query, entities: [], entity: undefined };
    return entityRow(types, await observer.tags(asked.text), asked, reading);
  };
  return { labels, classify: remembering(ask, remembered), tags: observer };
}

const votes = ({ name }: Defence): RobustError =>
  new RobustError(
    `--defend ${name}: expected a defence that rewrites texts before a model that tags, got one that votes`,
    { code: 'TASK_UNSUPPORTED', hint: 'Take one that rewrites: --defend unicode, spelling or shield.' },
  );
