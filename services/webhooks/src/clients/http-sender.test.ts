import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:tls';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openEgress } from '@invoicecontrol/egress/egress';
import type { Egress } from '@invoicecontrol/egress/egress';
import { UnresolvedNameError } from '@invoicecontrol/egress/resolve';
import { INTERIM_ANSWERS_MAX } from '@invoicecontrol/egress/send-request';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { httpSender } from './http-sender.js';

const authority = createTestAuthority();
const stranger = createTestAuthority('Somebody else');
const DAY_MS = 24 * 3_600_000;
const closing: (() => Promise<unknown> | void)[] = [];
const opened: Egress[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => {
  for (const egress of opened) egress.close();
});

const unstopped = new AbortController().signal;

function open(
  allowed: readonly string[] = ['127.0.0.1/32'],
  resolve?: (name: string) => Promise<readonly string[]>,
  connectionsPerOrigin = 8,
) {
  const egress = openEgress(
    { EGRESS_ALLOW_CIDRS: allowed, EGRESS_ALLOW_HTTP: true, EGRESS_DNS_SERVERS: [] },
    { connectionsPerOrigin, connectMs: 5_000, peer: 'customer', extraCa: authority.certificate },
    resolve === undefined ? {} : { resolve },
  );
  opened.push(egress);
  return egress;
}
const loopback = open();

const post = (
  url: string,
  { egress = loopback, deadlineMs = 5_000, signal = unstopped, body = '{"id":"evt_1"}' } = {},
) => httpSender(egress, deadlineMs).post({ url, body, headers: { 'content-type': 'application/json' } }, signal);

