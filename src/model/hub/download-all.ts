/** @file Several files of one commit at once: a model's data often lies in parts, and one connection rarely fills the line. */
import type { StoredFile } from './client.js';
import type { Download } from './options.js';

/** Connections at once: more slow each other down. */
const AT_ONCE = 4;

/** Fetches all of them. The first error is thrown once none is under way any more; what is whole by then is kept. */
export async function downloadAll(
  files: readonly StoredFile[],
  fetchOne: (file: StoredFile, onDownload: (now: Download) => void) => Promise<void>,
  onDownload: (now: Download) => void,
): Promise<void> {
  const tell = files.length < 2 ? () => onDownload : together(files, onDownload);
  const waiting = [...files];
  const errors: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined && errors.length === 0; file = waiting.shift()) {
      await fetchOne(file, tell(file)).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, files.length) }, work));
  if (errors.length > 0) throw errors[0];
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
