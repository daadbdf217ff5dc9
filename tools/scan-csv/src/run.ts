import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ApiError, NetworkError, createClient } from '@invoicecontrol/client';
import type { Client, FieldFault } from '@invoicecontrol/client';
import { createScan, failureSentence, findingSeverities } from './api.js';
import type { Chunk } from './chunks.js';
import { inspectLedger, readLedger } from './ledger.js';
import { HELP, KEY_VARIABLE, readOptions } from './options.js';
import type { Options } from './options.js';
import { nameOf, planLedger, requireColumns } from './plan.js';
import type { Plan } from './plan.js';
import { printable } from '@invoicecontrol/ledger-csv/printable';
import { createProgress } from './progress.js';
import type { Every, Progress, TextStream } from './progress.js';
import { describePlan, describeReading, describeSummary, painter, planAsJson, summarize } from './report.js';
import type { Sent } from './report.js';
import { isScanField } from '@invoicecontrol/ledger-csv/scan-row';
import { UsageError } from '@invoicecontrol/ledger-csv/usage-error';

const DONE = 0;
const FAILED = 1;
const NOTHING_SENT = 2;
/** Exit code of an interrupted `npm run scan-csv`: 128 plus the number of SIGINT, as shells use it. */
const STOPPED = 130;

/** Maximum number of attempts for one history scan request when the network or the service fails. */
const ATTEMPTS_MAX = 6;
/**
 * Maximum time for one history scan request, including the time that it waits for another scan or for the rate limit.
 */
const REQUEST_MS_MAX = 15 * 60_000;

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export interface RunDeps {
  readonly env: NodeJS.ProcessEnv;
  /** Directory to which relative file names of the command `scan-csv` refer. */
  readonly directory: string;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Signal of `scan-csv` that is aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly every: Every;
  /** Function of `scan-csv` that waits for some time, and rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Runs the command `scan-csv` and returns the exit code. The result goes to standard output, everything else to
 * standard error.
 */
export async function run(args: readonly string[], deps: RunDeps): Promise<number> {
  const { env, stdout, stderr, signal } = deps;
  try {
    const options = readOptions(args);
    if (options.help) {
      stdout.write(HELP);
      return DONE;
    }
    const key = options.dryRun ? undefined : await readKey(options, deps);
    const plan = await readPlan(options, deps);
    if (key === undefined) {
      const paint = painter(hasColours(stdout, env));
      stdout.write(
        options.json
          ? `${JSON.stringify(planAsJson(plan))}\n`
          : `${describeReading(plan, paint)}\n${describePlan(plan, paint)}`,
      );
      return DONE;
    }
    return await sendPlan(plan, key, options, deps);
  } catch (error) {
    if (signal.aborted) {
      stderr.write('Stopped. Nothing was sent.\n');
      return STOPPED;
    }
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`${error.message}\n`);
    return NOTHING_SENT;
  }
}

async function readPlan(options: Options, { directory, signal }: RunDeps): Promise<Plan> {
  const path = resolve(directory, options.file);
  const form = await inspectLedger(path, options.overrides, options.encoding);
  requireColumns(form);
  const records = await readLedger(path, form);
  signal.throwIfAborted();
  return planLedger(form, records, options);
}

async function sendPlan(plan: Plan, apiKey: string, options: Options, deps: RunDeps): Promise<number> {
  const { env, stdout, stderr, signal, pause } = deps;
  stderr.write(`${describeReading(plan, painter(hasColours(stderr, env)))}`);
  warnOfPlainHttp(options.baseUrl, stderr);
  const progress = createProgress(stderr, { rows: plan.rowsToSend, chunks: plan.chunks.length }, deps);
  const api = createClient({
    baseUrl: options.baseUrl,
    apiKey,
    attemptsMax: ATTEMPTS_MAX,
    totalMsMax: REQUEST_MS_MAX,
    sleep: (ms) => pause(ms, signal),
    onRetry: ({ error, delayMs }) =>
      progress.note(`${failureSentence(error)} Retrying in ${Math.ceil(delayMs / 1_000)} s.`),
  });
  const { sent, stoppedBy } = await sendChunks(plan.chunks, options.companyId, api, progress, signal);
  if (sent.length > 0 || stoppedBy === undefined) {
    const severities = signal.aborted ? new Map<string, readonly string[]>() : await findingSeverities(api, signal);
    const summary = summarize(plan, sent, severities);
    const paint = painter(hasColours(stdout, env));
    stdout.write(options.json ? `${JSON.stringify(summary)}\n` : describeSummary(summary, options, paint));
  }
  if (stoppedBy === undefined) return DONE;
  const rest = `${sent.length} of ${plan.chunks.length} requests are done.`;
  const howToContinue = 'Run the same command again to continue. Nothing is sent twice.';
  if (stoppedBy === 'stopped') {
    stderr.write(`Stopped: ${rest} ${howToContinue}\n`);
    return STOPPED;
  }
  stderr.write(`${refusal(stoppedBy, plan, plan.chunks[sent.length])}\n`);
  stderr.write(`${rest}${stoppedBy instanceof ApiError && stoppedBy.status === 400 ? '' : ` ${howToContinue}`}\n`);
  return FAILED;
}

