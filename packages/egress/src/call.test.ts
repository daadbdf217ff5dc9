import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import {
  finalAnswer,
  interimAnswer,
  interimAnswers,
  startRawHttpServer,
  unaskedAnswers,
} from '@invoicecontrol/testkit/raw-http-server';
import type { RawHttpServer } from '@invoicecontrol/testkit/raw-http-server';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { destroyAgents, trustedAgents } from './agents.js';
import type { Agents } from './agents.js';
import { call } from './call.js';
import type { Answer, CallBounds } from './call.js';
import { openEgress } from './egress.js';
import { INTERIM_ANSWERS_MAX } from './send-request.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(...[answer, certificate]: Parameters<typeof startRawHttpServer>): Promise<RawHttpServer> {
  const server = await startRawHttpServer(answer, certificate);
  closing.push(() => server.stop());
  return server;
}
function openAgents(): Agents {
  const agents = trustedAgents({ connectionsPerOrigin: 1, connectMs: 5_000, peer: 'customer' });
  closing.push(() => destroyAgents(agents));
  return agents;
}
const get = (url: string, bounds: Partial<CallBounds> = {}, agents = openAgents()): Promise<Answer> =>
  call(agents, { method: 'GET', url, headers: {} }, { deadlineMs: 5_000, bytesMax: 100, ...bounds });
const OK = finalAnswer('hi');

test.each(unaskedAnswers)('%s before the final answer is read over', async (_, unasked) => {
  for (const texts of [[...unasked, OK], [unasked.join('') + OK], [...unasked.join('')].concat(OK)]) {
    const server = await serve(() => texts);
    expect(await get(server.url)).toMatchObject({ status: 200, body: Buffer.from('hi') });
  }
});

test('interim answers are read over on a connection with TLS, through the guard', async () => {
  const authority = createTestAuthority();
  const server = await serve(() => [interimAnswer('100 Continue'), OK], authority.issue());
  const egress = openEgress(
    { EGRESS_ALLOW_CIDRS: ['127.0.0.1/32'], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] },
    { connectionsPerOrigin: 1, connectMs: 5_000, peer: 'customer', extraCa: authority.certificate },
  );
  closing.push(() => egress.close());
  expect(await get(server.url, {}, egress.agents)).toMatchObject({ status: 200, body: Buffer.from('hi') });
});

test('as many interim answers are read over as may come, and not one more', async () => {
  const most = await serve(() => [...interimAnswers(INTERIM_ANSWERS_MAX), OK]);
  expect(await get(most.url)).toMatchObject({ status: 200 });
  for (const texts of [
    [...interimAnswers(INTERIM_ANSWERS_MAX + 1), OK],
    [interimAnswers(INTERIM_ANSWERS_MAX + 1).join('') + OK],
  ]) {
    const server = await serve(() => texts);
    await expect(get(server.url)).rejects.toMatchObject({ reason: 'INTERIM_ANSWERS' });
  }
});

test('101 is no answer', async () => {
  const server = await serve(() => [interimAnswer('101 Switching Protocols'), OK]);
  await expect(get(server.url)).rejects.toMatchObject({ reason: 'SWITCHED_PROTOCOLS' });
});

test('headers of 16 KiB are the most that an answer may have, an interim one too', async () => {
  const header = (bytes: number): string => `x: ${'y'.repeat(bytes)}\r\n`;
  const large = await serve(() => [interimAnswer('103 Early Hints', header(15_000)), OK]);
  expect(await get(large.url)).toMatchObject({ status: 200 });
  for (const text of [interimAnswer('103 Early Hints', header(17_000)), finalAnswer('hi', '200 OK', header(17_000))]) {
    const server = await serve(() => [text, OK]);
    await expect(get(server.url)).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  }
});

test('a body of the greatest size is read, and one of a byte more is left', async () => {
  const server = await serve(() => [finalAnswer('x'.repeat(100), '404 Not Found')]);
  expect(await get(server.url)).toMatchObject({ status: 404, body: { length: 100 } });
  expect(await get(server.url, { bytesMax: 99 })).toMatchObject({ status: 404, body: undefined });
});

test('a body in gzip counts by its size when unpacked, and nothing else is unpacked', async () => {
  const packed = (text: string, encoding: string): Buffer =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\nconnection: close\r\n\r\n`),
      gzipSync(text),
    ]);
  const server = createServer((socket: Socket) => {
    socket.once('data', (data) => {
      const [, size = '', encoding = ''] = /^GET \/(\d+)\/(\S*)/.exec(data.toString()) ?? [];
      socket.end(packed('x'.repeat(Number(size)), encoding));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await get(`${url}/100/gzip`)).toMatchObject({ body: Buffer.from('x'.repeat(100)) });
  expect(await get(`${url}/101/gzip`)).toMatchObject({ body: undefined });
  await expect(get(`${url}/5/br`)).rejects.toThrow('encoding that was not requested');
});

test('an answer without a body has none, whatever encoding it names', async () => {
  const server = await serve(() => ['HTTP/1.1 304 Not Modified\r\ncontent-encoding: gzip\r\n\r\n']);
  expect(await get(server.url)).toMatchObject({ status: 304, body: Buffer.alloc(0) });
});

test('a redirect is not followed', async () => {
  const server = await serve(() => [finalAnswer('', '302 Found', 'location: /elsewhere\r\n')]);
  expect(await get(server.url)).toMatchObject({ status: 302 });
  expect(server.requestsCount).toBe(1);
});

test('the deadline holds for a server that is silent, for a body that does not end and for a handshake', async () => {
  const silent = await serve(() => []);
  const endless = await serve(() => ['HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhi']);
  for (const url of [silent.url, endless.url, silent.url.replace('http:', 'https:')]) {
    await expect(get(url, { deadlineMs: 100 })).rejects.toMatchObject({ name: 'CallTimeout' });
  }
});

test('a call ends with the reason of its signal, and is not begun after it', async () => {
  const stopping = new AbortController();
  const server = await serve(() => {
    stopping.abort(new Error('stopped'));
    return [];
  });
  await expect(get(server.url, { signal: stopping.signal })).rejects.toThrow('stopped');
  await expect(get(server.url, { signal: stopping.signal })).rejects.toThrow('stopped');
  expect(server.requestsCount).toBe(1);
});

test('the next call uses the same connection, also after interim answers', async () => {
  const ports = new Set<number | undefined>();
  const server = createServer((socket: Socket) => {
    socket.on('data', () => {
      ports.add(socket.remotePort);
      socket.write(interimAnswer('100 Continue') + OK);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => void server.close());
  const agents = openAgents();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let calls = 0; calls < 3; calls++) expect(await get(url, {}, agents)).toMatchObject({ status: 200 });
  expect(ports.size).toBe(1);
});
