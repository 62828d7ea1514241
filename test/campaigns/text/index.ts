/**
 * @file Hostile texts in every place of a report where somebody else's text stands, through every format and every stream: the document
 * keeps its grammar, nothing in it is more than text, and what is printed of it acts neither on a screen nor on a runner.
 */
import type { Random } from '../../../src/plugin.js';
import type { Campaign, Trial } from '../campaign.js';
import { printed } from './grammars.js';
import { hostileText } from './hostile-text.js';
import { arrived } from './stream.js';
import { told, type Writer, writers } from './writers.js';

/** The same text of a fixture becomes the same hostile text: names refer to each other. */
function teller(random: Random): (text: string) => string {
  const share = random.pick([1, 2, 8]);
  const known = new Map<string, string>();
  return (text) => {
    const said = known.get(text) ?? (random.int(share) === 0 ? aside(text, hostileText(random), random) : text);
    known.set(text, said);
    return said;
  };
}

/** Instead of the text, before it, or behind it; never nothing. */
const aside = (text: string, hostile: string, random: Random): string =>
  random.pick([hostile, hostile, `${hostile}${text}`, `${text} ${hostile}`]) || '-';

async function written(writer: Writer, same: string, random: Random): Promise<Trial> {
  const all = told(teller(random));
  const document = await writer.write(all);
  const shown = arrived(document, writer.coloured === true, random);
  const fault =
    writer.grammar(document, same, writer.said?.(all)) ??
    // Annotations are for the runner, and pass beside the gate.
    (writer.name === 'annotations' ? undefined : printed(shown)) ??
    (writer.said !== undefined && writer.name !== 'outputs' && !writer.name.includes('html') && shown !== document
      ? 'the gate changed a document for programs'
      : undefined);
  return { kind: writer.name, ended: fault === undefined ? 'texts stayed texts' : 'fault', ...(fault && { fault }) };
}

/** Texts that nobody made harmless before: a message of a library, the output of a plugin. */
function streamed(random: Random): Trial {
  const text = Array.from({ length: 1 + random.int(5) }, () => hostileText(random)).join(random.pick(['', '\n', ' ']));
  const colours = random.int(2) === 0;
  const fault = printed(arrived(text, colours, random));
  return { kind: 'stream', ended: fault === undefined ? 'texts stayed texts' : 'fault', ...(fault && { fault }) };
}

export const text: Campaign = {
  name: 'text',
  summary: 'Hostile texts in every place of a report, through every format and stream: they stay texts',
  count: 20_000,
  async open() {
    const harmless = told((same) => same);
    const same = new Map<Writer, string>();
    for (const writer of writers) same.set(writer, await writer.write(harmless));
    return {
      async trial(number, { random }) {
        const writer = writers[number % (writers.length + 1)];
        return writer === undefined ? streamed(random) : written(writer, same.get(writer) as string, random);
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
