// Generates packages/contracts/src/gen from proto/ as buf.gen.yaml says. `npm run generate` runs it by hand, tools/setup.mjs when a proto changed.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
// buf keeps its cache under HOME, and in the current directory when HOME is empty: this gives it a place that is always ours.
const cache = `${root}.cache/buf`;
mkdirSync(cache, { recursive: true });

const generated = spawnSync('node_modules/.bin/buf', ['generate'], {
  cwd: root,
  env: { ...process.env, BUF_CACHE_DIR: cache },
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (generated.error) console.error(`buf cannot be run (${generated.error.message}): run \`npm ci\` first.`);
process.exitCode = generated.status ?? 1;
