// Generates the files that are not committed: packages/contracts/src/gen from proto/ with the settings of buf.gen.yaml,
// and packages/client/src/gen from the published description of the REST API. Run it with `npm run generate`.
// tools/setup.mjs runs it whenever an input has changed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
// buf keeps its cache under HOME, or in the current directory if HOME is empty, so a fixed directory is set.
const cache = `${root}.cache/buf`;
mkdirSync(cache, { recursive: true });

const generated = spawnSync('node_modules/.bin/buf', ['generate'], {
  cwd: root,
  env: { ...process.env, BUF_CACHE_DIR: cache },
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (generated.error) console.error(`buf cannot be run (${generated.error.message}): run \`npm ci\` first.`);
process.exitCode = generated.status ?? 1;

// Fields with a default may be left out of an API request, so a default does not make a field required.
const types = await openapiTypes(new URL('services/gateway/openapi.json', `file://${root}`), {
  immutable: true,
  defaultNonNullable: false,
});
mkdirSync(`${root}packages/client/src/gen`, { recursive: true });
writeFileSync(`${root}packages/client/src/gen/openapi.ts`, astToString(types));
