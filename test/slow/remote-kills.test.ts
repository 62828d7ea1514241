/** A client of an endpoint killed (kill -9) again and again: what it goes on to is what an undisturbed run finds, and it asks nothing twice. */
import { expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';
import { type Ended, folder, robustProcess } from '../commands/cli.js';
import { fixture, type Logged, servedModel } from '../remote/fixture.js';
import { askedOf, journal } from '../remote/runs.js';

const KILLS = 50;
/** As the client's default. */
const CONCURRENCY = 8;
const attack = ['-n', '40', '-a', 'deepwordbug', '-a', 'pruthi'];

/** Queries repeated although they had been answered before the kill and were not in flight then. */
function askedAgain(sessions: readonly (readonly Logged[])[]): string[] {
  return sessions.flatMap((session, at) => {
    const later = new Set(sessions.slice(at + 1).flatMap((next) => next.flatMap(({ texts }) => texts)));
    const answered = session.filter((entry) => entry.answered).toSorted((a, b) => a.left - b.left);
    // The last answers may have been written by the server and not been read by the client yet.
    return answered.slice(0, -CONCURRENCY).flatMap(({ texts }) => texts.filter((text) => later.has(text)));
  });
}

test(`${KILLS} kills at random moments`, async () => {
  const model = await loadModel('bert-mini');
  const server = await fixture({ model: servedModel(model), latency: 15 });
  const chance = random(42, 'kills');
  const local = folder();
  expect((await robustProcess(['attack', '-m', 'bert-mini', ...attack], { cwd: local })).code).toBe(0);
  const expected = journal(local);
  const figures = { kills: 0, runs: 0, asked: 0, again: 0 };
  try {
    while (figures.kills < KILLS) {
      const cwd = folder();
      const sessions: Logged[][] = [];
      for (let ended: Ended | undefined; ended?.code !== 0; ) {
        const before = server.asked.length;
        const killAfter = 4 + chance.int(30);
        const begun = journalExists(cwd);
        const args = begun
          ? ['attack', '--resume', 'latest']
          : ['attack', '-m', `kserve+${server.url}/v2/models/bert-mini`, ...attack];
        ended = await robustProcess(args, {
          cwd,
          watch: (child) => {
            const look = setInterval(() => {
              if (server.asked.length - before < killAfter || child.exitCode !== null || figures.kills >= KILLS) return;
              if (child.kill('SIGKILL')) figures.kills++;
              clearInterval(look);
            }, 1);
            child.on('exit', () => clearInterval(look));
          },
        });
        expect([0, null], ended.stderr).toContain(ended.code);
        // Queries before the run existed are lost: they were not reported as kept.
        if (journalExists(cwd)) sessions.push(server.asked.slice(before));
      }
      expect(journal(cwd)).toBe(expected);
      // Each session asks eight texts of an earlier one, to recognise the model.
      expect(askedAgain(sessions).length).toBeLessThanOrEqual(8 * (sessions.length - 1));
      const asked = sessions.flat().length;
      const { requests: counted } = askedOf(cwd);
      // Requests that a kill stopped before sending were counted and did not arrive.
      expect(counted).toBeGreaterThanOrEqual(asked);
      expect(counted).toBeLessThanOrEqual(asked + CONCURRENCY * (sessions.length - 1));
      const texts = sessions.flatMap((session) => session.flatMap((entry) => entry.texts));
      figures.runs++;
      figures.asked += texts.length;
      figures.again += texts.length - new Set(texts).size;
    }
  } finally {
    await server.close();
    await model.close();
  }
  console.log(
    `${figures.kills} kills in ${figures.runs} runs: ${figures.asked} texts asked, ${figures.again} of them again`,
  );
});

function journalExists(cwd: string): boolean {
  try {
    journal(cwd);
    return true;
  } catch {
    return false;
  }
}
