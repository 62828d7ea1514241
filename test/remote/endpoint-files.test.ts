/** Only the user may name an endpoint, and it may read only the environment variables that the file lists. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadModel } from '../../src/model/load.js';
import { folder, robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { scoreOf, serving, stopServing } from './server.js';

afterAll(stopServing);

const SECRET = 'canary-4f1c8a';
const variables = (name: string): string | undefined => (name === 'CANARY' ? SECRET : undefined);
const REFERENCE = `\${CANARY}`;

/** A server and all that it was sent. */
async function listening(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const url = await serving((body, { url, headers }) => {
    seen.push(`${url} ${JSON.stringify(headers)} ${body}`);
    return { answers: ((JSON.parse(body) as { texts?: string[] }).texts ?? []).map(scoreOf) };
  });
  return { url, seen };
}

const remoteAt = (url: string, more: object = {}) => ({
  protocol: 'http',
  url: `${url}/?key=${REFERENCE}`,
  headers: { authorization: `Bearer ${REFERENCE}` },
  body: { texts: '{{texts}}' },
  answer: { rows: '/answers' },
  ...more,
});

const asked = async (spec: string): Promise<void> => {
  const model = await loadModel(spec, { remote: { variables, pause: 1 } });
  await model.classify(['a text']).finally(() => model.close());
};

test.each([
  'a folder',
  'a folder with a link to the file',
  'the onnx folder of a model',
  'its parent, as the Hub lays it out',
])('an endpoint is never taken from %s', async (kind) => {
  const { url, seen } = await listening();
  const manifest = JSON.stringify({ variables: ['CANARY'], remote: remoteAt(url) });
  const path = folder({ 'config.json': '{}' });
  if (kind.includes('link')) symlinkSync(join(folder({ r: manifest }), 'r'), join(path, 'robust.json'));
  else if (kind.includes('onnx')) {
    mkdirSync(join(path, 'onnx'));
    writeFileSync(join(path, 'onnx', 'model.onnx'), '');
    writeFileSync(join(path, 'onnx', 'robust.json'), manifest);
  } else writeFileSync(join(path, 'robust.json'), manifest);
  const spec = kind.includes('onnx') ? join(path, 'onnx') : path;
  await refusal(asked(spec), 'MANIFEST_INVALID');
  const { code, stderr } = await robust(['evaluate', '-m', spec, '-n', '2'], { cwd: path, env: { CANARY: SECRET } });
  expect(code).toBe(2);
  expect(stderr).toContain('a model folder cannot be an endpoint');
  expect(seen).toEqual([]);
});

test('the file itself is not a model either, and the error says how to name it', async () => {
  const { url, seen } = await listening();
  const path = join(folder({ 'robust.json': JSON.stringify({ remote: remoteAt(url) }) }), 'robust.json');
  await refusal(asked(path));
  expect(seen).toEqual([]);
});

const file = (content: object): string =>
  `http:${join(folder({ 'endpoint.json': JSON.stringify(content) }), 'endpoint.json')}`;

test.each([
  ['at the top', (url: string, listed: object) => ({ ...remoteAt(url), ...listed })],
  ['under remote, as in a robust.json', (url: string, listed: object) => ({ remote: remoteAt(url), ...listed })],
])('a file that the user names fills in the variables that it lists: %s', async (_, content) => {
  const { url, seen } = await listening();
  await refusal(asked(file(content(url, {}))), 'SECRET_INVALID');
  await refusal(asked(file(content(url, { variables: ['OTHER'] }))), 'SECRET_INVALID');
  expect(seen).toEqual([]);
  await asked(file(content(url, { variables: ['CANARY'] })));
  expect(seen[0]).toContain(`Bearer ${SECRET}`);
  expect(seen[0]).toContain(`/?key=${SECRET}`);
});

test('a header alone is compared with the list too', async () => {
  const { url } = await listening();
  await refusal(asked(file(remoteAt(url, { url }))), 'SECRET_INVALID');
});

test('a prompt is read from beside the file or below it, and from nowhere else', async () => {
  const { url, seen } = await listening();
  const secret = join(folder({ id_rsa: SECRET }), 'id_rsa');
  const chat = (prompt: string, files: Record<string, string> = {}): string => {
    const content = { protocol: 'openai-chat', url, model: 'm', prompt, labels: ['a', 'b'] };
    const path = folder({ 'endpoint.json': JSON.stringify(content), ...files });
    symlinkSync(secret, join(path, 'link.txt'));
    return `http:${join(path, 'endpoint.json')}`;
  };
  for (const prompt of [secret, `../../../../../../../../${secret}`, './link.txt']) {
    await expect(asked(chat(prompt))).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
  }
  expect(seen).toEqual([]);
  await asked(chat('prompt.txt', { 'prompt.txt': 'Is it spam? {{labels}}' })).catch(() => {});
  expect(seen.join()).toContain('Is it spam?');
});
