import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { DomainError } from '@invoicecontrol/errors';

/**
 * Yields the messages of a call as they arrive; no more are read than the reader takes. Ending early leaves the rest unread.
 *
 * grpc-js may show a stream that its caller cancelled as one that has ended, and tell of the cancellation after that. A
 * contract with a stream of requests therefore lets the service know how much has to come.
 */
export async function* readStream(call: Readable): AsyncIterable<unknown> {
  try {
    // It is not destroyed when the reader has enough: the response is still sent over it.
    yield* call.iterator({ destroyOnReturn: false });
  } catch {
    // Our servers and clients never destroy a stream with an error; a cancelled one ends too early.
    throw new DomainError('unavailable', 'The caller disconnected before the end of its stream.');
  }
}

/**
 * Writes each message when the one before it has left, so that one at a time is held here.
 * @param signal aborted when nobody takes them any more; the messages then end
 */
export async function writeStream(
  messages: AsyncIterable<unknown>,
  call: Writable,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stopped = signal === undefined ? new Promise<never>(() => {}) : stoppedBy(signal);
  for await (const message of messages) {
    const written = new Promise<void>((resolve) => call.write(message, () => resolve()));
    await Promise.race([written, stopped]);
    if (signal?.aborted === true) return;
  }
}

async function stoppedBy(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
