/** @file How long there was nothing to do. */

/** Counts milliseconds, on a clock that only goes forward, during which nothing was under way. */
export class IdleTime {
  #underWay = 0;
  #idle = 0;
  #since: number;

  constructor(now: number) {
    this.#since = now;
  }

  began(now: number): void {
    if (this.#underWay++ === 0) this.#idle += now - this.#since;
  }

  end(now: number): void {
    if (--this.#underWay === 0) this.#since = now;
  }

  milliseconds(now: number): number {
    return this.#idle + (this.#underWay === 0 ? now - this.#since : 0);
  }
}
