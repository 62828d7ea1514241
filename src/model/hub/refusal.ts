/** @file Interprets refusals by a Hub. Its X-Error-Code is more precise than the status, but mirrors may lack it. */
import { ModelError } from '../../core/errors.js';
import type { HttpAnswer } from '../../http/client.js';
import { TransientError } from './retry.js';
import { type HubSpec, nounOf } from './spec.js';

/** Worth asking again: timeouts, too many requests, and faults of the server. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** The error for a refusal. `token`: whether one was sent. */
export function refusal(answer: HttpAnswer, spec: HubSpec, endpoint: string, token: boolean): Error {
  const { id, revision, kind } = spec;
  const { status } = answer;
  const { origin, host, pathname } = new URL(answer.url);
  // Where the Hub redirects to, links are good for a while only, and the next one may be.
  if (PASSING.includes(status) || origin !== new URL(endpoint).origin) {
    return new TransientError(`${host} answers with status ${status}`, {
      wait: Number(answer.header('retry-after')) || 0,
    });
  }
  const page = `${endpoint}/${kind === 'datasets' ? 'datasets/' : ''}${id}`;
  const error = answer.header('x-error-code');
  if (error === 'GatedRepo') {
    return new ModelError(`${id} is gated: ${endpoint} gives it only to those whom its owner has let in`, {
      code: 'ACCESS_DENIED',
      hint: token
        ? `Ask for access on ${page} as the user whose token this is (HF_TOKEN).`
        : `Ask for access on ${page}, then set HF_TOKEN to a token of yours (${endpoint}/settings/tokens).`,
    });
  }
  if (error === 'RevisionNotFound') {
    return new ModelError(`${id} has no revision "${revision}"`, {
      code: 'HUB_NOT_FOUND',
      hint: `After the @ goes a branch, a tag, or a commit by its 40 digits; see ${page}/commits/main.`,
    });
  }
  if (error === 'EntryNotFound') {
    return new ModelError(`${id} lists a file that ${endpoint} does not have: ${pathname}`, {
      code: 'HUB_NOT_FOUND',
      hint: 'The repository may have been changed a moment ago: run again.',
    });
  }
  if (status === 404 || (status === 401 && !token)) {
    // Without a token, repositories that do not exist also give 401.
    const secret = token ? '' : ', and none that may be seen without a token';
    return new ModelError(`${endpoint} has no ${nounOf(spec)} "${id}"${secret}`, {
      code: 'HUB_NOT_FOUND',
      hint: `Check the name at ${page}.${token ? '' : ' If it is private or gated, set HF_TOKEN.'}`,
    });
  }
  if (status === 401 || status === 403) {
    return new ModelError(`${endpoint} does not let this token read ${id} (status ${status})`, {
      code: 'ACCESS_DENIED',
      hint: `Set HF_TOKEN to a token that may read it (${endpoint}/settings/tokens).`,
    });
  }
  return notAHub(answer.url, `status ${status}`);
}

/** A response that no Hub would give. The query of an address may contain a signature, so the message omits it. */
export function notAHub(url: string, got: string, cause?: unknown): ModelError {
  const { origin, pathname } = new URL(url);
  return new ModelError(`expected a Hugging Face Hub to answer at ${origin}${pathname}, got ${got}`, {
    code: 'HUB_DAMAGED',
    hint: 'HF_ENDPOINT must be the address of the Hub or of a mirror of it, as https://huggingface.co is.',
    cause,
  });
}
