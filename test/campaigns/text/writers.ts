/** @file All writers of untrusted texts: each format, the screen, the comments on GitHub. */
import { Chalk } from 'chalk';
import { annotations, commentBody, outputLines } from '../../../reports/github-comment.js';
import {
  comparisonDocument,
  comparisonFormats,
  evaluationDocument,
  explanationDocument,
  explanationFormats,
  fileFormats,
  filterDocument,
  gateDocument,
  hardeningDocument,
  onScreen,
  plantingDocument,
  repairDocument,
  scanDocument,
  terminal,
} from '../../../reports/index.js';
import { asHtml } from '../../../reports/print/html.js';
import { asMarkdown } from '../../../reports/print/markdown.js';
import type { Outcome, Report } from '../../../src/plugin.js';
import type { ComparisonReport } from '../../../src/results/comparison/comparison.js';
import type { Document } from '../../../src/results/report/document.js';
import type { ExplanationReport } from '../../../src/results/report/explanation.js';
import { everything, undefended } from '../../reports/everything.js';
import { pair } from '../../reports/explanation.js';
import { findings } from '../../reports/findings.js';
import { outcomes, text } from '../../reports/fixture.js';
import { type Grammar, grammars } from './grammars.js';
import { retold } from './retold.js';

/** Input of a writer. */
export interface Told {
  readonly report: Report;
  readonly outcomes: readonly Outcome[];
  readonly comparison: ComparisonReport;
  readonly pair: ExplanationReport;
  readonly findings: typeof findings;
}

export interface Writer {
  readonly name: string;
  write(told: Told): Promise<string>;
  readonly grammar: Grammar;
  /** The values that a reader must recover, for complete formats. */
  said?(told: Told): unknown;
  /** With our colours, which act and may. */
  readonly coloured?: boolean;
}

const { examples: _, measures, ...rest } = everything;
const more: readonly Outcome[] = [...outcomes, { ...everything.closest[0]!, ...(await last()) }];

async function last(): Promise<Outcome | undefined> {
  for await (const outcome of everything.examples) return outcome;
  return undefined;
}

/** All fixtures, with `say` applied to each text. */
export function told(say: (text: string) => string): Told {
  const all = retold({ rest, more, undefended, pair, findings }, say);
  const { rest: report, more: examples, undefended: comparison } = all;
  return {
    report: {
      ...report,
      measures,
      examples: {
        async *[Symbol.asyncIterator]() {
          yield* examples;
        },
      },
    },
    outcomes: examples,
    comparison,
    pair: all.pair,
    findings: all.findings,
  };
}

const screens = [
  { width: 80, chalk: new Chalk({ level: 0 }) },
  { width: 120, chalk: new Chalk({ level: 3 }) },
];

const formats: readonly Writer[] = fileFormats.map(({ name, render }) => ({
  name,
  write: ({ report }) => text(render(report)),
  grammar: name === 'json' ? grammars.reportJson : grammars[name as keyof typeof grammars],
  ...(name === 'json' && {
    said: ({ report, outcomes: examples }: Told) => {
      const { closest: _, measures: __, next: ___, stated: ____, warnings, command: replay, ...result } = report;
      const document = { schemaVersion: 1, ok: true, command: 'attack' };
      return { ...document, result: { ...result, replay, examples }, warnings };
    },
  }),
}));

const explanations: readonly Writer[] = explanationFormats
  .filter(({ name }) => name === 'json')
  .map(
    ({ name, render }): Writer => ({
      name: `explanation ${name}`,
      write: (all) => text(render(all.pair)),
      grammar: grammars.json,
      said: ({ pair: { explanations, warnings } }) => ({
        ...{ schemaVersion: 1, ok: true, command: 'explain', warnings },
        result: { explanations },
      }),
    }),
  );

/** Every kind of document, from untrusted input. */
const documents: Readonly<Record<string, (told: Told) => Document>> = {
  gate: ({ report }) => gateDocument(report.gate!),
  comparison: ({ comparison }) => comparisonDocument(comparison),
  explanation: (all) => explanationDocument(all.pair),
  evaluation: ({ report: { model, data, clean }, findings: { certified } }) =>
    evaluationDocument({ model: model.name, data: data.name, labels: model.labels, clean, certified }),
  filter: ({ findings: { filtered } }) => filterDocument(filtered, () => filtered.data.name),
  scan: ({ findings: { scanned } }) => scanDocument(scanned),
  planting: ({ findings: { planted } }) => plantingDocument(planted),
  repair: ({ findings: { repaired } }) => repairDocument(repaired),
  hardening: ({ findings: { hardened } }) => hardeningDocument(hardened),
  'hardening, two seeds': ({ findings: { hardened } }) =>
    hardeningDocument({ ...hardened, seeds: [...hardened.seeds, ...hardened.seeds] }),
};

const printedDocuments: readonly Writer[] = Object.entries(documents).flatMap(([name, document]): Writer[] => [
  { name: `${name} markdown`, write: async (all) => text(asMarkdown(document(all))), grammar: grammars.markdown },
  { name: `${name} html`, write: async (all) => text(asHtml(document(all))), grammar: grammars.html },
]);

const shown: readonly Writer[] = screens.flatMap((screen) => {
  const of: Readonly<Record<string, (told: Told) => Iterable<string> | AsyncIterable<string>>> = {
    terminal: ({ report }) => terminal(screen).render(report),
    ...Object.fromEntries(
      Object.entries(documents).map(([name, document]) => [
        `${name} terminal`,
        (all: Told) => onScreen(document(all), screen),
      ]),
    ),
  };
  return Object.entries(of).map(
    ([name, write]): Writer => ({
      name: screen.chalk.level === 0 ? name : `${name}, coloured`,
      write: (all) => text(write(all)),
      grammar: grammars.screen,
      coloured: screen.chalk.level > 0,
    }),
  );
});

/** Markdown in which figures are folded once. */
const comment: Grammar = (document, same, told) => {
  const unfolded = (text: string): string =>
    text.replace('\n<details><summary>Figures</summary>\n', '\n').replace(/\n<\/details>\n$/, '\n');
  return grammars.markdown(unfolded(document), unfolded(same), told);
};

export const writers: readonly Writer[] = [
  ...formats,
  ...explanations,
  ...shown,
  ...printedDocuments,
  {
    name: 'comparison json',
    write: ({ comparison }) => text(comparisonFormats.find(({ name }) => name === 'json')!.render(comparison)),
    grammar: grammars.json,
    said: ({ comparison: result }) => ({ schemaVersion: 1, ok: true, command: 'compare', result, warnings: [] }),
  },
  { name: 'comment', write: ({ report }) => commentBody(report), grammar: comment },
  { name: 'annotations', write: async ({ report }) => annotations(report), grammar: grammars.annotations },
  {
    name: 'outputs',
    write: async ({ report }) => outputLines(outputsOf(report)),
    grammar: grammars.outputs,
    said: ({ report }) => outputsOf(report),
  },
];

const outputsOf = ({ verdict, run, warnings }: Report) => ({ verdict, run, reports: warnings.join('\n') });
