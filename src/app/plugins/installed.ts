/** @file Packages of plugins that are installed where one works: found by their names, not run. */
import { dirname, join, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { z } from 'zod';
import { readFileSync } from '../../files/read.js';
import { isPackageName } from '../../modules/own-module.js';

export interface InstalledPlugin {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
}

/** By which a package says that it is a plugin: others may be called robust-something too. */
const KEYWORD = 'robust-text-plugin';

const manifest = z.object({
  name: z.string(),
  version: z.string().default(''),
  description: z.string().default(''),
  keywords: z.array(z.string()),
});

/** Sorted by name; of one name the nearest, as Node would load it. */
export function installedPlugins(): InstalledPlugin[] {
  const found = new Map<string, InstalledPlugin>();
  for (let at = resolve('.'); ; at = dirname(at)) {
    const patterns = ['robust-*/package.json', '@*/robust-*/package.json'];
    const cwd = join(at, 'node_modules');
    for (const path of globSync(patterns, { cwd, expandDirectories: false, absolute: true })) {
      const read = manifest.safeParse(jsonOf(path)).data;
      if (read === undefined || !isPackageName(read.name) || !read.keywords.includes(KEYWORD)) continue;
      const { name, version, description: summary } = read;
      if (!found.has(name)) found.set(name, { name, version, summary });
    }
    if (dirname(at) === at) break;
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
