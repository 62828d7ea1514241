/**
 * @file Label names in the formats of the Hub's `datasets`: by column in a file's metadata and in dataset_infos.json
 * (https://huggingface.co/docs/datasets/about_dataset_features), as a list in a README.
 */
import { z } from 'zod';

const names = z.array(z.string()).min(1);

/** `{"names": [...], "_type": "ClassLabel"}`, or a list of them. */
const classLabel = z.union([
  z.looseObject({ _type: z.literal('ClassLabel'), names }).transform((feature) => feature.names),
  z
    .looseObject({
      _type: z.enum(['Sequence', 'List', 'LargeList']),
      feature: z.looseObject({ _type: z.literal('ClassLabel'), names }),
    })
    .transform((feature) => feature.feature.names),
]);

/** In a README: `class_label: {names: {'0': negative, '1': positive}}`. */
const numbered = z.looseObject({ class_label: z.looseObject({ names: z.record(z.string(), z.coerce.string()) }) });
const listed = z.looseObject({
  name: z.string(),
  dtype: numbered.optional().catch(undefined),
  sequence: numbered.optional().catch(undefined),
  list: numbered.optional().catch(undefined),
});

/** Column -> names of its labels by number; undefined if no column has any. */
export function featureNames(features: unknown): ReadonlyMap<string, readonly string[]> | undefined {
  const found = Array.isArray(features)
    ? features.flatMap(fromList)
    : Object.entries(features ?? {}).flatMap(fromEntry);
  return found.length === 0 ? undefined : new Map(found);
}

function fromEntry([column, feature]: [string, unknown]): [string, readonly string[]][] {
  const read = classLabel.safeParse(feature);
  return read.success ? [[column, read.data]] : [];
}

function fromList(feature: unknown): [string, readonly string[]][] {
  const read = listed.safeParse(feature);
  const of = read.data?.dtype ?? read.data?.sequence ?? read.data?.list;
  if (!read.success || of === undefined) return [];
  const byNumber = Object.entries(of.class_label.names).sort(([a], [b]) => Number(a) - Number(b));
  // A gap in the numbers would shift all later names.
  return byNumber.every(([number], at) => Number(number) === at) && byNumber.length > 0
    ? [[read.data.name, byNumber.map(([, name]) => name)]]
    : [];
}
