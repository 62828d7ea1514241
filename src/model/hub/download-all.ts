/** @file Several downloads at once: a model's data often lies in parts, and one connection rarely fills the line. */
import { sideBySide } from '../../core/side-by-side.js';
import type { StoredFile } from './client.js';
import type { Download } from './options.js';

/** Connections at once: more slow each other down. */
const AT_ONCE = 4;

/** Fetches all files, each over `connections` connections. Complete files are kept even if a later one fails. Throws the first error. */
export async function downloadAll(
  files: readonly StoredFile[],
  fetchOne: (file: StoredFile, connections: number, onDownload: (now: Download) => void) => Promise<void>,
  onDownload: (now: Download) => void,
): Promise<void> {
  const listenerOf = files.length < 2 ? () => onDownload : together(files, onDownload);
  const connections = Math.max(1, Math.floor(AT_ONCE / files.length));
  await sideBySide(files, AT_ONCE, (file) => fetchOne(file, connections, listenerOf(file)));
}

/** One download made of several: their bytes together. */
function together(files: readonly StoredFile[], onDownload: (now: Download) => void) {
  const began = performance.now();
  const under = new Map<string, Download>();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const sum = (part: 'done' | 'resumed') => [...under.values()].reduce((all, now) => all + now[part], 0);
  return (file: StoredFile) => (now: Download) => {
    under.set(file.name, now);
    const seconds = (performance.now() - began) / 1000;
    onDownload({ file: `${files.length} files`, done: sum('done'), total, resumed: sum('resumed'), seconds });
  };
}
