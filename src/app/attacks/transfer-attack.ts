/**
 * @file The cheap check: queries this model with adversarial texts that were found on an earlier one. No search, two queries a text. It finds old weaknesses
 * that returned, but no new ones.
 */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Values } from '../../config/setting.js';
import type { attackSettings } from '../../config/settings/index.js';
import { RobustError } from '../../core/errors.js';
import { LONGEST_TEXT, readFileSync } from '../../files/read.js';
import type { EvasionPlugin } from '../../results/attack-plugin.js';
import type { Report } from '../../results/report/report.js';
import { compose } from '../../search/compose.js';
import { inOrder, rewriteText } from '../../search/in-order.js';

/** One line of the file, which is a data set too: `text` and `label` are the original's. */
interface TransferLine {
  readonly id: string;
  readonly text: string;
  readonly label: string;
  readonly attack: string;
  readonly adversarial: string;
}

/** The file's text, and how many adversarial texts it holds. */
export async function transferText(report: Report): Promise<{ text: string; count: number }> {
  const lines: string[] = [];
  for await (const { id, attack, text, label, adversarial } of report.examples) {
    if (adversarial === undefined) continue;
    const name = report.model.labels[label] ?? String(label);
    lines.push(
      JSON.stringify({ id: `${id} ${attack}`, text, label: name, attack, adversarial } satisfies TransferLine),
    );
  }
  return { text: lines.map((line) => `${line}\n`).join(''), count: lines.length };
}

/** Settings that make a run ask a file's texts. */
export const transferChoice = (file: string): Partial<Values<typeof attackSettings>> => ({
  data: file,
  textColumn: 'text',
  labelColumn: 'label',
  idColumn: 'id',
  shuffle: false,
  offset: undefined,
  suites: undefined,
  attacks: [`transfer:file=${file}`],
});

export const transfer: EvasionPlugin<{ file: string }> = {
  kind: 'evasion',
  name: 'transfer',
  summary: 'Asks adversarial texts that an earlier model fell for.',
  level: 'word',
  needs: 'labels',
  options: z.strictObject({ file: z.string().default('').describe('written by robust baseline save --transfer') }),
  create({ file }) {
    let texts: ReadonlyMap<string, string> = new Map();
    return {
      constraints: ['texts found on an earlier model'],
      async prepare() {
        texts = read(file);
      },
      async run(example, target) {
        const saved = texts.get(example.id);
        const asking = compose({
          transformation: rewriteText('a saved text', [], () => (saved === undefined ? [] : [saved])),
          constraints: [],
          search: inOrder,
        });
        const attempt = await asking.run(example, target);
        return saved === undefined ? { ...attempt, reason: 'no text of it is saved' } : attempt;
      },
    };
  },
};

/** Example id -> its adversarial text. Throws RobustError. */
function read(file: string): Map<string, string> {
  const texts = new Map<string, string>();
  if (!existsSync(file)) throw notOne(file, 'nothing is there');
  for (const [at, line] of readFileSync(file, 'utf8', LONGEST_TEXT).split('\n').entries()) {
    if (line === '') continue;
    let parsed: Partial<TransferLine>;
    try {
      parsed = JSON.parse(line) as Partial<TransferLine>;
    } catch {
      throw notOne(file, `line ${at + 1} is no JSON`);
    }
    if (typeof parsed?.id !== 'string' || typeof parsed.adversarial !== 'string') {
      throw notOne(file, `line ${at + 1} has no id or no adversarial text`);
    }
    texts.set(parsed.id, parsed.adversarial);
  }
  return texts;
}

const notOne = (file: string, why: string): RobustError =>
  new RobustError(`expected adversarial texts in "${file}": ${why}`, {
    code: 'DATA_DAMAGED',
    hint: 'Write them with: robust baseline save --transfer robust.transfer.jsonl',
  });
