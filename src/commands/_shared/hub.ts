/** @file How this user reaches the Hugging Face Hub and endpoints: the environment variables that their own libraries read. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { visible } from '../../../reports/visible.js';
import { clock, type WorkProgress } from '../../app/progress.js';
import { readFileSync } from '../../files/read.js';
import type { Download, HubOptions, RemoteAccess } from '../../model/load.js';

/**
 * HF_ENDPOINT, HF_TOKEN or the token that `hf auth login` left, the cache by HF_HUB_CACHE or HF_HOME, HF_HUB_OFFLINE and
 * HF_HUB_DOWNLOAD_TIMEOUT (https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables), with the
 * same precedence and defaults; an empty variable counts as unset. `offline` is the flag.
 */
export function hubOptions(env: NodeJS.ProcessEnv, offline: boolean): HubOptions {
  const home = path(env.HF_HOME) ?? join(path(env.XDG_CACHE_HOME) ?? join(homedir(), '.cache'), 'huggingface');
  const token = isTrue(env.HF_HUB_DISABLE_IMPLICIT_TOKEN) ? undefined : tokenOf(env, home);
  const timeout = Number(env.HF_HUB_DOWNLOAD_TIMEOUT);
  return {
    ...(env.HF_ENDPOINT ? { endpoint: env.HF_ENDPOINT } : {}),
    token,
    cache: path(env.HF_HUB_CACHE) ?? path(env.HUGGINGFACE_HUB_CACHE) ?? join(home, 'hub'),
    offline: offline || isTrue(env.HF_HUB_OFFLINE || env.TRANSFORMERS_OFFLINE),
    ...(timeout > 0 ? { timeout } : {}),
  };
}

/** How this user reaches endpoints: any variable may hold a key, and proxies are named as everywhere (upper case, or lower). */
export function remoteAccess(env: NodeJS.ProcessEnv): RemoteAccess {
  const proxy = (name: string): string | undefined => env[name.toLowerCase()] || env[name];
  const proxies = { http: proxy('HTTP_PROXY'), https: proxy('HTTPS_PROXY'), none: proxy('NO_PROXY') };
  return { variables: (name) => env[name], proxies };
}

const isTrue = (value: string | undefined): boolean => /^(1|on|yes|true)$/i.test(value ?? '');

const path = (value: string | undefined): string | undefined => value?.replace(/^~(?=[\\/]|$)/, homedir()) || undefined;

function tokenOf(env: NodeJS.ProcessEnv, home: string): string | undefined {
  const token = env.HF_TOKEN || env.HUGGING_FACE_HUB_TOKEN || stored(path(env.HF_TOKEN_PATH) ?? join(home, 'token'));
  return token?.trim() || undefined;
}

function stored(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Progress of a download: `onnx/model.onnx  45/268 MB, 12.3 MB/s, 0:18 left`. */
export function downloadWork({ file, done, total, resumed, seconds }: Download): WorkProgress {
  const mega = (bytes: number): string => (bytes / 1e6).toFixed(total < 1e7 ? 1 : 0);
  const rate = seconds > 0 ? (done - resumed) / seconds : 0;
  const speed = rate > 0 ? [`${(rate / 1e6).toFixed(1)} MB/s`, `${clock((total - done) / rate)} left`] : [];
  const words = [`${mega(done)}/${mega(total)} MB`, ...speed].join(', ');
  return { title: visible(file), words, done, total, seconds };
}
