/** `robust new`: what it writes is a plugin, loads, and keeps the promises of its kind; each kind is used by a command. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadAnyPlugin } from '../../src/app/plugins/load-plugin.js';
import { packageFiles, pluginCode, type TemplateKind, templateKinds } from '../../src/app/plugins/new-plugin.js';
import { packageRoot } from '../../src/core/package-root.js';
import { covered } from '../cover.js';
import { refusal } from '../refusal.js';
import { folder, robust } from './cli.js';

/** A folder in which the packages of all kinds are installed, and robust-text. */
function installed(): string {
  const cwd = folder({});
  for (const kind of templateKinds) {
    const home = join(cwd, 'node_modules', `robust-${kind}-mine`);
    mkdirSync(home, { recursive: true });
    for (const [file, content] of Object.entries(packageFiles(kind, 'mine', '0.1.0'))) {
      writeFileSync(join(home, file), content);
    }
  }
  symlinkSync(packageRoot, join(cwd, 'node_modules', 'robust-text'));
  return cwd;
}

const home = installed();

test.each(templateKinds)('%s: the file is a plugin of its kind, under its own name', async (kind) => {
  const cwd = folder({ 'mine.mjs': pluginCode(kind, 'mine') });
  const found = await loadAnyPlugin(join(cwd, 'mine.mjs'));
  expect(found.kind).toBe(kind);
  if (kind !== 'language') expect(found.plugin).toMatchObject({ name: 'mine' });
});

test('the tests of all packages are green, as their npm test runs them', () => {
  // One process for all: each would load the kit again.
  const files = templateKinds.map((kind) => join(home, 'node_modules', `robust-${kind}-mine`, 'index.test.js'));
  const all = files.map((file) => `await import(${JSON.stringify(file)});`).join('\n');
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', all], {
    encoding: 'utf8',
    cwd: home,
  });
  expect({ status, failed: /^not ok .*$/m.exec(stdout)?.[0], out: status === 0 ? '' : stdout.slice(0, 3000) }).toEqual({
    status: 0,
    failed: undefined,
    out: '',
  });
  expect(stdout).toMatch(new RegExp(`^# pass ${files.length}$`, 'm'));
});

test('a package says what it needs, and has no blank left', () => {
  for (const kind of templateKinds) {
    const files = packageFiles(kind, 'mine', '0.1.0');
    const facts = { name: `robust-${kind}-mine`, type: 'module' };
    expect(JSON.parse(files['package.json'] as string)).toMatchObject(facts);
    for (const content of Object.values(files))
      expect(content).not.toMatch(/\{(?:package|check|use|kind|range|summary|What)\}/);
  }
});

test('robust new writes a file or a package, never over another', async () => {
  const cwd = folder({});
  const written = await robust(['new', 'attack', 'vowels'], { cwd });
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('robust attack -a ./vowels.mjs') });
  expect(readFileSync(join(cwd, 'vowels.mjs'), 'utf8')).toBe(pluginCode('attack', 'vowels'));
  expect((await robust(['new', 'attack', 'vowels', '--json'], { cwd })).stdout).toContain('OUTPUT_TAKEN');
  expect((await robust(['new', 'attack', 'My_Attack', '--json'], { cwd })).stdout).toContain('NAME_INVALID');
  expect((await robust(['new', 'defence', 'repeats', '--package'], { cwd })).stdout).toContain(
    join('robust-defence-repeats', 'package.json'),
  );
  symlinkSync(join(home, 'node_modules'), join(cwd, 'node_modules'));
  const ended = execFileSync('npm', ['test', '--silent'], {
    cwd: join(cwd, 'robust-defence-repeats'),
    encoding: 'utf8',
  });
  expect(ended).toMatch(/pass 1/);
});

test.each(covered(templateKinds, 0, 3))('%s: what robust new prints next works as printed', async (kind) => {
  const cwd = folder({});
  const { result } = JSON.parse((await robust(['new', kind, 'mine', '--json'], { cwd })).stdout);
  // Fewer texts and passes than the commands take by themselves, a smaller model, and no flag that they do not name.
  const env = { ROBUST_NUM_EXAMPLES: '2', ROBUST_EPOCHS: '1', ROBUST_MODEL: 'bert-mini' };
  for (const line of result.next) {
    const ended = await robust(line.split(' ').slice(1), { cwd, env });
    // Of two texts nothing is concluded.
    expect([0, 4], `${line}\n${ended.stderr}`).toContain(ended.code);
    expect(ended.stderr).not.toMatch(/Error|ties/);
  }
});

