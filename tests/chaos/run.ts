// Runs `npm run chaos`, which breaks a running system for some rounds and reports which guarantees were kept.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { say, step } from '../bench/progress.js';
import { endAfter, runProgram } from '../bench/run-program.js';
import { runChaos } from './chaos.js';
import { describeFault, faultKinds, faultMeanings, planOf, processNames, usualKinds } from './plan.js';
import type { FaultKind } from './plan.js';
import { isKept, printReport } from './report.js';

/** Time limit for each round of a chaos run, and for the start and the audit together. */
const MINUTES_MAX = 10;

const usage = `Breaks processes and connections of a running system under load, then audits what it answered, stored and
announced. Exit code 1 if any promise was broken. How to read the report: docs/guides/chaos.md

  npm run chaos                                10 rounds with a seed of the moment
  npm run chaos -- --rounds 50 --seed 7        the same plan and the same load each time
  npm run chaos -- --faults kill,pause         only these kinds
  npm run chaos -- --faults broker-outage --outage-seconds 600 --rounds 1
                                               the broker is gone for ten minutes
  npm run chaos -- --faults kill --processes webhooks-1,database
                                               only these processes are killed or paused
  npm run chaos -- --every 20                  a round begins no sooner than so many seconds after the one before
  npm run chaos -- --organizations 15          so many organizations, each with three receivers of webhooks (3 unless said)
  npm run chaos -- --clients 5                 so many clients of each organization post invoices (2 unless said)
  npm run chaos -- --no-scans                  invoices alone, without files of thousands of rows
  npm run chaos -- --replicas 2                two processes of each service
  npm run chaos -- --seed 7 --plan             prints the plan and ends
  npm run chaos -- --json FILE                 the report as JSON too
  npm run chaos -- --grace 900                 so many seconds for work to end and counters to be put right (600 unless said)
  npm run chaos -- --keep                      keeps data and logs also when every promise was kept

Ends after ${MINUTES_MAX} minutes for each round and ${MINUTES_MAX} more at the latest, besides the seconds that --outage-seconds, --every and --grace say.

kinds of faults:
${faultKinds.map((kind) => `  ${kind.padEnd(10)} ${faultMeanings[kind]}`).join('\n')}
`;

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      'outage-seconds': { type: 'string', default: '60' },
      processes: { type: 'string' },
      every: { type: 'string', default: '0' },
      organizations: { type: 'string', default: '3' },
      clients: { type: 'string', default: '2' },
      'no-scans': { type: 'boolean', default: false },
      replicas: { type: 'string', default: '1' },
      grace: { type: 'string', default: '600' },
      json: { type: 'string' },
      plan: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 1_000_000), 0, 2 ** 31);
  const replicas = wholeNumber('--replicas', values.replicas, 1, 3);
  const outageSeconds = wholeNumber('--outage-seconds', values['outage-seconds'], 1, 86_400);
  const everySeconds = wholeNumber('--every', values.every, 0, 3_600);
  const graceSeconds = wholeNumber('--grace', values.grace, 10, 86_400);
  const rounds = planOf({
    seed,
    rounds: wholeNumber('--rounds', values.rounds, 1, 1_000),
    kinds: kindsOf(values.faults),
    replicas,
    outageMs: outageSeconds * 1_000,
    ...(values.processes === undefined ? {} : { processes: processesOf(values.processes, replicas) }),
  });
  if (values.plan) {
    for (const { number, faults } of rounds) {
      process.stdout.write(`${number}: ${faults.map(describeFault).join(' and ')}\n`);
    }
    return;
  }
  const saidSeconds = graceSeconds + rounds.length * (outageSeconds + everySeconds);
  endAfter(MINUTES_MAX * (rounds.length + 1) + saidSeconds / 60);
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-chaos-'));
  say(`seed ${seed}; data and logs in ${directory}`);
  const clients = wholeNumber('--clients', values.clients, 1, 50);
  const { report } = await runChaos({
    seed,
    rounds,
    replicas,
    directory,
    graceMs: graceSeconds * 1_000,
    usageGraceMs: graceSeconds * 1_000,
    everyMs: everySeconds * 1_000,
    clients,
    tenants: wholeNumber('--organizations', values.organizations, 1, 50),
    rowsMax: values['no-scans'] ? 0 : 2_000,
    step,
    say,
  });
  process.stdout.write(printReport(report));
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (values.json !== undefined) await writeFile(values.json, text);
  if (isKept(report) && !values.keep) {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    return;
  }
  await writeFile(join(directory, 'report.json'), text);
  process.stdout.write(`data, logs and report.json with every sentence: ${directory}\n`);
  if (!isKept(report)) process.exitCode = 1;
}

function kindsOf(text: string | undefined): readonly FaultKind[] {
  if (text === undefined) return usualKinds;
  return text.split(',').map((name) => {
    const kind = faultKinds.find((known) => known === name.trim());
    if (kind === undefined) throw new Error(`--faults knows no ${name}: choose of ${faultKinds.join(', ')}.`);
    return kind;
  });
}

function processesOf(text: string, replicas: number): readonly string[] {
  const known = processNames(replicas);
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--processes knows no ${unknown}: choose of ${known.join(', ')}.`);
  return names;
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}.`);
}
