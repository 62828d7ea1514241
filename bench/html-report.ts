/**
 * The HTML report of 1,000 adversarial texts in Chromium: its size, its first paint, and how long filters and a search take,
 * each as a median. Texts as long as a tweet, a review of a film (230 words), and a page.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';
import { html } from '../reports/html.js';
import { manyTexts } from './many-texts.js';

const ROUNDS = 7;
/** In the page: milliseconds of each of a few filters, from the event to the new list laid out. */
const FILTERS = `(() => {
  const words = document.getElementById('words');
  const attack = document.getElementById('attack');
  const timed = (control, value, event) => {
    const began = performance.now();
    control.value = value;
    control.dispatchEvent(new Event(event));
    document.body.getBoundingClientRect();
    return performance.now() - began;
  };
  return [
    timed(words, 'e', 'input'),
    timed(words, 'th', 'input'),
    timed(words, 'not there', 'input'),
    timed(words, '', 'input'),
    timed(attack, '1', 'change'),
    timed(attack, '', 'change'),
  ];
})()`;
const FIRST_PAINT = `new Promise((resolve) => {
  const painted = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  if (painted() !== undefined) resolve(painted());
  else new PerformanceObserver(() => resolve(painted())).observe({ type: 'paint', buffered: true });
})`;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  for (const [name, words] of [
    ['tweets', 20],
    ['reviews', 230],
    ['pages', 500],
  ] as const) {
    let document = '';
    for await (const chunk of html.render(manyTexts(1000, words))) document += chunk;
    const file = join(folder, `${name}.html`);
    writeFileSync(file, document);
    const paints: number[] = [];
    const filters: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage();
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector('#browser:not([hidden])');
      paints.push((await page.evaluate(FIRST_PAINT)) as number);
      filters.push(Math.max(...((await page.evaluate(FILTERS)) as number[])));
      await page.close();
    }
    const megabytes = (Buffer.byteLength(document) / 1e6).toFixed(2);
    console.log(
      `${name.padEnd(8)} 1,000 texts of ${String(words).padStart(3)} words: ${megabytes} MB, first paint ${median(paints).toFixed(0)} ms, slowest filter ${median(filters).toFixed(0)} ms`,
    );
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
