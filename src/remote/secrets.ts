/** @file Secrets: named by `${NAME}` wherever an endpoint is described, sent in requests only, and redacted in answers. */
import { RobustError } from '../core/errors.js';
import { REDACTED, SECRET_NAME } from '../core/redact.js';

/** The value of a variable of the environment. */
export type Variables = (name: string) => string | undefined;

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

/** Shorter values stand everywhere in plain text: redacting them would redact the text. */
const LEAST_SECRET = 6;

/** Fills in variables, and remembers their values as secrets. */
export class Secrets {
  readonly #variables: Variables;
  readonly #values = new Set<string>();

  constructor(variables: Variables = () => undefined) {
    this.#variables = variables;
  }

  /** `written` with its variables filled in. Throws RobustError for a variable that is not set. `where`: what it was written in. */
  fillIn(written: string, where: string): string {
    return written.replace(REFERENCE, (_, name: string) => {
      const value = this.#variables(name)?.trim();
      if (value === undefined || value === '')
        throw new RobustError(`${where}: expected the environment variable ${name}, which is not set`, {
          code: 'SECRET_INVALID',
          hint: `Set it: export ${name}=...`,
        });
      // An error about a header must not contain its value.
      if (!/^[\u0020-\u007e]+$/.test(value))
        throw new RobustError(`${where}: the environment variable ${name} holds characters that no header may hold`, {
          code: 'SECRET_INVALID',
          hint: 'Set it to the key alone, as it was given to you.',
        });
      if (value.length >= LEAST_SECRET) this.#values.add(value);
      return value;
    });
  }

  /** A message of the endpoint or the system without the secrets in it. */
  redact(said: string): string {
    let text = said;
    for (const value of this.#values) {
      for (const form of new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])) {
        text = text.replaceAll(form, REDACTED);
      }
    }
    return text;
  }
}

/** The environment variables that `${NAME}` in a text refers to. */
const variablesIn = (written: string): string[] => [...written.matchAll(REFERENCE)].map(([, name = '']) => name);

/**
 * Throws RobustError where a file's address or headers refer to an environment variable that the file does not list: a file that
 * somebody else wrote must not read variables unnoticed.
 */
export function checkListed(
  { url, headers = {} }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> | undefined },
  listed: readonly string[],
  path: string,
): void {
  const places = [
    ['url', url],
    ...Object.entries(headers).map(([name, value]) => [`header "${name}"`, value]),
  ] as const;
  for (const [place, written] of places) {
    const missing = variablesIn(written).find((name) => !listed.includes(name));
    if (missing === undefined) continue;
    throw new RobustError(`${path}: ${place}: expected a variable that the file lists, got \${${missing}}`, {
      code: 'SECRET_INVALID',
      hint: `If this endpoint may have the value of ${missing}, list it in the file: variables: [${[...listed, missing].join(', ')}]`,
    });
  }
}

/** Throws RobustError where a header that holds a secret spells it out. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!SECRET_NAME.test(name) || value.search(REFERENCE) >= 0) continue;
    throw new RobustError(`header "${name}": expected a variable of the environment, got the value itself`, {
      code: 'SECRET_INVALID',
      hint: `Its value would appear in records and reports. Write its name: ${name}: Bearer \${TOKEN}`,
    });
  }
}

/** Throws RobustError where an address spells out a secret. */
export function checkAddress(url: URL): void {
  if (url.username !== '' || url.password !== '')
    throw new RobustError(`${url.host}: expected an address without a user and password in it`, {
      code: 'SECRET_INVALID',
      hint: `Give them by a header: --header 'authorization: Basic \${BASIC}'`,
    });
  for (const [name, value] of url.searchParams) {
    if (!SECRET_NAME.test(name) || /^\$\{\w+\}$/.test(value)) continue;
    throw new RobustError(
      `${url.host}: parameter "${name}": expected a variable of the environment, got the value itself`,
      { code: 'SECRET_INVALID', hint: `Write its name: ?${name}=\${TOKEN}` },
    );
  }
}
