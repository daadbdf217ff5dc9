import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { SCAN_BODY_LIMITS } from '../../routes/scan/scan-request.js';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { parseAnswer } from '../../testing/raw-http.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { GatewayOptions, RunningGateway } from '../../testing/running-gateway.js';
import { ADDRESS_BODIES_BYTES_MAX, ORGANIZATION_BODIES_BYTES_MAX, PUBLIC_BODIES_BYTES_MAX } from './body-budget.js';
import { chunksMaxOf, JSON_BODY_LIMITS, PUBLIC_BODY_LIMITS } from './body.js';
import {
  BODY_WINDOW_BYTES_MIN,
  FILES_IN_FLIGHT_MAX,
  ORGANIZATION_FILES_IN_FLIGHT_MAX,
  TIMEOUTS,
} from '../limits/limits.js';

const key = keyNamed('owner');
const otherKey = keyNamed('other');
const MIB = 1024 * 1024;

const started: RunningGateway[] = [];
const sockets: Socket[] = [];
let release: () => void;

/** Starts a gateway whose scan service responds after `release` is called. */
async function start(options: GatewayOptions = {}): Promise<RunningGateway> {
  const keys = new Map([
    [key, principal()],
    [otherKey, principal({ organizationId: '0198a000-0000-7000-8000-000000000002', apiKeyId: 'other' })],
  ]);
  const released = new Promise<void>((resolve) => (release = resolve));
  const gateway = await startGateway(
    {
      access: accessFor(keys),
      scans: { createScan: () => released.then(() => Promise.reject(new Error('Enough.'))) },
      organizations: { getOrganization: () => released.then(() => Promise.reject(new Error('Enough.'))) },
      paymentNotifications: {
        receiveNotification: () => Promise.reject(new DomainError('unauthenticated', 'Wrong signature.')),
      },
      uploads: {
        async authorizeUpload({ token }) {
          if (token === 'guess') throw new DomainError('unauthenticated', 'Wrong token.');
          return { organizationId: token };
        },
        async receiveUpload(requests) {
          const messages = requests[Symbol.asyncIterator]();
          while ((await messages.next()).done !== true);
          return {};
        },
      },
    },
    { limits: { scans: 1_000 }, ...options },
  );
  started.push(gateway);
  return gateway;
}
afterEach(async () => {
  release();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(started.splice(0).map((gateway) => gateway.stop()));
});

interface Connection {
  readonly socket: Socket;
  /** Resolves with the first complete HTTP response on the connection. */
  answer(): Promise<ReturnType<typeof parseAnswer>>;
}

async function open(gateway: RunningGateway, head: string, body = '', from = '127.0.0.1'): Promise<Connection> {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.setEncoding('latin1');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  await once(socket, 'connect');
  socket.write(head);
  socket.write(body);
  return {
    socket,
    answer: async () => {
      await eventually(() => expect(received).toMatch(/^HTTP\/1\.1 [2-5][0-9][0-9][^]*\r\n\r\n[^]*\}$/));
      return parseAnswer(received);
    },
  };
}

