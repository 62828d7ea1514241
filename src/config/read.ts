/** @file Reading one configuration file, whatever it is written in. */
import { extname } from 'node:path';
import { messageOf, RobustError } from '../core/errors.js';
import { compiledFile } from '../core/package-root.js';
import { readFileSync } from '../files/read.js';
import { type ParsedConfig, parseYaml, programValue } from './parsed-config.js';

/** `name`: the file as people see it. Throws RobustError for what cannot be read, parsed or run. */
export async function readConfig(path: string, name: string): Promise<ParsedConfig> {
  const text = read(path, name);
  switch (extname(path).toLowerCase()) {
    case '.yaml':
    case '.yml':
      return parseYaml(text, name, 'yaml');
    case '.json':
      return parseYaml(text, name, 'json');
    case '.ts':
    case '.mts':
    case '.mjs':
    case '.js':
    case '.cjs':
      return programValue(await run(path, name), text);
    default:
      throw new RobustError(`--config: expected a file ending in .yaml, .json, .js, .mjs or .ts, got "${name}"`, {
        code: 'CONFIG_INVALID',
        hint: 'The ending says how to read it.',
      });
  }
}

function read(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new RobustError(`${name} cannot be read: ${messageOf(cause)}`, { code: 'CONFIG_INVALID', cause });
  }
}

/** The default export. It may import `robust-text` wherever it lies and however robust was installed. */
async function run(path: string, name: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // All that a configuration needs of us: the whole library would take longer to load than a short run.
  const alias = {
    'robust-text/plugin': compiledFile('plugin.js'),
    'robust-text': compiledFile('config/define-config.js'),
  };
  const jiti = createJiti(import.meta.url, { alias, moduleCache: false, fsCache: false });
  let value: unknown;
  try {
    value = await jiti.import(path, { default: true });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new RobustError(`${name} could not be run: ${reason}`, {
      code: 'CONFIG_INVALID',
      hint: 'Run with --verbose to see where.',
      cause,
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return value;
  throw new RobustError(`${name}: expected the configuration as its default export, got ${typeof value}`, {
    code: 'CONFIG_INVALID',
    hint: "Write: import { defineConfig } from 'robust-text'; export default defineConfig({ model: 'distilbert' })",
  });
}
