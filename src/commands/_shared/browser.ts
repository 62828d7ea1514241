/** @file The user's browser. */
import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // No shell: it would read what stands in an address as commands.
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
