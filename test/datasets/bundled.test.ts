import { expect, test } from 'vitest';
import { bundledDatasets, openDataset, probePairs } from '../../datasets/index.js';

test.each(['reviews', 'probes'])('%s opens, is listed with its size, and fits a sentiment model', async (name) => {
  const data = await openDataset(name, { labels: ['NEGATIVE', 'POSITIVE'] });
  expect(data).toMatchObject({ name, source: { url: `bundled:${name}`, license: 'MIT' } });
  expect(bundledDatasets().find((one) => one.name === name)?.size).toBe(data.size);
  expect((await openDataset(name)).labels).toEqual(['negative', 'positive']);
});

test('every probe is half of a pair with its id, and INV pairs share a label', async () => {
  const pairs = await probePairs();
  const ids: string[] = [];
  for await (const { id } of (await openDataset('probes')).examples()) ids.push(id);
  expect(pairs.flatMap(({ id }) => [`${id}a`, `${id}b`])).toEqual(ids);
  for (const { id, relation, original, variant } of pairs) {
    expect(['INV', 'DIR', 'MFT'], id).toContain(relation);
    expect([original.id, variant.id]).toEqual([`${id}a`, `${id}b`]);
    expect(original.text, id).not.toBe(variant.text);
    if (relation === 'INV') expect(original.label, id).toBe(variant.label);
  }
});
