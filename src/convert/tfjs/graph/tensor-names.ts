/** @file TensorNames of tensors in the ONNX graph: those of the file, and never one twice. */

export class TensorNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** The name without its ":0" and with what ONNX's names have, and a number behind it where it is taken. */
  take(wanted: string): string {
    // TensorNames that the builder makes up hold a "#" or a space.
    const plain = wanted.replace(/:0$/, '').replace(/[^\w./:-]/g, '_') || 'tensor';
    let name = plain;
    for (let count = 2; this.#taken.has(name); count++) name = `${plain}.${count}`;
    this.#taken.add(name);
    return name;
  }
}
