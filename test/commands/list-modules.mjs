// Preloaded with --import: writes every module the process loads to the file LOADED, ES modules and CommonJS.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const hook = `
import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + '\\n');
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { cache } = createRequire(import.meta.url);
process.on('exit', () => appendFileSync(process.env.LOADED, `${Object.keys(cache).join('\n')}\n`));
