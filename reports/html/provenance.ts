/** @file What it takes to get the same numbers again. */
import type { Report } from '../../src/index.js';
import { html, type Markup } from './markup.js';
import { facts } from './page.js';

/** A command to copy. */
export const command = (line: string): Markup =>
  html`<div class="command"><code>${line}</code><button type="button" class="copy" hidden>Copy</button></div>\n`;

/** Hashes, seed, versions and the command that replays the run. */
export const provenance = ({ model, data, seed, engine, toolVersion, run, command: replay }: Report): Markup =>
  html`${facts([
    ['Model', html`${model.name}<br><code>sha256 ${model.sha256}</code>`],
    ['Data', html`${data.name}, ${data.examples} examples<br><code>sha256 ${data.sha256}</code>`],
    ['Seed', seed],
    ['Tool', `robust ${toolVersion}, engine ${engine}`],
    ['Run', run],
  ])}${command(replay)}`;
