/**
 * @file All outcomes, to be filtered and searched in the page. They are embedded once and compactly: each text once, each
 * adversarial text as its difference to it, all of it packed where it is much; the script of the page puts them together.
 */
import type { DecisionRule } from '../../src/core/decision-schema.js';
import { quantity } from '../../src/core/figure-text.js';
import { type Outcome, STATUSES } from '../../src/core/outcome.js';
import { exampleTexts, otherText } from '../../src/core/pair.js';
import { outcomeScores } from '../../src/core/score-text.js';
import { entityInWords, MARKS, type MarkedPiece, markedTexts } from '../entity-marks.js';
import { INVISIBLE } from '../visible.js';
import { wordDiff } from '../word-diff.js';
import { html, type Markup } from './markup.js';
import { packedElement } from './packed-data.js';

/** Most characters of data on a page; a browser opens this size at once. Outcomes beyond it are counted and mentioned. */
const MOST_CHARACTERS = 6_000_000;

/** Start (from the end of the previous edit), length and replacement, one edit after the other in a flat list. */
type Edits = (number | string)[];

/** The pieces of a text, one after the other: length, mark (0 of none), label. */
type PackedMarks = (number | string)[];

const packedMarks = (pieces: readonly MarkedPiece[]): PackedMarks =>
  pieces.flatMap(({ text, mark, label = '' }) => [
    text.length,
    mark === undefined ? 0 : MARKS.indexOf(mark) + 1,
    label,
  ]);

/** Outcome of one text: [text, attack, status, from, to, score before, after, words, changed, queries, edits or the reason, entities after]. */
type PackedOutcome = [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  (Edits | string | null)?,
  PackedMarks?,
];

interface ListedOutcome {
  /** Place in canonical order. */
  readonly at: number;
  readonly row: PackedOutcome;
  /** Characters it adds to the page. */
  readonly size: number;
}

/** Labels and decision rule by which scores are read. */
interface Scale {
  readonly labels: readonly string[];
  readonly rule: DecisionRule | undefined;
}

function packedRow(outcome: Outcome, text: number, attacks: readonly string[], scale: Scale): PackedOutcome {
  const { attack, status, from, to, words, changed, queries, adversarial, reason } = outcome;
  const { before, after } = outcomeScores(outcome, { ...scale, least: 3 });
  const detail = adversarial === undefined ? reason : editsOf(outcome.text, adversarial);
  const places = [text, attacks.indexOf(attack), STATUSES.indexOf(status), from, to] as const;
  const figures = [Number(before), Number(after), words, changed, queries.asked] as const;
  const marked = markedTexts(outcome);
  if (marked?.after !== undefined) return [...places, ...figures, detail ?? null, packedMarks(marked.after)];
  return detail === undefined ? [...places, ...figures] : [...places, ...figures, detail];
}

function editsOf(text: string, adversarial: string): Edits {
  const edits: Edits = [];
  let kept = 0;
  for (const segment of wordDiff(text, adversarial)) {
    if (!segment.changed) kept += segment.text.length;
    else {
      edits.push(kept, segment.from.length, segment.to);
      kept = 0;
    }
  }
  return edits;
}

/** Gathers outcomes as they stream by, in canonical order. Successes come first when not all have room. */
export function outcomeList(scale: Scale, attacks: readonly string[]) {
  const { labels } = scale;
  const texts: (readonly [id: string, text: string, label: number, other?: string, entities?: PackedMarks])[] = [];
  const places = new Map<string, number>();
  const listed: { hits: ListedOutcome[]; others: ListedOutcome[] } = { hits: [], others: [] };
  let size = 0;
  let seen = 0;
  let left = 0;
  /** Full of successes: no later outcome has room, so texts need not be compared. */
  let full = false;
  /** Whether `needed` characters have room. A success displaces the latest failures. */
  const fits = (needed: number, isSuccess: boolean): boolean => {
    while (size + needed > MOST_CHARACTERS) {
      const last = isSuccess ? listed.others.pop() : undefined;
      if (last === undefined) return false;
      size -= last.size;
      left += 1;
    }
    return true;
  };
  return {
    add(outcome: Outcome): void {
      seen += 1;
      if (full) {
        left += 1;
        return;
      }
      const { id, text, label, status } = outcome;
      const isSuccess = status === 'succeeded';
      const key = `${id}\n${text}`;
      const known = places.get(key);
      const row = packedRow(outcome, known ?? texts.length, attacks, scale);
      const other = otherText(outcome);
      const needed = JSON.stringify(row).length + (known === undefined ? text.length + (other?.length ?? 0) + 20 : 0);
      if (!fits(needed, isSuccess)) {
        left += 1;
        full = isSuccess;
        return;
      }
      size += needed;
      if (known === undefined) {
        places.set(key, texts.length);
        const marked = markedTexts(outcome);
        if (marked !== undefined)
          texts.push([id, text, label, entityInWords(exampleTexts(outcome)) ?? '', packedMarks(marked.before)]);
        else texts.push(other === undefined ? [id, text, label] : [id, text, label, `beside: ${other}`]);
      }
      listed[isSuccess ? 'hits' : 'others'].push({ at: seen, row, size: needed });
    },

    /** The rows in canonical order, and the texts they are about. */
    data() {
      const rows = [...listed.hits, ...listed.others].sort((a, b) => a.at - b.at).map(({ row }) => row);
      const kept = [...new Set(rows.map(([text]) => text))];
      const renumbered = new Map(kept.map((text, i) => [text, i]));
      return {
        texts: kept.map((text) => texts[text]),
        rows: rows.map(([text, ...rest]) => [renumbered.get(text), ...rest]),
      };
    },

    /** The controls, an empty list for the script to fill, and the data. */
    markup(): Markup {
      if (seen === 0) return html`<p>No example was attacked.</p>`;
      const option = (value: number | string, name: string): Markup => html`<option value="${value}">${name}</option>`;
      return html`<noscript><p>To browse all outcomes, let this page run its own script; it loads nothing.</p></noscript>
<p id="unread" class="note" hidden>This browser cannot unpack the outcomes: use one of 2023 or later.</p>
<div id="browser" hidden>
<div class="filters" role="search" aria-label="Outcomes">
<div class="wide"><label for="words">Search in texts and ids</label><input type="search" id="words" autocomplete="off" spellcheck="false"></div>
<div><label for="status">Status</label><select id="status">${option('', 'any')}${STATUSES.map((name, i) => option(i, name))}</select></div>
<div><label for="attack">Attack</label><select id="attack">${option('', 'any')}${attacks.map((name, i) => option(i, name))}</select></div>
<div><label for="class">True class</label><select id="class">${option('', 'any')}${labels.map((name, i) => option(i, name))}</select></div>
<div><label for="order">Order</label><select id="order">${option('', 'as attacked')}${option('effort', 'fewest words changed')}${option('swing', 'largest fall')}</select></div>
</div>
<p id="count" class="note" role="status" aria-live="polite"></p>
<ol id="list" class="texts"></ol>
<nav class="pages" aria-label="Pages of outcomes"><button type="button" id="earlier">Earlier</button><span id="where"></span><button type="button" id="later">Later</button><button type="button" id="save">Download as CSV</button></nav>
</div>
${left > 0 && html`<p class="note">${quantity(left, 'outcome')} are not listed here: the page would grow too large. The JSON and CSV reports hold them all.</p>`}
${packedElement('outcomes', {
  labels,
  attacks,
  statuses: STATUSES,
  marks: MARKS,
  invisible: INVISIBLE.source,
  ...this.data(),
})}`;
    },
  };
}
