// Records a command in a terminal and draws it as an SVG that moves: node record.mjs FILE.svg robust ... (Linux; needs `npm ci` here and a build).
// What is drawn is what the command wrote, each letter where the terminal had it; only the time until the result is shortened.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';

const COLUMNS = 100;
/** Rows that are seen at once; the terminal itself is as tall as the output. */
const ROWS = 25;
const [file, ...words] = process.argv.slice(2);
if (!/\.svg$/.test(file ?? '') || words[0] !== 'robust') {
  console.error(`record.mjs: expected FILE.svg robust ..., got "${process.argv.slice(2).join(' ')}"`);
  process.exit(2);
}
const command = words.join(' ');

// ---- the terminal -------------------------------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), 'robust-record-'));
const robust = join(folder, 'robust');
writeFileSync(robust, `#!/bin/sh\nexec node '${fileURLToPath(new URL('../bin/run.js', import.meta.url))}' "$@"\n`);
chmodSync(robust, 0o755);
const [output, timing] = [join(folder, 'output'), join(folder, 'timing')];
const { status } = spawnSync(
  'script',
  ['-qfec', `stty cols ${COLUMNS} rows 200; ${command}`, '--log-out', output, '--log-timing', timing],
  { cwd: folder, env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }, stdio: 'ignore' },
);
if (status !== 0) throw new Error(`${command}: expected exit code 0, got ${status}`);

/** What a screen shows: of each row its pieces, each of one style. */
function rowsOf(terminal) {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, y) => {
    const line = active.getLine(y);
    const pieces = [];
    for (let x = 0; x < COLUMNS; x += 1) {
      const cell = line.getCell(x);
      const style = [
        cell.isBold() && 'bold',
        cell.isDim() && 'dim',
        cell.isFgPalette() && ['', 'red', 'green', 'yellow', '', '', 'cyan'][cell.getFgColor() % 8],
      ]
        .filter(Boolean)
        .join(' ');
      const last = pieces.at(-1);
      if (last?.style === style) last.text += cell.getChars() || ' ';
      else pieces.push({ x, style, text: cell.getChars() || ' ' });
    }
    return pieces
      .map(({ x, style, text }) => ({ x: x + /^ */.exec(text)[0].length, style, text: text.trim() }))
      .filter(({ text }) => text !== '');
  });
  return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
}

const prompt = (typed) => [
  { x: 0, style: 'dim', text: '$' },
  { x: 2, style: 'bold', text: typed },
];
const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 200, allowProposedApi: true });
// The first line is script's own.
let left = readFileSync(output).subarray(readFileSync(output).indexOf('\n') + 1);
const screens = [];
for (const [, bytes] of readFileSync(timing, 'utf8').matchAll(/^\S+ (\d+)$/gm)) {
  const chunk = left.subarray(0, Number(bytes));
  left = left.subarray(chunk.length);
  await new Promise((done) => terminal.write(chunk, done));
  screens.push(rowsOf(terminal));
}
rmSync(folder, { recursive: true });

// ---- the film -----------------------------------------------------------------------------------------------------

const result = screens.at(-1);
const waiting = screens.slice(
  0,
  screens.findIndex((rows) => rows.length > 5),
);
const shown = Array.from({ length: 12 }, (_, at) => waiting[Math.floor(((at + 0.5) / 12) * waiting.length)]);
const typing = command.match(/.{1,4}/g).map((_, at, all) => all.slice(0, at + 1).join(''));
/** Each with how long it is seen, in seconds. */
const frames = [
  ...typing.map((typed) => ({ seconds: 0.12, rows: [prompt(typed)] })),
  ...shown.map((rows) => ({ seconds: 0.35, rows: [prompt(command), ...rows] })),
  { seconds: 16, rows: [prompt(command), ...result] },
];
const whole = frames.reduce((sum, { seconds }) => sum + seconds, 0);
const percent = (seconds) => `${Number(((seconds / whole) * 100).toFixed(2))}%`;

// ---- the drawing --------------------------------------------------------------------------------------------------

const [WIDE, TALL, EDGE] = [8.4, 19, 16];
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const drawn = (pieces, y) =>
  `<text y="${y * TALL}">${pieces
    .map(({ x, style, text }) => {
      const length = Number(([...text].length * WIDE).toFixed(1));
      return `<tspan x="${Number((x * WIDE).toFixed(1))}" textLength="${length}"${style && ` class="${style}"`}>${escaped(text)}</tspan>`;
    })
    .join('')}</text>`;

// A row that stays the same from one frame to the next is drawn once.
const parts = [];
const rules = [];
const tallest = Math.max(...frames.map(({ rows }) => rows.length));
for (let y = 0; y < tallest; y += 1) {
  let [from, start] = [0, 0];
  for (const [at, { seconds, rows }] of frames.entries()) {
    const end = start + seconds;
    const row = JSON.stringify(rows[y] ?? []);
    const next = frames[at + 1];
    if (next === undefined || JSON.stringify(next.rows[y] ?? []) !== row) {
      if (row !== '[]') {
        const name = `at-${percent(from)}-${percent(end)}`.replace(/[.%]/g, '');
        const last = next === undefined;
        const keyframes = `@keyframes ${name}{0%,${percent(from)}{visibility:hidden}${percent(from + 0.01)}{visibility:visible}${
          last ? '' : `${percent(end)}{visibility:visible}${percent(end + 0.01)}`
        }${last ? '100%{visibility:visible}' : ',100%{visibility:hidden}'}}`;
        if (!rules.includes(keyframes)) rules.push(keyframes);
        parts.push(`<g${last ? '' : ' visibility="hidden"'} style="animation-name:${name}">${drawn(rows[y], y)}</g>`);
      }
      from = end;
    }
    start = end;
  }
}
const [width, height] = [COLUMNS * WIDE + 2 * EDGE, ROWS * TALL + 2 * EDGE];
// The table for a while, then the texts, as who scrolls sees them.
const texts = result.findIndex((row) => row[0]?.text.startsWith('Adversarial texts'));
const down = Math.max(0, Math.min(texts < 0 ? tallest : texts + 1, tallest - ROWS)) * TALL;
const before = whole - 10;

writeFileSync(
  file,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(command)}: what it prints</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}
.bold{font-weight:700}.dim{fill:#9da7b3}.red{fill:#ff8f87}.green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#56d4dd}
@media (prefers-reduced-motion:no-preference){g{animation:${Number(whole.toFixed(2))}s infinite step-end}#page{animation:down ${Number(whole.toFixed(2))}s infinite ease-in-out}}
@keyframes down{0%,${percent(before)}{transform:none}${percent(before + 1.5)},100%{transform:translateY(-${down}px)}}
${rules.join('\n')}
</style>
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
<svg aria-hidden="true" x="${EDGE}" y="${EDGE}" width="${width - 2 * EDGE}" height="${height - 2 * EDGE}"><g id="page"><g transform="translate(0 14)">
${parts.join('\n')}
</g></g></svg>
</svg>
`,
);
