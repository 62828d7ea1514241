/**
 * @file A Hub of our own on this machine: the HTTP API of https://huggingface.co as its clients see it. Files in LFS are
 * redirected to a second server, as to the Hub's content delivery network. No request leaves the machine.
 * Data sets are called `datasets/org/name`; a branch with files of its own `datasets/org/name@branch`, with a commit of its own.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Repository {
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  /** Which are kept in LFS. @default *.onnx and *.onnx_data */
  readonly lfs?: (name: string) => boolean;
  /** @default forty times "a" */
  readonly commit?: string;
  /** Branches and tags besides main. */
  readonly refs?: readonly string[];
  /** The token that may read it. */
  readonly token?: string;
  readonly gated?: boolean;
  /** It is called otherwise now. */
  readonly movedTo?: string;
  /** Fields of the listing's files that a mirror leaves out. */
  readonly bare?: boolean;
}

/** The fault of one request; bytes are counted in the body. */
interface Fault {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The connection breaks after this number of bytes. */
  readonly drop?: number;
  /** Nothing more comes after this number of bytes. */
  readonly stall?: number;
  /** This byte is another one. */
  readonly flip?: number;
  readonly ignoreRange?: boolean;
}

interface Seen {
  readonly method: string;
  /** Without the address of the server. */
  readonly path: string;
  readonly server: 'hub' | 'cdn';
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

export interface FakeHub {
  readonly url: string;
  readonly seen: Seen[];
  /** The next `times` requests whose "server path" matches go wrong. */
  fail(path: RegExp, fault: Fault, times?: number): void;
  close(): Promise<void>;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Git's hash of a file's contents. */
export const gitHash = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

export const COMMIT = 'a'.repeat(40);

export async function fakeHub(repositories: Readonly<Record<string, Repository>>): Promise<FakeHub> {
  const seen: Seen[] = [];
  const faults: { path: RegExp; fault: Fault; times: number }[] = [];
  // Two names of this machine, as the Hub and its delivery network are two hosts.
  const address = (server: Server): string =>
    `http://${server === hub ? '127.0.0.1' : 'localhost'}:${(server.address() as AddressInfo).port}`;
  const all = Object.entries(repositories).flatMap(([id, { files }]) =>
    Object.entries(files).map(([name, content]) => {
      const bytes = Buffer.from(content);
      return [`${id}::${name}`, { bytes, git: gitHash(bytes), sha256: sha256(bytes) }] as const;
    }),
  );
  const held = new Map(all);
  const contents = (id: string, name: string) =>
    held.get(`${id}::${name}`) ?? { bytes: Buffer.of(), git: '', sha256: '' };
  const inLfs = (id: string, name: string): boolean => repositories[id]?.lfs?.(name) ?? /\.onnx(_data)?$/.test(name);

  const note = (server: 'hub' | 'cdn', request: IncomingMessage): Fault | undefined => {
    const { method = '', url: path = '', headers } = request;
    seen.push({ server, method, path, range: headers.range, authorization: headers.authorization });
    const found = faults.find((each) => each.times > 0 && each.path.test(`${server} ${path}`));
    if (found !== undefined) found.times--;
    return found?.fault;
  };

  const cdn = createServer((request, response) => {
    const fault = note('cdn', request);
    const [, id = '', name = ''] = /^\/lfs\/(.*?)::(.*?)\?signature=/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    if (refused(response, fault)) return;
    // The store's own tag says nothing of the contents.
    send(request, response, contents(id, name).bytes, { etag: '"the-store-s-own"' }, fault);
  });

  const hub = createServer((request, response) => {
    const fault = note('hub', request);
    if (refused(response, fault)) return;
    const path = decodeURIComponent(request.url ?? '');
    const api = /^\/api\/(?:models\/)?(.+?)\/revision\/(.+?)\?blobs=true$/.exec(path);
    const file = /^\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(path);
    const [, called = '', revision = '', name = ''] = api ?? file ?? [];
    const ofBranch = ([key, { commit }]: [string, Repository]) =>
      key === `${called}@${revision}` || (key.startsWith(`${called}@`) && commit === revision);
    const id = Object.entries(repositories).find(ofBranch)?.[0] ?? called;
    const repository = repositories[id];
    const authorization = request.headers.authorization;
    const refuse = (status: number, error: string) => refused(response, { status, headers: { 'x-error-code': error } });
    if (repository === undefined) return refuse(authorization === undefined ? 401 : 404, 'RepoNotFound');
    if (repository.movedTo !== undefined) {
      return refused(response, { status: 307, headers: { location: path.replace(id, repository.movedTo) } });
    }
    if (repository.token !== undefined && authorization !== `Bearer ${repository.token}`) {
      if (repository.gated) return refuse(authorization === undefined ? 401 : 403, 'GatedRepo');
      return authorization === undefined ? refuse(401, 'RepoNotFound') : refused(response, { status: 401 });
    }
    const { commit = COMMIT, refs = [] } = repository;
    if (![commit, id.split('@')[1] ?? 'main', ...refs].includes(revision)) return refuse(404, 'RevisionNotFound');
    if (api) {
      const siblings = Object.keys(repository.files).map((rfilename) => {
        if (repository.bare) return { rfilename };
        const { bytes, git, sha256 } = contents(id, rfilename);
        const size = bytes.length;
        if (!inLfs(id, rfilename)) return { rfilename, size, blobId: git };
        return { rfilename, size, blobId: 'b'.repeat(40), lfs: { sha256, size, pointerSize: 134 } };
      });
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ id, sha: commit, siblings }));
    }
    if (repository.files[name] === undefined) return refuse(404, 'EntryNotFound');
    const { bytes, git, sha256 } = contents(id, name);
    if (!inLfs(id, name)) {
      return send(request, response, bytes, { etag: `"${git}"`, 'x-repo-commit': commit }, fault);
    }
    response.writeHead(302, {
      location: `${address(cdn)}/lfs/${encodeURIComponent(`${id}::${name}`)}?signature=secret`,
      'x-linked-etag': `"${sha256}"`,
      'x-linked-size': String(bytes.length),
      'x-repo-commit': commit,
    });
    response.end();
  });

  const servers = [hub, cdn];
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))));
  return {
    url: address(hub),
    seen,
    fail: (path, fault, times = 1) => faults.push({ path, fault, times }),
    close: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

/** Answers with the fault's status if it has one. */
function refused(response: ServerResponse, fault: Fault | undefined): boolean {
  if (fault?.status === undefined) return false;
  response.writeHead(fault.status, fault.headers);
  response.end(fault.body);
  return true;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  whole: Buffer,
  headers: Record<string, string>,
  fault: Fault | undefined,
): void {
  const asked = fault?.ignoreRange ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = Number(asked?.[1] ?? 0);
  const end = asked?.[2] ? Number(asked[2]) + 1 : whole.length;
  let bytes = whole.subarray(start, end);
  response.writeHead(asked === null ? 200 : 206, {
    ...headers,
    ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${whole.length}` }),
    'content-length': bytes.length,
  });
  if (request.method === 'HEAD') return void response.end();
  if (fault?.flip !== undefined) {
    bytes = Buffer.from(bytes);
    bytes[fault.flip] = (bytes[fault.flip] ?? 0) ^ 1;
  }
  const part = fault?.drop ?? fault?.stall;
  if (part === undefined) return void response.end(bytes);
  // The connection breaks once the part has been handed over: what was sent is what arrives.
  response.write(bytes.subarray(0, part), () => {
    if (fault?.drop !== undefined) setTimeout(() => response.socket?.destroy(), 20);
  });
}
