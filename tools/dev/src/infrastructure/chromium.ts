// Finds Chromium, in which tests open the pages of the product.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Names under which the browser may be found on PATH. The first is its name on Debian. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Returns the path of a Chromium on this machine, or undefined if it has none. By default, the first one on PATH is
 * used; the environment variable CHROMIUM names another one. Chromium is not downloaded, because it needs many system
 * packages, which only the package manager installs (`apt-get install chromium`).
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const directories = (env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
