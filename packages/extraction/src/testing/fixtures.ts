import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A small invoice that was written by hand for these tests. */
export function fixture(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)));
}
