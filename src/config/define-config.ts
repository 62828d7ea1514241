import type { Config } from './schema.js';

/** A configuration with its types, for robust.config.ts: `export default defineConfig({ model: './my-model' })`. */
export const defineConfig = (config: Config): Config => config;
