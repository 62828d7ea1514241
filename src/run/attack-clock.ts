/**
 * Shares wall time out among attacks: of every moment, each attack has the share that its searches are of all under way. So the seconds of
 * all attacks add up to the time in which anything was searched, whatever ran beside what.
 */
export class AttackClock {
  /** Attack -> wall seconds. */
  readonly seconds = new Map<string, number>();
  readonly #running = new Map<string, number>();
  readonly #now: () => number;
  #searches = 0;
  #since = 0;

  /** `now`: seconds from any beginning. */
  constructor(now: () => number = () => performance.now() / 1000) {
    this.#now = now;
  }

  begin(attack: string): void {
    this.#share();
    this.#change(attack, 1);
  }

  end(attack: string): void {
    this.#share();
    this.#change(attack, -1);
  }

  #change(attack: string, by: number): void {
    this.#searches += by;
    const left = (this.#running.get(attack) ?? 0) + by;
    if (left === 0) this.#running.delete(attack);
    else this.#running.set(attack, left);
  }

  #share(): void {
    const now = this.#now();
    const passed = now - this.#since;
    this.#since = now;
    for (const [attack, searches] of this.#running) {
      this.seconds.set(attack, (this.seconds.get(attack) ?? 0) + (passed * searches) / this.#searches);
    }
  }
}
