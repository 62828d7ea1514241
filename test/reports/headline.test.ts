/** The result in one sentence, the same wherever a reader meets it. */
import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { commentBody } from '../../reports/github-comment.js';
import { html } from '../../reports/html.js';
import { jsonOf } from '../../reports/json.js';
import { junit } from '../../reports/junit.js';
import { markdown } from '../../reports/markdown.js';
import { openmetrics } from '../../reports/openmetrics.js';
import { sarif } from '../../reports/sarif.js';
import { terminal } from '../../reports/terminal.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { attackRates, detectorRates } from '../../src/results/measures/attack-rates.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import type { Report } from '../../src/results/report/report.js';
import { headlineOf } from '../../src/tasks/headline.js';
import { runsPage } from '../../src/ui/pages.js';
import { attack, report, text } from './fixture.js';

/** Four attacks, the strongest of which leaves more than all of them together. */
const rates = (flipped: number) => attackRates({ flipped, kept: 160 - flipped, wrong: 40 });
const named = (name: string, flipped: number) => ({ ...attack(name, flipped, 160 - flipped), ...rates(flipped) });
const run = report({
  clean: { ...report().clean, accuracy: wilson(160, 200) },
  attacks: [named('deepwordbug', 152), named('pruthi', 100), named('textbugger', 120), named('typos', 90)],
  suites: [],
  overall: rates(157),
});
const SENTENCE =
  '80.0 % (74-85) accurate; 1.5 % (1-4) when an attacker may use any of 4 attacks (deepwordbug alone 4.0 %, 2-8)';

const plain = (of: string): string =>
  of
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\\([^u])/g, '$1')
    .replaceAll(/\s+/g, ' ');

describe('the headline', () => {
  test.each<[string, () => Promise<string>]>([
    ['terminal', () => text(terminal({ chalk: new Chalk({ level: 0 }), width: 80, wide: false }).render(run))],
    ['comment', () => commentBody(run)],
    ['title', async () => /<title>.*<\/title>/.exec(await text(html.render(run)))?.[0] ?? ''],
    ['HTML', async () => /<p class="lead">.*/.exec(await text(html.render(run)))?.[0] ?? ''],
    ['Markdown', () => text(markdown.render(run))],
    ['JUnit', async () => (await text(junit.render(run))).replace(/value="([^"]*)"/g, '>$1<')],
    ['SARIF', () => text(sarif.render(run))],
    ['JSON', () => text(jsonOf('attack').render(run))],
    ['OpenMetrics', () => text(openmetrics.render(run))],
    [
      'Runs page',
      async () => {
        const listed = { id: '1', status: 'done' as const, model: 'm', data: 'd', attacks: [], examples: 200 };
        const rates = async () => ({
          clean: run.clean.accuracy,
          underAttack: run.overall.accuracyUnderAttack,
          headline: run.headline,
        });
        return text(await runsPage([listed], rates, new URLSearchParams()));
      },
    ],
  ])('%s', async (_, output) => {
    expect(run.headline).toBe(SENTENCE);
    expect(plain(await output())).toContain(SENTENCE);
  });

  test('the tile has the figure of the sentence', async () => {
    const page = await text(html.render(run));
    expect(page).toMatch(/<dt>Accuracy under attack, any of 4 attacks<\/dt><dd class="value">1\.5 %</);
  });

  const detector = {
    overall: {
      ...rates(157),
      ...detectorRates({ flipped: 90, kept: 10, wrong: 0 }, { flipped: 0, kept: 98, wrong: 2 }),
    },
  };
  const recalls = (flipped: number) =>
    detectorRates({ flipped, kept: 100 - flipped, wrong: 0 }, { flipped: 0, kept: 98, wrong: 2 });
  const measure = {
    ...{ name: 'detection' },
    metrics: [
      { key: 'originalRecall', label: 'Original recall', unit: 'rate' },
      { key: 'recallUnderAttack', label: 'Recall under attack', unit: 'rate' },
    ],
  };
  test.each<[string, Partial<Report>]>([
    ['one attack', { attacks: [named('deepwordbug', 152)], overall: rates(152) }],
    ['none measured', { attacks: [], overall: attackRates({ flipped: 0, kept: 0, wrong: 0 }) }],
    [
      'a detector',
      {
        ...detector,
        attacks: [80, 85].map((flipped, at) => ({ ...attack(`a${at}`, flipped, 100 - flipped), ...recalls(flipped) })),
        measures: [measure as never],
      },
    ],
  ])('of %s', (_, rest) => expect(headlineOf({ ...run, ...rest })).toMatchSnapshot());
});

test('the bundled distilbert is called what it is, and no other model of that name', () => {
  const sha256 = 'd0885b2c678f56427ad302010b84c0ae8486ad72ceda69cd966a812aa7409529';
  expect(modelTitle({ name: 'distilbert', sha256 })).toBe('distilbert (bundled demo, 4 layers)');
  expect(modelTitle({ name: 'distilbert+spelling', sha256 })).toBe('distilbert (bundled demo, 4 layers)+spelling');
  expect(modelTitle({ name: 'distilbert', sha256: '0'.repeat(64) })).toBe('distilbert');
});
