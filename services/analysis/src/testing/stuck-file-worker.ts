import type { FileTask } from '../payment-runs/clients/payment-file-worker.js';

/**
 * A faulty worker for tests of reading payment files: it never finishes an empty file, uses up its memory on a file of
 * two bytes, and returns no payments for every other file.
 */
export function work({ bytes }: FileTask): unknown {
  if (bytes.length === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  const kept: number[][] = [];
  while (bytes.length === 2) kept.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5));
  return { result: { messageId: 'READ', debtorTaxIds: [], pieces: [] } };
}
