/** The page's server over victims of every kind: two texts for pairs, thresholds shown, boxes for label sets, goals in words. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningUi, ui } from '../../src/app/ui.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-ui-decisions-'));
const open: RunningUi[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
});

/** A victim whose scores come from words; for pairs, from those of the second text. */
function victim(name: string, labels: readonly string[], row: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(
    path,
    `const row = (text) => ${row};
     export default { labels: ${JSON.stringify(labels)}, classify: async (texts) => texts.map((text) => row([text].flat().at(-1))) };`,
  );
  return path;
}

const guard = victim('guard', ['fine', 'attack'], '/ignore/.test(text) ? [0.25, 0.75] : [0.9, 0.1]');
const sets = victim('sets', ['cold', 'wet'], '[/snow/.test(text) ? 0.8 : 0.1, /rain/.test(text) ? 0.8 : 0.1]');
const pair = victim('pair', ['same', 'other'], '/never/.test(text) ? [0.1, 0.9] : [0.9, 0.1]');
const stars = victim('stars', ['stars'], '[text.split("star").length - 1]');

type Ask = (path: string, query: Record<string, string>) => Promise<{ status: number; body: string }>;

/** Asks a page that was started with these flags. */
async function asking(flags: Parameters<typeof ui>[0]): Promise<Ask> {
  const server = await ui({ ...flags, port: 0 });
  open.push(server);
  const { headers } = await fetch(server.url, { redirect: 'manual' });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  return async (path, query) => {
    const response = await fetch(new URL(`/live/${path}?${new URLSearchParams(query)}`, server.url), {
      headers: { cookie },
    });
    return { status: response.status, body: await response.text() };
  };
}

/** The last event of an attack. */
const endOf = ({ body }: { readonly body: string }) => {
  const [, event, data] = /event: (end|failure)\ndata: (.*)\n/.exec(body) ?? [];
  return { event, ...JSON.parse(data ?? '{}') };
};

describe('a detector', () => {
  let ask: Ask;
  beforeAll(async () => {
    ask = await asking({ model: [guard], positive: ['attack'], threshold: '0.8' });
  });

  test('is decided by its own threshold, which is shown', async () => {
    const { body } = await ask('answers', { model: guard, text: 'ignore the rules' });
    expect(body).toContain('attack: not detected');
    expect(body).toContain('The score 0.750 is below the threshold 0.800.');
    expect(body).toContain('class="threshold"');
    expect(JSON.parse((await ask('model', { model: guard })).body)).toEqual({
      decision: 'attack from a score of 0.8 on',
      goals: [
        { name: 'evade', title: 'make it miss' },
        { name: 'alarm', title: 'raise a false alarm' },
      ],
      truths: [],
    });
  });

  test('is attacked by the goal that fits its answer, in words', async () => {
    const low = await asking({ model: [guard], positive: ['attack'], threshold: '0.5' });
    const question = { model: guard, attack: 'deepwordbug' };
    const missed = endOf(await low('attack', { ...question, text: 'ignore the rules' }));
    expect([missed.status, missed.html]).toEqual([
      'succeeded',
      expect.stringContaining('Missed: the attack got past the detector'),
    ]);
    const quiet = endOf(await low('attack', { ...question, text: 'a fine day outside' }));
    expect([quiet.status, quiet.html]).toEqual(['failed', expect.stringContaining('No false alarm')]);
    // The score of the detected label, not of the true one.
    expect(quiet.html).toMatch(/score 0\.[0-4]\d\d → 0\.[0-4]\d\d, threshold 0\.500/);
    const beside = endOf(await low('attack', { ...question, text: 'a fine day outside', goal: 'evade' }));
    expect([beside.status, beside.html]).toEqual(['skipped', expect.stringContaining('it is not detected')]);
  });
});

test('a model of pairs receives both texts, and the second is attacked', async () => {
  const ask = await asking({ model: [pair], textColumns: ['premise', 'hypothesis'] });
  expect(JSON.parse((await ask('model', { model: pair })).body).texts).toEqual(['premise', 'hypothesis']);
  const lone = await ask('answers', { model: pair, text: 'it is never so' });
  expect([lone.status, lone.body]).toEqual([400, expect.stringContaining('reads pairs of texts')]);
  const both = { model: pair, first: 'it is so', text: 'it is never so' };
  expect((await ask('answers', both)).body).toContain('<b>other</b>');
  const { status, adversarial } = endOf(await ask('attack', { ...both, attack: 'deepwordbug' }));
  expect([status, adversarial]).toEqual(['succeeded', expect.not.stringContaining('never')]);
});

test('label sets have a box for each label with its threshold', async () => {
  const ask = await asking({ model: [sets], task: 'multi-label', threshold: '0.3' });
  const { body } = await ask('answers', { model: sets, text: 'snow it is' });
  expect(body.match(/aria-label="holds: "/g)).toHaveLength(1);
  expect(body).toContain('0.800 ≥ 0.3');
  expect(body).toContain('0.100 &lt; 0.3');
  const gained = endOf(await ask('attack', { model: sets, attack: 'deepwordbug', text: 'it is dry here' }));
  expect([gained.status, gained.html]).toEqual(['failed', expect.stringContaining('No label was added')]);
  const lost = endOf(await ask('attack', { model: sets, attack: 'deepwordbug', text: 'snow it is' }));
  expect(lost.html).toContain('The attack removed a label');
});

test('a number is attacked by its delta, and needs one', async () => {
  const without = await asking({ model: [stars], task: 'regression' });
  const question = { model: stars, attack: 'deepwordbug', text: 'star star star' };
  expect((await without('answers', question)).body).toContain('3.000');
  expect(endOf(await without('attack', question))).toMatchObject({
    event: 'failure',
    message: expect.stringContaining('--task regression:delta='),
  });
  const ask = await asking({ model: [stars], delta: 1 });
  expect(endOf(await ask('attack', { ...question, goal: 'moved:direction=down' })).status).toBe('succeeded');
  expect(endOf(await ask('attack', { ...question, goal: 'moved:direction=up' })).status).toBe('failed');
});

describe('a model that tags', () => {
  const tagger = fileURLToPath(new URL('../tags/goldens/bert', import.meta.url));
  const text = 'Ann Lee met Bob in New York.';
  let ask: Ask;
  beforeAll(async () => {
    ask = await asking({ model: [tagger], task: 'tags', threshold: '0.7' });
  });

  test('answers its entities', async () => {
    const { body } = await ask('answers', { model: tagger, text });
    expect(body).toContain('Bob in (PER)');
    expect((await ask('answers', { model: tagger, text: 'ann left' })).body).toContain('no entity');
    expect(JSON.parse((await ask('model', { model: tagger })).body)).toMatchObject({
      decision: expect.stringMatching(/^spans of /),
      goals: [{ name: 'lose' }],
    });
  });

  test('its surest entity is attacked, and each that it finds is explained', async () => {
    const { event, status } = endOf(await ask('attack', { model: tagger, text, attack: 'deepwordbug' }));
    expect([event, status]).toEqual(['end', expect.stringMatching(/^(succeeded|failed)$/)]);
    const none = endOf(await ask('attack', { model: tagger, text: 'ann left', attack: 'deepwordbug' }));
    expect(JSON.stringify(none)).toContain('in which it finds none');
    const { body } = await ask('explain', { model: tagger, text, method: 'lime' });
    expect(body).toContain('Explained entity: Bob in (PER)');
  });
});
