/**
 * @file Output of a gate on GitHub: a job summary, annotations, outputs, and optionally a comment on the pull request that is updated in
 * place.
 */
import { annotations, commentBody, markerOf, outputLines, summary } from '../../../reports/github-comment.js';
import { OutputError } from '../../core/errors.js';
import { readFileSync } from '../../files/read.js';
import { appendWhole, writeNamed } from '../../files/write.js';
import type { Report } from '../../results/report/report.js';
import { command } from './guarded.js';

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
  else writeNamed(comment, body, 'the comment');
}

/** Writes the summary and the outputs where the runner asks for them. Throws OutputError for outputs that cannot be written. */
export async function writeToGitHub(
  report: Report,
  outputs: readonly string[],
  env: NodeJS.ProcessEnv,
  warn: Warn,
): Promise<void> {
  try {
    if (env.GITHUB_STEP_SUMMARY)
      appendWhole(env.GITHUB_STEP_SUMMARY, await summary(report), 'the job summary', { named: true });
  } catch (error) {
    warned(warn)(error);
  }
  // Later steps read the verdict there: one that is missing would be taken for none.
  const values = { verdict: report.verdict, run: report.run, reports: outputs.join('\n') };
  if (env.GITHUB_OUTPUT)
    appendWhole(env.GITHUB_OUTPUT, outputLines(values), 'the outputs of this step', { named: true });
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
      code: 'GITHUB_UNREACHABLE',
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
        code: 'GITHUB_UNREACHABLE',
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
