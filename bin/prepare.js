#!/usr/bin/env node
// Builds a clone. npm also runs `prepare` in an installed package that another project depends on by its folder; that one is built.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../tsconfig.json', import.meta.url))) await import('./build.js');
