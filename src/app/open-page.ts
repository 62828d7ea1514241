/** @file A page in the user's browser. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RobustError } from '../core/errors.js';
import type { Report } from '../results/report/report.js';
import { reportFiles, writeReport } from './runs/output-files.js';
import { RUNS } from './runs/runs.js';

/** The page among what was written, or one that is put beside the outcomes; opened. Throws RobustError, OutputError. */
export async function openReportPage(
  report: Report,
  written: readonly string[],
): Promise<{ readonly page: string; readonly opened: boolean }> {
  const folder = join(RUNS, report.run);
  const known = written.find((path) => /\.html$/i.test(path));
  if (known === undefined && !existsSync(folder))
    throw new RobustError(`--open: expected -o FILE.html, for ${report.run} is no run of this folder`, {
      code: 'FLAG_INVALID',
    });
  const page = known ?? join(folder, 'report.html');
  if (known === undefined) for (const output of await reportFiles([page])) await writeReport(output, report);
  return { page, opened: await openInBrowser(resolve(page)) };
}

const OPENERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // No shell: it would read parts of an address as commands.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address or a file; false where there is nothing to open it with. */
export function openInBrowser(target: string, command = OPENERS[process.platform] ?? ['xdg-open']): Promise<boolean> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, target], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
