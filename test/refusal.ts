/** @file Refusals: tests assert the code; what a refusal says is in the snapshot of its test file, so that a rewording changes that alone. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RobustError } from '../src/core/errors.js';
import { packageRoot } from '../src/core/package-root.js';

/** The error that work ends in. Its code is as expected, if one is given, and all it says is as in the snapshot. */
export async function refusal(work: Promise<unknown> | (() => unknown), code?: string): Promise<RobustError> {
  const error = await failure(work);
  if (code !== undefined) expect(error).toMatchObject({ code });
  expect(wording(error)).toMatchSnapshot();
  return error;
}

/** The error that work ends in. */
export async function failure(work: Promise<unknown> | (() => unknown)): Promise<RobustError> {
  const error = await endOf(work);
  // Not by its class: the compiled library has its own.
  expect(error).toMatchObject({ code: expect.any(String), exit: expect.any(Number) });
  return error as RobustError;
}

const endOf = (work: Promise<unknown> | (() => unknown)): Promise<unknown> =>
  (typeof work === 'function' ? new Promise((resolve) => resolve(work())) : work).then(
    () => ({ message: 'nothing failed' }),
    (cause: unknown) => cause,
  );

/** The error that work for programmers ends in, which has no code: its kind, and what it says, are as in the snapshot. */
export async function thrown(work: Promise<unknown> | (() => unknown)): Promise<void> {
  const error: unknown = await endOf(work);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toHaveProperty('code');
  expect(steady(String(error))).toMatchSnapshot();
}

/** What a person reads. */
export const wording = ({ code, message, hint }: RobustError): string =>
  steady([`${code}: ${message}`, hint].filter((line) => line !== undefined).join('\n'));

/** A text without what differs from run to run, or from one version of Node to the next. */
export const steady = (text: string): string =>
  text
    .replaceAll(/\.robust-[0-9a-f]+-\d+-[0-9a-f]+\.part/g, '<part>')
    .replaceAll(new RegExp(`${tmpdir()}(?:/[^\\s/"]*-\\w{6})+`, 'g'), '<folder>')
    .replaceAll(/\bm-\w{6}\b/g, '<folder>')
    .replaceAll(join(packageRoot, '..', 'shared'), '<shared>')
    .replaceAll(packageRoot, '<package>')
    .replaceAll(/\d{8}T\d{6}Z-[0-9a-f]{6}/g, '<run>')
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>')
    .replaceAll(/(\.[cm]?[jt]s):\d+:\d+/g, '$1:<line>')
    .replaceAll(/(\d\.\d{4})\d+/g, '$1')
    .replaceAll(/(?:Unexpected|Unterminated|Expected property|Invalid regular expression)[^\n]*/g, '<the engine>');
