import type { FileTask } from '../payment-runs/clients/payment-file-worker.js';

/**
 * Worker of tests: it never ends on an empty file, needs all memory for a file of two bytes, and reads every other file as
 * a file without payments.
 */
export function work({ bytes }: FileTask): unknown {
  if (bytes.length === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  const kept: number[][] = [];
  while (bytes.length === 2) kept.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5));
  return { result: { messageId: 'READ', debtorTaxIds: [], pieces: [] } };
}
