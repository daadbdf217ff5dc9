import type { FieldPath, ReadingOutcome } from '../reading.js';

/** Returns the value of each invoice field that was read. Throws if no invoice could be read. */
export function valuesOf(outcome: ReadingOutcome): Partial<Record<FieldPath, string>> {
  if ('failure' in outcome) throw new Error(`${outcome.failure.reason}: ${outcome.failure.message}`);
  return Object.fromEntries(Object.entries(outcome.reading.fields).map(([path, { value }]) => [path, value]));
}
