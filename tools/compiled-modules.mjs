import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Pattern for the source file of a package. The tests themselves are run from their sources. */
const SOURCE = /^((?:packages|services|tools)\/[^/]+|simulators)\/src\/(.+)\.js$/;

/**
 * Gives tests the compiled modules of the packages, which Node loads and runs as in production. With modules that Vite
 * has transformed, a test run takes a third more CPU time, because each use of an imported name is then a function
 * call.
 */
export function compiledModules() {
  return {
    name: 'compiled-modules',
    enforce: 'pre',
    resolveId(specifier, importer) {
      if (!specifier.startsWith('.') || !importer?.startsWith(root)) return undefined;
      const [, folder, module] = SOURCE.exec(resolve(dirname(importer), specifier).slice(root.length)) ?? [];
      if (folder === undefined || module.endsWith('.test')) return undefined;
      const compiled = `${root}${folder}/dist/${module}.js`;
      return existsSync(compiled) ? compiled : undefined;
    },
  };
}
