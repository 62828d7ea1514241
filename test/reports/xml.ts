/** A strict reader of the XML our reports are: throws where a document is not well formed (XML 1.0, sections 2 and 3). */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const NAME = /[A-Za-z_][\w.-]*/y;
const LEGAL = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function parseXml(document: string): Element {
  if (!LEGAL.test(document)) throw new Error('a character XML cannot hold');
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}: ${document.slice(at, at + 60)}`);
  };
  const take = (pattern: RegExp | string): string => {
    let found: string | undefined;
    if (typeof pattern === 'string') found = document.startsWith(pattern, at) ? pattern : undefined;
    else {
      pattern.lastIndex = at;
      found = pattern.exec(document)?.[0];
    }
    if (found === undefined) return fail(`expected ${pattern}`);
    at += found.length;
    return found;
  };
  const decoded = (raw: string): string =>
    raw.replace(/&([^;]*);?/g, (whole, name: string) =>
      whole.endsWith(';') && ENTITIES[name] !== undefined ? ENTITIES[name] : fail(`a bare ampersand in "${raw}"`),
    );
  const element = (): Element => {
    take('<');
    const name = take(NAME);
    const attributes: Record<string, string> = {};
    for (;;) {
      const space = take(/\s*/y);
      if (document.startsWith('/>', at) || document.startsWith('>', at)) break;
      if (space === '') fail('expected a space');
      const key = take(NAME);
      if (key in attributes) fail(`${key} twice`);
      take('="');
      attributes[key] = decoded(take(/[^"<]*/y));
      take('"');
    }
    if (document.startsWith('/>', at)) {
      take('/>');
      return { name, attributes, children: [], text: '' };
    }
    take('>');
    const children: Element[] = [];
    let text = '';
    for (;;) {
      const piece = take(/[^<]*/y);
      if (piece.includes(']]>')) fail('"]]>" in text');
      text += decoded(piece);
      if (document.startsWith('</', at)) break;
      children.push(element());
    }
    take(`</${name}>`);
    return { name, attributes, children, text };
  };
  take('<?xml version="1.0" encoding="UTF-8"?>\n');
  const root = element();
  take(/\s*/y);
  if (at !== document.length) fail('more after the root');
  return root;
}
