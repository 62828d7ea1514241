import { Chalk } from 'chalk';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { fileFormats, jsonOf, terminal } from '../../reports/index.js';
import { wrapLines } from '../../reports/layout.js';
import { asMarkdown } from '../../reports/print/markdown.js';
import type { Outcome } from '../../src/plugin.js';
import type { Document } from '../../src/results/report/document.js';
import { type Inline, strong } from '../../src/results/report/document.js';
import { attack, HOSTILE, outcomes, report, text } from './fixture.js';

const plain = new Chalk({ level: 0 });
const names = 'deepwordbug pruthi textbugger human-typos split homoglyphs zero-width leet case'.split(' ');
const nine = names.map((name, i) => attack(name, i * 20, 180 - i * 20));

const suite = (name: string, attacks: readonly string[]) => ({ ...report().overall, name, attacks });

describe('terminal', () => {
  test.each([
    ['80 columns', 80, {}],
    ['120 columns', 120, {}],
    ['nine attacks in 80 columns', 80, { attacks: nine }],
    ['one attack', 80, { attacks: nine.slice(1, 2), closest: [] }],
    [
      'suites in 80 columns',
      80,
      { attacks: nine, suites: [suite('first', names.slice(0, 4)), suite('rest', names.slice(4))] },
    ],
    ['nine attacks, wide', 80, { attacks: nine }, true],
  ])('%s', async (name, width, rest, wide = false) => {
    const screen = await text(terminal({ width, chalk: plain, wide }).render(report(rest)));
    // One screen: the verdict, the table, three examples.
    const attacks = 'attacks' in rest ? rest.attacks.length : 0;
    const most = 35 + Math.max(0, attacks - 4);
    if (!wide) expect(screen.trimEnd().split('\n').length).toBeLessThanOrEqual(most);
    await expect(screen).toMatchFileSnapshot(`snapshots/terminal, ${name}.txt`);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  const verdictLine = async (rest: Parameters<typeof report>[0]): Promise<string> =>
    (await text(terminal({ width: 200, chalk: plain }).render(report(rest)))).split('\n')[0] as string;

  test('a goal of its own is no accuracy: neither the strongest attack nor a rate under attack', async () => {
    const reduction = { ...attack('input-reduction', 180, 0), ownGoal: true as const };
    const attacks = [reduction, ...nine.slice(1, 3)];
    expect(await verdictLine({ attacks })).toMatch(
      / when an attacker may use any of 2 attacks \(textbugger alone 76\.5 %, 70-82\)$/,
    );
    const screen = await text(terminal({ width: 120, chalk: plain }).render(report({ attacks })));
    expect(screen).toMatch(/^any of 2 attacks /m);
    expect(screen).toMatch(/^input-reduction +100\.0 % \(98-100\) +12\.5 %/m);
    expect(await verdictLine({ attacks: [reduction] })).toMatch(/^85\.0 % \(64-95\) accurate$/);
  });

  test('a run without a verdict says so before any figure', async () => {
    expect(await verdictLine({ attacks: nine, verdict: 'inconclusive' })).toMatch(/^Inconclusive: 85\.0 %/);
    const not = { ...attack('leet', 0, 0), applicable: false as const };
    expect(await verdictLine({ attacks: [...nine.slice(1, 3), not] })).toMatch(
      / any of 2 applicable attacks \(textbugger alone 76\.5 %, 70-82\)$/,
    );
  });

  test('an accuracy over some of the examples says over how many', async () => {
    const { overall, clean } = report();
    const some = { ...overall, originalAccuracy: { value: 1, low: 0.6, high: 1, n: 6 } };
    const line = await verdictLine({ attacks: nine, overall: some });
    expect(line).toMatch(new RegExp(`^100\\.0 % \\(60-100\\) accurate on 6 of ${clean.accuracy.n} examples; `));
  });

  test('a number and its percent sign stay on one line', () => {
    for (let width = 10; width < 40; width++) {
      for (const line of wrapLines('attack success rate: 85-99 %; 8 % of them', width, 0).split('\n')) {
        expect(line).not.toMatch(/^%/);
      }
    }
  });

  test('colours change nothing but colours', async () => {
    const coloured = await text(terminal({ width: 80, chalk: new Chalk({ level: 3 }) }).render(report()));
    await expect(coloured).toMatchFileSnapshot('snapshots/terminal, coloured.txt');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
    const bare = coloured.replace(/\u001B\[\d+m/g, '');
    expect(bare).toBe(await text(terminal({ width: 80, chalk: plain }).render(report())));
  });
});

describe('files', () => {
  test.each(fileFormats.map((format) => [format.name, format] as const))('%s', async (name, format) => {
    const document = await text(format.render(report()));
    // Styles, scripts and their hashes have tests of their own.
    const told = document.replace(/<(style|script)>.*?<\/\1>/gs, '').replace(/'sha256-[^']+'/g, "'sha256'");
    await expect(told).toMatchFileSnapshot(`snapshots/${name}.${format.extension}`);
  });

  test('JSON says what came in', async () => {
    const document = JSON.parse(await text(jsonOf('attack').render(report())));
    const { closest: _, examples: __, measures: ___, command, warnings, ...rest } = report();
    expect(document).toEqual({
      schemaVersion: 1,
      ok: true,
      command: 'attack',
      result: { ...rest, reasons: [], replay: command, examples: outcomes },
      warnings,
    });
  });

  test('JSON without examples is JSON', async () => {
    const empty = report({ examples: (async function* () {})(), attacks: [] });
    expect(JSON.parse(await text(jsonOf('report').render(empty))).result.examples).toEqual([]);
  });

  test('CSV has a row an outcome, and no cell a spreadsheet would run', async () => {
    const csv = fileFormats.find(({ name }) => name === 'csv')!;
    const table: Record<string, string>[] = parse(await text(csv.render(report())), { columns: true });
    expect(table.map(({ id }) => id)).toEqual(outcomes.map(({ id }) => id));
    for (const cell of table.flatMap((row) => Object.values(row))) expect(cell).not.toMatch(/^\s*[=+@-]/);
  });

  test('CSV has both texts of pairs, and all labels of a text', async () => {
    const csv = fileFormats.find(({ name }) => name === 'csv')!;
    const [first] = outcomes as [Outcome];
    async function* examples() {
      yield { ...first, text2: 'beside', labels: [0, 1], fromLabels: [1], toLabels: [] };
    }
    const { labels } = report().model;
    const [row] = parse(await text(csv.render(report({ examples: examples() }))), { columns: true });
    expect(row).toMatchObject({ text2: 'beside', labels: labels.join('|'), fromLabels: labels[1], toLabels: '' });
  });

  test('Markdown joins bold texts side by side, unless a star of the text ends one', () => {
    const inMarkdown = (...lead: Inline[]) =>
      [...asMarkdown({ title: 't', lead, sections: [] } as unknown as Document)].join('');
    expect(inMarkdown(strong('a'), strong('b'), ' c')).toContain('**ab** c');
    expect(inMarkdown(strong('a*'), strong('*b'))).toContain(String.raw`**a\*\*b**`);
    expect(inMarkdown('a', strong('b'))).toContain('a**b**');
  });

  test('Markdown lets no text act', async () => {
    const label = { ...report().model, name: HOSTILE, labels: ['@all | x', '<b>y</b>'] };
    const markdown = await text(fileFormats[0]!.render(report({ model: label, warnings: [HOSTILE] })));
    const outsideFences = markdown.replace(/^```[\s\S]*?^```$/gm, '');
    expect(outsideFences).not.toMatch(/<img|<b>|(?<!\\)`|(?<!\\)\]\(|@you|@all/);
    expect(outsideFences).not.toMatch(/http:\/\//);
  });
});
