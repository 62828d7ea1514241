import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { annotations, commentBody, markerOf, outputLines, summary } from '../../reports/github-comment.js';
import { postComment, writeToGitHub } from '../../src/commands/_shared/github.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { Report } from '../../src/plugin.js';
import type { JudgedThreshold } from '../../src/results/report/verdict.js';
import { report } from '../reports/fixture.js';

const MARK = markerOf();
const judged = (metric: string, level: 'error' | 'warn' = 'error'): JudgedThreshold => ({
  ...{ metric, level, expected: '<= 0.3', actual: wilson(5, 10), ci: 'value', verdict: 'failed' },
});
const gated = (thresholds: readonly JudgedThreshold[]): Report =>
  report({ verdict: 'failed', gate: { verdict: 'failed', thresholds, reasons: [] } });

test('at most ten annotations of each level, none of which a name can forge', () => {
  const thresholds = [
    ...Array.from({ length: 14 }, (_, at) => judged(`a${at}.x\n::error::forged`)),
    judged('w.x', 'warn'),
  ];
  const lines = annotations(gated(thresholds)).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10);
  expect(lines.filter((line) => line.startsWith('::warning '))).toHaveLength(1);
  expect(lines).toHaveLength(11);
  expect(lines[9]).toContain('and 5 more');
});

test('a summary keeps below its limit, by whole blocks', async () => {
  const whole = await summary(gated([judged('a.x')]));
  const cut = await summary(gated([judged('a.x')]), 1500);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1500);
  expect(cut).toMatch(/it was cut here to fit\.\n$/);
  expect(whole.startsWith(cut.slice(0, cut.indexOf('\n\nThe report goes on')))).toBe(true);
});

describe('the body of the comment', () => {
  const env = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'o/r', GITHUB_RUN_ID: '12' };

  test.each([1, 3, 40, 400])(
    'has at most 3,000 bytes with %i broken thresholds, and says where the rest is',
    async (n) => {
      const body = await commentBody(gated(Array.from({ length: n }, (_, at) => judged(`a${at}.x`))), undefined, env);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(3_000);
      expect(body.startsWith(`${MARK}\n`)).toBe(true);
      expect(body).toContain('\n**Gate failed**: ');
      expect(body).toContain('](https://github.example/o/r/actions/runs/12)');
      expect(body.includes('more lines are not shown')).toBe(n >= 40);
    },
  );

  test('what broke stands open before what holds', async () => {
    const held = Array.from({ length: 60 }, (_, at) => ({ ...judged(`h${at}.x`), verdict: 'passed' as const }));
    expect(await commentBody(gated([...held, judged('broken.x')]), undefined, {})).toMatch(/broken\.x/);
  });

  test('a name of any length is in its marker, and forges none', async () => {
    for (const name of ['a --> b', 'a\n# b', '\ud800', 'x'.repeat(5_000)]) {
      const body = await commentBody(gated([judged('a.x')]), name, env);
      expect(body.split('\n')[0]).toBe(markerOf(name));
      expect(markerOf(name)).toMatch(/^<!-- robust-gate: [^-<> ]+ -->$/);
    }
    expect(new Set([markerOf(), markerOf('a'), markerOf('a-b'), markerOf('a b')]).size).toBe(4);
  });
});

test('outputs that no value can forge', () => {
  expect(outputLines({ run: 'a\nverdict=passed' })).toMatch(/^run<<(robust-\S+)\na\nverdict=passed\n\1\n$/);
});

test('a summary that cannot be written gives a warning, and the outputs are written', async () => {
  const home = mkdtempSync(join(tmpdir(), 'robust-github-'));
  const warnings: string[] = [];
  const env = { GITHUB_STEP_SUMMARY: join(home, 'no', 'summary'), GITHUB_OUTPUT: join(home, 'output') };
  await writeToGitHub(gated([judged('a.x')]), ['r.html'], env, (message) => warnings.push(message));
  expect(readFileSync(join(home, 'output'), 'utf8')).toContain('r.html');
  expect(warnings).toEqual([expect.stringMatching(/^GitHub could not be notified: .*ENOENT/)]);
});

