import type { Logger } from './logger.js';

/** Something that must be closed when the service stops. */
interface Step {
  readonly name: string;
  readonly close: () => Promise<void> | void;
}

/**
 * Closes what a service opened, last opened first. A step that fails is logged and does not keep the others open.
 */
export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #logger: Logger;
  #closing: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Registers a step; it will run before everything that was registered earlier. */
  add(name: string, close: () => Promise<void> | void): void {
    this.#steps.push({ name, close });
  }

  /** Runs every step once, however often it is called. */
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
