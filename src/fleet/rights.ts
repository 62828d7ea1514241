/** @file The rights of robust on a shared Redis: the least that its user needs, and those that are missing. */
import type { Redis } from 'ioredis';
import { RobustError } from '../core/errors.js';

/** As each is tried: K is a key that holds a text, so that most are refused for its type, and none changes anything of a run. */
const TRIALS =
  `ping, info server, client setname robust, client list, eval return(0) 0, evalsha ${'0'.repeat(40)} 0, set K 0, get K, incr K,
  exists K, expire K 60, pexpire K 60000, persist K, pttl K, hset K f v, hmset K f v, hget K f, hmget K f, hgetall K, hexists K f, hincrby K f 0,
  hdel K f, sadd K m, srem K m, scard K, smembers K, sismember K m, lpush K e, rpush K e, rpushx K e, lpop K, rpop K, rpoplpush K K, lindex K 0,
  llen K, lpos K e, lrange K 0 0, lrem K 0 e, ltrim K 0 0, zadd K 0 m, zcard K, zcount K 0 0, zscore K m, zrange K 0 0, zrevrange K 0 0,
  zrangebyscore K 0 0, zrevrangebyscore K 0 0, zrem K m, zremrangebyrank K 0 0, zremrangebyscore K 0 0, zpopmin K, bzpopmin K 1, xadd K * f v,
  xread STREAMS K 0, xtrim K MAXLEN 0, rename K K, del K, multi, exec`
    .split(/,\s*/)
    .map((line) => line.split(' ') as [string, ...string[]]);

const nameOf = ([command, second]: readonly string[]): string =>
  command === 'client' ? `${command}|${second}` : command!;

/** The rules of an ACL user who may do all that robust does, and nothing else. */
export const ACL_RULES = `resetkeys ~robust:* resetchannels -@all ${TRIALS.map((trial) => `+${nameOf(trial)}`).join(' ')}`;

/** Tries all that will be needed, in one round trip. Throws RobustError REDIS_UNSUPPORTED naming what is missing. */
export async function checkRights(redis: Redis, shown: string): Promise<void> {
  const key = `robust:rights:${process.pid}:${Date.now().toString(36)}`;
  const pipeline = redis.pipeline();
  for (const [command, ...args] of TRIALS) pipeline.call(command, ...args.map((each) => (each === 'K' ? key : each)));
  const replies = (await pipeline.exec()) ?? [];
  const refused = replies.flatMap(([error], at) =>
    error?.message.startsWith('NOPERM')
      ? [{ name: nameOf(TRIALS[at] as [string]), keys: /\bkeys?\b/.test(error.message) }]
      : [],
  );
  if (refused.length === 0) return;
  const commands = refused.filter(({ keys }) => !keys).map(({ name }) => name);
  const missing = [
    ...(refused.some(({ keys }) => keys) ? ['the keys robust:*'] : []),
    ...(commands.length > 0 ? [`the commands ${commands.join(', ')}`] : []),
  ];
  throw new RobustError(
    `expected a user of ${shown} with all rights that a queue needs, got one without ${missing.join(' and ')}`,
    {
      code: 'REDIS_UNSUPPORTED',
      hint: 'docs/scale.md lists the Redis permissions that this user needs.',
    },
  );
}
