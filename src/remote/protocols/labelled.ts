/** @file Scores that come with names: whatever their order, they are put into the order of the labels. */
import { isObject, type JsonObject } from '../json.js';
import { garbled, type RawRow } from '../protocol.js';

/** By name, a number in it by its value: LABEL_2 stands before LABEL_10. */
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Knows the labels, or learns them from the first answer: then they stand in the order of their names. */
export class LabelNames {
  #labels: readonly string[] | undefined;

  constructor(labels: readonly string[] | undefined) {
    this.#labels = labels;
  }

  get labels(): readonly string[] | undefined {
    return this.#labels;
  }

  /** The row of scores by name. Throws PassingFault where one is missing, or is of no label. */
  ofMap(scores: JsonObject): number[] {
    const names = Object.keys(scores);
    this.#labels ??= [...names].sort(byName);
    const labels = this.#labels;
    const named = labels.every((label) => Object.hasOwn(scores, label));
    // Of places instead of names.
    const keys = named ? labels : labels.map((_, at) => String(at));
    if (names.length !== keys.length || !keys.every((key) => Object.hasOwn(scores, key))) {
      throw garbled(`scores of ${labels.join(', ')}`, scores);
    }
    return keys.map((key) => scores[key] as number);
  }

  /** The row of a list of { label, score }. Throws PassingFault. */
  ofList(list: readonly unknown[], labelKey = 'label', scoreKey = 'score'): number[] {
    const pairs = list.map((each) => {
      if (isObject(each) && each[labelKey] !== undefined) return [String(each[labelKey]), each[scoreKey]] as const;
      throw garbled(`{ ${labelKey}, ${scoreKey} }`, each);
    });
    const scores = Object.fromEntries(pairs);
    if (Object.keys(scores).length !== pairs.length) throw garbled('each label once', list);
    return this.ofMap(scores);
  }

  /** The row of an answer that is a label alone, by name or by place. Throws PassingFault. */
  ofLabel(label: unknown): number[] {
    const labels = this.#labels ?? [];
    const place = typeof label === 'number' ? label : labels.indexOf(String(label));
    const at = place < 0 && /^\d+$/.test(String(label)) ? Number(label) : place;
    if (!(at in labels)) throw garbled(`one of the labels ${labels.join(', ')}`, label);
    return labels.map((_, each) => (each === at ? 1 : 0));
  }

  /** The row of one text, in whatever of these forms it came: scores in order, by name, in a list of names, or a label alone. */
  row(value: unknown): RawRow {
    if (Array.isArray(value)) return isObject(value[0]) ? this.ofList(value) : (value as number[]);
    if (isObject(value)) return this.ofMap(value);
    return this.ofLabel(value);
  }
}
