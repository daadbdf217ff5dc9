import { fileURLToPath } from 'node:url';
import { Tinypool } from 'tinypool';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { pace } from '@invoicecontrol/runtime/pace';
import type { PaymentFiles } from '../application/payment-files.js';
import type { PaymentLine } from '../domain/payment-line.js';
import type { FileReply, FileResults, FileTask } from './payment-file-worker.js';

/**
 * Maximum number of payment files that one process reads at the same time. Reading one file may use a whole processor
 * core and a hundred megabytes.
 */
export const THREADS_MAX = 2;
/** Maximum number of payment files that wait for a thread. Further files are refused. */
export const WAITING_FILES_MAX = 16;
/**
 * Maximum time for one payment file, with its wait for a thread. Reading 10 MiB takes a second on an idle processor.
 */
const FILE_MS_MAX = 20_000;
/** Maximum heap of a thread that reads payment files. A file of 10,000 payments and 9 MiB needs a quarter of it. */
const HEAP_MEBIBYTES_MAX = 192;
/** Time for which an idle thread that reads payment files is kept. */
const IDLE_MS_MAX = 30_000;
/** Maximum time in milliseconds for which processing the result of a payment file thread delays other requests. */
const TURN_MS_MAX = 0.5;
const RETRY_SECONDS = 5;

interface Settings {
  readonly fileMsMax?: number;
  /** Module that tests run instead of the worker that reads payment files. */
  readonly worker?: URL;
}

/** Reads and writes payment files in worker threads, so that a large file does not delay other requests (ADR 0144). */
export function paymentFileThreads(
  logger: Logger,
  { fileMsMax = FILE_MS_MAX, worker = new URL('./payment-file-worker.js', import.meta.url) }: Settings = {},
): PaymentFiles & { close(): Promise<void> } {
  const pool = new Tinypool({
    filename: fileURLToPath(worker),
    runtime: 'worker_threads',
    minThreads: 0,
    maxThreads: THREADS_MAX,
    maxQueue: WAITING_FILES_MAX,
    idleTimeout: IDLE_MS_MAX,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES_MAX },
    // The threads that read payment files need no environment variables of this process.
    env: {},
  });
  let inProgress = 0;
  const run = async <K extends FileTask['kind']>(task: Extract<FileTask, { kind: K }>): Promise<FileResults[K]> => {
    if (inProgress >= THREADS_MAX + WAITING_FILES_MAX) {
      throw new DomainError('unavailable', 'Too many payment files are being read right now. Send the file again.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    inProgress += 1;
    let reply: FileReply<K>;
    try {
      reply = (await pool.run(task, { name: 'work', signal: AbortSignal.timeout(fileMsMax) })) as FileReply<K>;
    } catch (error) {
      // The worker thread was terminated, because reading the payment file took too long or needed too much memory.
      logger.warn({ error, step: task.kind }, 'a payment file could not be read in time');
      throw new DomainError(
        'unavailable',
        'The payment file could not be read in time. Send the file again later, or send its payments in several files.',
        { cause: error, retryAfterSeconds: RETRY_SECONDS },
      );
    } finally {
      inProgress -= 1;
    }
    if ('result' in reply) return reply.result;
    const { reason, place, message } = reply.refused;
    if (reason === 'TOO_LARGE') throw new DomainError('too_large', message);
    throw place === '' ? new DomainError('invalid', message) : invalidField(place, message);
  };
  return {
    async read(bytes) {
      const { pieces, ...file } = await run<'READ'>({ kind: 'READ', bytes });
      const turns = pace(TURN_MS_MAX);
      const lines: PaymentLine[] = [];
      for (const piece of pieces) {
        lines.push(...(JSON.parse(piece) as PaymentLine[]));
        await turns();
      }
      return { ...file, lines };
    },
    part: (bytes, lines, part) => run<'PART'>({ kind: 'PART', bytes, lines, part }),
    report: (report, bytes, downloads) =>
      run<'REPORT'>({
        kind: 'REPORT',
        report,
        bytes,
        downloads: downloads.map(({ number, lines }) => ({ number, lines })),
      }),
    close: () => pool.destroy(),
  };
}
