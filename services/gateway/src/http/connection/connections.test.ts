import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { parseAnswer, sendRaw } from '../../testing/raw-http.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { GatewayOptions, RunningGateway } from '../../testing/running-gateway.js';
import { PIPELINED_MAX, REQUESTS_PER_CONNECTION_MAX, TIMEOUTS } from '../limits/limits.js';

const key = keyNamed('owner');
const request = (path: string, ...lines: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', ...lines].join('\r\n')}\r\n\r\n`;
const withKey = `Authorization: Bearer ${key}`;

const started: RunningGateway[] = [];
const sockets: Socket[] = [];
/** Number of requests that reached the service, which never responds. */
let reached: number;

async function start(options: GatewayOptions = {}): Promise<RunningGateway> {
  reached = 0;
  const access = accessFor(new Map([[key, principal()]]));
  const getOrganization = (): Promise<never> => {
    reached += 1;
    return new Promise(() => {});
  };
  const gateway = await startGateway({ access, organizations: { getOrganization } }, options);
  started.push(gateway);
  return gateway;
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(started.splice(0).map((gateway) => gateway.stop()));
});

async function open(gateway: RunningGateway): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

describe('a client that pipelines and hangs up', () => {
  test('leaves no running request behind', async () => {
    const gateway = await start();
    for (let round = 0; round < 2; round += 1) {
      const socket = await open(gateway);
      socket.write(request('/v1/organizations/current', withKey).repeat(PIPELINED_MAX));
      await eventually(() => expect(gateway.inFlight()).toBe(PIPELINED_MAX));
      socket.destroy();
      await eventually(() => expect(gateway.inFlight()).toBe(0));
    }
  });

  test('leaves no place of its address taken, whether its answers were written or queued', async () => {
    const gateway = await start({ unauthenticatedPerAddressMax: PIPELINED_MAX });
    const page = await (await fetch(`${gateway.origin}/docs/console`)).text();
    const path = /src="([^"]+bundle\.js)"/.exec(page)?.[1] ?? '';
    const socket = await open(gateway);
    socket.pause();
    socket.write(request(path).repeat(1_200));
    // Some of the responses are in the buffers of the operating system, one is being written, and the others are
    // queued.
    await eventually(() => expect(gateway.unauthenticated.held('127.0.0.1')).toBeGreaterThan(10));
    socket.destroy();
    await eventually(() => expect(gateway.unauthenticated.held('127.0.0.1')).toBe(0));
  });
});

/** Returns the HTTP statuses of the received responses, in their order. */
const statusesOf = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const lastAnswer = (received: string) => parseAnswer(received.slice(received.lastIndexOf('HTTP/1.1')));

describe('a connection', () => {
  test(`has ${PIPELINED_MAX} requests waiting; the next gets the envelope, ends it, and nothing behind it runs`, async () => {
    const gateway = await start();
    const socket = await open(gateway);
    socket.write(request('/v1/organizations/current', withKey).repeat(PIPELINED_MAX));
    await eventually(() => expect(reached).toBe(PIPELINED_MAX));
    expect(gateway.inFlight()).toBe(PIPELINED_MAX);
    socket.destroy();
    await eventually(() => expect(gateway.inFlight()).toBe(0));

    const received = await sendRaw(gateway.port, [request('/v1/organizations/current').repeat(PIPELINED_MAX + 5)]);
    expect(statusesOf(received)).toEqual([...Array.from({ length: PIPELINED_MAX }, () => 401), 429]);
    const { headers, body } = lastAnswer(received);
    expect(JSON.parse(body)).toEqual({
      error: {
        code: 'RATE_LIMITED',
        message: expect.stringContaining(`More than ${PIPELINED_MAX} requests are waiting`) as unknown,
        request_id: headers['x-request-id'],
      },
    });
    expect(headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
  });

  test(`has ${REQUESTS_PER_CONNECTION_MAX} requests; the last says that it is the last, the next gets the envelope`, async () => {
    const gateway = await start();
    const socket = await open(gateway);
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (received += text));
    const answers = (): number => statusesOf(received).length;
    for (let sent = 0; sent < REQUESTS_PER_CONNECTION_MAX; sent += 20) {
      socket.write(request('/livez').repeat(20));
      await eventually(() => expect(answers()).toBe(sent + 20));
    }
    expect(lastAnswer(received).headers['connection']).toBe('close');
    expect(received.match(/connection: close/gi)).toHaveLength(1);
    socket.write(request('/livez').repeat(2));
    await once(socket, 'close');
    expect(answers()).toBe(REQUESTS_PER_CONNECTION_MAX + 1);
    expect(lastAnswer(received)).toMatchObject({
      status: 429,
      body: expect.stringContaining(`limit of ${REQUESTS_PER_CONNECTION_MAX} requests`) as unknown,
    });
  });
});

