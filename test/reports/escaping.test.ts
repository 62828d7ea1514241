/** Hostile texts come back as they are shown. That none is more than text: test/campaigns/text.test.ts. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { fileFormats } from '../../reports/index.js';
import { xmlText } from '../../reports/junit.js';
import { plain } from '../../reports/markdown-text.js';
import { visible } from '../../reports/visible.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { attack, report, text } from './fixture.js';
import { hostileOutcomes, hostileReport } from './hostile.js';
import { INJECTIONS } from './injections.js';
import { parseXml } from './xml.js';

const rendered = (name: string, i: number): Promise<string> =>
  text(fileFormats.find((format) => format.name === name)!.render(hostileReport(i)));

/** A few starts, so that every injection occurs in every place. */
const STARTS = INJECTIONS.map((_, i) => i).filter((i) => i % 12 === 0);

test('the corpus is large, and each of it once', () => {
  expect(INJECTIONS.length).toBeGreaterThanOrEqual(100);
  expect(new Set(INJECTIONS).size).toBe(INJECTIONS.length);
});

test('CSV: each cell says what came in', async () => {
  const document = await rendered('csv', 0);
  const cells: string[][] = parse(document);
  const rows = cells.slice(1).map((row) => row[12]!.replace(/^'(?=\s*[=+\-@＝＋－＠])|(?<=;\s*)'(?=[=@])/g, ''));
  expect(rows).toEqual(hostileOutcomes.map((outcome) => visible(outcome.text)));
});

/** Markdown text as it is read: escapes and entities resolved, nothing else. */
const read = (markdown: string): string =>
  markdown
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(amp|lt|gt|#8203);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', '#8203': '' })[name]!);

test('Markdown: every text comes back as it is shown, and none is markup', () => {
  expect(INJECTIONS.map((injection) => read(plain(injection)))).toEqual(INJECTIONS.map(visible));
  const active = INJECTIONS.filter((injection) => {
    // Escaped characters appear as dots, the zero-width letter as a space.
    const bare = plain(injection)
      .replace(/\\[!-/:-@[-`{-~]|&(amp|lt|gt);/g, '·')
      .replaceAll('&#8203;', ' ');
    return /[<>&`*_[\]|~$\\]|:\/\/|www\.|@\w|#\d|GH-\d|^[#+\-=]|^\d+[.)]\s/.test(bare);
  });
  expect(active).toEqual([]);
});

const shownInXml = (of: string): string =>
  visible(of).replace(/[\uFFFE\uFFFF]/g, (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase()}>`);

test('XML: every text comes back as it is shown, in an attribute and between tags', () => {
  const back = INJECTIONS.map(xmlText).map((of) =>
    parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n<a b="${of}">${of}</a>`),
  );
  const shown = INJECTIONS.map(shownInXml);
  expect(back.map(({ attributes, text: of }) => [attributes.b, of])).toEqual(shown.map((of) => [of, of]));
});

test('SARIF: samples come back verbatim', async () => {
  for (const i of STARTS) {
    const log = JSON.parse(await rendered('sarif', i));
    const [result] = log.runs[0].results;
    const { closest, model } = hostileReport(i);
    expect(result.properties.samples.map((sample: { adversarial: string }) => sample.adversarial)).toEqual(
      closest.slice(0, 3).map(({ adversarial }) => adversarial),
    );
    expect(log.runs[0].tool.driver.rules[0].id).toBe(INJECTIONS[0]);
    expect(decodeURIComponent(result.locations[0].physicalLocation.artifactLocation.uri).replaceAll('/', '')).toBe(
      visible(model.name).replaceAll(/[\\/]/g, ''),
    );
  }
});

test('JSON: everything comes back verbatim', async () => {
  const { result } = JSON.parse(await rendered('json', 0));
  expect(result.examples).toEqual(hostileOutcomes);
});

test('model card: names stay strings', async () => {
  for (const i of STARTS) {
    const card = parseYaml(await rendered('model-card', i));
    const { model, data } = hostileReport(i);
    expect(card['model-index'][0].name).toBe(visible(model.name));
    expect(card['model-index'][0].results[0].dataset.name).toBe(visible(data.name));
  }
});

test.each(['constructor', '__proto__', 'toString'])(
  '%s, which every object answers to, is a name like others',
  async (name) => {
    const capability = {
      ...{ capability: name, relation: 'INV' as const, n: 10, failed: 3, failureRate: wilson(3, 10) },
      samples: [{ id: '1', original: 'a', text: 'b', expected: [0], got: 1, score: 0.2 }],
    };
    const of = report({ attacks: [attack(name, 14, 3, { suite: name, capabilities: [capability] })] });
    for (const format of fileFormats) expect(await text(format.render(of))).not.toMatch(/native code|\[object/);
  },
);
