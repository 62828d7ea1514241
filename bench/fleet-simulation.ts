/**
 * @file How long a fleet takes beside the ideal, and beside fixed shards: an event simulation with the code that cuts and gives out jobs
 * (shards.ts), and search costs that were measured (search-costs.tsv).
 *
 *     npm run bench dist/bench/fleet-simulation.js [-- EXAMPLES [MACHINES]]
 *
 * Machines have two slots each and differ in speed (factors from 0.7 to 1, drawn by seed). Each fails once an hour on average (exponentially),
 * and is back a minute later. What a failed machine had not delivered (outcomes go out each second) is searched again; others take its jobs once
 * their locks end. The ideal never fails: all work over the sum of all speeds, the clean texts included. Shards of `--shard i/n`: one a
 * machine, by the hash of the id; each asks all unedited texts, and goes on where it failed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../src/core/package-root.js';
import { random } from '../src/core/random.js';
import { ShardSizes, shardsAhead } from '../src/fleet/shards.js';

const SEED = 42;
const SLOTS = 2;
const SLOWEST = 0.7;
const UPTIME_SECONDS = 3600;
const DOWN_SECONDS = 60;
const LOCK_SECONDS = 60;
/** A text on one thread of the fastest machine: bert-mini's on short sentences. Figures are ratios, and change little with it. */
const TEXT_SECONDS = 0.002;
/** Time to report a delivered job to the broker, fetch the next one and begin it. */
const BETWEEN_JOBS_SECONDS = 0.02;
const DELIVERED_SECONDS = 1;

/** Texts of one example -> examples, as measured; drawn with replacement. */
function costs(): () => number {
  const path = join(packageRoot, 'bench', 'search-costs.tsv');
  const all = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .flatMap((line) => {
      const [texts = 0, n = 0] = line.split('\t').map(Number);
      return new Array<number>(n).fill(texts);
    });
  const chance = random(SEED, 'costs');
  return () => TEXT_SECONDS * (all[chance.int(all.length)] as number);
}

interface Event {
  readonly at: number;
  happen(): void;
}

/** Events in the order of time; of one moment in the order in which they were planned. */
class Agenda {
  #now = 0;
  /** The next one is the last of the list: few wait at a time. */
  readonly #events: Event[] = [];

  get now(): number {
    return this.#now;
  }

  plan(after: number, happen: () => void): void {
    const at = this.#now + after;
    const place = this.#events.findLastIndex((event) => event.at > at);
    this.#events.splice(place + 1, 0, { at, happen });
  }

  /** Until `over` holds. */
  run(over: () => boolean): void {
    while (!over()) {
      const first = this.#events.pop();
      if (first === undefined) throw new Error('nothing will happen any more');
      this.#now = first.at;
      first.happen();
    }
  }
}

interface Job {
  /** Seconds of its examples on the fastest machine, in order; those from `done` on are left. */
  readonly seconds: Float64Array;
  done: number;
}

interface SimulatedFleet {
  readonly makespan: number;
  readonly jobs: number;
  readonly failures: number;
  /** Seconds of work done twice, on the fastest machine. */
  readonly twice: number;
}

