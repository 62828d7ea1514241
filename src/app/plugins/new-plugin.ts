/** @file A plugin to start from: one file, or a package with a test, from the templates that our own tests run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { must, RobustError } from '../../core/errors.js';
import { packaged, packageRoot } from '../../core/package-root.js';
import { makeFolder, writeWhole } from '../../files/write.js';
import { published } from '../published.js';
import { PLUGIN_KINDS, type PluginKind } from './kinds.js';

/** Goals are few, and are made of a line in a file of one's own: they have no template. */
export type TemplateKind = Exclude<PluginKind, 'goal'>;

export const templateKinds = (Object.keys(PLUGIN_KINDS) as readonly PluginKind[]).filter(
  (kind): kind is TemplateKind => kind !== 'goal',
);

export interface NewPlugin {
  readonly kind: TemplateKind;
  /** Name of the plugin. */
  readonly name: string;
  /** The files written. */
  readonly files: readonly string[];
  /** Commands to run next. */
  readonly next: readonly string[];
}

const template = (...path: readonly string[]): string => packaged('templates', ...path);

/** The code of a plugin of that kind. */
export const pluginCode = (kind: TemplateKind, name: string): string =>
  template('plugins', `${kind}.js`).replaceAll(`my-${kind}`, name);

/** The files of its package, by name. `version`: of robust, which it needs at least. */
export function packageFiles(kind: TemplateKind, name: string, version: string): Readonly<Record<string, string>> {
  const code = pluginCode(kind, name);
  const { what, use } = PLUGIN_KINDS[kind];
  const values: Readonly<Record<string, string>> = {
    package: packageName(kind, name),
    kind,
    What: what.replace(/^a/, 'A'),
    use,
    range: `>=${version}`,
    // A name that is not on npm yet is anybody's.
    source: published ? `>=${version}` : `file:${packageRoot}`,
    summary: (/summary: '((?:[^'\\]|\\.)*)'/.exec(code)?.[1] ?? 'What is known of a language.').replaceAll('"', "'"),
  };
  const fill = (file: string): string =>
    template('package', file).replace(/\{([a-zA-Z]+)\}/g, (all, key: string) => values[key] ?? all);
  return {
    'index.js': code,
    'index.test.js': template('package', 'index.test.js').replaceAll('checkAttack', checkOf(kind)),
    'package.json': fill('package.json.template'),
    'README.md': fill('README.md'),
  };
}

const checkOf = (kind: TemplateKind): string => `check${must(kind[0]).toUpperCase()}${kind.slice(1)}`;

/** The name that a package needs to be loaded by it. */
const packageName = (kind: TemplateKind, name: string): string =>
  name.startsWith('robust-') ? name : `robust-${kind}-${name}`;

/** What it writes into. Throws RobustError. */
function freeHome(kind: TemplateKind, name: string, home: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new RobustError(`expected a name in kebab-case, such as my-${kind}, got "${name}"`, {
      code: 'NAME_INVALID',
      hint: 'Small letters, digits and single hyphens.',
    });
  if (existsSync(home))
    throw new RobustError(`expected no ${home} here, found one`, {
      code: 'OUTPUT_TAKEN',
      hint: 'Take another name, or remove it.',
    });
  return home;
}

/** Throws RobustError for a name that is not valid, and if a file or folder has that name; OutputError. */
export function newPlugin(kind: TemplateKind, name: string, version: string, asPackage: boolean): NewPlugin {
  const home = freeHome(kind, name, asPackage ? packageName(kind, name) : `${name}.mjs`);
  const { use } = PLUGIN_KINDS[kind];
  if (!asPackage) {
    writeWhole(home, pluginCode(kind, name), 'the plugin');
    return { kind, name, files: [home], next: [`${use} ./${home}`, `robust list ./${home}`] };
  }
  makeFolder(home, 'the package');
  const files = Object.entries(packageFiles(kind, name, version)).map(([file, content]) => {
    const path = join(home, file);
    writeWhole(path, content, 'the package');
    return path;
  });
  // A folder that is named as a model or as data never runs.
  const named = kind === 'victim' || kind === 'dataset' ? `${home}/index.js` : home;
  return { kind, name, files, next: [`cd ${home} && npm install && npm test`, `${use} ./${named}`] };
}

/** A victim in Python, beside the file that serves it. Throws as `newPlugin`. */
export function newPythonVictim(name: string): NewPlugin {
  const home = freeHome('victim', name, `${name}.py`);
  writeWhole(home, template('python', 'victim.py'), 'the victim');
  const served = 'robust_text.py';
  if (!existsSync(served)) writeWhole(served, packaged('python', served), 'the file that serves it');
  return { kind: 'victim', name, files: [home, served], next: [`robust attack -m 'cmd:python3 ${home}'`] };
}
