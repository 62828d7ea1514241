/**
 * @file Output of a gate on GitHub: a job summary, annotations, outputs, and optionally a comment on the pull request that is updated in
 * place.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { blocks, gateBlocks, gateLines } from '../../../reports/documents/gate.js';
import { reportDocument } from '../../../reports/documents/report.js';
import { githubCommand } from '../../../reports/github-command.js';
import { markdown } from '../../../reports/markdown.js';
import { asMarkdown } from '../../../reports/print/markdown.js';
import { OutputError } from '../../core/errors.js';
import type { Report } from '../../core/report.js';
import { appendWhole, writeWhole } from '../../files/write.js';
import { command } from './guarded.js';

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
  const errors = [
    ...lines.filter(blocks).map((line) => [`${line.asked}: ${line.found}`, ...line.notes].join('; ')),
    ...gate.reasons,
  ];
  const warnings = lines
    .filter((line) => !blocks(line))
    .map((line) => [`${line.asked}: ${line.found}`, ...line.notes].join('; '));
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

type Warn = (message: string) => void;

/** A failure to notify GitHub changes no verdict; it is a warning. */
const warned =
  (warn: Warn) =>
  (error: unknown): void => {
    if (!(error instanceof OutputError)) throw error;
    warn([`GitHub could not be notified: ${error.message}`, error.hint].filter(Boolean).join('. '));
  };

/** Further output of a gate. */
interface GateOutputs {
  /** Paths of reports. */
  readonly outputs: readonly string[];
  /** Where the comment goes: a file, or `github` for the pull request. */
  readonly comment?: string | undefined;
  /** Distinguishes several comments of one pull request. */
  readonly name?: string | undefined;
}

/** Notifies the runner, if there is one, and updates the comment. Throws OutputError for a file that cannot be written. */
export async function tellGitHub(
  report: Report,
  { outputs, comment, name }: GateOutputs,
  env: NodeJS.ProcessEnv,
  warn: Warn,
): Promise<void> {
  if (env.GITHUB_ACTIONS === 'true') {
    await writeToGitHub(report, outputs, env, warn);
    command(annotations(report));
  }
  if (comment === undefined) return;
  const body = await commentBody(report, name, env);
  if (comment === 'github') await postComment(body, markerOf(name), env).catch(warned(warn));
  else writeWhole(comment, body, 'the comment');
}

/** Writes the summary and the outputs where the runner asks for them. Throws OutputError for outputs that cannot be written. */
export async function writeToGitHub(
  report: Report,
  outputs: readonly string[],
  env: NodeJS.ProcessEnv,
  warn: Warn,
): Promise<void> {
  try {
    if (env.GITHUB_STEP_SUMMARY) appendWhole(env.GITHUB_STEP_SUMMARY, await summary(report), 'the job summary');
  } catch (error) {
    warned(warn)(error);
  }
  // Later steps read the verdict there: one that is missing would be taken for none.
  const values = { verdict: report.verdict, run: report.run, reports: outputs.join('\n') };
  if (env.GITHUB_OUTPUT) appendWhole(env.GITHUB_OUTPUT, outputLines(values), 'the outputs of this step');
}

interface Comment {
  readonly id: number;
  readonly body?: string;
  readonly user?: { readonly login?: string } | null;
}

/** Author of comments written with the job's token. */
const ACTIONS = 'github-actions[bot]';

/**
 * Writes the comment on the pull request of this job, over its own earlier one: anybody can write a comment with our marker, so that
 * only one by the owner of the token is ours. Throws OutputError where there is no pull request, no token, or GitHub refuses.
 */
export async function postComment(
  body: string,
  marker: string,
  env: NodeJS.ProcessEnv,
  ask: typeof fetch = fetch,
): Promise<void> {
  const number = pullRequest(env);
  const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository } = env;
  if (number === undefined || !token || !repository) {
    const missing =
      number === undefined ? 'a pull request (GITHUB_EVENT_PATH)' : token ? 'GITHUB_REPOSITORY' : 'GITHUB_TOKEN';
    throw new OutputError(`--comment github: expected ${missing}, found none`, {
      code: 'COMMENT',
      hint: 'Run it in a workflow on pull_request, with "permissions: pull-requests: write" and GITHUB_TOKEN in env.',
    });
  }
  const api = `${env.GITHUB_API_URL ?? 'https://api.github.com'}/repos/${repository}/issues`;
  const call = async (method: string, url: string, content?: object): Promise<unknown> => {
    const response = await ask(url, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
      ...(content && { body: JSON.stringify(content) }),
    });
    if (response.ok) return response.json();
    throw new OutputError(
      `--comment github: GitHub answered ${response.status} to ${method} ${new URL(url).pathname}`,
      {
        code: 'COMMENT',
        hint: response.status === 403 ? 'Give the job "permissions: pull-requests: write".' : 'Try again later.',
      },
    );
  };
  // This is the only query that works with every kind of token; without it, the token is the job's.
  const graph = env.GITHUB_GRAPHQL_URL ?? `${env.GITHUB_API_URL ?? 'https://api.github.com'}/graphql`;
  const viewer = (await call('POST', graph, { query: '{ viewer { login } }' }).catch(() => undefined)) as
    | { readonly data?: { readonly viewer?: { readonly login?: string } } }
    | undefined;
  const login = viewer?.data?.viewer?.login ?? ACTIONS;
  for (let page = 1; ; page++) {
    const comments = (await call('GET', `${api}/${number}/comments?per_page=100&page=${page}`)) as Comment[];
    const own = comments.find(({ body, user }) => body?.startsWith(marker) && user?.login === login);
    if (own !== undefined) return void (await call('PATCH', `${api}/comments/${own.id}`, { body }));
    if (comments.length < 100) return void (await call('POST', `${api}/${number}/comments`, { body }));
  }
}

function pullRequest(env: NodeJS.ProcessEnv): number | undefined {
  try {
    const event = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8')) as {
      pull_request?: { number?: number };
    };
    return event.pull_request?.number;
  } catch {
    return undefined;
  }
}