/** `seconds`: of the examples. */
function fleet(seconds: Float64Array, speeds: readonly number[]): SimulatedFleet {
  const agenda = new Agenda();
  const chance = random(SEED, 'failures');
  const sizes = new ShardSizes();
  const slots = SLOTS * speeds.length;
  const waiting: Job[] = [];
  const idle: (() => void)[] = [];
  const count = { jobs: 0, failures: 0, twice: 0 };
  let cursor = 0;
  let out = 0;
  let left = seconds.length;
  const offer = (): void => {
    while (out < shardsAhead(slots) && cursor < seconds.length) {
      const size = sizes.next(seconds.length - cursor, slots);
      const end = Math.min(cursor + size, seconds.length);
      waiting.push({ seconds: seconds.subarray(cursor, end), done: 0 });
      cursor = end;
      out++;
      count.jobs++;
    }
    while (waiting.length > 0 && idle.length > 0) (idle.shift() as () => void)();
  };
  for (const speed of speeds) {
    let life = 0;
    /** Jobs under way here, and since when. */
    let working = new Map<Job, number>();
    const take = (): void => {
      const mine = life;
      const job = waiting.shift();
      if (job === undefined) {
        idle.push(() => mine === life && take());
        return;
      }
      working.set(job, agenda.now);
      let rest = 0;
      for (let at = job.done; at < job.seconds.length; at++) rest += job.seconds[at] as number;
      const takes = rest / speed + BETWEEN_JOBS_SECONDS;
      agenda.plan(takes, () => {
        if (mine !== life) return;
        working.delete(job);
        sizes.record(job.seconds.length - job.done, takes);
        left -= job.seconds.length - job.done;
        out--;
        offer();
        take();
      });
    };
    const fail = (): void => {
      count.failures++;
      life++;
      for (const [job, since] of working) {
        const worked = Math.max(0, (agenda.now - since) * speed);
        let kept = 0;
        const before = job.done;
        for (; job.done < job.seconds.length; job.done++) {
          const next = kept + (job.seconds[job.done] as number);
          if (next > worked - DELIVERED_SECONDS * speed) break;
          kept = next;
        }
        left -= job.done - before;
        count.twice += worked - kept;
        // The lock was renewed at its half.
        agenda.plan(LOCK_SECONDS * (0.5 + 0.5 * chance.unit()), () => {
          waiting.unshift(job);
          offer();
        });
      }
      working = new Map();
      agenda.plan(DOWN_SECONDS, () => {
        for (let slot = 0; slot < SLOTS; slot++) take();
        agenda.plan(-UPTIME_SECONDS * Math.log(1 - chance.unit()), fail);
      });
    };
    for (let slot = 0; slot < SLOTS; slot++) take();
    agenda.plan(-UPTIME_SECONDS * Math.log(1 - chance.unit()), fail);
  }
  offer();
  agenda.run(() => left === 0);
  return { makespan: agenda.now, ...count };
}

/** The slowest of one shard a machine: its examples on all its slots, all clean texts, and its failures. */
function shards(seconds: Float64Array, speeds: readonly number[]): number {
  const chance = random(SEED, 'shards');
  const work = new Float64Array(speeds.length);
  for (const each of seconds) work[chance.int(speeds.length)]! += each;
  const clean = seconds.length * TEXT_SECONDS;
  return Math.max(
    ...speeds.map((speed, at) => {
      let left = ((work[at] as number) + clean) / (SLOTS * speed);
      let time = 0;
      for (;;) {
        const up = -UPTIME_SECONDS * Math.log(1 - chance.unit());
        if (up >= left) return time + left;
        left -= up;
        time += up + DOWN_SECONDS;
      }
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [examples = 10_000_000, machines = 100] = process.argv.slice(2).map(Number);
  const cost = costs();
  const seconds = Float64Array.from({ length: examples }, cost);
  const chance = random(SEED, 'speeds');
  const speeds = Array.from({ length: machines }, () => SLOWEST + (1 - SLOWEST) * chance.unit());
  const capacity = SLOTS * speeds.reduce((sum, speed) => sum + speed, 0);
  const work = seconds.reduce((sum, each) => sum + each, 0);
  // The clean pass is jobs of equal length: it takes no longer than its ideal, within a shard.
  const clean = (examples * TEXT_SECONDS) / capacity;
  const ideal = work / capacity + clean;
  const { makespan, jobs, failures, twice } = fleet(seconds, speeds);
  const hours = (all: number): string => `${(all / 3600).toFixed(2)} h`;
  const sharded = shards(seconds, speeds);
  console.log(`${examples} examples, ${machines} machines of ${SLOTS} slots, seed ${SEED}: ideal ${hours(ideal)}`);
  console.log(
    `queue: ${hours(makespan + clean)}, ${((makespan + clean) / ideal).toFixed(3)} of the ideal; ${jobs} jobs, ${failures} failures, ${((100 * twice) / work).toFixed(3)} % of the work done twice`,
  );
  console.log(`fixed shards: ${hours(sharded)}, ${(sharded / ideal).toFixed(3)} of the ideal`);
}
