import { reviewTexts } from './texts.js';

/** Returns the name of a field of an invoice. The API may add fields; a field without a name is shown by its path. */
export function nameOfField(path: string): string {
  return reviewTexts.invoice.fields[path] ?? path;
}
