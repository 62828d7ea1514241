/** @file The broker: BullMQ's queue of jobs, and a few keys of our own, on Redis or Valkey. Its packages are loaded here only. */
import { pathToFileURL } from 'node:url';
import type { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { RobustError } from '../core/errors.js';
import type { QueueStatus } from '../results/report/queue-status.js';
import { PROTOCOL } from './messages.js';

/** Also holds the keys of BullMQ. */
const PREFIX = 'robust';

/** Jobs of one version of robust: workers of another never see them. */
export const queueName = (toolVersion: string): string => `jobs-${PROTOCOL}-${toolVersion}`;

/** What a run that is never resumed leaves in Redis goes after this time. */
export const LIFE_SECONDS = 30 * 86_400;

/** Our own keys: `run` is the hash of a run's fingerprint. */
export const keys = {
  /** Set of the runs that have a coordinator. */
  runs: `${PREFIX}:runs`,
  /** RunState, as JSON; whoever set it has the run, and loses it when it expires. */
  run: (run: string) => `${PREFIX}:run:${run}`,
  /** Hash: content of a run by its own hash. */
  content: (run: string) => `${PREFIX}:content:${run}`,
  /** Set: the workers that set a run aside. */
  refusals: (run: string) => `${PREFIX}:refusals:${run}`,
  /** Hash: worker -> its processes that ended while they opened the run. */
  openings: (run: string) => `${PREFIX}:openings:${run}`,
} as const;

/** A run as its coordinator shows it. */
export type RunState = Omit<QueueStatus['runs'][number], 'left'>;

export async function stateOf(redis: Redis, run: string): Promise<RunState | undefined> {
  const text = await redis.get(keys.run(run));
  return text === null ? undefined : (JSON.parse(text) as RunState);
}

export async function runsOn(redis: Redis): Promise<RunState[]> {
  const states = await Promise.all((await redis.smembers(keys.runs)).map((run) => stateOf(redis, run)));
  return states.filter((state) => state !== undefined);
}

type BullMq = typeof import('bullmq');

interface Packages {
  readonly bullmq: BullMq;
  readonly Redis: new (url: string, options: object) => Redis;
}

async function packages(): Promise<Packages> {
  try {
    const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis: ioredis.Redis };
  } catch (cause) {
    throw new RobustError('--queue needs the packages bullmq and ioredis, which are not installed', {
      code: 'PACKAGE_NOT_FOUND',
      hint: 'Add them: npm install bullmq@6 ioredis@5',
      cause,
    });
  }
}

export type Broker = Awaited<ReturnType<typeof openBroker>>;

/** The workers on a queue, by the names of their connections. */
export const workersOn = async (queue: Queue): Promise<{ id: string; concurrency: number }[]> =>
  (await queue.getWorkers()).flatMap(({ rawname = '' }) => {
    const [, id, concurrency] = /:w:(.+):(\d+)$/.exec(rawname) ?? [];
    return id === undefined ? [] : [{ id, concurrency: Number(concurrency) }];
  });

/** Without the password. */
export const shownUrl = (url: string): string => url.replace(/\/\/[^@/]*@/, '//***@');

/** Connects, and checks the settings that jobs depend on. Throws RobustError ADDRESS_INVALID and REDIS_UNSUPPORTED, RobustError QUEUE_UNREACHABLE. */
export async function openBroker(url: string, toolVersion: string, warn: (message: string) => void) {
  if (!/^rediss?:\/\/./.test(url))
    throw new RobustError(
      `--queue: expected redis://host:port or rediss://user:password@host:port, got "${shownUrl(url)}"`,
      {
        code: 'ADDRESS_INVALID',
        hint: 'rediss uses TLS. Set the address in ROBUST_QUEUE to keep a password out of the process list.',
      },
    );
  const { bullmq, Redis } = await packages();
  await checkSettings(url, Redis, warn);
  const redis = connect(url, Redis);
  const opened: Redis[] = [];
  const connection = () => {
    const made = connect(url, Redis);
    opened.push(made);
    return { connection: made as never, prefix: PREFIX };
  };
  const name = queueName(toolVersion);
  const queue = queueOf(bullmq, redis, name);
  let events: QueueEvents | undefined;
  return {
    redis,
    queue,
    /** What happens to jobs. */
    get events(): QueueEvents {
      events ??= new bullmq.QueueEvents(name, connection()).on('error', () => {});
      return events;
    },
    /** A BullMQ worker that is not running yet, which has `file` carry out jobs, each in a process with the environment `env`. */
    worker(file: string, lockDuration: number, env: NodeJS.ProcessEnv, more: { name: string; concurrency: number }) {
      return new bullmq.Worker(name, pathToFileURL(file), {
        ...connection(),
        ...more,
        autorun: false,
        lockDuration,
        stalledInterval: Math.max(1000, lockDuration / 2),
        maxStalledCount: MOST_STALLED,
        runRetryDelay: 1000,
        workerForkOptions: { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
      });
    },
    async close(): Promise<void> {
      await Promise.race([
        Promise.allSettled([events?.close(), queue.close()]),
        new Promise((resolve) => setTimeout(resolve, 1000).unref()),
      ]);
      for (const each of [redis, ...opened]) each.disconnect();
    },
  };
}

/** Commands wait for a broker that is away; it comes back with its jobs. */
function connect(url: string, Redis: Packages['Redis']): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(2000, 50 * 2 ** times),
  });
  redis.on('error', () => {});
  return redis;
}

