import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import net from 'node:net';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongod, type EmbeddedMongod } from './server.js';
import { parse, serialize, type Doc } from './values.js';

let server: EmbeddedMongod;
let sockets: net.Socket[];

beforeEach(async () => {
  server = await startEmbeddedMongod();
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

function connect(): net.Socket {
  const socket = net.connect(server.port, '127.0.0.1');
  sockets.push(socket);
  return socket;
}

/** One OP_MSG with only a body. */
function messageOf(body: Doc): Buffer {
  const doc = serialize(body);
  const message = Buffer.alloc(21 + doc.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(7, 4);
  message.writeInt32LE(2013, 12);
  doc.copy(message, 21);
  return message;
}

/** The bodies of the next replies. */
async function repliesOn(socket: net.Socket, count: number): Promise<Doc[]> {
  const replies: Doc[] = [];
  let bytes = Buffer.alloc(0);
  while (replies.length < count) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 16 && bytes.length >= bytes.readInt32LE(0)) {
      const length = bytes.readInt32LE(0);
      expect(bytes.readInt32LE(8)).toBe(7);
      replies.push(parse(bytes.subarray(21, length)));
      bytes = bytes.subarray(length);
    }
  }
  return replies;
}

test('a message may arrive byte by byte', async () => {
  const socket = connect();
  socket.setNoDelay(true);
  for (const byte of messageOf({ ping: 1, $db: 'admin' })) socket.write(Buffer.of(byte));
  expect(await repliesOn(socket, 1)).toEqual([{ ok: 1 }]);
});

test('several messages may arrive at once', async () => {
  const socket = connect();
  const ping = messageOf({ ping: 1, $db: 'admin' });
  socket.write(Buffer.concat([ping, ping, ping]));
  expect(await repliesOn(socket, 3)).toEqual([{ ok: 1 }, { ok: 1 }, { ok: 1 }]);
});

test.each<[string, Buffer]>([
  ['a length below any message', Buffer.alloc(16)],
  ['a length beyond any message', Buffer.from('ffffff7f000000000000000000000000', 'hex')],
  ['an operation that is not served', Buffer.from('10000000010000000000000001000000', 'hex')],
  ['a section that lies about its length', Buffer.from('1a0000000700000000000000dd0700000000000000ff00000000', 'hex')],
  ['text', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
])('%s closes that connection only', async (_title, bytes) => {
  const client = new MongoClient(server.url);
  await client.db('test').command({ ping: 1 });
  const socket = connect();
  socket.write(bytes);
  socket.resume();
  await once(socket, 'close');
  expect(await client.db('test').command({ ping: 1 })).toEqual({ ok: 1 });
  await client.close();
});

test('a stopped server closes everything', async () => {
  const open = connect();
  open.on('error', () => {});
  open.write(messageOf({ ping: 1, $db: 'admin' }));
  expect(await repliesOn(open, 1)).toEqual([{ ok: 1 }]);
  const closed = new Promise((resolve) => open.once('close', resolve));
  open.resume();
  await server.stop();
  await closed;
  await expect(once(connect(), 'connect')).rejects.toThrow('ECONNREFUSED');
  server = await startEmbeddedMongod();
});
