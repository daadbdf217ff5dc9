import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Response } from 'express';
import { sendReply } from './answer.js';
import { ClientGone } from './client-gone.js';
import { Compressor } from './compress.js';

/** A chunk of a response that is larger than the socket buffers of both sides. */
const CHUNK = Buffer.alloc(1024 * 1024);

/** Sends bytes without end to a client that may stop reading, and returns how the response ended. */
async function sendEndlessly(takenWithinMs: number, isTaking: boolean): Promise<{ error: unknown; isEnded: boolean }> {
  let isEnded = false;
  let sent = 0;
  const content = async function* (): AsyncIterable<Uint8Array> {
    try {
      for (; sent < 200; sent++) yield CHUNK;
    } finally {
      isEnded = true;
    }
  };
  const ended = new Promise<unknown>((resolve) => {
    server.once('request', (_, response) => {
      sendReply(
        response as Response,
        { status: 200, content: content() },
        { takenWithinMs, compressor: new Compressor() },
      ).then(() => resolve(undefined), resolve);
    });
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  if (isTaking) client.resume();
  try {
    return { error: await ended, isEnded };
  } finally {
    client.destroy();
  }
}

const server = createServer();
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

test('a client that takes nothing for too long is disconnected, and the source of its answer ends', async () => {
  const { error, isEnded } = await sendEndlessly(200, false);
  expect(error).toBeInstanceOf(ClientGone);
  expect(isEnded).toBe(true);
});

test('a client that takes its answer gets all of it, however long that is', async () => {
  expect(await sendEndlessly(10_000, true)).toEqual({ error: undefined, isEnded: true });
});