function queueOf({ Queue: Made }: BullMq, redis: Redis, name: string): Queue {
  const queue = new Made(name, { connection: redis as never, prefix: PREFIX });
  return queue.on('error', () => {});
}

/** Connections for a process whose worker has checked the address. */
export async function connectQueue(url: string, toolVersion: string): Promise<Pick<Broker, 'redis' | 'queue'>> {
  const { bullmq, Redis } = await packages();
  const redis = connect(url, Redis);
  return { redis, queue: queueOf(bullmq, redis, queueName(toolVersion)) };
}

/** How the reason of a job begins whose process ended, as BullMQ writes it; and that of one whose workers vanished again and again. */
export const CRASHED = 'Unexpected exit code';
export const STALLED = 'job stalled more than allowable limit';
/** That of a job whose process was still at another one, which Redis forgot. */
export const BUSY = 'not idling child';
/** Workers that a job may lose before it is divided or given up. */
const MOST_STALLED = 5;

/** The errors of a Redis that takes no more (no memory, a full disk, a replica), and of one in which this user may not do all. */
const TAKES_NO_MORE = /^(?:ReplyError: )?(OOM|MISCONF|READONLY|NOREPLICAS)\b/;
const RIGHTS = 'docs/scale.md lists the Redis permissions that this user needs.';
const FORBIDS = /NOPERM|ACL failure|executing the script can't/;

/** Waits for what needs the broker. Throws RobustError QUEUE_UNREACHABLE where it takes no more, REDIS_UNSUPPORTED where its user lacks a right. */
export async function explainedBroker<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const { message } = cause as Error;
    if (FORBIDS.test(message))
      throw new RobustError(`expected a Redis user with all rights that a queue needs, got: ${message}`, {
        code: 'REDIS_UNSUPPORTED',
        hint: RIGHTS,
        cause,
      });
    if (!TAKES_NO_MORE.test(message)) throw cause;
    throw new RobustError(`Redis accepts no more data: ${message}`, {
      code: 'QUEUE_UNREACHABLE',
      hint: 'Free memory or disk space of Redis, then resume the run: robust attack --resume RUN --queue ...',
      cause,
    });
  }
}

const hintFor = (said: string): string => {
  if (FORBIDS.test(said)) return RIGHTS;
  if (/NOAUTH|WRONGPASS/.test(said)) return 'Name the user and the password: --queue redis://user:password@host:port';
  if (/certificate|self.signed|altname/i.test(said))
    return 'Its certificate is of an authority that this machine does not know, or of another host: NODE_EXTRA_CA_CERTS=ca.pem names one more authority.';
  if (/SSL|TLS|EPROTO|ECONNRESET|closed/i.test(said))
    return 'Is it rediss:// (with TLS) that listens there, or redis:// (without)?';
  return 'Start one: redis-server --appendonly yes --maxmemory-policy noeviction';
};

/** Tries once, so that a wrong address is noticed at once; refuses a broker that may evict jobs, and warns of one that loses them in a crash. */
async function checkSettings(url: string, Redis: Packages['Redis'], warn: (message: string) => void): Promise<void> {
  let refused: Error | undefined;
  const redis = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null, connectTimeout: 10_000 });
  redis.on('error', (error) => {
    refused ??= error;
  });
  let info: string;
  try {
    info = await redis.info();
  } catch (error) {
    const cause = refused ?? (error as Error);
    throw new RobustError(`expected Redis or Valkey at ${shownUrl(url)}, got: ${cause.message}`, {
      code: 'QUEUE_UNREACHABLE',
      hint: hintFor(cause.message),
      cause,
    });
  } finally {
    redis.disconnect();
  }
  const value = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim();
  const policy = value('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    throw new RobustError(`expected a Redis with maxmemory-policy noeviction, got ${policy}, which may discard jobs`, {
      code: 'REDIS_UNSUPPORTED',
      hint: 'Set it: redis-cli config set maxmemory-policy noeviction',
    });
  if (value('aof_enabled') === '0')
    warn(
      'Redis keeps no append-only file: what it forgets in a crash is done again. Set it: redis-cli config set appendonly yes',
    );
}
