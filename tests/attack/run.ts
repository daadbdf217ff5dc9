// `npm run test:attack`: attacks a running system and shows the aftermath of each attack.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import { progress, say, seconds } from '../bench/progress.js';
import { goodIn, table, times } from '../bench/table.js';
import type { Good } from '../bench/table.js';
import { MEMORY_SHARE_MAX, play, warmUp } from './aftermath.js';
import { MEMORY_BYTES_MAX, startAttackedSystem } from './attacked-system.js';
import { attacks } from './attacks.js';
import type { AttackedSystem } from './attacked-system.js';
import { HOLD_MS_MAX, measureHold } from './event-loop-holds.js';
import { hostileRequests } from './hostile-requests.js';
import { reachFromInside, taken } from './inside.js';
import {
  leaveHalfway,
  sendLargeUploads,
  SLOWER_MAX,
  UPLOADS_BYTES_MAX,
  uploadUnderAttack,
  warmUpUploads,
} from './upload-attacks.js';

const usage = `Attacks the gateway of a running system, each service in a process of its own, and looks at what is left:

  served  the slowest request of an ordinary client, during the attack where it holds something, and after it
  memory  resident memory of the gateway: before the attack, at its peak, and afterwards, garbage collected

An attack fails when the client is not served within --served-ms, when memory passes 512 MiB (the limit in Kubernetes),
or when it is not back within 20 % of where it was. Opens no connection beyond 127.0.0.0/8.

Then single requests of a stranger: for how long each holds the event loop of the gateway, at most 10 ms of the processor. Below, the regular
expressions that "npm run check" lets pass, with reasons.

Then a process inside the network, with nothing, with everything of the webhooks service, and with everything of the gateway: which rpcs,
subjects of the broker and databases it reaches. The attack fails where that differs from the tables of rights.

Then uploads: 40 files of 20 MB at once, clients that disappear halfway, and ordinary XML invoices four times a second in quiet and
while hostile files are uploaded all the time. Memory is then that of the gateway and of the documents service with its children.

  npm run test:attack                        all, about three minutes on a quiet machine
  npm run test:attack -- --only pipelined    attacks whose name contains this
  npm run test:attack -- --only "event loop" the single requests alone
  npm run test:attack -- --only uploads      the uploads alone
  npm run test:attack -- --only inside       a process inside the network alone
  npm run test:attack -- --served-ms 5000    how long an answer may take (2000 unless said)
  npm run test:attack -- --list              the names of the attacks
`;

const PREFIX = 'attack_';
const UPLOADS = 'uploads';
const HOLDS = 'event loop';
const INSIDE = 'inside';
const LIST_OF_EXCEPTIONS = fileURLToPath(new URL('../../../tools/check-regular-expressions.mjs', import.meta.url));
const QUIET_SECONDS = 15;
const ATTACK_SECONDS = 45;
const LARGE_BYTES = 20_000_000;

await main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      'served-ms': { type: 'string', default: '2000' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help || values.list) {
    process.stdout.write(
      values.help ? usage : `${[...attacks.map(({ name }) => name), HOLDS, INSIDE, UPLOADS].join('\n')}\n`,
    );
    return;
  }
  if (process.platform !== 'linux') throw new Error('Memory of processes is read from /proc: run this on Linux.');
  const servedMsMax = Number(values['served-ms']);
  if (!Number.isSafeInteger(servedMsMax) || servedMsMax < 1) throw new Error('--served-ms takes a whole number.');
  const chosen = attacks.filter(({ name }) => name.includes(values.only));
  const withHolds = HOLDS.includes(values.only);
  const withInside = INSIDE.includes(values.only);
  const withUploads = UPLOADS.includes(values.only);
  if (chosen.length === 0 && !withHolds && !withInside && !withUploads)
    throw new Error(`No attack has "${values.only}" in its name: --list shows them.`);
  const failures = await attackAll(chosen, servedMsMax, { withHolds, withInside, withUploads });
  if (failures > 0) process.exitCode = 1;
}

