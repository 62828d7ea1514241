/** @file Recognises a TF.js model in a folder or a repository, and its files. */

/** The file that makes a folder a model of TF.js. */
export const TFJS_FILE = 'model.json';

/** Weight files named by a model.json; none if it is not JSON, which its reader reports. */
export function shardNames(text: string): string[] {
  try {
    const { weightsManifest } = JSON.parse(text);
    return weightsManifest.flatMap(({ paths }: { paths: unknown[] }) =>
      paths.filter((path) => typeof path === 'string'),
    );
  } catch {
    return [];
  }
}
