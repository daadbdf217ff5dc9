import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { startTcpProxy } from './tcp-proxy.js';
import type { TcpProxy } from './tcp-proxy.js';

/** The server behind the proxy, which sends back all data that it receives. */
let echo: Server;
let proxy: TcpProxy;
const opened: Client[] = [];

interface Client {
  readonly socket: Socket;
  heard: string;
  isClosed: boolean;
}

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  await new Promise<void>((listening) => {
    echo.listen(0, '127.0.0.1', listening);
  });
  proxy = await startTcpProxy({ serverHost: '127.0.0.1', serverPort: (echo.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await proxy.close();
  await new Promise((closed) => {
    echo.close(closed);
  });
});

function open(): Client {
  const client: Client = { socket: connect(proxy.port, '127.0.0.1'), heard: '', isClosed: false };
  client.socket.on('data', (data) => {
    client.heard += data.toString();
  });
  client.socket.on('error', () => {});
  client.socket.on('close', () => {
    client.isClosed = true;
  });
  opened.push(client);
  return client;
}

async function expectEcho(text: string): Promise<Client> {
  const client = open();
  client.socket.write(text);
  await eventually(() => expect(client.heard).toBe(text));
  return client;
}

describe('a TCP proxy', () => {
  test('carries both directions unchanged, also what is larger than its buffers', async () => {
    await expectEcho('x'.repeat(1_000_000));
  });

  test('delays both directions by the latency it was told', async () => {
    proxy.delay(50);
    const before = performance.now();
    await expectEcho('slow');
    // Timers count whole milliseconds, so each of the two delays may be almost one millisecond shorter.
    expect(performance.now() - before).toBeGreaterThan(98);
  });

  test('ends every connection when it resets, and serves new ones', async () => {
    const client = await expectEcho('one');
    proxy.reset();
    await eventually(() => expect(client.isClosed).toBe(true));
    await expectEcho('two');
  });

  test('refuses connections while it is cut', async () => {
    const client = await expectEcho('one');
    proxy.cut();
    const refused = open();
    await eventually(() => expect([client.isClosed, refused.isClosed]).toEqual([true, true]));
    proxy.heal();
    await expectEcho('two');
  });

  test('keeps connections and lets nothing pass while it is stalled, and carries it all afterwards', async () => {
    const client = await expectEcho('one');
    proxy.stall();
    client.socket.write(' two');
    const late = open();
    late.socket.write('three');
    await eventually(() => expect([client.socket.bytesWritten, late.socket.bytesWritten]).toEqual([7, 5]));
    expect([client.heard, client.isClosed, late.heard, late.isClosed]).toEqual(['one', false, '', false]);
    proxy.heal();
    await eventually(() => expect([client.heard, late.heard]).toEqual(['one two', 'three']));
  });

  test('carries so many bytes a second as it was told', async () => {
    proxy.throttle(10_000);
    const before = performance.now();
    await expectEcho('x'.repeat(1_000));
    expect(performance.now() - before).toBeGreaterThan(198);
  });

  test('stalls one direction alone', async () => {
    const client = await expectEcho('one');
    proxy.stall('toServer');
    client.socket.write(' two');
    proxy.heal();
    await eventually(() => expect(client.heard).toBe('one two'));
    proxy.stall('toClient');
    const reached = new Promise<string>((heard) => {
      echo.once('connection', (socket) => socket.once('data', (data) => heard(data.toString())));
    });
    const asking = open();
    asking.socket.write('asked');
    expect(await reached).toBe('asked');
    expect(asking.heard).toBe('');
  });

  test('loses what it swallows, and serves none but new connections afterwards', async () => {
    const client = await expectEcho('one');
    proxy.swallow();
    client.socket.write(' two');
    const isServed = once(echo, 'connection');
    const late = open();
    late.socket.write('three');
    await isServed;
    proxy.heal();
    await expectEcho('four');
    client.socket.write(' five');
    await expectEcho('six');
    expect([client.heard, client.isClosed, late.heard, late.isClosed]).toEqual(['one', false, '', false]);
  });

  test('passes over a replica that takes no connections', async () => {
    const gone = createServer();
    await new Promise<void>((listening) => {
      gone.listen(0, '127.0.0.1', listening);
    });
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => {
      gone.close(closed);
    });
    await proxy.close();
    proxy = await startTcpProxy({
      serverHost: '127.0.0.1',
      serverPort: port,
      replicaPorts: [(echo.address() as AddressInfo).port],
    });
    for (const text of ['one', 'two', 'three']) await expectEcho(text);
  });

  test('ends the other side when one side ends', async () => {
    const client = await expectEcho('one');
    client.socket.end();
    await eventually(() => expect(client.isClosed).toBe(true));
    await eventually(
      () =>
        new Promise<void>((none, some) => {
          echo.getConnections((_error, count) => (count === 0 ? none() : some(new Error(`${count} open`))));
        }),
    );
  });
});
