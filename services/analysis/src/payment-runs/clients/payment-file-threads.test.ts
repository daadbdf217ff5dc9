import { afterEach, describe, expect, test } from 'vitest';
import { MAX_PAYMENT_FILE_BYTES } from '@invoicecontrol/payment-files/payment-file';
import { paymentRunText, runLines } from '@invoicecontrol/payment-files/testing/payment-run';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { bitsOf } from '../domain/run.js';
import { paymentFileThreads, THREADS_MAX, WAITING_FILES_MAX } from './payment-file-threads.js';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => lines.push(line) } });
const worker = new URL('../../../dist/testing/stuck-file-worker.js', import.meta.url);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  lines.length = 0;
  for (const close of closing.splice(0)) await close();
});

function start(settings?: Parameters<typeof paymentFileThreads>[1]) {
  const files = paymentFileThreads(logger, settings);
  closing.push(() => files.close());
  return files;
}

const STUCK = new Uint8Array();
const HUGE = new Uint8Array(2);
const READABLE = new Uint8Array(1);

describe('a payment file', () => {
  test('of 10,000 payments is read while other work of the process goes on', async () => {
    const bytes = Buffer.from(paymentRunText(runLines(10_000)));
    const files = start();
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    const { messageId, lines: read } = await files.read(bytes);
    clearInterval(ticking);
    expect([messageId, read.length]).toEqual(['RUN', 10_000]);
    expect(read.map(({ position }) => position)).toEqual(read.map((_, index) => index + 1));
    // Reading it takes hundreds of milliseconds.
    expect(turns).toBeGreaterThan(10);
  });

  test('that is refused is refused with its place, and the next one is read', async () => {
    const files = start();
    const text = paymentRunText(runLines(2));
    await expect(files.read(Buffer.from(text.replace(/<InstdAmt[^>]*>[^<]*/, '$&1')))).rejects.toMatchObject({
      kind: 'invalid',
      publicMessage: expect.stringContaining('CdtTrfTxInf'),
    });
    await expect(files.read(Buffer.alloc(MAX_PAYMENT_FILE_BYTES + 1, ' '))).rejects.toMatchObject({
      kind: 'too_large',
    });
    expect((await files.read(Buffer.from(text))).lines).toHaveLength(2);
  });

  test('is written with the lines that are kept', async () => {
    const files = start();
    const bytes = Buffer.from(paymentRunText(runLines(5)));
    const part = await files.part(bytes, bitsOf([2, 5], 5), 2);
    expect(part.count).toBe(2);
    const read = await files.read(part.bytes);
    expect(read.messageId).toBe('RUN-2');
    expect(read.lines.map(({ endToEndId }) => endToEndId)).toEqual(['E2E-2', 'E2E-5']);
  });

  test('that takes too long is refused, its thread ends, and later files are read', async () => {
    const files = start({ fileMsMax: 500, worker });
    const outcomes = await Promise.allSettled(Array.from({ length: THREADS_MAX }, () => files.read(STUCK)));
    expect(outcomes).toEqual(
      outcomes.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ kind: 'unavailable', retryAfterSeconds: expect.any(Number) }),
      })),
    );
    expect(lines).toHaveLength(THREADS_MAX);
    expect((await files.read(READABLE)).messageId).toBe('READ');
  });

  test('that needs too much memory is refused, the process lives on, and later files are read', async () => {
    const files = start({ worker });
    await expect(files.read(HUGE)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(lines).toHaveLength(1);
    expect((await files.read(READABLE)).messageId).toBe('READ');
  });

  test(`waits for a thread with ${WAITING_FILES_MAX} others, and one more is refused at once`, async () => {
    const files = start({ fileMsMax: 2_000, worker });
    const held = Promise.allSettled(Array.from({ length: THREADS_MAX }, () => files.read(STUCK)));
    const waiting = Promise.allSettled(Array.from({ length: WAITING_FILES_MAX }, () => files.read(READABLE)));
    const begun = performance.now();
    await expect(files.read(READABLE)).rejects.toMatchObject({
      kind: 'unavailable',
      publicMessage: expect.stringMatching(/^Too many payment files/),
    });
    expect(performance.now() - begun).toBeLessThan(1_000);
    await Promise.all([held, waiting]);
    expect((await files.read(READABLE)).messageId).toBe('READ');
  });
});
