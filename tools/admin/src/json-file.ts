import { readFile } from 'node:fs/promises';
import { UsageError } from './command.js';

/** Reads the text of a file that an option of an operator's command names. */
export async function readJsonFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--${option} ${path} cannot be read (${(error as Error).message}).`);
  }
}