/** Sends the chunks of rows one after another, because each chunk is compared with the earlier ones. */
async function sendChunks(
  chunks: readonly Chunk[],
  companyId: string | undefined,
  api: Client,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ readonly sent: readonly Sent[]; readonly stoppedBy?: ApiError | NetworkError | 'stopped' }> {
  const sent: Sent[] = [];
  try {
    for (const chunk of chunks) {
      progress.send(chunk.rows.length);
      sent.push({ chunk, outcome: await createScan(api, chunk, companyId, signal) });
      progress.finish();
    }
    return { sent };
  } catch (error) {
    if (signal.aborted) return { sent, stoppedBy: 'stopped' };
    if (error instanceof ApiError || error instanceof NetworkError) return { sent, stoppedBy: error };
    throw error;
  } finally {
    progress.end();
  }
}

/** Returns the service's error message with lines and columns of the CSV file instead of JSON paths. */
function refusal(error: ApiError | NetworkError, plan: Plan, chunk: Chunk | undefined): string {
  const faults = error instanceof ApiError ? error.details : [];
  const details = faults.map((fault) => `  ${describeFault(fault, plan, chunk)}`);
  return [printable(`${failureSentence(error)}${effort(error)}`, 1_000), ...details].join('\n');
}

/**
 * Describes the effort for a history scan request that failed after several attempts: the waiting time in minutes, or
 * the number of attempts if they took less than two minutes. Empty after a single attempt.
 */
function effort({ attempts, elapsedMs }: ApiError | NetworkError): string {
  if (attempts === 1) return '';
  const minutes = Math.round(elapsedMs / 60_000);
  return minutes > 1 ? ` (waited ${minutes} minutes)` : ` (tried ${attempts} times)`;
}

function describeFault({ path, message }: FieldFault, { form }: Plan, chunk: Chunk | undefined): string {
  const [, index, field = ''] = /^rows\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? [];
  const row = index === undefined ? undefined : chunk?.rows[Number(index)];
  // The row number of the request is removed from the message, because the output names the line of the CSV file
  // instead.
  const sentence = printable(message.replace(/^Row \d+(?:, sourceRowNumber -?\d+)?: /, ''), 300);
  if (row === undefined) return `${printable(path)}: ${sentence}`;
  const column = isScanField(field) ? `, ${nameOf(form, field)}` : '';
  return `line ${row.sourceRowNumber}${column}: ${sentence}`;
}

/**
 * Reads the API key from --key-file, otherwise from the environment.
 * @throws UsageError when neither contains a key
 */
async function readKey({ keyFile }: Options, { env, directory, stderr }: RunDeps): Promise<string> {
  const key =
    keyFile === undefined ? (env[KEY_VARIABLE] ?? '').trim() : await keyOfFile(resolve(directory, keyFile), stderr);
  if (key === '') {
    throw new UsageError(`The API key is missing: put it into ${KEY_VARIABLE}, or into a file named by --key-file.`);
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('The API key has spaces or other invalid characters. Pass only the key itself.');
  }
  return key;
}

async function keyOfFile(path: string, stderr: TextStream): Promise<string> {
  try {
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
      stderr.write(`Note: others on this machine can read ${path}. To protect the key: chmod 600 ${path}\n`);
    }
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`);
  }
}

function warnOfPlainHttp(baseUrl: string, stderr: TextStream): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return;
  stderr.write(`Note: ${hostname} is called without encryption, which exposes the API key. Use https.\n`);
}

/** Checks whether output is coloured. Any value of NO_COLOR switches colours off (no-color.org). */
function hasColours(stream: TextStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env['NO_COLOR'];
}
