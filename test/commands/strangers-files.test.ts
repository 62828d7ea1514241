/**
 * SECURITY.md's table as a test: each kind of file that strangers write x each command that reads it. A planted module leaves a mark where it is
 * run, and a server counts what reaches it: both stay at nothing.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { covered } from '../cover.js';
import { scene } from '../scenes.js';
import { folder, robust } from './cli.js';

let requests = 0;
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, response) => {
    requests++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const rows = Array.from({ length: 24 }, (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film\t${at % 2}`);
const DATA = `text\tlabel\n${rows.join('\n')}\n`;

const marking = (home: string): string => `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(home, 'mark'))}, 'run');
export default { labels: ['NEGATIVE', 'POSITIVE'], classify: async (texts) => texts.map(() => [0.4, 0.6]) };
`;

/** A home with a module that leaves a mark, and a model that a stranger may have changed. */
function begin(): string {
  const home = folder({ 'data.tsv': DATA });
  writeFileSync(join(home, 'evil.mjs'), marking(home));
  cpSync(join(packageRoot, 'models', 'bert-mini'), join(home, 'downloaded'), { recursive: true });
  writeFileSync(join(home, 'downloaded', 'evil.mjs'), marking(home));
  return home;
}
const writeJson = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value));
const editJson = (path: string, change: (value: Record<string, never>) => object): void =>
  writeJson(path, change(JSON.parse(readFileSync(path, 'utf8'))));

const remote = () => ({
  url: `${url}/\${AWS_SECRET_ACCESS_KEY}`,
  headers: { authorization: `Bearer \${AWS_SECRET_ACCESS_KEY}` },
  protocol: 'tei',
});

const MODEL_COMMANDS = [
  'evaluate -m ./downloaded -d data.tsv',
  'attack -m ./downloaded -d data.tsv -a deepwordbug -n 4',
  'gate -m ./downloaded -d data.tsv -a deepwordbug -n 4 --require clean.accuracy>=0.5',
  'compare ./downloaded ./downloaded -d data.tsv -a deepwordbug -n 4',
  'explain text -m ./downloaded',
  'backdoor scan -m ./downloaded -d data.tsv --gate --max-queries 1000',
  'scan-model ./downloaded -d data.tsv -n 24 --max-queries 1000',
  'convert ./downloaded -o converted',
  'train -m ./downloaded -d data.tsv -o trained --epochs 1',
  'attack -m bert-mini -d data.tsv -a bae:model=./downloaded -n 4',
  'attack -m bert-mini -d data.tsv -a deepwordbug --surrogate ./downloaded -n 4',
];
const RUN_COMMANDS = [
  'attack --resume stranger',
  'gate stranger --require clean.accuracy>=0',
  'report stranger',
  'compare stranger stranger',
  'baseline save stranger',
  'init --from stranger',
  'merge stranger',
];
/** Files that an untrusted run might name. */
const NAMED: readonly (readonly [name: string, () => object])[] = [
  ['a module as the victim', () => ({ model: './evil.mjs' })],
  ['an endpoint as the victim', () => ({ model: `tei+${url}` })],
  ['an endpoint file as the victim', () => ({ model: 'http:endpoint.json' })],
  ['a program as the victim', () => ({ model: `cmd:'${process.execPath}' evil.mjs` })],
  ['a module as the language', () => ({ language: './evil.mjs' })],
  ['a module as a defence', () => ({ defend: ['./evil.mjs'] })],
  ['a module as an attack', () => ({ attacks: ['./evil.mjs'], attack: ['./evil.mjs'] })],
  ['a masked language model elsewhere', () => ({ mlm: './evil.mjs' })],
];

let ran: Promise<string> | undefined;
/** The folder of a run, which strangers copy. */
async function finishedRun(): Promise<string> {
  const home = begin();
  await robust('attack -m bert-mini -d data.tsv -a deepwordbug -n 4'.split(' '), { cwd: home });
  const runs = join(home, '.robust', 'runs');
  return join(runs, readFileSync(join(runs, 'latest'), 'utf8').trim());
}

interface Kind {
  readonly kind: string;
  plant(home: string): void | Promise<void>;
  readonly commands: readonly string[];
}

const inModel = (kind: string, name: string, value: () => object | string): Kind => ({
  kind,
  plant: (home) => {
    const content = value();
    writeFileSync(join(home, 'downloaded', name), typeof content === 'string' ? content : JSON.stringify(content));
  },
  commands: MODEL_COMMANDS,
});

