// npm run rehearse [-- --packed FOLDER] [--only PATTERN] [--json FILE]: packs a release unless release/pack.js did, publishes it to a registry on loopback, installs it by
// name as users do, runs it, and prints a table. Needs npm's registry for the packages of others; what it fetched is kept in .rehearsal/.
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
import { packAll } from '../pack.js';
import { cases } from './cases.js';
import { startRefusal, startRegistry } from './registry.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    packed: { type: 'string' },
    json: { type: 'string' },
  },
});
const kept = join(root, '.rehearsal');
const work = mkdtempSync(join(tmpdir(), 'robust-rehearsal-'));

/** Runs a command; what it printed, its exit code, and the seconds that it and its children computed. */
async function call(command, args, { cwd, env }) {
  const words = [command, ...args];
  const child = spawn('bash', ['-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', 'bash', ...words], { cwd, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const begun = performance.now();
  const code = await new Promise((resolve) => child.on('close', resolve));
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? [];
  return {
    code,
    stdout,
    stderr: stderr.replace(/cpu [\d.]+ [\d.]+\s*$/, ''),
    cpu: Number(user) + Number(system),
    wall: (performance.now() - begun) / 1000,
  };
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

/** Installed packages whose package.json names a script that a manager runs at installation. */
const withScripts = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(`/node_modules/${file}`))
    .filter((file) => {
      const { scripts = {}, gypfile } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return gypfile || ['preinstall', 'install', 'postinstall'].some((name) => scripts[name]);
    });

/** The figures of a result that no clock decides. */
const figuresOf = (stdout) => {
  const { result } = JSON.parse(stdout);
  const attacks = result.attacks.map(({ seconds, ...each }) => each);
  return JSON.stringify({ clean: result.clean, attacks, overall: result.overall, examples: result.examples });
};

const ATTACK = ['attack', '--model', 'distilbert', '--suite', 'typos', '-n', '5', '--json', '-q'];

const registry = await startRegistry(kept);
const refusal = await startRefusal();
try {
  const tools = join(kept, 'tools');
  const plain = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_|ROBUST_|GITHUB_)/i.test(name)),
  );
  // A home, a cache and a registry of its own for each case, and no way to any other host.
  const envOf = (home) => {
    mkdirSync(home, { recursive: true });
    const address = registry.address;
    writeFileSync(
      join(home, '.npmrc'),
      `registry=${address}/\n//${address.slice('http://'.length)}/:_authToken=rehearsal\nscript-shell=${join(work, 'script-shell')}\nupdate-notifier=false\nfund=false\naudit=false\n`,
    );
    writeFileSync(join(home, '.yarnrc'), `registry "${address}/"\n`);
    const proxies = Object.fromEntries(
      ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, refusal.address]),
    );
    const names = {
      npm_config_registry: `${address}/`,
      YARN_NPM_REGISTRY_SERVER: address,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_NODE_LINKER: 'node-modules',
      YARN_ENABLE_TELEMETRY: '0',
      // yarn 4 leaves a version alone for some days after its publication.
      YARN_NPM_MINIMAL_AGE_GATE: '0',
      BUN_CONFIG_REGISTRY: `${address}/`,
    };
    return {
      ...plain,
      ...proxies,
      ...names,
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
      HOME: home,
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_DATA_HOME: join(home, 'data'),
    };
  };
  // Notes each script that a manager runs.
  writeFileSync(join(work, 'script-shell'), `#!/bin/sh\necho "$*" >> ${join(work, 'scripts')}\nexec sh "$@"\n`);
  chmodSync(join(work, 'script-shell'), 0o755);
  const scriptsRun = () =>
    existsSync(join(work, 'scripts')) ? readFileSync(join(work, 'scripts'), 'utf8').trim().split('\n').length : 0;

  const tarballs = values.packed === undefined ? join(work, 'packed') : resolve(values.packed);
  const packed =
    values.packed === undefined ? packAll(tarballs) : JSON.parse(readFileSync(join(tarballs, 'packages.json'), 'utf8'));
  const publisher = envOf(join(work, 'publisher'));
  console.log(`packed ${packed.map(({ name }) => name).join(', ')}`);
  // Not waiting for it: the registry is this process.
  const publishing = await call(process.execPath, [join(root, 'release', 'publish.js'), tarballs], {
    cwd: work,
    env: publisher,
  });
  if (publishing.code !== 0) throw new Error(`publishing failed: ${publishing.stderr}`);
  const expected = figuresOf(
    (await call(process.execPath, [join(root, 'bin', 'run.js'), ...ATTACK], { cwd: work, env: plain })).stdout,
  );
  const version = packed.at(-1).version;

  /** A tool from npm, fetched once. @returns {string | undefined} its folder */
  const tool = (name, spec) => {
    const to = join(tools, `${name}-${spec}`.replaceAll(/[^\w.-]/g, '_'));
    if (!existsSync(join(to, 'node_modules', name))) {
      mkdirSync(to, { recursive: true });
      try {
        execFileSync(
          'npm',
          [
            'install',
            '--prefix',
            to,
            '--ignore-scripts',
            '--no-audit',
            '--no-fund',
            '--omit=optional',
            `${name}@${spec}`,
          ],
          { stdio: 'pipe', cwd: to },
        );
      } catch {
        return undefined;
      }
    }
    return join(to, 'node_modules', name);
  };

  const rows = [];
  for (const each of cases({ root, work, version, tool, packed: tarballs })) {
    if (values.only && !new RegExp(values.only).test(each.name)) continue;
    if (each.missing) {
      rows.push({ name: each.name, note: `skipped: ${each.missing} cannot be had here` });
      console.log(`${each.name}: ${rows.at(-1).note}`);
      continue;
    }
    const cwd = join(work, each.name.replaceAll(/\W+/g, '-'));
    mkdirSync(cwd, { recursive: true });
    writeFileSync(
      join(cwd, 'package.json'),
      JSON.stringify({ name: 'stranger', private: true, type: 'module', ...each.manifest }),
    );
    for (const [file, content] of Object.entries(each.files ?? {})) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), content);
    }
    const env = { ...envOf(each.home ?? `${cwd}.home`) };
    if (each.path)
      /** @type {NodeJS.ProcessEnv} */ (env).PATH = `${each.path}:${dirname(process.execPath)}:${plain.PATH}`;
    const [asked, refused, scripts] = [registry.requests.length, refusal.hosts.length, scriptsRun()];
    const row = { name: each.name };
    for (const [command, ...args] of each.install?.(cwd) ?? []) {
      const { code, stderr, stdout, cpu, wall } = await call(command, args, { cwd, env });
      if (code !== 0)
        row.note = `installation failed (${code}): ${(stderr || stdout).trim().split('\n').slice(-4).join(' / ')}`;
      row.seconds = Math.round(((row.seconds ?? 0) + wall) * 10) / 10;
      row.cpu = Math.round(((row.cpu ?? 0) + cpu) * 10) / 10;
    }
    const modules = each.modules?.(cwd);
    if (modules && existsSync(modules)) {
      const { bytes, files } = sizeOf(modules);
      Object.assign(row, { megabytes: Math.round(bytes / 1e5) / 10, files, withScripts: withScripts(modules).length });
    }
    row.requests = registry.requests.length - asked;
    row.refused = refusal.hosts.length - refused;
    row.scripts = scriptsRun() - scripts;
    if (each.robust && !row.note) {
      const { code, stdout, stderr, cpu } = await call(each.robust(cwd)[0], [...each.robust(cwd).slice(1), ...ATTACK], {
        cwd,
        env,
      });
      row.table = code === 0 && figuresOf(stdout) === expected ? 'equal' : `differs (${code}): ${stderr.slice(0, 300)}`;
      row.tableCpu = Math.round(cpu * 10) / 10;
    }
    for (const { name, run, check } of each.checks?.(cwd) ?? []) {
      const [command, ...args] = run;
      const result = await call(command, args, { cwd, env });
      const fault = check(result);
      row.checks = {
        ...row.checks,
        [name]: fault === undefined ? 'passed' : `FAILED: ${fault}: ${(result.stderr || result.stdout).slice(-400)}`,
      };
    }
    rows.push(row);
    console.log(JSON.stringify(row));
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ version, node: process.version, rows }, null, 1)}\n`);
  const show = (value) => (value === undefined ? '' : String(value));
  console.log(
    '| case | MB | files | wall s | CPU s | scripts | requests | other hosts | first table | CPU s |\n|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const row of rows)
    console.log(
      `| ${[row.name, ...['megabytes', 'files', 'seconds', 'cpu', 'scripts', 'requests', 'refused'].map((key) => show(row[key])), row.note ?? show(row.table), show(row.tableCpu)].join(' | ')} |`,
    );
  for (const row of rows)
    for (const [name, state] of Object.entries(row.checks ?? {})) console.log(`- ${row.name}: ${name}: ${state}`);
  const wrong = rows.filter(
    ({ note = '', table = 'equal', scripts = 0, refused = 0, withScripts = 0, checks = {} }) =>
      (note !== '' && !note.startsWith('skipped')) ||
      table !== 'equal' ||
      scripts + refused + withScripts > 0 ||
      Object.values(checks).some((state) => state !== 'passed'),
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  registry.close();
  refusal.close();
  rmSync(work, { recursive: true, force: true });
}
