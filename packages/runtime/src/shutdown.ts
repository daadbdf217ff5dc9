import type { Logger } from './logger.js';

/** A function that is called when the service stops. */
interface Step {
  readonly name: string;
  readonly close: () => Promise<void> | void;
}

/** Closes what a service opened, in reverse order. If a step fails, the error is logged and the other steps run. */
export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #logger: Logger;
  #closing: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Registers a step of the shutdown of a service, which runs before all steps that were registered earlier. */
  add(name: string, close: () => Promise<void> | void): void {
    this.#steps.push({ name, close });
  }

  /** Runs every step of the shutdown of a service once, even if it is called several times. */
  run(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const { name, close } of this.#steps.reverse()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error({ error, step: name }, 'a shutdown step failed');
      }
    }
  }
}