const kinds: readonly Kind[] = [
  inModel('a folder that says it is an endpoint', 'robust.json', () => ({
    labels: ['NEGATIVE', 'POSITIVE'],
    remote: remote(),
  })),
  inModel('a folder that says it is a program', 'robust.json', () => ({
    command: [process.execPath, 'evil.mjs'],
    labels: ['NEGATIVE', 'POSITIVE'],
    each: true,
  })),
  inModel('a folder whose endpoint is a program', 'robust.json', () => ({
    remote: { protocol: 'cmd', url: 'cmd:node evil.mjs', program: { command: [process.execPath, 'evil.mjs'] } },
  })),
  inModel('a manifest that names code as the model', 'robust.json', () => ({ model: './evil.mjs' })),
  inModel('a manifest that names code outside', 'robust.json', () => ({
    model: '../evil.mjs',
    input: { kind: 'word-index', vocabulary: '../evil.mjs' },
  })),
  inModel('a manifest whose placeholders name code', 'robust.json', () => ({
    labels: ['NEGATIVE', 'POSITIVE'],
    defend: ['./evil.mjs'],
    language: './evil.mjs',
    calibration: './evil.mjs',
  })),
  inModel('a folder that is a package', 'package.json', () => ({
    name: 'robust-attack-evil',
    type: 'module',
    main: 'evil.mjs',
  })),
  inModel('a folder with a configuration in it', 'robust.config.mjs', () => marking('.').replace("'./mark'", "'mark'")),
  ...(['an address', 'code', 'a program'] as const).map(
    (base): Kind => ({
      kind: `an adapter whose base is ${base}`,
      plant: (home) => {
        const inside = (file: string): string => join(home, 'downloaded', file);
        for (const file of ['model.onnx', 'config.json', 'robust.json']) rmSync(inside(file), { force: true });
        writeJson(inside('adapter_config.json'), {
          peft_type: 'LORA',
          base_model_name_or_path: { 'an address': `${url}/base`, code: 'evil.mjs', 'a program': 'cmd:node evil.mjs' }[
            base
          ],
        });
        writeFileSync(inside('adapter_model.safetensors'), Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 123, 125]));
      },
      commands: MODEL_COMMANDS,
    }),
  ),
  {
    kind: 'a data set beside code of its name',
    plant: (home) => {
      mkdirSync(join(home, 'set'));
      writeFileSync(join(home, 'set', 'set.mjs'), marking(home));
      writeFileSync(join(home, 'set', 'package.json'), '{"main":"set.mjs","type":"module"}');
      writeFileSync(join(home, 'set', 'train.tsv'), DATA);
    },
    commands: ['evaluate -m bert-mini -d set', 'backdoor filter -d set', 'augment -d set -o more.tsv'],
  },
  {
    kind: 'a YAML configuration that extends code',
    plant: (home) => writeFileSync(join(home, 'robust.config.yaml'), 'extends: ./evil.mjs\n'),
    commands: ['evaluate -m bert-mini -d data.tsv', 'config show', 'gate latest', 'list attacks', 'doctor'],
  },
  {
    kind: 'a baseline that names code',
    plant: (home) =>
      writeJson(join(home, 'robust.baseline.json'), {
        kind: 'robust baseline',
        schemaVersion: 1,
        model: './evil.mjs',
        settings: { model: './evil.mjs' },
      }),
    commands: ['gate -m bert-mini -d data.tsv -a deepwordbug -n 4 --baseline robust.baseline.json', 'baseline diff'],
  },
  {
    kind: 'the record of a training that names code',
    plant: (home) => {
      mkdirSync(join(home, 'trained', 'training'), { recursive: true });
      writeJson(join(home, 'trained', 'training', 'run.json'), {
        schemaVersion: 1,
        command: 'robust train',
        toolVersion: '0.1.0',
        settings: { data: 'data.tsv', model: './evil.mjs', language: './evil.mjs' },
      });
    },
    commands: ['train --resume --output trained', 'train --resume --output trained -d data.tsv'],
  },
  ...NAMED.map(
    ([name, settings]): Kind => ({
      kind: `a run that names ${name}`,
      plant: async (home) => {
        writeJson(join(home, 'endpoint.json'), { remote: remote(), labels: ['NEGATIVE', 'POSITIVE'] });
        ran ??= finishedRun();
        cpSync(await ran, join(home, 'stranger'), { recursive: true });
        editJson(join(home, 'stranger', 'run.json'), (record) => ({
          ...record,
          status: 'running',
          settings: { ...(record.settings as object), ...settings() },
        }));
      },
      commands: RUN_COMMANDS,
    }),
  ),
];

const env = { AWS_SECRET_ACCESS_KEY: 'secret' };

test('the module leaves its mark, and the server counts, where the user names them', async () => {
  const home = begin();
  await robust(['evaluate', '-m', './evil.mjs', '-d', 'data.tsv'], { cwd: home });
  expect(existsSync(join(home, 'mark'))).toBe(true);
  const before = requests;
  await robust(['evaluate', '-m', `tei+${url}`, '-d', 'data.tsv'], { cwd: home });
  expect(requests).toBeGreaterThan(before);
});

test.each(kinds.map((each, row) => ({ ...each, row })))('$kind', async ({ plant, commands, row }) => {
  const home = begin();
  await plant(home);
  const before = requests;
  const faults: string[] = [];
  for (const command of covered(commands, row, 2)) {
    const { code, stderr } = await robust(command.split(' '), { cwd: home, env });
    if (existsSync(join(home, 'mark'))) faults.push(`${command}: ran the module`);
    rmSync(join(home, 'mark'), { force: true });
    if (requests > before) faults.push(`${command}: sent ${requests - before} requests`);
    if (code === 70) faults.push(`${command}: ended with 70: ${stderr}`);
  }
  expect(faults).toEqual([]);
});
