/** @file The files of a model's folder: sizes, links, and what else lies there. */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { type ModelCheck, type ModelFinding, modelCheck } from '../results/backdoor/model-scan.js';

export interface ListedFile {
  /** Path in the folder, `/` between its parts. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

export interface ListedFiles {
  readonly files: readonly ListedFile[];
  readonly check: ModelCheck;
}

/** More files, or deeper folders, are not examined. */
const [MAX_FILES, MAX_DEPTH] = [20_000, 12];
/** Suffixes under which operating systems hide programs: `model.bin.exe`. */
const PROGRAM = /\.(exe|dll|so|dylib|bat|cmd|com|scr|ps1|sh|bash|jar|msi|apk|app|vbs|lnk|desktop)$/i;

const isWithin = (home: string, path: string): boolean => {
  const way = relative(home, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/**
 * Lists a folder without following links out of it. `homes`: folders that links may point to, because the Hub's cache links every file into
 * its folder of blobs. `left`: files that were not fetched, and why.
 */
export function listFiles(folder: string, homes: readonly string[] = [], left: readonly string[] = []): ListedFiles {
  const found = new FolderWalk([folder, ...homes].map((home) => realpathSync(home)));
  found.walk(folder, '', 0);
  const { files, findings, notExamined, links } = found;
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  const examined = `${files.length} files, ${bytes} bytes, ${links} links`;
  return { files, check: modelCheck('files', examined, findings, [...notExamined, ...left]) };
}

class FolderWalk {
  readonly files: ListedFile[] = [];
  readonly findings: ModelFinding[] = [];
  readonly notExamined: string[] = [];
  links = 0;

  constructor(readonly homes: readonly string[]) {}

  walk(folder: string, prefix: string, depth: number): void {
    if (depth > MAX_DEPTH) {
      this.notExamined.push(`${prefix}: folders deeper than ${MAX_DEPTH}`);
      return;
    }
    for (const entry of readdirSync(folder).sort()) {
      if (entry === '.git') continue;
      if (this.files.length >= MAX_FILES) {
        this.notExamined.push(`${prefix}${entry}: more than ${MAX_FILES} files`);
        return;
      }
      this.#add(join(folder, entry), prefix + entry, depth);
    }
  }

  #add(path: string, name: string, depth: number): void {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink() && !this.#follows(path, name)) return;
    const target = stats.isSymbolicLink() ? statSync(path) : stats;
    if (target.isDirectory()) {
      // A link to a folder could lead in a circle.
      if (stats.isSymbolicLink()) this.notExamined.push(`${name}: a link to a folder is not followed`);
      else this.walk(path, `${name}/`, depth + 1);
    } else if (!target.isFile()) {
      this.#find('danger', name, 'a pipe or device, which may never end or act on the machine');
    } else {
      this.files.push({ name, path, bytes: target.size });
      if (PROGRAM.test(name)) this.#find('warning', name, 'a program or library of the operating system');
    }
  }

  /** Whether a link leads to a file of the model. */
  #follows(path: string, name: string): boolean {
    this.links++;
    const target = readlinkSync(path);
    try {
      if (this.homes.some((home) => isWithin(home, realpathSync(path)))) return true;
    } catch {
      this.#find('warning', name, `a link to "${target}", which does not exist`);
      return false;
    }
    const where = isAbsolute(target) ? target : join(dirname(name), target);
    this.#find('danger', name, `a link out of the folder, to "${where}": whoever reads it reads that file`);
    return false;
  }

  #find(level: ModelFinding['level'], file: string, what: string): void {
    this.findings.push({ level, file, what });
  }
}
