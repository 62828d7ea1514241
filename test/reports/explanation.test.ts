import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import {
  explanationDocument,
  explanationFormats,
  explanationResult,
  onScreen,
  type Screen,
} from '../../reports/index.js';
import type { ExplanationReport } from '../../src/results/report/explanation.js';
import { explanation, pair } from './explanation.js';
import { HOSTILE, text } from './fixture.js';

const plain = new Chalk({ level: 0 });
const one: ExplanationReport = { explanations: [explanation('distilbert')], models: 1, warnings: [] };
const explanationOnScreen = (report: ExplanationReport, screen: Screen) =>
  onScreen(explanationDocument({ ...report, warnings: [] }), screen);
const rendered = (name: string, report: ExplanationReport): Promise<string> =>
  text(explanationFormats.find((format) => format.name === name)!.render(report));

describe('terminal', () => {
  test.each([
    ['one model', one, 80],
    ['two models', pair, 80],
    ['two models, 120 columns', pair, 120],
  ])('%s', async (name, report, width) => {
    const screen = await text(explanationOnScreen(report, { width, chalk: plain }));
    await expect(screen).toMatchFileSnapshot(`snapshots/explanation, ${name}.txt`);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  test('colours change nothing but colours', async () => {
    const coloured = await text(explanationOnScreen(pair, { width: 80, chalk: new Chalk({ level: 3 }) }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
    const bare = coloured.replace(/\u001B\[[\d;]*m/g, '');
    expect(bare).not.toBe(coloured);
    expect(bare).toBe(await text(explanationOnScreen(pair, { width: 80, chalk: plain })));
  });

  test('of a long text the heaviest words, and the sum of the others', async () => {
    const [few] = one.explanations as [ReturnType<typeof explanation>];
    const words = Array.from({ length: 100 }, (_, at) => ({
      word: `w${at}`,
      start: at * 4,
      weight: at % 2 ? at / 100 : -0.001,
    }));
    const long = {
      ...few,
      text: words.map(({ word }) => word).join(' '),
      methods: [{ name: 'lime', words, check: {} }],
    };
    const screen = await text(explanationOnScreen({ ...one, explanations: [long] }, { width: 80, chalk: plain }));
    expect(screen).toMatch(/^w99 +\+0\.990 +│█+$/m);
    expect(screen).toMatch(/^\+76 more +\+6\.\d+$/m);
  });

  test('one model that reads less of a text than the other', async () => {
    const [a, b] = pair.explanations as [ReturnType<typeof explanation>, ReturnType<typeof explanation>];
    const short = {
      ...b,
      methods: b.methods.map((method) => ({ ...method, words: method.words.slice(0, 2) })),
      read: { words: 2, of: 4 },
    };
    for (const explanations of [
      [a, short],
      [short, a],
    ]) {
      const screen = await text(explanationOnScreen({ ...pair, explanations }, { width: 80, chalk: plain }));
      expect(screen).toMatch(/^film .*not read/m);
      expect(await rendered('html', { ...pair, explanations })).toContain('not read');
    }
  });
});

describe('HTML', () => {
  test('no text is markup, and nothing but the hostile texts is invisible', async () => {
    const page = await rendered('html', pair);
    expect(page).not.toMatch(/<b>NEGATIVE|<i>bert|<img/);
    expect(page).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
    // Nothing the policy of the page would stop: it has no inline styles and no handlers.
    expect(page.slice(page.indexOf('</style>'))).not.toMatch(/<[^>]+ (style|on\w+)=/);
    expect(HOSTILE).toMatch(/[<\u202E]/);
  });

  test('each word says its weight; words two models disagree on are marked', async () => {
    const page = await rendered('html', pair);
    expect(page).toContain('data-tip="+0.412 (95 % interval +0.402 to +0.422)"');
    // lime and shap, two models each.
    expect(page.match(/class="weighed [a-z]+-\d differs"/g)).toHaveLength(4);
    expect(page.match(/class="differs-row"/g)).toHaveLength(2);
  });
});

describe('JSON', () => {
  test('one text and model is the explanation itself; more are a list', async () => {
    expect(explanationResult(one)).toEqual(one.explanations[0]);
    expect(explanationResult(pair)).toEqual({ explanations: pair.explanations });
    const document = JSON.parse(await rendered('json', pair));
    expect(document).toEqual({
      schemaVersion: 1,
      ok: true,
      command: 'explain',
      result: { explanations: pair.explanations },
      warnings: pair.warnings,
    });
  });
});
