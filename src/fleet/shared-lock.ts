/** @file A lock that many share, or one holds alone: a job that took workers down before runs with nothing beside it. */
export class SharedLock {
  #holders = 0;
  #exclusive = false;
  readonly #waiting: { readonly alone: boolean; grant(): void }[] = [];

  /** Resolves to the function that releases it. In order of arrival. */
  acquire(alone: boolean): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push({ alone, grant: () => resolve(() => this.#release()) });
      this.#grantNext();
    });
  }

  #release(): void {
    this.#holders--;
    this.#exclusive = false;
    this.#grantNext();
  }

  #grantNext(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#exclusive || (first.alone && this.#holders > 0)) return;
      this.#waiting.shift();
      this.#holders++;
      this.#exclusive = first.alone;
      first.grant();
    }
  }
}
