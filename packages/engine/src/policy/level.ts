import type { Severity } from '../explanation/catalogue.js';

/** A finding severity with its confidence in percent. */
export interface Level {
  readonly severity: Severity;
  readonly confidence: number;
}
