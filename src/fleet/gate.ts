/** @file Many may be inside at once, or one alone: what took workers down before is done with nothing beside it. */
export class Gate {
  #inside = 0;
  #alone = false;
  readonly #waiting: { readonly alone: boolean; enter(): void }[] = [];

  /** Resolves to what leaves again. In order of arrival. */
  enter(alone: boolean): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push({ alone, enter: () => resolve(() => this.#leave()) });
      this.#admit();
    });
  }

  #leave(): void {
    this.#inside--;
    this.#alone = false;
    this.#admit();
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#alone || (first.alone && this.#inside > 0)) return;
      this.#waiting.shift();
      this.#inside++;
      this.#alone = first.alone;
      first.enter();
    }
  }
}
