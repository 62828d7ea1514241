/** @file How this user reaches a store of objects: by the environment variables that Amazon's own tools read. */
import type { StoreAccess } from '../../fleet/buckets.js';

/**
 * Undefined without a key. An empty variable counts as unset. (AWS SDKs and Tools Reference Guide, environment variables: the endpoint of the service goes
 * before that of all.)
 */
export function storeAccess(variable: (name: string) => string | undefined = () => undefined): StoreAccess | undefined {
  const first = (...names: readonly string[]): string | undefined =>
    names.map((name) => variable(name)?.trim()).find(Boolean);
  const [accessKeyId, secretAccessKey] = [first('AWS_ACCESS_KEY_ID'), first('AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: first('AWS_SESSION_TOKEN'),
    region: first('AWS_REGION', 'AWS_DEFAULT_REGION'),
    endpoint: first('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'),
  };
}
