// Prints what a release needs as outputs of a step: whether changes are pending, and whether this version is to be published.
// With --lock writes the version of package.json into the lock file, of which npm would drop other platforms' parts.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const pending = readdirSync('.changeset').some((file) => file.endsWith('.md') && file !== 'README.md');

/** Whether the registry has this version: an error of the network is an error, and no reason to publish. */
function published() {
  try {
    return (
      execFileSync('npm', ['view', `${name}@${version}`, 'version', '--json'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim() !== ''
    );
  } catch (error) {
    const answer = `${error.stdout}${error.stderr}`;
    if (answer.includes('E404')) return false;
    throw error;
  }
}

if (process.argv.includes('--lock')) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  lock.version = lock.packages[''].version = version;
  writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
} else {
  console.log(`pending=${pending}\npublish=${!pending && !published()}\nversion=${version}`);
}
