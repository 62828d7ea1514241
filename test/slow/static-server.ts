/** @file Files of a folder over HTTP, as a host of static pages serves them: `/name` is `name.html`, `/` is `index.html`. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

export const serveFolder =
  (root: string): RequestListener =>
  ({ url = '/' }, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname)));
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (each) => existsSync(each) && statSync(each).isFile(),
    );
    if (file === undefined) return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  };
