/** @file Scores with names, as services write them, read back into the order of the columns. */
import { malformed, type RawRow } from './client.js';
import { isObject, type JsonObject } from './json.js';

/** Numbers in names by value: LABEL_2 before LABEL_10. */
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Knows the labels, or learns them from the first answer and sorts them by name. */
export class LabelNames {
  #labels: readonly string[] | undefined;

  constructor(labels: readonly string[] | undefined) {
    this.#labels = labels;
  }

  get labels(): readonly string[] | undefined {
    return this.#labels;
  }

  /** The row of scores by name. Throws PassingFault if one is missing or has an unknown label. */
  ofMap(scores: JsonObject): number[] {
    const names = Object.keys(scores);
    this.#labels ??= [...names].sort(byName);
    const labels = this.#labels;
    const named = labels.every((label) => Object.hasOwn(scores, label));
    // Column numbers instead of names.
    const keys = named ? labels : labels.map((_, at) => String(at));
    if (names.length !== keys.length || !keys.every((key) => Object.hasOwn(scores, key))) {
      throw malformed(`scores of ${labels.join(', ')}`, scores);
    }
    return keys.map((key) => scores[key] as number);
  }

  /** The row of a list of { label, score }. Throws PassingFault. */
  ofList(list: readonly unknown[], labelKey = 'label', scoreKey = 'score'): number[] {
    const pairs = list.map((each) => {
      if (isObject(each) && each[labelKey] !== undefined) return [String(each[labelKey]), each[scoreKey]] as const;
      throw malformed(`{ ${labelKey}, ${scoreKey} }`, each);
    });
    const scores = Object.fromEntries(pairs);
    if (Object.keys(scores).length !== pairs.length) throw malformed('each label once', list);
    return this.ofMap(scores);
  }

  /** The rows of a list with such a list for each text; one text may have its list alone. Throws PassingFault. */
  ofLists(answer: unknown, questions: number): number[][] {
    if (!Array.isArray(answer)) throw malformed('a list of answers', answer);
    const lists: unknown[] = questions === 1 && isObject(answer[0]) ? [answer] : answer;
    return lists.map((each) => {
      if (Array.isArray(each)) return this.ofList(each);
      throw malformed('a list of labels with scores', each);
    });
  }

  /** The row of a label alone, by name or by column. Throws PassingFault. */
  ofLabel(label: unknown): number[] {
    const labels = this.#labels ?? [];
    const place = typeof label === 'number' ? label : labels.indexOf(String(label));
    const at = place < 0 && /^\d+$/.test(String(label)) ? Number(label) : place;
    if (!(at in labels)) throw malformed(`one of the labels ${labels.join(', ')}`, label);
    return labels.map((_, each) => (each === at ? 1 : 0));
  }

  /** The row of one text in any of these forms: scores in order, by name, in a list of names, or a label alone. */
  row(value: unknown): RawRow {
    if (Array.isArray(value)) return isObject(value[0]) ? this.ofList(value) : (value as number[]);
    if (isObject(value)) return this.ofMap(value);
    return this.ofLabel(value);
  }

  /** How many scores a text must have; undefined if two labels may come as one score. */
  get width(): number | undefined {
    return this.#labels !== undefined && this.#labels.length > 2 ? this.#labels.length : undefined;
  }
}
