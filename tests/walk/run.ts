// Runs `npm run walk`, which follows the steps of an integrator in each programming language, from a fresh clone to a
// verified webhook, and measures the time that they take.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readDemo } from '../e2e/npm-start.js';
import { startFreshClone } from './fresh-clone.js';
import type { Demonstration } from './fresh-clone.js';
import { walkClients, walkReceivers } from './walk.js';
import type { Walked } from './walk.js';

const usage = `Goes the way of an integrator: registers a webhook, starts a receiver, requests a delivery and waits until the
receiver has verified it. It does this with the receivers of docs/guides/receiving-webhooks.md in five languages, and
with the clients in TypeScript and Python, and prints how long each took.

  npm run walk                      with the system that \`npm start\` runs in this directory
  npm run walk -- --key ick_...     with another key, and --api URL for another address
  npm run walk -- --fresh           clones the repository, starts it there (minutes), and deletes the clone at the end

The running system must be allowed to call 127.0.0.1:

  EGRESS_ALLOW_CIDRS=127.0.0.1/32 EGRESS_ALLOW_HTTP=true npm start

A language that is not installed is skipped and named. The exit code is 1 if any walk failed.`;

const { values } = parseArgs({
  options: {
    key: { type: 'string' },
    api: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) console.log(usage);
else process.exitCode = await main();

async function main(): Promise<number> {
  const { api, key } = values;
  // The API key of the demonstration installation is never sent to another address.
  if (key === undefined ? api !== undefined : values.fresh) {
    console.error('Pass --api together with --key, and neither of them with --fresh.');
    return 1;
  }
  const fresh = values.fresh ? await startFreshClone((line) => console.log(line)) : undefined;
  try {
    const { baseUrl, keys } = fresh ?? (await demonstration());
    const access = { api: api ?? baseUrl, key: keys.owner };
    const walks = [...(await walkReceivers(access, show)), ...(await walkClients(access, show))];
    const failed = walks.filter(({ result }) => result === 'FAILED').length;
    const skipped = walks.filter(({ result }) => result === 'skipped').length;
    console.log(`${walks.length - failed - skipped} verified, ${skipped} skipped, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await fresh?.stop();
  }
}

function show({ name, result, startSeconds, deliverySeconds, detail }: Walked): void {
  const times =
    result === 'verified'
      ? `receiver ready after ${startSeconds.toFixed(1)} s, delivery verified after ${deliverySeconds.toFixed(1)} s`
      : detail;
  console.log(`${result.padEnd(9)} ${name.padEnd(18)} ${times}`);
}

async function demonstration(): Promise<Demonstration> {
  if (values.key !== undefined) return { baseUrl: 'http://127.0.0.1:8080/v1', keys: { owner: values.key } };
  return readDemo(resolve(process.env['INIT_CWD'] ?? process.cwd(), '.data')).catch(() => {
    console.error('No system runs in this directory: start it with `npm start`, or pass --key and --api, or --fresh.');
    process.exit(1);
  });
}