test('outputs that cannot be written are an error: a later step would miss the verdict', async () => {
  const home = mkdtempSync(join(tmpdir(), 'robust-github-'));
  const env = { GITHUB_STEP_SUMMARY: join(home, 'summary'), GITHUB_OUTPUT: join(home, 'no', 'output') };
  await expect(writeToGitHub(gated([judged('a.x')]), [], env, () => {})).rejects.toMatchObject({
    code: 'OUTPUT_UNREACHABLE',
    exit: 3,
  });
  expect(readFileSync(join(home, 'summary'), 'utf8')).toContain('a.x');
});

describe('the comment', () => {
  const home = mkdtempSync(join(tmpdir(), 'robust-github-'));
  writeFileSync(join(home, 'event.json'), '{"pull_request":{"number":7}}');
  const env = { GITHUB_TOKEN: 't', GITHUB_REPOSITORY: 'o/r', GITHUB_EVENT_PATH: join(home, 'event.json') };

  /** GitHub with these comments on its pages, and the requests to it. */
  function gitHub(pages: readonly (readonly object[])[], { status = 200, viewer = 'github-actions[bot]' } = {}) {
    const asked: string[] = [];
    const ask = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const { pathname, searchParams } = new URL(String(url));
      if (pathname === '/graphql') {
        return viewer === ''
          ? new Response('', { status: 404 })
          : new Response(JSON.stringify({ data: { viewer: { login: viewer } } }), { status });
      }
      asked.push(`${init?.method} ${pathname}`);
      const page = Number(searchParams.get('page') ?? 1) - 1;
      return new Response(JSON.stringify(init?.method === 'GET' ? (pages[page] ?? []) : {}), { status });
    };
    return { asked, ask };
  }

  const others = Array.from({ length: 100 }, (_, id) => ({ id, body: `not ${MARK}` }));

  test('is written once', async () => {
    const { asked, ask } = gitHub([others, []]);
    await postComment('body', MARK, env, ask);
    expect(asked).toEqual([
      'GET /repos/o/r/issues/7/comments',
      'GET /repos/o/r/issues/7/comments',
      'POST /repos/o/r/issues/7/comments',
    ]);
  });

  const by = (login: string) => ({ id: 901, body: `${MARK}\nold`, user: { login } });

  test.each([
    ['github-actions[bot]', 'github-actions[bot]'],
    ['my-app[bot]', 'my-app[bot]'],
    ['a-person', 'a-person'],
    ['', 'github-actions[bot]'],
  ])('and then kept up to date by %j', async (viewer, author) => {
    const { asked, ask } = gitHub([others, [by('stranger'), { ...by(author), id: 902 }]], { viewer });
    await postComment('body', MARK, env, ask);
    expect(asked.at(-1)).toBe('PATCH /repos/o/r/issues/comments/902');
  });

  test.each([by('stranger'), by('github-actions'), { ...by(''), user: null }, { id: 901, body: MARK }])(
    'a stranger who writes our marker is let alone',
    async (comment) => {
      const { asked, ask } = gitHub([[comment]]);
      await postComment('body', MARK, env, ask);
      expect(asked.at(-1)).toBe('POST /repos/o/r/issues/7/comments');
    },
  );

  test.each([
    [{ ...env, GITHUB_TOKEN: '' }, /expected GITHUB_TOKEN/],
    [{ ...env, GITHUB_EVENT_PATH: '' }, /expected a pull request/],
    [{ ...env, GITHUB_REPOSITORY: '' }, /expected GITHUB_REPOSITORY/],
  ])('needs a place and leave', async (given, told) => {
    await expect(postComment('body', MARK, given, gitHub([]).ask)).rejects.toThrow(told);
  });

  test("reports GitHub's answer", async () => {
    await expect(postComment('body', MARK, env, gitHub([[]], { status: 403 }).ask)).rejects.toMatchObject({
      message: '--comment github: GitHub answered 403 to GET /repos/o/r/issues/7/comments',
      hint: expect.stringContaining('pull-requests: write'),
    });
  });
});
