/** @file The texts of a gate on GitHub: annotations, the job summary, the outputs of a step, the comment on a pull request. */
import { randomUUID } from 'node:crypto';
import type { Report } from '../src/results/report/report.js';
import { blocks, gateBlocks, gateLines } from './documents/gate.js';
import { reportDocument } from './documents/report.js';
import { githubCommand } from './github-command.js';
import { markdown } from './markdown.js';
import { asMarkdown } from './print/markdown.js';

/** GitHub drops a step's summary above 1 MiB (docs: "Workflow commands", "Adding a job summary"); what else it holds fits beside. */
const SUMMARY_BYTES = 1_000_000;
/** Bytes of a comment, which people read between others: the whole report is in the summary. */
const COMMENT_BYTES = 3_000;
/** Bytes of it that stand open: the verdict, and what decided it. */
const OPEN_BYTES = 1_800;
/** GitHub shows this many annotations of each level per step. */
const ANNOTATIONS = 10;

/** The first line of a comment, by which it is found again; comments of several jobs on one pull request have names. */
export const markerOf = (name?: string): string =>
  name === undefined
    ? '<!-- robust-gate -->'
    : `<!-- robust-gate: ${encodeURIComponent(String(Buffer.from(name))).replaceAll('-', '%2D')} -->`;

/** Annotations as lines for the runner: broken thresholds as errors, those that do not count as warnings. */
export function annotations({ gate }: Report): string {
  if (gate === undefined) return '';
  const lines = gateLines(gate).filter(({ verdict }) => verdict !== 'passed');
  const title = `Robustness gate ${gate.verdict}`;
  const textOf = ({ asked, found, notes }: (typeof lines)[number]): string =>
    [`${asked}: ${found}`, ...notes].join('; ');
  const errors = [...lines.filter(blocks).map(textOf), ...gate.reasons];
  const warnings = lines.filter((line) => !blocks(line)).map(textOf);
  const some = (texts: readonly string[]): string[] =>
    texts.length <= ANNOTATIONS
      ? [...texts]
      : [...texts.slice(0, ANNOTATIONS - 1), `and ${texts.length - ANNOTATIONS + 1} more`];
  return [
    ...some(errors).map((text) => githubCommand('error', text, { title })),
    ...some(warnings).map((text) => githubCommand('warning', text, { title })),
  ].join('');
}

const CUT = '\n\nThe report goes on; it was cut here to fit.\n';

/**
 * As many chunks as fit, with a word where some do not. They are whole blocks: no table row, fence or escape is torn, and no heading stands
 * over nothing.
 */
async function fitting(chunks: AsyncIterable<string> | Iterable<string>, bytes: number): Promise<string> {
  let [text, heading] = ['', ''];
  let size = Buffer.byteLength(CUT);
  for await (const chunk of chunks) {
    size += Buffer.byteLength(chunk);
    if (size > bytes) return text + CUT;
    if (chunk.startsWith('\n## ')) heading += chunk;
    else [text, heading] = [text + heading + chunk, ''];
  }
  return text + heading;
}

/** The report as Markdown, as far as it fits. */
export const summary = (report: Report, bytes = SUMMARY_BYTES): Promise<string> =>
  fitting(markdown.render(report), bytes);

/**
 * The body of the comment, of at most `COMMENT_BYTES`: the verdict and what decided it; folded, what fits of the report; and where the whole is.
 */
export async function commentBody(report: Report, name?: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: job } = env;
  const whole =
    server && repository && job ? `\n[The whole report](${server}/${repository}/actions/runs/${job})\n` : '';
  const { sections, ...document } = reportDocument(report);
  const title = name === undefined ? document.title : `${document.title}: ${name}`;
  const { gate } = report;
  const openWith = (most: number): string => {
    const blocks = gate === undefined ? [] : gateBlocks(gate, report.provenance?.overrides, most);
    return [...asMarkdown({ ...document, title, warnings: [], sections: [{ id: 'gate', blocks }] })].join('');
  };
  let most = gate === undefined ? 0 : gateLines(gate).length;
  while (most > 1 && Buffer.byteLength(openWith(most)) > OPEN_BYTES) most--;
  const [start, end] = [`${markerOf(name)}\n`, '\n</details>\n'];
  let open = openWith(most);
  // One line of a gate, or a name, may by itself be longer than a comment.
  if (Buffer.byteLength(start + open + whole) > COMMENT_BYTES) open = `# Robustness gate ${report.verdict}\n`;
  const fold = '\n<details><summary>Figures</summary>\n';
  const left = COMMENT_BYTES - Buffer.byteLength(start + open + fold + end + whole);
  const [, ...rest] = asMarkdown({ ...document, sections: sections.filter(({ id }) => id !== 'gate') });
  const figures = await fitting(rest, left);
  return start + open + (figures === CUT ? '' : fold + figures + end) + whole;
}

/** Names and values of a step's outputs, in the form that no value can forge (a delimiter nobody knows). */
export function outputLines(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const delimiter = `robust-${randomUUID()}`;
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
    })
    .join('');
}
