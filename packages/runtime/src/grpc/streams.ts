import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { DomainError } from '@invoicecontrol/errors';

/**
 * Yields the messages of a call as they arrive, and reads no more than the caller consumes. If the caller stops early,
 * the rest stays unread.
 *
 * grpc-js may end a stream that the other side cancelled, and report the cancellation later. A contract with streamed
 * requests must therefore state how much data the service can expect.
 */
export async function* readStream(call: Readable): AsyncIterable<unknown> {
  try {
    // The request stream of a gRPC call is not destroyed when its reader stops, because the response is sent over the
    // same stream.
    yield* call.iterator({ destroyOnReturn: false });
  } catch {
    // A gRPC stream that closes before its end counts as cancelled, because the servers and clients of the product
    // never destroy a stream with an error.
    throw new DomainError(
      'unavailable',
      'The caller disconnected before the whole request stream arrived. Send the request again.',
    );
  }
}

/**
 * Writes each message of a gRPC stream after the previous one was sent, so that only one message is held in memory.
 * @param signal aborted when the receiver no longer reads; the messages then end
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