describe('packages by name', () => {
  test('list shows those that are installed, and all about one of them', async () => {
    const { stdout } = await robust(['list', 'plugins', '--json'], { cwd: home });
    expect(JSON.parse(stdout).result.plugins.map(({ name }: { name: string }) => name)).toEqual(
      templateKinds.map((kind) => `robust-${kind}-mine`).sort(),
    );
    const one = await robust(['list', 'robust-attack-mine'], { cwd: home });
    expect(one.stdout).toMatch(/robust attack -a robust-attack-mine[\s\S]*max-fraction=0.25/);
  });

  test('attack takes an attack, a part, a victim, a reader, a defence, a language and a reporter at once', async () => {
    const args = ['-a', 'robust-attack-mine', '--transformation', 'robust-transformation-mine:between=-'];
    const more = ['--search', 'robust-search-mine', '--constraint', 'robust-constraint-mine=0.5'];
    const ends = ['-m', 'robust-victim-mine:weight=2', '-d', 'robust-dataset-mine:things=2'];
    const maps = ['--force', '--language', 'robust-language-mine'];
    const out = '--defend robust-defence-mine:most=3 --reporter robust-reporter-mine -o out.txt --json'.split(' ');
    const { code, stdout } = await robust(['attack', ...args, ...more, ...ends, ...maps, ...out], { cwd: home });
    const { result, error } = JSON.parse(stdout);
    expect(error).toBeUndefined();
    expect([0, 4]).toContain(code);
    expect(result.attacks.map(({ name }: { name: string }) => name)).toEqual(['mine', 'custom']);
    expect(result.data).toMatchObject({ name: 'mine:things=2', examples: 10 });
    expect(result.model.name).toBe('robust-victim-mine:weight=2+mine:most=3');
    expect(readFileSync(join(home, 'out.txt'), 'utf8')).toMatch(/^robust-victim-mine:weight=2\+mine:most=3: /);
  });

  test('the folder of a package is a plugin, by what its package.json names; of a victim or a reader its file is', async () => {
    const cwd = folder({});
    const packageAt = (name: string, kind: TemplateKind, manifest: object, file: string): void => {
      mkdirSync(dirname(join(cwd, name, file)), { recursive: true });
      writeFileSync(join(cwd, name, 'package.json'), JSON.stringify({ type: 'module', ...manifest }));
      writeFileSync(join(cwd, name, file), pluginCode(kind, name));
    };
    packageAt(
      'vowels',
      'attack',
      { exports: { './more': './no.js', '.': { types: './a.d.ts', import: './lib/a.js' } } },
      'lib/a.js',
    );
    packageAt('mails', 'dataset', { main: 'lib/mails' }, 'lib/mails.js');
    packageAt('robust-victim', 'victim', { exports: [null, './victim.ts'] }, 'victim.ts');
    packageAt('repeats', 'defence', {}, 'index.js');
    packageAt('lines', 'reporter', { main: './lines.js' }, 'lines.js');
    packageAt('nb', 'language', { exports: './nb.js' }, 'nb.js');
    const line =
      'attack -a ./vowels:max-fraction=0.5 -m ./robust-victim/victim.ts -d mails/lib/mails.js --defend ./repeats:most=3 --reporter ./lines --language ./nb -o out.txt --force --json';
    const { code, stdout } = await robust(line.split(' '), { cwd });
    const { result, error } = JSON.parse(stdout);
    expect(error).toBeUndefined();
    expect([0, 4]).toContain(code);
    expect(result.model.name).toBe('victim+repeats:most=3');
    expect(result.attacks.map(({ name }: { name: string }) => name)).toEqual(['vowels:max-fraction=0.5']);
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toMatch(/^victim\+repeats:most=3: /);
    for (const kind of templateKinds)
      expect(await loadAnyPlugin(join(home, 'node_modules', `robust-${kind}-mine`))).toMatchObject({ kind });
  });

  test.each(['-m', '-d'])("the folder of a package after %s is a stranger's, and never runs", async (flag) => {
    const ran = "require('fs').writeFileSync('ran', '');";
    const cwd = folder({ 'package.json': '{"main":"index.js"}', 'index.js': ran, 'index.mjs': ran });
    for (const name of ['.', cwd]) {
      const { code, stderr } = await robust(['attack', '-n', '1', flag, name], { cwd });
      expect([code, existsSync(join(cwd, 'ran'))]).toEqual([3, false]);
      expect(stderr).not.toBe('');
    }
  });

  test.each([
    ['without package.json', undefined],
    ['whose package.json is none', '{'],
    ['that names no module', '{"exports":{"./other":"./other.js"}}'],
    ['that names a module not yet built', '{"main":"./dist/a.js"}'],
  ])('a folder %s says so', async (_, manifest) => {
    const path = folder(manifest === undefined ? {} : { 'package.json': manifest });
    await refusal(loadAnyPlugin(path), 'PLUGIN_NOT_FOUND');
  });

  test.each([
    ['attack -m ./victim.ts -d ./reader.ts -a ./attack.ts --force', 0],
    ['attack -a robust-attack-nowhere', 'PLUGIN_NOT_FOUND'],
    ['attack --defend robust-attack-mine', 'PLUGIN_DAMAGED'],
    ['attack -d robust-victim-mine', 'PLUGIN_DAMAGED'],
    ['attack -d robust-dataset-mine:thing=2', 'OPTION_NOT_FOUND'],
    ['attack -m robust-victim-mine:weigt=2', 'OPTION_NOT_FOUND'],
    ['attack --reporter robust-reporter-mine -o out.md', 'FORMAT_NOT_FOUND'],
    ['backdoor plant -d reviews -m bert-mini -a robust-attack-mine -o planted', 'PLUGIN_DAMAGED'],
  ])('%s -> %s', async (line, expected) => {
    // TypeScript of every form that there is, and nothing that Node strips by itself on some versions only.
    const typed = (kind: 'victim' | 'dataset' | 'attack') =>
      `enum Unused { A }\nconst name: string = 'unused';\nvoid [Unused, name];\n${pluginCode(kind, `typed-${kind}`)}`;
    const cwd = folder({ 'victim.ts': typed('victim'), 'reader.ts': typed('dataset'), 'attack.ts': typed('attack') });
    symlinkSync(join(home, 'node_modules'), join(cwd, 'node_modules'));
    const { code, stdout } = await robust([...line.split(' '), '--json'], { cwd });
    const { error } = JSON.parse(stdout);
    if (expected === 0) expect({ code: code === 4 ? 0 : code, error }).toEqual({ code: 0 });
    else expect(error).toMatchObject({ code: expected, hint: expect.any(String) });
  });
});
