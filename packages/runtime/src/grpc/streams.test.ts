import { afterEach, describe, expect, test } from 'vitest';
import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { ReadDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import { UploadServiceDefinition } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type { ReceiveUploadRequest } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openTestChannel, testIdentity } from '../testing/test-identities.js';
import { createLogger } from '../logger.js';
import { systemContext } from '../request-context.js';
import type { RequestContext } from '../request-context.js';
import { client } from './client.js';
import { bind, startGrpcServer } from './server.js';

const TIMEOUT_MS = 60_000;
const MESSAGE_BYTES = 64 * 1024;
/** Number of streamed messages, more than all buffers together can hold. */
const MANY = 400;
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
const context = systemContext('streams');

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  lines.length = 0;
});

const unused = (): never => {
  throw new Error('It is not called.');
};

async function serve({
  receiveUpload = unused,
  readDocument = unused,
}: {
  receiveUpload?: (requests: AsyncIterable<ReceiveUploadRequest>, caller: RequestContext) => Promise<object>;
  readDocument?: (request: unknown, caller: RequestContext) => AsyncIterable<ReadDocumentResponse>;
}) {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('documents'),
    logger,
    bindings: [
      bind(UploadServiceDefinition, {
        receiveUpload,
        reserveUpload: unused,
        authorizeUpload: unused,
        getUpload: unused,
        keepUpload: unused,
        storeChannelDocument: unused,
      }),
      bind(DocumentServiceDefinition, {
        readDocument,
        describeDocument: unused,
        extractDocument: unused,
        describeRendering: unused,
        readRendering: unused,
        describeFa3: unused,
        findContact: unused,
        checkConfirmation: unused,
      }),
    ],
  });
  const channel = openTestChannel('documents', server.address);
  stops.push(
    () => server.stop(100),
    () => channel.close(),
  );
  return {
    uploads: client(UploadServiceDefinition, channel),
    documents: client(DocumentServiceDefinition, channel),
    stopServer: () => server.stop(0),
  };
}

const content = (byte: number): ReceiveUploadRequest => ({
  part: { $case: 'content', value: Buffer.alloc(MESSAGE_BYTES, byte) },
});
const document = { organizationId: 'o1', uploadId: 'u1', firstByte: undefined, lastByte: undefined };

/** Yields many messages, counts how many were read, and records whether the reader stopped. */
function source(count = MANY) {
  const state = { sent: 0, isEnded: false };
  async function* messages(): AsyncIterable<ReceiveUploadRequest> {
    try {
      for (; state.sent < count; state.sent++) yield content(state.sent);
    } finally {
      state.isEnded = true;
    }
  }
  return { state, messages: messages() };
}

async function sizeOf(messages: AsyncIterable<ReceiveUploadRequest>): Promise<number> {
  let bytes = 0;
  for await (const { part } of messages) bytes += part?.$case === 'content' ? part.value.length : 0;
  return bytes;
}

