import type { Severity } from '../explanation/catalogue.js';

/** The severity of a finding, with its confidence in percent. */
export interface Level {
  readonly severity: Severity;
  readonly confidence: number;
}
