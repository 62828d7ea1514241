/** @file Removes secrets from text that is shown or recorded. */

/** Headers, and parameters of an address, that hold secrets. */
export const SECRET_NAME = /auth|key|token|secret|cookie|passw|credential|signature|^sig$/i;

export const REDACTED = '***';

/** `text` without the user names, passwords and secret parameters of the addresses in it. */
export const redactAddresses = (text: string): string =>
  text
    .replace(/(\w:\/\/)[^\s/?#]*@/g, `$1${REDACTED}@`)
    .replace(/([?&])([^\s=&]+)=([^\s&#]+)/g, (all, mark: string, name: string) =>
      SECRET_NAME.test(name) ? `${mark}${name}=${REDACTED}` : all,
    );