describe('a stream of requests', () => {
  test('arrives whole and in order, and is answered once', async () => {
    const first: number[] = [];
    const { uploads } = await serve({
      async receiveUpload(requests) {
        for await (const { part } of requests) if (part?.$case === 'content') first.push(part.value[0] ?? -1);
        return {};
      },
    });
    expect(await uploads.receiveUpload(source(20).messages, { context, timeoutMs: TIMEOUT_MS })).toEqual({});
    expect(first).toEqual([...Array(20).keys()]);
  });

  test('is taken from its source no faster than the service reads it', async () => {
    let release: () => void = unused;
    const { uploads } = await serve({
      async receiveUpload(requests) {
        await new Promise<void>((resolve) => (release = resolve));
        expect(await sizeOf(requests)).toBe(MANY * MESSAGE_BYTES);
        return {};
      },
    });
    const { state, messages } = source();
    const answer = uploads.receiveUpload(messages, { context, timeoutMs: TIMEOUT_MS });
    let before = -1;
    await eventually(() => {
      const stalled = before === state.sent && release !== unused;
      before = state.sent;
      expect(stalled).toBe(true);
    });
    expect(state.sent).toBeLessThan(MANY / 4);
    release();
    await answer;
    expect(state.sent).toBe(MANY);
  });

  test('that is refused early ends at its source, and the caller gets the refusal', async () => {
    const { uploads } = await serve({
      async receiveUpload(requests) {
        for await (const { part } of requests) throw new DomainError('wrong_state', `${part?.$case} came already.`);
        return {};
      },
    });
    const { state, messages } = source();
    await expect(uploads.receiveUpload(messages, { context, timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: 'content came already.',
    });
    await eventually(() => expect(state.isEnded).toBe(true));
    expect(state.sent).toBeLessThan(MANY);
    expect(lines).toEqual([]);
  });

  test('whose source fails is cancelled: the caller gets the failure, the service hears that nobody waits', async () => {
    let signal: AbortSignal | undefined;
    let isOver = false;
    const { uploads } = await serve({
      async receiveUpload(requests, caller) {
        signal = caller.signal;
        // A cancellation may arrive before a message that was sent earlier, and grpc-js may end the stream instead of
        // failing it.
        await sizeOf(requests).catch(() => undefined);
        isOver = true;
        return {};
      },
    });
    async function* broken(): AsyncIterable<ReceiveUploadRequest> {
      yield content(1);
      await eventually(() => expect(signal).toBeDefined());
      throw new Error('the client has left');
    }
    await expect(uploads.receiveUpload(broken(), { context, timeoutMs: TIMEOUT_MS })).rejects.toThrow(
      'the client has left',
    );
    await eventually(() => expect(signal?.aborted).toBe(true));
    await eventually(() => expect(isOver).toBe(true));
    expect(lines).toEqual([]);
  });

  test('that has not ended at its deadline is cut', async () => {
    const { uploads } = await serve({ receiveUpload: () => new Promise(() => {}) });
    const { state, messages } = source();
    await expect(uploads.receiveUpload(messages, { context, timeoutMs: 200 })).rejects.toMatchObject({
      kind: 'deadline',
    });
    await eventually(() => expect(state.isEnded).toBe(true));
  });

  test('is not repeated when the service cannot be reached', async () => {
    const { uploads, stopServer } = await serve({});
    await stopServer();
    await expect(uploads.receiveUpload(source(1).messages, { context, timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});

describe('a stream of responses', () => {
  async function* pieces(count: number, state = { sent: 0, isEnded: false }): AsyncIterable<ReadDocumentResponse> {
    try {
      for (; state.sent < count; state.sent++) yield { content: Buffer.alloc(MESSAGE_BYTES, state.sent) };
    } finally {
      state.isEnded = true;
    }
  }

  test('arrives whole and in order', async () => {
    const { documents } = await serve({ readDocument: () => pieces(20) });
    const first: number[] = [];
    for await (const piece of documents.readDocument(document, { context, timeoutMs: TIMEOUT_MS })) {
      first.push(piece.content[0] ?? -1);
    }
    expect(first).toEqual([...Array(20).keys()]);
  });

  test('is read no faster than it is taken, and ends when nobody takes it any more', async () => {
    const state = { sent: 0, isEnded: false };
    const { documents } = await serve({ readDocument: () => pieces(MANY, state) });
    for await (const { content: first } of documents.readDocument(document, { context, timeoutMs: TIMEOUT_MS })) {
      expect(first).toHaveLength(MESSAGE_BYTES);
      let before = -1;
      await eventually(() => {
        const isStalled = before === state.sent;
        before = state.sent;
        expect(isStalled).toBe(true);
      });
      break;
    }
    await eventually(() => expect(state.isEnded).toBe(true));
    expect(state.sent).toBeLessThan(MANY / 4);
    expect(lines).toEqual([]);
  });

  test('ends with the refusal of the service, before or after its first message', async () => {
    for (const count of [0, 2]) {
      const { documents } = await serve({
        async *readDocument() {
          yield* pieces(count);
          throw notFound('document');
        },
      });
      const taken: unknown[] = [];
      const read = async (): Promise<void> => {
        const all = documents.readDocument(document, { context, timeoutMs: TIMEOUT_MS });
        for await (const piece of all) taken.push(piece);
      };
      await expect(read()).rejects.toMatchObject({ kind: 'not_found', publicMessage: 'No such document.' });
      expect(taken).toHaveLength(count);
    }
  });

  test('is repeated once when the service is unavailable before the first message, and never after it', async () => {
    let calls = 0;
    const { documents } = await serve({
      async *readDocument() {
        calls++;
        if (calls > 1) yield* pieces(1);
        throw new DomainError('unavailable', 'Not now.');
      },
    });
    const taken: unknown[] = [];
    const read = async (): Promise<void> => {
      const all = documents.readDocument(document, { context, timeoutMs: TIMEOUT_MS });
      for await (const piece of all) taken.push(piece);
    };
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable' });
    expect([calls, taken.length]).toEqual([2, 1]);
  });

  test('is cut when the signal of its reader is aborted', async () => {
    const ending = new AbortController();
    const state = { sent: 0, isEnded: false };
    const { documents } = await serve({ readDocument: () => pieces(MANY, state) });
    const call = { context, timeoutMs: TIMEOUT_MS, signal: ending.signal };
    const read = async (): Promise<void> => {
      for await (const piece of documents.readDocument(document, call)) {
        expect(piece.content).toHaveLength(MESSAGE_BYTES);
        ending.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable' });
    await eventually(() => expect(state.isEnded).toBe(true));
  });
});
