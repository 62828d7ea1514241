/** @file Access control: only this machine, only a browser with the token, only our pages. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from '../http/server.js';

/** Response to a rejected request. */
interface NotAdmitted {
  readonly status: 403 | 405;
  readonly reason: string;
}

export type Admission =
  | { readonly admitted: true }
  /** It came with the token: the browser keeps it from now on, and the address loses it. */
  | { readonly admitted: 'new'; readonly cookie: string; readonly location: string }
  | { readonly admitted: false; readonly refusal: NotAdmitted };

/**
 * Knows its visitors by a random token of 256 bits, from the address once and from a cookie then. Against pages of other sites: the
 * server refuses DNS rebinding by the Host header, this class requests of theirs by Origin and Sec-Fetch-Site, and they carry no cookie with
 * SameSite=Strict in the first place.
 */
export class Access {
  readonly token: string = randomBytes(32).toString('base64url');
  readonly #hash = sha256(this.token);

  /** `posts`: forms of the pages may be sent. */
  judge({ method, url, headers }: HttpRequest, port: number, posts = false): Admission {
    const refuse = (status: NotAdmitted['status'], reason: string): Admission => ({
      admitted: false,
      refusal: { status, reason },
    });
    const { host = '', origin, cookie = '' } = headers;
    if (origin !== undefined && origin !== `http://${host}`) return refuse(403, 'another site may not ask');
    const site = headers['sec-fetch-site'];
    const moving = headers['sec-fetch-mode'] === 'navigate';
    if (!moving && site !== undefined && site !== 'same-origin' && site !== 'none')
      return refuse(403, 'another site may not ask');
    if (!(posts ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']).includes(method)) return refuse(405, 'expected GET');
    // Browsers send the Origin with every POST.
    if (method === 'POST' && origin === undefined) return refuse(403, 'expected a form of this page');
    const address = addressOf(url);
    const given = address.searchParams.get('token');
    if (given !== null && this.#is(given)) {
      address.searchParams.delete('token');
      const name = nameAt(port);
      return {
        admitted: 'new',
        cookie: `${name}=${this.token}; Path=/; HttpOnly; SameSite=Strict`,
        location: address.pathname + address.search,
      };
    }
    const kept = cookie.split(/;\s*/).find((each) => each.startsWith(`${nameAt(port)}=`));
    if (kept !== undefined && this.#is(kept.slice(nameAt(port).length + 1))) return { admitted: true };
    return refuse(403, 'open the address that was printed when this began: it holds the token of this session');
  }

  #is(given: string): boolean {
    return timingSafeEqual(sha256(given), this.#hash);
  }
}

/** Path and query of a request, whatever else its first line holds. */
export const addressOf = (url: string): URL => new URL(url.replace(/^\/*/, '/'), 'http://127.0.0.1');

/** Cookies of one host are shared by its ports. */
const nameAt = (port: number): string => `robust-ui-${port}`;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