const head = (path: string, ...lines: string[]) =>
  `${[`POST /v1${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`;
const withKey = (given = key) => `Authorization: Bearer ${given}`;
const chunkOf = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const scan = (...lines: string[]) => head('/scans', withKey(), ...lines);
const row =
  '{"supplierName":"Acme Ltd","invoiceNumber":"INV-1","issueDate":"2024-02-29","grossAmount":"120","sourceRowNumber":2}';
/** Returns a body of the given size with a history scan of one row. */
const scanOf = (bytes: number) => `{"rows":[${row}]}`.padEnd(bytes);

describe('the bytes of a body', () => {
  test('are held from their arrival until the answer, not from their announcement', async () => {
    const gateway = await start();
    const { socket } = await open(gateway, scan(`Content-Length: ${9 * MIB}`));
    await eventually(() => expect(gateway.held()).toBe(1));
    expect(gateway.inFlight()).toBe(0);
    expect(gateway.bodies.bytes).toBe(0);
    socket.write(scanOf(9 * MIB).slice(0, MIB));
    await eventually(() => expect(gateway.bodies.bytes).toBe(MIB));
    socket.write(scanOf(9 * MIB).slice(MIB));
    await eventually(() => expect(gateway.bodies.bytes).toBe(9 * MIB));
    release();
    await eventually(() => expect(gateway.bodies.bytes).toBe(0));
  });

  test.each([
    ['the client leaves', (socket: Socket) => void socket.destroy()],
    ['the client sends what is not HTTP', (socket: Socket) => void socket.write('no chunk\r\n')],
    ['the body is not JSON', (socket: Socket) => void socket.write('0\r\n\r\n')],
    [
      'the body has too many values',
      (socket: Socket) => void socket.write(chunkOf('[],'.repeat(SCAN_BODY_LIMITS.valuesMax))),
    ],
  ])('are given back when %s', async (_, end) => {
    const gateway = await start();
    const { socket } = await open(gateway, scan('Transfer-Encoding: chunked'), chunkOf('{"rows":['));
    await eventually(() => expect(gateway.bodies.bytes).toBe(9));
    end(socket);
    await eventually(() => expect(gateway.bodies.bytes).toBe(0));
    await eventually(() => expect(gateway.inFlight()).toBe(0));
  });

  test('are given back when they do not arrive in time', async () => {
    const gateway = await start({ timeouts: { ...TIMEOUTS, requestMs: 200, headersMs: 200, checkingIntervalMs: 20 } });
    const { answer } = await open(gateway, scan('Transfer-Encoding: chunked'), chunkOf('{"rows":['));
    expect((await answer()).status).toBe(408);
    await eventually(() => expect(gateway.bodies.bytes).toBe(0));
  });

  test('are given back when too few arrive in a window, however long the whole may take', async () => {
    const gateway = await start({ timeouts: { ...TIMEOUTS, bodyWindowMs: 300, checkingIntervalMs: 20 } });
    const { socket, answer } = await open(gateway, scan('Transfer-Encoding: chunked'), chunkOf('{"rows":['));
    const dripping = setInterval(() => socket.write(chunkOf(' ')), 20);
    try {
      expect((await answer()).status).toBe(408);
    } finally {
      clearInterval(dripping);
    }
    await eventually(() => expect(gateway.bodies.bytes).toBe(0));
  });

  test('are never more than none where nothing but the head comes: the request ends after a window, and is no load', async () => {
    const gateway = await start({ timeouts: { ...TIMEOUTS, bodyWindowMs: 300, checkingIntervalMs: 20 } });
    for (const text of [scan('Content-Length: 9'), head('/members/accept', 'Content-Length: 9')]) {
      const { answer } = await open(gateway, text);
      expect(gateway.inFlight()).toBe(0);
      expect((await answer()).status).toBe(408);
    }
  });

  test('may take many windows when enough arrive in each', async () => {
    const bodyWindowMs = 200;
    const gateway = await start({ timeouts: { ...TIMEOUTS, bodyWindowMs, checkingIntervalMs: 20 } });
    const length = 5 * MIB;
    const { socket, answer } = await open(gateway, scan(`Content-Length: ${length}`), '[');
    const beganMs = performance.now();
    let left = length - 1;
    const sending = setInterval(() => {
      const piece = ' '.repeat(
        Math.min(left, performance.now() - beganMs > 5 * bodyWindowMs ? left : BODY_WINDOW_BYTES_MIN),
      );
      left -= piece.length;
      socket.write(piece);
      if (left === 0) clearInterval(sending);
    }, 10);
    expect((await answer()).status).toBe(400);
    clearInterval(sending);
  });

  test.each([
    ['announced', `Content-Length: ${9 * MIB}`, (text: string) => text],
    ['in chunks', 'Transfer-Encoding: chunked', chunkOf],
  ])(
    'beyond the share of an organization are refused with 503 and Retry-After, %s, and nobody else is',
    async (_, framing, framed) => {
      const gateway = await start();
      const waiting = Math.floor(ORGANIZATION_BODIES_BYTES_MAX / (9 * MIB));
      for (let count = 1; count <= waiting; count += 1) {
        await open(gateway, scan(`Content-Length: ${9 * MIB}`), scanOf(9 * MIB));
        await eventually(() => expect(gateway.bodies.bytes).toBe(count * 9 * MIB));
      }
      const { answer } = await open(gateway, scan(framing), framed(scanOf(9 * MIB)));
      const { status, headers, body } = await answer();
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('2');
      expect(body).toContain('in progress for this organization');
      await eventually(() => expect(gateway.bodies.bytes).toBe(waiting * 9 * MIB));
      const other = await open(gateway, head('/scans', withKey(otherKey), 'Content-Length: 2'), '{}');
      expect((await other.answer()).status).toBe(400);
    },
  );

  test('that are refused are not asked for by a client that waits to send them', async () => {
    const gateway = await start();
    for (const bytes of [10 * MIB, 2 * MIB]) {
      await open(gateway, scan(`Content-Length: ${bytes}`), scanOf(bytes));
    }
    await eventually(() => expect(gateway.bodies.bytes).toBe(ORGANIZATION_BODIES_BYTES_MAX));
    const { answer } = await open(gateway, scan('Content-Length: 9', 'Expect: 100-continue'));
    expect(await answer()).toMatchObject({ status: 503, headers: { connection: 'close' } });
  });

  test.each([
    ['without a key 1,000 chunks', '/members/accept', 'X-Nothing: x', chunksMaxOf(PUBLIC_BODY_LIMITS.bytesMax)],
    ['with a key as many as have 40 bytes each', '/companies', withKey(), chunksMaxOf(JSON_BODY_LIMITS.bytesMax)],
  ])('come in at most so many chunks: %s', async (_, path, key, chunksMax) => {
    const gateway = await start();
    const inChunks = (count: number) => `${chunkOf('{}')}${chunkOf(' ').repeat(count - 1)}`;
    const framed = head(path, key, 'Transfer-Encoding: chunked');
    const most = await open(gateway, framed, `${inChunks(chunksMax)}0\r\n\r\n`);
    const excess = await open(gateway, framed, inChunks(chunksMax + 1));
    expect((await most.answer()).status).toBe(400);
    const { status, headers, body } = await excess.answer();
    expect({ status, connection: headers['connection'] }).toEqual({ status: 413, connection: 'close' });
    expect(body).toContain(`The body has more than ${chunksMax} chunks. Send fewer, larger chunks.`);
  });

  test('that are refused are given back at once: of many that do not fit together, some fit', async () => {
    const gateway = await start();
    const connections = [];
    for (let count = 0; count < 4; count += 1) {
      const connection = await open(gateway, scan(`Content-Length: ${5 * MIB}`), scanOf(5 * MIB).slice(0, 2 * MIB));
      await eventually(() => expect(gateway.bodies.bytes).toBe((count + 1) * 2 * MIB));
      connections.push(connection);
    }
    for (const { socket } of connections) socket.write(' '.repeat(3 * MIB));
    await eventually(() => expect(gateway.bodies.bytes).toBe(10 * MIB));
    await eventually(() => expect(gateway.held()).toBe(2));
  });

  test('without a key are bounded for their address', async () => {
    const gateway = await start();
    const pieces = ADDRESS_BODIES_BYTES_MAX / PUBLIC_BODY_LIMITS.bytesMax;
    const accept = head('/members/accept', `Content-Length: ${PUBLIC_BODY_LIMITS.bytesMax}`);
    for (let count = 1; count <= pieces; count += 1) {
      await open(gateway, accept, '{'.padEnd(PUBLIC_BODY_LIMITS.bytesMax - 1));
    }
    await eventually(() => expect(gateway.bodies.bytes).toBe(ADDRESS_BODIES_BYTES_MAX - pieces));
    const { answer } = await open(gateway, accept, '{'.padEnd(PUBLIC_BODY_LIMITS.bytesMax));
    expect(await answer()).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  });

  test.each([
    [PUBLIC_BODY_LIMITS.bytesMax, 400],
    [PUBLIC_BODY_LIMITS.bytesMax + 1, 413],
  ])('without a key are at most those of a token and a name: %d are answered %d', async (bytes, status) => {
    const gateway = await start();
    const { answer } = await open(gateway, head('/members/accept', `Content-Length: ${bytes}`), '{}'.padEnd(bytes));
    expect((await answer()).status).toBe(status);
  });

  test('without a key leave room for signed ones', async () => {
    const gateway = await start();
    const perAddress = ADDRESS_BODIES_BYTES_MAX / PUBLIC_BODY_LIMITS.bytesMax;
    const accept = head('/members/accept', `Content-Length: ${PUBLIC_BODY_LIMITS.bytesMax}`);
    for (let address = 2; address < 2 + PUBLIC_BODIES_BYTES_MAX / ADDRESS_BODIES_BYTES_MAX; address += 1) {
      for (let count = 0; count < perAddress; count += 1) {
        await open(gateway, accept, '{'.padEnd(PUBLIC_BODY_LIMITS.bytesMax - 1), `127.0.0.${address}`);
      }
    }
    const held = PUBLIC_BODIES_BYTES_MAX - PUBLIC_BODIES_BYTES_MAX / PUBLIC_BODY_LIMITS.bytesMax;
    await eventually(() => expect(gateway.bodies.bytes).toBe(held));
    const full = await open(gateway, accept, '{'.padEnd(PUBLIC_BODY_LIMITS.bytesMax), '127.0.0.200');
    expect((await full.answer()).status).toBe(503);
    const notification = head('/billing/paddle/notifications', 'Content-Length: 2');
    expect((await (await open(gateway, notification, '{}')).answer()).status).toBe(401);
  });
});

describe('the files that are being received', () => {
  const put = (right: string, length: number) =>
    [
      `PUT /v1/uploads/0198a000-0000-7000-8000-00000000000a/content${right.startsWith('?') ? right : ''} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/pdf',
      `Content-Length: ${length}`,
      ...(right.startsWith('?') ? [] : [right]),
      '\r\n',
    ].join('\r\n');
  const ownerOf = (right: string) => (right.startsWith('?') ? 'slow' : principal().organizationId);
  const statusOf = async (gateway: RunningGateway, right: string): Promise<number> => {
    const { socket, answer } = await open(gateway, put(right, 2), '{}');
    // The response to an upload with a wrong token has no body, so it ends with its headers.
    if (right === '?token=other') {
      const [text] = (await once(socket, 'data')) as [string];
      return Number(text.slice(9, 12));
    }
    return (await answer()).status;
  };

  test.each(['?token=slow', withKey()])(
    'of one organization are so many, by %s, and another one, from the same address, still sends its own',
    async (right) => {
      const gateway = await start({ unauthenticatedPerAddressMax: 2 });
      const held = [];
      for (let count = 1; count <= ORGANIZATION_FILES_IN_FLIGHT_MAX; count += 1) {
        held.push(await open(gateway, put(right, 9), 'x'));
        await eventually(() => expect(gateway.files.held(ownerOf(right))).toBe(count));
      }
      expect(await statusOf(gateway, right)).toBe(429);
      expect(gateway.unauthenticated.held('127.0.0.1')).toBe(0);
      expect(await statusOf(gateway, '?token=other')).toBe(204);
      for (const { socket } of held) socket.destroy();
      await eventually(() => expect(gateway.files.owners).toBe(0));
    },
  );

  test('of all organizations are so many; the next is refused with 503', async () => {
    const gateway = await start();
    for (let count = 0; count < FILES_IN_FLIGHT_MAX; count += 1) {
      await open(gateway, put(`?token=o${count % 20}`, 9), 'x');
    }
    await eventually(() => expect(gateway.files.isFull).toBe(true));
    expect(await statusOf(gateway, '?token=another')).toBe(503);
  });

  test('by a token that is wrong hold nothing', async () => {
    const gateway = await start({ unauthenticatedPerAddressMax: 1 });
    expect(await statusOf(gateway, '?token=guess')).toBe(401);
    expect(gateway.files.owners).toBe(0);
    await eventually(() => expect(gateway.unauthenticated.held('127.0.0.1')).toBe(0));
  });

  test('are cut off with 408 when not a byte of them arrives in a window, by token and by key', async () => {
    const gateway = await start({ timeouts: { ...TIMEOUTS, bodyWindowMs: 300, checkingIntervalMs: 20 } });
    for (const right of ['?token=slow', withKey()]) {
      const { answer } = await open(gateway, put(right, MIB));
      expect((await answer()).status).toBe(408);
    }
    await eventually(() => expect(gateway.files.owners).toBe(0));
  });

  test('are cut off with 408 when too few bytes of them arrive in a window', async () => {
    const gateway = await start({ timeouts: { ...TIMEOUTS, bodyWindowMs: 300, checkingIntervalMs: 20 } });
    const { socket, answer } = await open(gateway, put('?token=slow', MIB), 'x');
    const dripping = setInterval(() => socket.write('x'), 20);
    try {
      expect((await answer()).status).toBe(408);
    } finally {
      clearInterval(dripping);
    }
    await eventually(() => expect(gateway.files.owners).toBe(0));
  });
});

