/** The npm package contains every file that users are referred to, and no file that only a clone needs. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';
import { WHOLE } from './cover.js';

interface Packed {
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

describe('the tarball', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ files }] = JSON.parse(
    execFileSync('npm', args, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as [Packed];
  const paths = new Set(files.map(({ path }) => path));

  test('holds no reference, benchmark, test, research note or source map, whatever was built here', () => {
    expect(
      [...paths].filter((path) =>
        /^(?:dist\/(?!bundle|inside|runtime|vendor)(?!.*\.d\.ts$)|dist\/(?:bench|examples|test)|test|bench\/(?!README)|docs\/research)|\.map$/.test(
          path,
        ),
      ),
    ).toEqual([]);
    // Bundled packages keep their licences.
    expect(paths).toContain('dist/bundle/LICENSES.txt');
    // 14 MB of it are the models, 15 the parts of TF.js and WordNet. What a clone packs also holds the runtime of its platform, which npm installs as a package.
    const bytes = files
      .filter(({ path }) => !path.startsWith('dist/runtime/'))
      .reduce((sum, { size }) => sum + size, 0);
    expect(bytes / 1e6).toBeLessThan(41);
  });

  test('holds whatever package.json exports', () => {
    const { exports, bin } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
      exports: Record<string, string | Record<string, string>>;
      bin: Record<string, string>;
    };
    const targets = Object.values(exports).flatMap((each) => (typeof each === 'string' ? [each] : Object.values(each)));
    for (const target of [...targets, ...Object.values(bin)]) expect(paths).toContain(target.replace('./', ''));
  });

  test('installed from its folder, it builds nothing: it has no sources', () => {
    const script = 'bin/prepare.js';
    expect(paths).toContain(script);
    expect(paths).not.toContain('tsconfig.json');
    const installed = mkdtempSync(join(tmpdir(), 'robust-package-'));
    mkdirSync(join(installed, 'bin'));
    copyFileSync(join(packageRoot, script), join(installed, script));
    execFileSync(process.execPath, [join(installed, script)]);
    // A clone has sources: there the script builds, which fails in this folder.
    writeFileSync(join(installed, 'tsconfig.json'), '{}');
    expect(() => execFileSync(process.execPath, [join(installed, script)], { stdio: 'ignore' })).toThrow();
  });

  // Absent rather than skipped where the matrices are not whole: the compiler reads all declarations of all dependencies.
  const compiles = WHOLE ? test : () => {};
  compiles('its types compile in a strict program that has nothing but the package and its dependencies', () => {
    const { exports } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
      exports: Record<string, object | string>;
    };
    const imports = Object.entries(exports).map(([name, target], at) => {
      const json = typeof target === 'string' ? " with { type: 'json' }" : '';
      return `import ${json ? '' : '* as '}it${at} from '${name.replace('.', 'robust-text')}'${json};\nit${at};`;
    });
    expect(imports.length).toBeGreaterThan(4);
    const hidden = [
      'Buffer;',
      "await import('bullmq');",
      "await import('vitest');",
      "import('robust-text/src/api.js');",
    ];
    const controls = hidden.map((line) => `// @ts-expect-error\n${line}`);
    expect(faultsOf([...imports, ...controls].join('\n'), paths)).toEqual([]);
  });

  test('holds every document that a message, a help page or another document points at', () => {
    const sources = ['src', 'attacks', 'datasets', 'reports'].flatMap((room) =>
      readdirSync(join(packageRoot, room), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(room, file)),
    );
    const told = sources.flatMap((file) =>
      Array.from(
        readFileSync(join(packageRoot, file), 'utf8').matchAll(
          /\b(?:docs\/[a-z][a-z/-]*|CONTRIBUTING|ARCHITECTURE)\.md\b/g,
        ),
        ([name]) => name,
      ),
    );
    expect(told.length).toBeGreaterThan(5);
    // Comments of the code may name research notes, which the repository has.
    const packed = told.filter((name) => !name.startsWith('docs/research/'));
    expect([...new Set(packed)].filter((name) => !paths.has(name))).toEqual([]);
    const linked = ['README.md', ...[...paths].filter((path) => /^docs\/.*\.md$/.test(path))].flatMap((file) =>
      Array.from(
        readFileSync(join(packageRoot, file), 'utf8').matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g),
        ([, to]) => join(file, '..', to as string),
      ),
    );
    expect(linked.length).toBeGreaterThan(20);
    expect([...new Set(linked)].filter((name) => !paths.has(name))).toEqual([]);
  });
});

/**
 * The type errors of a strict nodenext program in a project where only the packed files and the package's dependencies are installed:
 * without @types, optional peers or development dependencies, and with the declarations checked.
 */
function faultsOf(code: string, packed: ReadonlySet<string>): string[] {
  const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; peer?: true }>;
  };
  const absent = Object.entries(packages).flatMap(([path, { dev, peer }]) => (dev || peer ? [`${path}/`] : []));
  const program = join(packageRoot, 'program.mts');
  const installed = (file: string): boolean => {
    const path = relative(packageRoot, file);
    if (path.startsWith('..') || file === program) return true;
    if (!path.startsWith('node_modules/')) return packed.has(path);
    return (
      path.startsWith('node_modules/typescript/lib/') ||
      ![...absent, 'node_modules/@types/'].some((each) => path.startsWith(each))
    );
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    { strict: true, module: 'nodenext', noEmit: true, skipDefaultLibCheck: true },
    packageRoot,
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.fileExists = (file) => installed(file) && (file === program || fileExists(file));
  host.readFile = (file) => (file === program ? code : installed(file) ? readFile(file) : undefined);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([program], options, host))
    .map(
      ({ file, messageText }) =>
        `${file && relative(packageRoot, file.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

describe.each(['package-lock.json', 'site/package-lock.json'])('%s', (file) => {
  const { packages } = JSON.parse(readFileSync(join(packageRoot, file), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true; dev?: true; optionalDependencies?: Record<string, string> }>;
  };

  test('has no installation script in what users install, and none of onnxruntime-node, which fails behind a firewall', () => {
    const scripts = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript);
    expect(scripts.map(([path]) => path)).toEqual([]);
    expect(packages['node_modules/onnxruntime-node'] ?? {}).not.toHaveProperty('hasInstallScript');
  });

  test('holds the parts of every platform: npm ci fails without them', () => {
    const parts = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ path, name })),
    );
    expect(parts.length).toBeGreaterThan(5);
    const missing = parts.filter(({ path, name }) => {
      // In its folder, or further up.
      const places = path.split('node_modules/').map((_, at, all) => `${all.slice(0, at + 1).join('node_modules/')}`);
      return ![...places, `${path}/`].some((place) => packages[`${place}node_modules/${name}`] !== undefined);
    });
    expect(missing).toEqual([]);
  });
});