/** Starts a TLS server whose sockets the test controls. */
async function listen(onSocket: (socket: TLSSocket, head: string) => void, options: TlsOptions = {}): Promise<string> {
  const { certificate, key } = authority.issue();
  const sockets = new Set<TLSSocket>();
  const server = createServer({ cert: certificate, key, ...options }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => onSocket(socket, data.toString('latin1')));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const answering = (text: string) => listen((socket) => socket.write(text));

describe('an answer', () => {
  test.each([
    ['200 OK', 'SUCCESS', 200],
    ['299 Anything', 'SUCCESS', 299],
    ['300 Choose', 'HTTP_ERROR', 300],
    ['410 Gone', 'HTTP_ERROR', 410],
    ['500 Oh', 'HTTP_ERROR', 500],
  ])('of %s is %s', async (line, outcome, statusCode) => {
    const url = await answering(`HTTP/1.1 ${line}\r\ncontent-length: 2\r\nretry-after: 7\r\n\r\nhi`);
    expect(await post(url)).toMatchObject({ outcome, statusCode, excerpt: 'hi', retryAfter: '7' });
  });

  test('of 204 has an empty excerpt', async () => {
    expect(await post(await answering('HTTP/1.1 204 No Content\r\n\r\n'))).toMatchObject({
      outcome: 'SUCCESS',
      excerpt: '',
    });
  });

  test.each([301, 302, 303, 307, 308])('of %d is a failure and is not followed', async (status) => {
    let requests = 0;
    const url = await listen((socket, head) => {
      if (!head.startsWith('POST')) return;
      requests++;
      socket.write(`HTTP/1.1 ${status} Moved\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n`);
    });
    expect(await post(url)).toMatchObject({ outcome: 'HTTP_ERROR', statusCode: status });
    expect(requests).toBe(1);
  });

  test('decides at its status line, even if the body drips for ever', async () => {
    const url = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('x')), 50);
    });
    const begun = performance.now();
    expect(await post(url)).toMatchObject({
      outcome: 'SUCCESS',
      statusCode: 200,
      excerpt: expect.stringMatching(/^x+$/),
    });
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  test('of a gigabyte is read to 16 KiB, of which 4 KiB are kept', async () => {
    let written = 0;
    const url = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write('é'.repeat(8_192))) written += 16_384;
      };
      socket.on('drain', more);
      more();
    });
    const result = await post(url);
    expect(result).toMatchObject({ outcome: 'SUCCESS', excerpt: 'é'.repeat(2_048) });
    expect(written).toBeLessThan(20_000_000);
  });

  test('that is compressed is not inflated', async () => {
    const url = await answering('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc');
    expect(await post(url)).toMatchObject({ outcome: 'SUCCESS', excerpt: 'abc' });
  });

  test('with 100 KB of headers is RESPONSE_TOO_LARGE', async () => {
    const url = await answering(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
    expect(await post(url)).toMatchObject({ outcome: 'RESPONSE_TOO_LARGE' });
  });

  test('that is not HTTP is an HTTP_ERROR without a status', async () => {
    const result = await post(await answering('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(result).toMatchObject({ outcome: 'HTTP_ERROR' });
    expect(result).not.toHaveProperty('statusCode');
  });
});

/**
 * Sends the texts one after the other, each in a separate packet, and then closes the connection or leaves it open.
 */
const inPackets = (texts: readonly string[], isClosed = false) =>
  listen((socket, head) => {
    if (!head.startsWith('POST')) return;
    const rest = [...texts];
    const next = (): void => {
      const text = rest.shift();
      if (text !== undefined) socket.write(text, () => setImmediate(next));
      else if (isClosed) socket.end();
    };
    next();
  });
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi';
const interim = (line: string, headers = ''): string => `HTTP/1.1 ${line}\r\n${headers}\r\n`;
const delivered = { outcome: 'SUCCESS', statusCode: 200, excerpt: 'hi' };

// RFC 9110, section 15.2: a client must be able to parse interim responses before the final one, even if it did not
// request them.
describe('interim answers', () => {
  test.each<[string, string[]]>([
    ['100 Continue', [interim('100 Continue')]],
    ['100 Continue with headers', [interim('100 Continue', 'date: today\r\n')]],
    ['102 Processing', [interim('102 Processing')]],
    ['103 Early Hints', [interim('103 Early Hints', 'link: </style.css>; rel=preload\r\n')]],
    ['one that nobody knows', [interim('199 Something')]],
    ['several', [interim('100 Continue'), interim('102 Processing'), interim('103 Early Hints')]],
    ['one in many packets', [...interim('100 Continue')]],
  ])('before the final one are read over: %s', async (_, texts) => {
    expect(await post(await inPackets([...texts, OK]))).toMatchObject(delivered);
    expect(await post(await inPackets([texts.join('') + OK]))).toMatchObject(delivered);
    expect(await post(await inPackets([...texts, 'HTTP/1.1 503 Oh\r\ncontent-length: 0\r\n\r\n']))).toMatchObject({
      outcome: 'HTTP_ERROR',
      statusCode: 503,
    });
  });

  test('leave the connection to the next request', async () => {
    const sockets = new Set<TLSSocket>();
    const url = await listen((socket, head) => {
      sockets.add(socket);
      if (head.startsWith('POST')) socket.write(interim('100 Continue') + OK);
    });
    const egress = open(['127.0.0.1/32'], undefined, 1);
    expect(await post(url, { egress })).toMatchObject(delivered);
    expect(await post(url, { egress })).toMatchObject(delivered);
    expect(sockets.size).toBe(1);
  });

  test.each([
    [INTERIM_ANSWERS_MAX, delivered],
    [
      INTERIM_ANSWERS_MAX + 1,
      { outcome: 'HTTP_ERROR', excerpt: expect.stringContaining(`more than ${INTERIM_ANSWERS_MAX} interim responses`) },
    ],
  ])('are read up to a number of them: %d', async (count, expected) => {
    const texts = Array.from({ length: count }, () => interim('102 Processing'));
    expect(await post(await inPackets([...texts, OK]))).toMatchObject(expected);
    expect(await post(await inPackets([texts.join('') + OK]))).toMatchObject(expected);
  });

  test('are bounded in size, each by itself', async () => {
    const header = (bytes: number): string => `x: ${'y'.repeat(bytes)}\r\n`;
    const large = interim('103 Early Hints', header(12_000));
    expect(await post(await inPackets([large, large, OK]))).toMatchObject(delivered);
    expect(await post(await inPackets([interim('103 Early Hints', header(20_000)), OK]))).toMatchObject({
      outcome: 'RESPONSE_TOO_LARGE',
    });
  });

  test('alone deliver nothing', async () => {
    expect(await post(await inPackets([interim('100 Continue')], true))).toMatchObject({ outcome: 'CONNECT_ERROR' });
    expect(await post(await inPackets([interim('100 Continue')]), { deadlineMs: 300 })).toMatchObject({
      outcome: 'TIMEOUT',
    });
  });

  test.each([
    ['with the headers of an upgrade', 'upgrade: websocket\r\nconnection: upgrade\r\n'],
    ['without them', ''],
  ])('of 101 are a failure that says why: %s', async (_, headers) => {
    expect(await post(await inPackets([interim('101 Switching Protocols', headers), OK]))).toMatchObject({
      outcome: 'HTTP_ERROR',
      statusCode: 101,
      excerpt: 'The receiver switched to another protocol (101), which the request did not allow.',
    });
  });
});

// Responses that RFC 9110 and RFC 9112 allow, and messages that are not a response.
describe('of what receivers send', () => {
  const answered = (statusCode: number, excerpt: string) => ({ outcome: 'SUCCESS', statusCode, excerpt });
  const head = (...headers: string[]): string => `${['HTTP/1.1 200 OK', ...headers].join('\r\n')}\r\n\r\n`;
  const rows: readonly [string, string, object, 'closed'?][] = [
    ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nhi', answered(200, 'hi'), 'closed'],
    ['HTTP/1.1 without a length', 'HTTP/1.1 200 OK\r\n\r\nhi', answered(200, 'hi'), 'closed'],
    ['no reason phrase', 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nhi', answered(200, 'hi')],
    ['no blank after the status', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nhi', answered(200, 'hi')],
    ['a reason with bytes beyond ASCII', 'HTTP/1.1 200 d\xe9j\xe0\r\ncontent-length: 2\r\n\r\nhi', answered(200, 'hi')],
    ['204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nhello', answered(204, '')],
    ['204 with a length', 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello', answered(204, '')],
    ['205 without a body', 'HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n', answered(205, '')],
    ['chunks', `${head('transfer-encoding: chunked')}2\r\nhi\r\n0\r\n\r\n`, answered(200, 'hi')],
    [
      'chunks with extensions',
      `${head('transfer-encoding: chunked')}2;name=value;other="a b"\r\nhi\r\n0;last\r\n\r\n`,
      answered(200, 'hi'),
    ],
    [
      'chunks with trailers',
      `${head('transfer-encoding: chunked', 'trailer: x-sum')}2\r\nhi\r\n0\r\nx-sum: 1\r\n\r\n`,
      answered(200, 'hi'),
    ],
    ['a header with bytes beyond ASCII', `${head('content-length: 2', 'x-name: d\xe9j\xe0')}hi`, answered(200, 'hi')],
    ['an empty header', `${head('content-length: 2', 'x-empty:')}hi`, answered(200, 'hi')],
    [
      'two hundred headers',
      `${head('content-length: 2', ...Array.from({ length: 200 }, (_, n) => `x-${n}: y`))}hi`,
      answered(200, 'hi'),
    ],
    ['15 KB of headers', `${head('content-length: 2', `x: ${'y'.repeat(15_000)}`)}hi`, answered(200, 'hi')],
    [
      'an upgrade that is only offered',
      `${head('content-length: 2', 'upgrade: h2,h2c', 'connection: upgrade')}hi`,
      answered(200, 'hi'),
    ],
    ['a body that is cut off', `${head('content-length: 1000')}hi`, { outcome: 'SUCCESS', statusCode: 200 }, 'closed'],
    [
      'chunks that are broken',
      `${head('transfer-encoding: chunked')}zz\r\nhi`,
      { outcome: 'SUCCESS', statusCode: 200 },
    ],
    [
      'bytes behind the answer',
      `${head('content-length: 2')}hiHTTP/1.1 500 Oh\r\n\r\n`,
      { outcome: 'SUCCESS', statusCode: 200 },
    ],
    ['a status beyond those that are defined', 'HTTP/1.1 299 Odd\r\ncontent-length: 2\r\n\r\nhi', answered(299, 'hi')],
    [
      'a status that no class has',
      'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n',
      { outcome: 'HTTP_ERROR', statusCode: 999 },
    ],
    ['a text without a status line', 'hello', { outcome: 'HTTP_ERROR' }, 'closed'],
    ['a status line alone', 'HTTP/1.1 200 OK\r\n', { outcome: 'CONNECT_ERROR' }, 'closed'],
    ['headers that do not end', 'HTTP/1.1 200 OK\r\nx: y\r\n', { outcome: 'CONNECT_ERROR' }, 'closed'],
    ['nothing', '', { outcome: 'CONNECT_ERROR' }, 'closed'],
    ['two lengths', `${head('content-length: 2', 'content-length: 3')}hi`, { outcome: 'HTTP_ERROR' }],
    ['a length that is no number', `${head('content-length: two')}hi`, { outcome: 'HTTP_ERROR' }],
    [
      'a length next to chunks',
      `${head('content-length: 2', 'transfer-encoding: chunked')}2\r\nhi\r\n0\r\n\r\n`,
      { outcome: 'HTTP_ERROR' },
    ],
    // Senders must not fold header lines (RFC 9112, section 5.2). A parser that accepts them is less safe on a shared
    // connection.
    ['a header over two lines', `${head('content-length: 2', 'x-folded: one\r\n two')}hi`, { outcome: 'HTTP_ERROR' }],
    ['a header with a NUL', `${head('content-length: 2', 'x: \0')}hi`, { outcome: 'HTTP_ERROR' }],
    ['line feeds alone', head('content-length: 2').replaceAll('\r', ''), { outcome: 'HTTP_ERROR' }],
  ];
  test.each(rows.map(([name, text, expected, end]) => ({ name, text, expected, end })))(
    '$name',
    async ({ text, expected, end }) => {
      const url = await listen((socket, request) => {
        if (!request.startsWith('POST')) return;
        socket.write(Buffer.from(text, 'latin1'));
        if (end === 'closed') socket.end();
      });
      expect(await post(url, { deadlineMs: 2_000 })).toMatchObject(expected);
    },
  );

  test('an answer counts that comes before the whole request was read', async () => {
    const body = JSON.stringify({ filler: 'x'.repeat(60_000) });
    const url = await listen((socket, request) => {
      if (!request.startsWith('POST')) return;
      socket.pause();
      socket.write(OK);
    });
    expect(await post(url, { body })).toMatchObject(delivered);
  });

  test('an answer that nobody asked for is not that to the next request', async () => {
    let requests = 0;
    const url = await listen((socket, request) => {
      if (!request.startsWith('POST')) return;
      requests++;
      socket.write(requests === 1 ? OK : 'HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n');
      if (requests === 1) socket.write(OK);
    });
    const egress = open(['127.0.0.1/32'], undefined, 1);
    expect(await post(url, { egress })).toMatchObject(delivered);
    await delay(50);
    expect(await post(url, { egress })).toMatchObject({ outcome: 'HTTP_ERROR', statusCode: 500 });
  });
});

describe('the deadline', () => {
  const deadlineMs = 600;
  test.each([
    ['a receiver that stays silent', () => listen(() => {})],
    [
      'headers that drip',
      () =>
        listen((socket) => {
          socket.write('HTTP/1.1 200 OK\r\n');
          const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('x-a: b\r\n')), 50);
        }),
    ],
    [
      'a status line that drips',
      () =>
        listen((socket) => {
          const text = [...'HTTP/1.1 200 OK'];
          const drip = setInterval(
            () => (socket.destroyed ? clearInterval(drip) : socket.write(text.shift() ?? ' ')),
            100,
          );
        }),
    ],
    [
      'a flood of interim answers',
      () =>
        listen((socket) => {
          const flood = setInterval(
            () => (socket.destroyed ? clearInterval(flood) : socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
            20,
          );
        }),
    ],
  ])('ends %s', async (_, start) => {
    const begun = performance.now();
    const result = await post(await start(), { deadlineMs });
    expect(['TIMEOUT', 'HTTP_ERROR', 'CONNECT_ERROR']).toContain((result as { outcome: string }).outcome);
    expect(performance.now() - begun).toBeLessThan(deadlineMs + 1_500);
  });

  test('ends a TLS handshake that stalls', async () => {
    const { createServer: createTcpServer } = await import('node:net');
    const server = createTcpServer((socket) => closing.push(() => void socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => void server.close());
    const begun = performance.now();
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await post(url, { deadlineMs })).toMatchObject({ outcome: 'TIMEOUT' });
    expect(performance.now() - begun).toBeLessThan(deadlineMs + 500);
  });

  test('holds while names are looked up', async () => {
    const egress = open(['127.0.0.1/32'], () => new Promise(() => {}));
    expect(await post('https://slow.example.com/', { egress, deadlineMs })).toMatchObject({ outcome: 'TIMEOUT' });
  });

  test('does not count when the service stops', async () => {
    const stopping = new AbortController();
    const sent = post(await listen(() => {}), { signal: stopping.signal });
    await delay(100);
    stopping.abort();
    expect(await sent).toBe('OURS');
  });
});

describe('a certificate', () => {
  test.each([
    ['of a stranger', () => stranger.issue()],
    [
      'that has expired',
      () => authority.issue({ notBefore: new Date(Date.now() - 9 * DAY_MS), notAfter: new Date(Date.now() - DAY_MS) }),
    ],
    ['of another host', () => authority.issue({ ipAddresses: ['127.0.0.2'], dnsNames: ['other.example'] })],
  ])('%s is a TLS_ERROR', async (_, issue) => {
    const { certificate, key } = issue();
    expect(await post(await listen(() => {}, { cert: certificate, key }))).toMatchObject({ outcome: 'TLS_ERROR' });
  });

  test('below TLS 1.2 is a TLS_ERROR', async () => {
    const options = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await post(await listen(() => {}, options))).toMatchObject({ outcome: 'TLS_ERROR' });
  });
});

describe('a connection', () => {
  test('that is refused is a CONNECT_ERROR', async () => {
    const server = createHttpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'CONNECT_ERROR' });
  });

  test('to an address that is not allowed is BLOCKED_ADDRESS, whatever the name led to before', async () => {
    let asked = 0;
    const egress = open([], async () => (asked++ === 0 ? ['8.8.8.8'] : ['127.0.0.1']));
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('url');
    expect(await post('https://hooks.example.com/', { egress })).toMatchObject({ outcome: 'BLOCKED_ADDRESS' });
    expect(await post('https://127.0.0.1:9/', { egress })).toMatchObject({ outcome: 'BLOCKED_ADDRESS' });
  });

  test('to a name without an address is a DNS_ERROR, and ours when no server answers', async () => {
    const failing = (code: string) =>
      open([], (name) =>
        Promise.reject(new UnresolvedNameError(name, { cause: Object.assign(new Error(), { code }) })),
      );
    const url = 'https://hooks.example.com/';
    expect(await post(url, { egress: failing('ENOTFOUND') })).toMatchObject({ outcome: 'DNS_ERROR' });
    expect(await post(url, { egress: failing('ECONNREFUSED') })).toBe('OURS');
  });

  test('that the receiver closed while it was idle is replaced within the attempt', async () => {
    let requests = 0;
    const url = await listen((socket, head) => {
      if (!head.includes('evt_1')) return;
      requests++;
      // The receiver closes the connection of the second request without a response.
      if (requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const egress = open(['127.0.0.1/32'], undefined, 1);
    expect(await post(url, { egress })).toMatchObject({ outcome: 'SUCCESS' });
    expect(await post(url, { egress })).toMatchObject({ outcome: 'SUCCESS' });
    expect(requests).toBe(3);
  });

  test('that breaks off within an answer is not replaced: the receiver has seen the request', async () => {
    let requests = 0;
    const url = await listen((socket, head) => {
      if (!head.includes('evt_1')) return;
      requests++;
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.end('HTTP/1.1 2');
    });
    const egress = open(['127.0.0.1/32'], undefined, 1);
    expect(await post(url, { egress })).toMatchObject({ outcome: 'SUCCESS' });
    expect(await post(url, { egress })).toMatchObject({ outcome: 'CONNECT_ERROR' });
    expect(requests).toBe(2);
  });

  test('that is reset before any answer is a failure, and is not repeated', async () => {
    let requests = 0;
    const url = await listen((socket, head) => {
      if (head.startsWith('POST')) requests++;
      socket.destroy();
    });
    expect(await post(url)).toMatchObject({ outcome: 'CONNECT_ERROR' });
    expect(requests).toBe(1);
  });

  test('carries the body byte for byte', async () => {
    const body = '{"summary":"zażółć \\u0007 💶"}';
    let received = '';
    const url = await listen((socket, head) => {
      received += head;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    await post(url, { body });
    expect(Buffer.from(received, 'latin1').toString('utf8')).toContain(body);
    expect(received).toContain('content-length: 36');
  });
});
