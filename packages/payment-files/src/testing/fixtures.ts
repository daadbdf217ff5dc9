import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/', import.meta.url);

/** Names of the sample files, in the forms that guides of banks describe, with data of their own. */
export const sampleNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.xml'))
  .sort();

export function sample(name: string): Buffer {
  return readFileSync(new URL(name, folder));
}