async function attackAll(
  chosen: typeof attacks,
  servedMsMax: number,
  { withHolds, withInside, withUploads }: Record<'withHolds' | 'withInside' | 'withUploads', boolean>,
): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'invoice-control-attack-'));
  const closing = [() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 })];
  try {
    say('starting MongoDB and NATS');
    const infrastructure = await startInfrastructure({ dataDir, databasePrefix: PREFIX, env: {}, log: say });
    closing.push(() => infrastructure.stop());
    say('starting the services');
    const { mongodbUrl, natsUrl } = infrastructure;
    const system = await startAttackedSystem({ mongodbUrl, natsUrl, databasePrefix: PREFIX, logDir: dataDir });
    closing.push(() => system.stop());
    say('an ordinary client works for a while');
    await warmUp(system, servedMsMax);
    const good = goodIn(process.stdout.isTTY);
    const rows = [['attack', 'answers', 'took', 'served', 'before', 'peak', 'after', '']];
    let failures = 0;
    for (const attack of chosen) {
      progress(attack.name);
      try {
        const { answers, tookMs, servedMs, beforeBytes, peakBytes, afterBytes } = await play(
          system,
          attack,
          servedMsMax,
        );
        const isBack = afterBytes <= beforeBytes * MEMORY_SHARE_MAX;
        const isBounded = peakBytes <= MEMORY_BYTES_MAX;
        if (!isBack || !isBounded) failures += 1;
        say(`${attack.name}: ${answers}`);
        rows.push([
          attack.name,
          answers,
          seconds(tookMs),
          `${Math.round(servedMs)} ms`,
          mib(beforeBytes),
          good(mib(peakBytes), isBounded),
          good(mib(afterBytes), isBack),
          isBack && isBounded ? 'ok' : 'FAILED',
        ]);
      } catch (error) {
        failures += 1;
        say(`${attack.name}: ${String(error)}`);
        rows.push([attack.name, String(error).slice(0, 60), '', '', '', '', '', 'FAILED']);
      }
    }
    if (chosen.length > 0) {
      process.stdout.write(`${table(rows, 0)}\n${chosen.length} attacks, ${failures} failed\n`);
    }
    if (withHolds) failures += await measureHolds(system, good);
    if (withInside) failures += await attackFromInside(system, good);
    return failures + (withUploads ? await attackWithUploads(system, good) : 0);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/**
 * Measures how long single requests block the event loop of the gateway.
 * @returns the number of requests that block the event loop for too long
 */
async function measureHolds(system: AttackedSystem, good: Good): Promise<number> {
  let failures = 0;
  const rows = [['one request of a stranger', 'answer', 'holds the event loop', 'aim']];
  for (const request of hostileRequests) {
    progress(request.name);
    const { status, holdMs } = await measureHold(system, request);
    if (holdMs > HOLD_MS_MAX) failures += 1;
    rows.push([
      request.name,
      status === 0 ? 'none' : String(status),
      good(`${holdMs.toFixed(1)} ms`, holdMs <= HOLD_MS_MAX),
      `${HOLD_MS_MAX} ms`,
    ]);
  }
  process.stdout.write(`\n${table(rows, 0)}\n${rows.length - 1} requests, ${failures} above the aim\n\n`);
  process.stdout.write(execFileSync(process.execPath, [LIST_OF_EXCEPTIONS, '--list']));
  return failures;
}

/**
 * Tries every rpc, every database and every subject of the broker from inside the network, with the credentials of
 * single services and without credentials.
 * @returns the number of differences from the declared permissions
 */
async function attackFromInside(system: AttackedSystem, good: Good): Promise<number> {
  const rows = [['inside, with the credentials of', 'reaches', 'of', 'as the tables say']];
  const differences: string[] = [];
  for (const holder of taken) {
    progress(`inside, with the credentials of ${holder}`);
    for (const { what, reached, tried, differences: found } of await reachFromInside(system.inside, holder)) {
      differences.push(...found.map((difference) => `${holder}: ${difference}`));
      rows.push([
        holder,
        `${reached.length} ${what}`,
        String(tried),
        good(String(found.length === 0), found.length === 0),
      ]);
    }
  }
  process.stdout.write(`\n${table(rows, 0)}\n`);
  for (const difference of differences) say(difference);
  return differences.length;
}

/**
 * Attacks the gateway with hostile uploads while ordinary clients send requests.
 * @returns the number of missed targets
 */
async function attackWithUploads(system: AttackedSystem, good: Good): Promise<number> {
  let failures = 0;
  const judge = (text: string, isGood: boolean): string => {
    if (!isGood) failures += 1;
    return good(text, isGood);
  };
  say('uploads: ordinary documents of every kind');
  await warmUpUploads(system);
  say('uploads: hostile files');
  const { answers, defects, quiet, attacked, ...memory } = await uploadUnderAttack(system, {
    quietSeconds: QUIET_SECONDS,
    attackSeconds: ATTACK_SECONDS,
    shareMax: MEMORY_SHARE_MAX,
  });
  const slower = attacked.p95Ms / quiet.p95Ms;
  const { beforeBytes, peakBytes, afterBytes } = memory;
  say(`uploads: p95 ${ms(quiet.p95Ms)} in quiet, ${ms(attacked.p95Ms)} during the attack`);
  say('uploads: 40 files at once');
  const large = await sendLargeUploads(system, LARGE_BYTES);
  say(`uploads: ${large.answers}, from ${mib(large.idleBytes)} to ${mib(large.peakBytes)}`);
  say('uploads: clients that disappear');
  const left = await leaveHalfway(system, LARGE_BYTES);
  const taken = large.peakBytes - large.idleBytes;
  const rows = [
    ['uploads', 'measured', 'aim'],
    ['hostile uploads were answered', answers, ''],
    ['of them by a fault of the service', judge(String(defects), defects === 0), '0'],
    ['ordinary XML in quiet, p50 and p95', `${ms(quiet.p50Ms)}, ${ms(quiet.p95Ms)}`, ''],
    ['ordinary XML during the attack, p50 and p95', `${ms(attacked.p50Ms)}, ${ms(attacked.p95Ms)}`, ''],
    ['p95 over that in quiet', judge(times(slower), slower <= SLOWER_MAX), times(SLOWER_MAX)],
    ['memory before, at its peak', `${mib(beforeBytes)}, ${mib(peakBytes)}`, ''],
    [
      'memory afterwards, of that before',
      judge(times(afterBytes / beforeBytes), afterBytes <= beforeBytes * MEMORY_SHARE_MAX),
      times(MEMORY_SHARE_MAX),
    ],
    [`40 files of ${mib(LARGE_BYTES)} at once were answered`, large.answers, ''],
    ['memory above idle at its peak', judge(mib(taken), taken <= UPLOADS_BYTES_MAX), mib(UPLOADS_BYTES_MAX)],
    [
      'files and pieces left by 40 clients that disappeared',
      judge(`${left.files}, ${left.pieces}`, left.files === 0 && left.pieces === 0),
      '0, 0',
    ],
  ];
  process.stdout.write(`\n${table(rows, 0)}\n`);
  return failures;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
