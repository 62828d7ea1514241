/** @file What makes a folder, or a repository, a model of TF.js, and which files belong to it. */

/** The file that makes a folder a model of TF.js. */
export const TFJS_FILE = 'model.json';

/** The files of weights that a model.json names; none where it is no JSON, which who reads it says. */
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
