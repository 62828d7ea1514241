/**
 * @file Maps success rates to entries of public catalogues: MITRE ATLAS, the OWASP Machine Learning Security Top 10, NIST AI 100-2. A rate
 * is evidence, not proof: a catalogue names attacks on whole systems, a run tests one model.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttackMetrics, packageRoot, z } from '../src/plugin.js';

const catalogue = z.strictObject({
  name: z.string(),
  version: z.string(),
  url: z.string(),
  entries: z.record(z.string(), z.string()),
});

const schema = z.strictObject({
  about: z.string(),
  /** Version of the mapping. */
  version: z.number(),
  catalogues: z.record(z.string(), catalogue),
  /** Kind of attack -> ids of entries. */
  kinds: z.record(z.string(), z.array(z.string())),
  /** Attack, or else suite -> kind; "other" for those in neither. */
  attacks: z.record(z.string(), z.string()),
  suites: z.record(z.string(), z.string()),
});

export type Taxonomy = z.infer<typeof schema>;

export interface TaxonomyEntry {
  readonly id: string;
  readonly title: string;
  readonly catalogue: string;
}

const requirementsSchema = z.strictObject({
  about: z.string(),
  version: z.number(),
  /** Lists that every card is evidence toward. */
  all: z.record(z.string(), catalogue),
  /** Lists for guards of language models. */
  guard: z.record(z.string(), catalogue),
});

export type Requirements = z.infer<typeof requirementsSchema>;

let read: Taxonomy | undefined;

const readData = (name: string): unknown =>
  JSON.parse(readFileSync(join(packageRoot, 'reports', 'data', `${name}.json`), 'utf8'));

/** The mapping we ship, read once. */
export function taxonomy(): Taxonomy {
  read ??= schema.parse(readData('taxonomy'));
  return read;
}

/** The lists of requirements that we ship. */
export const requirements = (): Requirements => requirementsSchema.parse(readData('requirements'));

/** The entries that a card of these attacks is evidence toward: attacks, risks and requirements. */
export function cardEvidence(
  attacks: readonly Pick<AttackMetrics, 'name' | 'suite'>[],
  kind: 'guard' | 'classifier',
): TaxonomyEntry[] {
  const { all, guard } = requirements();
  const lists = Object.values({ ...all, ...(kind === 'guard' && guard) });
  const required = lists.flatMap(({ name, version, entries }) =>
    Object.entries(entries).map(([id, title]) => ({ id, title, catalogue: `${name} ${version}` })),
  );
  const named = new Map(attacks.flatMap(evidenceToward).map((entry) => [entry.id, entry]));
  return [...named.values(), ...required];
}

/** The entries that successes of this attack are evidence toward. */
export function evidenceToward({ name, suite }: Pick<AttackMetrics, 'name' | 'suite'>): TaxonomyEntry[] {
  const { attacks, suites, kinds, catalogues } = taxonomy();
  const kind = own(attacks, name) ?? (suite === null ? undefined : own(suites, suite)) ?? 'other';
  return (kinds[kind] ?? []).flatMap((id) =>
    Object.values(catalogues).flatMap(({ name: of, entries }) => {
      const title = entries[id];
      return title === undefined ? [] : [{ id, title, catalogue: of }];
    }),
  );
}

/** `MITRE ATLAS 2026.09, ...`: which editions the ids are of. */
export const editions = (): string =>
  Object.values(taxonomy().catalogues)
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');

/** Attacks whose successes are evidence toward the same entries, together, in their order. */
export function evidenceRows(
  attacks: readonly Pick<AttackMetrics, 'name' | 'suite'>[],
): { readonly names: readonly string[]; readonly entries: readonly TaxonomyEntry[] }[] {
  const rows = new Map<string, { names: string[]; entries: TaxonomyEntry[] }>();
  for (const attack of attacks) {
    const entries = evidenceToward(attack);
    const key = entries.map(({ id }) => id).join();
    const row = rows.get(key) ?? { names: [], entries };
    rows.set(key, row);
    row.names.push(attack.name);
  }
  return [...rows.values()];
}

/** Looks up a name that others chose. Inherited names such as "constructor" do not count. */
const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