describe('what a body may not do', () => {
  test('is read before its key is known to be good', async () => {
    const gateway = await start();
    const refused = head('/scans', `Authorization: Bearer ${keyNamed('guess')}`, `Content-Length: ${9 * MIB}`);
    const { answer } = await open(gateway, refused, scanOf(MIB));
    expect((await answer()).status).toBe(401);
    expect(gateway.bodies.bytes).toBe(0);
  });

  test.each([
    ['two lengths', scan('Content-Length: 2', 'Content-Length: 3')],
    ['a length and chunks', scan('Content-Length: 2', 'Transfer-Encoding: chunked')],
    ['a length that is not a number', scan('Content-Length: 2x')],
    ['a negative length', scan('Content-Length: -1')],
  ])('arrive with %s', async (_, text) => {
    const gateway = await start();
    const { answer } = await open(gateway, text, '{}');
    expect(await answer()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    expect(gateway.bodies.bytes).toBe(0);
  });

  test('be longer than announced: what is behind it is refused as a request of its own', async () => {
    const gateway = await start();
    const { socket, answer } = await open(gateway, scan('Content-Length: 2'), `{}${'x'.repeat(100)}`);
    expect((await answer()).status).toBe(400);
    await eventually(() => expect(socket.closed).toBe(true));
    expect(gateway.bodies.bytes).toBe(0);
  });

  test('come with GET, HEAD, DELETE or OPTIONS and be kept', async () => {
    const gateway = await start();
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
      const lines = [`${method} /v1/scans HTTP/1.1`, 'Host: x', withKey(), `Content-Length: ${9 * MIB}`];
      await open(gateway, `${lines.join('\r\n')}\r\n\r\n`, scanOf(MIB));
    }
    expect(gateway.bodies.bytes).toBe(0);
  });

  test.each(['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])('be %s', async (type) => {
    const gateway = await start();
    const text = scan(`Content-Length: ${9 * MIB}`).replace('application/json', type);
    const { answer } = await open(gateway, text, '--x\r\n');
    expect((await answer()).status).toBe(415);
    expect(gateway.bodies.bytes).toBe(0);
  });

  test.each([
    ['trailers', `0\r\n${'X-Trailer: x\r\n'.repeat(5_000)}`],
    ['chunk extensions', `1;${'x'.repeat(100_000)}`],
  ])('come with endless %s', async (_, text) => {
    const gateway = await start();
    const { answer } = await open(gateway, scan('Transfer-Encoding: chunked'), `${chunkOf('{"rows":[')}${text}`);
    expect((await answer()).headers['connection']).toBe('close');
    await eventually(() => expect(gateway.bodies.bytes).toBe(0));
  });

  test('come with a second key behind thousands of headers', async () => {
    const gateway = await start();
    // The request has more headers than the 2,000 that Node.js keeps by default; it silently drops the others.
    const many = Array.from({ length: 2_010 }, (_, index) => `${index.toString(36)}:b`);
    const { answer } = await open(
      gateway,
      scan(...many, `Authorization: Bearer ${otherKey}`, 'Content-Length: 2'),
      '{}',
    );
    expect((await answer()).status).toBe(401);
    expect(gateway.bodies.bytes).toBe(0);
  });

  test('be compressed', async () => {
    const gateway = await start();
    const { answer } = await open(gateway, scan('Content-Encoding: gzip', 'Content-Length: 20'), 'x'.repeat(20));
    expect((await answer()).status).toBe(415);
  });
});

describe('an organization', () => {
  test.each(['slow bodies', 'answers that do not come'])('has its share of running requests, with %s', async (kind) => {
    const gateway = await start({ requestsPerOrganizationMax: 3 });
    const waiting =
      kind === 'slow bodies'
        ? scan('Content-Length: 9')
        : `GET /v1/organizations/current HTTP/1.1\r\nHost: x\r\n${withKey()}\r\n\r\n`;
    const held = [];
    for (let count = 0; count < 3; count += 1) held.push(await open(gateway, waiting));
    await eventually(() => expect(gateway.held()).toBe(3));
    const excess = await (await open(gateway, waiting)).answer();
    expect(excess).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(JSON.parse(excess.body)).toMatchObject({
      error: {
        code: 'RATE_LIMITED',
        message:
          'This organization has reached its limit of 3 concurrent requests. Wait for a response, then retry this request.',
      },
    });
    const other = await open(gateway, head('/scans', withKey(otherKey), 'Content-Length: 2'), '{}');
    expect((await other.answer()).status).toBe(400);
    held[0]?.socket.destroy();
    await eventually(() => expect(gateway.held()).toBe(2));
    await open(gateway, waiting);
    await eventually(() => expect(gateway.held()).toBe(3));
  });
});
