/** The time of one simulated ERP: real time plus the offset of `POST /control/clock`. */
export class Clock {
  #addedMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#addedMs);
  }

  advance(seconds: number): void {
    this.#addedMs += seconds * 1_000;
  }
}
