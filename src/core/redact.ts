/** @file Redacts secrets in text that is shown or recorded. */

/** Headers and query parameters that contain secrets. */
export const SECRET_NAME = /auth|key|token|secret|cookie|passw|credential|signature|^sig$/i;

export const REDACTED = '***';

/** `text` with the user names, passwords and secret parameters of its addresses redacted. */
export const redactAddresses = (text: string): string =>
  text
    .replace(/(\w:\/\/)[^\s/?#]*@/g, `$1${REDACTED}@`)
    .replace(/([?&])([^\s=&]+)=([^\s&#]+)/g, (all, mark: string, name: string) =>
      SECRET_NAME.test(name) ? `${mark}${name}=${REDACTED}` : all,
    );