describe('slow readers', () => {
  const SHARE = 3;
  const pageStatus = async (gateway: RunningGateway) => (await fetch(`${gateway.origin}/docs`)).status;

  /**
   * Requests the largest file and reads nothing, until the buffers of the operating system are full and the share is
   * used up.
   */
  async function useUpShare(gateway: RunningGateway): Promise<void> {
    const page = await (await fetch(`${gateway.origin}/docs/console`)).text();
    const path = /src="([^"]+bundle\.js)"/.exec(page)?.[1] ?? '';
    const readers = await Promise.all(Array.from({ length: SHARE }, () => open(gateway)));
    for (const reader of readers) reader.pause();
    await eventually(async () => {
      for (const reader of readers) reader.write(request(path));
      expect(await pageStatus(gateway)).toBe(429);
    });
  }

  test('lose their connection and their place after the deadline for writing', async () => {
    const timeouts = { ...TIMEOUTS, writeMs: 500, checkingIntervalMs: 25 };
    const gateway = await start({ timeouts, unauthenticatedPerAddressMax: SHARE });
    await useUpShare(gateway);
    await eventually(async () => expect(await pageStatus(gateway)).toBe(200));
  });

  test('never block keys and probes', async () => {
    const gateway = await start({ unauthenticatedPerAddressMax: SHARE });
    await useUpShare(gateway);
    expect(gateway.inFlight()).toBe(0);
    expect((await fetch(`${gateway.origin}/v1/organizations/current`)).status).toBe(401);
    expect((await fetch(`${gateway.origin}/livez`)).status).toBe(200);
    expect(await pageStatus(gateway)).toBe(429);
  });
});

describe('the connections of one address', () => {
  test('are accepted up to its share; the next gets the envelope, and a closed one makes room', async () => {
    const gateway = await start({ connectionsPerAddressMax: 2 });
    const first = await open(gateway);
    const second = await open(gateway);
    first.write(request('/livez'));
    await once(first, 'data');
    const answer = parseAnswer(await sendRaw(gateway.port, [request('/livez')]));
    expect({
      status: answer.status,
      code: (JSON.parse(answer.body) as { error: { code: string } }).error.code,
    }).toEqual({
      status: 429,
      code: 'RATE_LIMITED',
    });
    second.destroy();
    await eventually(async () => {
      const again = await sendRaw(gateway.port, [request('/livez', 'Connection: close')]);
      expect(parseAnswer(again).status).toBe(200);
    });
  });

  test('do not count once a good key was sent on them, since many organizations may share a proxy', async () => {
    const gateway = await start({ connectionsPerAddressMax: 1 });
    for (let count = 1; count <= 3; count += 1) {
      const socket = await open(gateway);
      socket.write(request('/v1/organizations/current', withKey));
      await eventually(() => expect(reached).toBe(count));
    }
    const guess = await open(gateway);
    guess.write(request('/v1/organizations/current', `Authorization: Bearer ${keyNamed('guess')}`));
    await once(guess, 'data');
    expect(parseAnswer(await sendRaw(gateway.port, [request('/livez')])).status).toBe(429);
  });
});

describe('the connections of all addresses', () => {
  test('leave room for a new one: the oldest without a key is closed for it that is idle, and none with a key', async () => {
    const gateway = await start({ connectionsMax: 4 });
    const keyed = await open(gateway);
    keyed.write(request('/v1/organizations/current', withKey));
    await eventually(() => expect(reached).toBe(1));
    const busy = await open(gateway);
    busy.write(
      'POST /v1/members/accept HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n',
    );
    const oldest = await open(gateway);
    oldest.write(request('/livez'));
    await once(oldest, 'data');
    const newer = await open(gateway);
    newer.write(request('/livez'));
    await once(newer, 'data');
    const closed = once(oldest, 'close');
    const again = await sendRaw(gateway.port, [request('/livez', 'Connection: close')]);
    expect(parseAnswer(again).status).toBe(200);
    await closed;
    expect([keyed.destroyed, busy.destroyed, newer.destroyed]).toEqual([false, false, false]);
  });
});
