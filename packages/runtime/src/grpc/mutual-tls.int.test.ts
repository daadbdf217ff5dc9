import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createSecureContext } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { Client, credentials, Server, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openIdentity } from '../identity/identity.js';
import type { Identity } from '../identity/identity.js';
import { createLogger } from '../logger.js';
import { systemContext } from '../request-context.js';
import { client, openChannel } from './client.js';
import { newHealth, startHealthServer } from './health-server.js';
import { listenSecurely } from './secure-listener.js';
import { bind, startGrpcServer } from './server.js';
import type { GrpcServer } from './server.js';

const DOMAIN = 'installation.example';
const DAY_MS = 86_400_000;
/** Interval in milliseconds at which identities are read in this test. */
const POLL_MS = 20;
/** The age is not shorter, because a call that two ending connections refuse one after the other is not repeated. */
const CONNECTION_AGE_MS = 400;
const CALLERS = 8;
const authority = createTestAuthority('authority a');
const otherAuthority = createTestAuthority('authority b');
const uriOf = (service: string): string => `spiffe://${DOMAIN}/service/${service}`;
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
const call = { context: systemContext('test'), timeoutMs: 60_000 };
/** Request of a call that needs no grant, because these tests are about the certificates of the callers. */
const request = { key: '' };
const AUTHENTICATE_PATH = '/invoicecontrol.organization.v1.AccessService/AuthenticateKey';

let root: string;
let calls = 0;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mutual-tls-'));
});
afterAll(() => rm(root, { recursive: true }));
beforeEach(() => {
  calls = 0;
  lines.length = 0;
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The files of a service, which a test replaces one by one. */
interface Issued {
  readonly identity: Identity;
  write(name: 'tls.crt' | 'tls.key' | 'ca.crt', content: string): Promise<void>;
  remove(name: 'tls.key'): Promise<void>;
  read(name: 'tls.key'): Promise<string>;
  /** Replaces certificate and key. */
  renew(by?: typeof authority): Promise<void>;
}

async function issue(service: string, ca = authority.certificate): Promise<Issued> {
  const directory = await mkdtemp(join(root, `${service}-`));
  const write: Issued['write'] = (name, content) => writeFile(join(directory, name), content);
  const renew = async (by = authority): Promise<void> => {
    const { certificate, key } = by.issue({ uris: [uriOf(service)] });
    await write('tls.crt', certificate);
    await write('tls.key', key);
  };
  await renew();
  await write('ca.crt', ca);
  const identity = openIdentity({ directory, trustDomain: DOMAIN, logger, pollMs: POLL_MS });
  closing.push(() => identity.close());
  return {
    identity,
    write,
    renew,
    remove: (name) => rm(join(directory, name)),
    read: (name) => readFile(join(directory, name), 'utf8'),
  };
}

async function serve(identity: Identity): Promise<GrpcServer> {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity,
    logger,
    connectionAgeMs: CONNECTION_AGE_MS,
    bindings: [
      bind(AccessServiceDefinition, {
        async authenticateKey() {
          calls += 1;
          return { principal: undefined, grant: Buffer.alloc(0) };
        },
        reserveRequests: () => Promise.reject(new Error('not called in these tests')),
        authenticateSession: () => Promise.reject(new Error('not called in these tests')),
      }),
    ],
  });
  closing.push(() => server.stop(1_000));
  return server;
}

/** Calls the server with any credentials. @returns the status of the call and its details */
function callWith(address: string, options: { cert?: string; key?: string; ca?: string } | undefined) {
  const secure =
    options === undefined
      ? credentials.createInsecure()
      : credentials.createFromSecureContext(createSecureContext(options), { checkServerIdentity: () => undefined });
  const caller = new Client(address, secure, { 'grpc.ssl_target_name_override': 'organization' });
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise<{ code: status; details: string }>((resolve) => {
    const deadline = Date.now() + 30_000;
    caller.makeUnaryRequest(
      AUTHENTICATE_PATH,
      same,
      same,
      Buffer.alloc(0),
      { deadline },
      (error: ServiceError | null) => {
        caller.close();
        resolve(error === null ? { code: status.OK, details: '' } : { code: error.code, details: error.details });
      },
    );
  });
}

/** Opens a TLS connection as gRPC does. */
function dial(address: string, options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(address.split(':')[1]),
      servername: 'organization',
      ALPNProtocols: ['h2'],
      checkServerIdentity: () => undefined,
      ca: authority.certificate,
      ...options,
    });
    socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  });
}

const loggedReasons = (): string[] =>
  lines
    .map((line) => JSON.parse(line) as { msg: string; reason?: string })
    .filter(({ msg }) => msg === 'a connection was refused')
    .map(({ reason = '' }) => reason);

describe('a server takes connections only from services that prove who they are', () => {
  const gateway = { uris: [uriOf('gateway')] };
  const certified = (by: typeof authority, options: Parameters<typeof authority.issue>[0]) => {
    const { certificate, key } = by.issue(options);
    return { cert: certificate, key, ca: authority.certificate };
  };

  test('of one of its authorities, by the URI of a service', async () => {
    const { address } = await serve((await issue('organization')).identity);
    expect(await callWith(address, certified(authority, gateway))).toMatchObject({ code: status.OK });
    expect(calls).toBe(1);
    expect(loggedReasons()).toEqual([]);
  });

  test.each<[string, () => { cert?: string; key?: string; ca?: string } | undefined, string]>([
    ['no TLS', () => undefined, 'no_tls'],
    ['no certificate', () => ({ ca: authority.certificate }), 'no_certificate'],
    ['a certificate of another authority', () => certified(otherAuthority, gateway), 'other_authority'],
    [
      'an expired certificate',
      () => certified(authority, { ...gateway, notAfter: new Date(Date.now() - 1_000) }),
      'expired',
    ],
    [
      'a certificate of tomorrow',
      () => certified(authority, { ...gateway, notBefore: new Date(Date.now() + DAY_MS) }),
      'not_yet_valid',
    ],
    ['a certificate without a URI', () => certified(authority, { dnsNames: ['gateway'] }), 'no_identity'],
    ['two URIs', () => certified(authority, { uris: [uriOf('gateway'), uriOf('operator')] }), 'several_identities'],
    [
      'a foreign trust domain',
      () => certified(authority, { uris: ['spiffe://elsewhere.example/service/gateway'] }),
      'foreign_trust_domain',
    ],
    ['no service', () => certified(authority, { uris: [`spiffe://${DOMAIN}/person/ann`] }), 'unknown_identity'],
  ])('and refuses %s with the reason in its log', async (_, options, reason) => {
    const { address } = await serve((await issue('organization')).identity);
    expect(await callWith(address, options())).toMatchObject({ code: status.UNAVAILABLE });
    expect(calls).toBe(0);
    await eventually(() => expect(loggedReasons()).toEqual([reason]));
    // The reason is logged once a minute, however often a stranger connects.
    await callWith(address, options());
    expect(loggedReasons()).toEqual([reason]);
  });

  test('and refuses TLS 1.2, and no session is resumed', async () => {
    const { address } = await serve((await issue('organization')).identity);
    const { cert, key } = certified(authority, gateway);
    await expect(dial(address, { cert, key, maxVersion: 'TLSv1.2' })).rejects.toThrow('protocol version');
    const sessions: Buffer[] = [];
    const first = await dial(address, { cert, key });
    first.on('session', (session: Buffer) => sessions.push(session));
    expect(first.getProtocol()).toBe('TLSv1.3');
    await eventually(() => expect(sessions.length).toBeGreaterThan(0), { timeoutMs: 500 }).catch(() => {});
    first.destroy();
    const again = await dial(address, { cert, key, ...(sessions[0] === undefined ? {} : { session: sessions[0] }) });
    expect(again.isSessionReused()).toBe(false);
    again.destroy();
  });

  test('and a caller that connects and says nothing keeps nobody else out', async () => {
    const { address } = await serve((await issue('organization')).identity);
    const silent = connectPlain(Number(address.split(':')[1]), '127.0.0.1');
    closing.push(() => silent.destroy());
    expect(await callWith(address, certified(authority, gateway))).toMatchObject({ code: status.OK });
  });
});

test('without the check of the certificate, a stranger would be let in', async () => {
  const compiled = new URL('../../dist/grpc/', import.meta.url);
  const source = await readFile(new URL('secure-listener.js', compiled), 'utf8');
  const check = 'if (!socket.authorized)';
  expect(source.split(check)).toHaveLength(2);
  const file = new URL(`secure-listener-without-check-${process.pid}.js`, compiled);
  await writeFile(file, source.replace(check, 'if (false)'));
  closing.push(() => rm(file));
  const { listenSecurely } = (await import(file.href)) as typeof import('./secure-listener.js');
  const server = new Server();
  const { identity } = await issue('organization');
  const { port, close } = await listenSecurely(server, {
    host: '127.0.0.1',
    port: 0,
    identity,
    logger,
    callers: new Map(),
  });
  closing.push(() => {
    close();
    server.forceShutdown();
  });
  const { certificate, key } = otherAuthority.issue({ uris: [uriOf('gateway')] });
  const answer = await callWith(`127.0.0.1:${port}`, { cert: certificate, key, ca: authority.certificate });
  // This server serves no rpc, so it says so to whomever it lets in.
  expect(answer).toMatchObject({ code: status.UNIMPLEMENTED });
});

test('at most so many connections are open at once, and the next one is refused and logged', async () => {
  const server = new Server();
  const { identity } = await issue('organization');
  const connectionsMax = 3;
  const { port, close } = await listenSecurely(server, {
    host: '127.0.0.1',
    port: 0,
    identity,
    logger,
    callers: new Map(),
    connectionsMax,
  });
  closing.push(() => {
    close();
    server.forceShutdown();
  });
  const address = `127.0.0.1:${port}`;
  const { cert, key } = (await issue('gateway')).identity.files;
  for (let connection = 0; connection < connectionsMax; connection++) {
    const socket = await dial(address, { cert, key });
    closing.push(() => socket.destroy());
  }
  await expect(dial(address, { cert, key })).rejects.toThrow(/disconnected|ECONNRESET/);
  await eventually(() => expect(loggedReasons()).toEqual(['too_many']));
});

test('at most so many handshakes with an address are unfinished at once, and the next one is refused and logged', async () => {
  const server = new Server();
  const { identity } = await issue('organization');
  const handshakesMax = 3;
  const callers = new Map<string, string>();
  const options = { host: '127.0.0.1', port: 0, identity, logger, callers, handshakesMax };
  const { port, close } = await listenSecurely(server, options);
  closing.push(() => {
    close();
    server.forceShutdown();
  });
  const address = `127.0.0.1:${port}`;
  const { cert, key } = (await issue('gateway')).identity.files;
  const connectSilently = (localAddress: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connectPlain({ port, host: '127.0.0.1', localAddress }, () => resolve(socket));
      socket.once('error', reject);
      closing.push(() => socket.destroy());
    });
  const silent: Socket[] = [];
  while (silent.length < handshakesMax - 1) silent.push(await connectSilently('127.0.0.1'));
  // Connections whose handshake has ended do not count.
  for (let connection = 1; connection <= 2 * handshakesMax; connection++) {
    const socket = await dial(address, { cert, key });
    closing.push(() => socket.destroy());
    // The client has finished its handshake before the server.
    await eventually(() => expect(callers.size).toBe(connection));
  }
  expect(loggedReasons()).toEqual([]);
  silent.push(await connectSilently('127.0.0.1'));
  await expect(dial(address, { cert, key })).rejects.toThrow(/disconnected|ECONNRESET/);
  await eventually(() => expect(loggedReasons()).toEqual(['too_many_handshakes']));
  // Another address has places of its own.
  (await dial(address, { cert, key, socket: await connectSilently('127.0.0.2') })).destroy();
  silent[0]?.destroy();
  await eventually(async () => (await dial(address, { cert, key })).destroy());
});

test('a connection keeps no place and leaves no caller behind, whatever ended it', async () => {
  const server = new Server();
  const { identity } = await issue('organization');
  const callers = new Map<string, string>();
  const connectionsMax = 3;
  const options = { host: '127.0.0.1', port: 0, identity, logger, callers, connectionsMax };
  const { port, close } = await listenSecurely(server, options);
  closing.push(() => {
    close();
    server.forceShutdown();
  });
  const address = `127.0.0.1:${port}`;
  const { cert, key } = (await issue('gateway')).identity.files;
  const stranger = otherAuthority.issue({ uris: [uriOf('gateway')] });
  const say = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connectPlain(port, '127.0.0.1', () => socket.write(text));
      socket.resume().once('error', () => {});
      socket.once('close', () => resolve());
    });
  const endings: readonly (() => Promise<unknown>)[] = [
    async () => (await dial(address, { cert, key })).destroy(),
    async () => (await dial(address, { cert, key })).end(),
    // A client that does not agree on HTTP/2 gets a refusal, and the connection ends.
    async () => (await dial(address, { cert, key, ALPNProtocols: ['other'] })).resume(),
    () => dial(address, {}),
    () => dial(address, { cert: stranger.certificate, key: stranger.key }),
    () => say('GET / HTTP/1.1\r\n\r\n'),
  ];
  for (const connectAndEnd of endings) {
    for (let connection = 0; connection < connectionsMax; connection++) await connectAndEnd().catch(() => {});
    await eventually(async () => {
      const open: TLSSocket[] = [];
      try {
        while (open.length < connectionsMax) open.push(await dial(address, { cert, key }));
        await eventually(() => expect(callers.size).toBe(connectionsMax), { timeoutMs: 1_000 });
      } finally {
        for (const socket of open) socket.destroy();
      }
    });
    await eventually(() => expect(callers.size).toBe(0));
  }
});

test('a caller refuses a server that is another service than it asked for, and logs it once a minute', async () => {
  const { address } = await serve((await issue('scan')).identity);
  const { identity } = await issue('gateway');
  const channel = openChannel(address, { service: 'organization', identity });
  closing.push(() => channel.close());
  const access = client(AccessServiceDefinition, channel);
  for (let tries = 0; tries < 2; tries++)
    await expect(access.authenticateKey(request, call)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(calls).toBe(0);
  const said = lines.filter((line) => line.includes('a service cannot be reached'));
  expect(said.join()).toContain('expected the service organization, got scan');
  expect(said).toHaveLength(1);
});

describe('while identities change, no call fails', () => {
  /** Runs callers on fresh connections during the work. @returns the number of calls that were answered */
  async function duringCalls(work: (server: Issued, caller: Issued) => Promise<void>): Promise<number> {
    const [server, caller] = [await issue('organization'), await issue('gateway')];
    const { address } = await serve(server.identity);
    let isOver = false;
    let answered = 0;
    const failures: unknown[] = [];
    const running = Array.from({ length: CALLERS }, async () => {
      const channel = openChannel(address, { service: 'organization', identity: caller.identity });
      const access = client(AccessServiceDefinition, channel);
      while (!isOver) {
        await access.authenticateKey(request, call).then(
          () => (answered += 1),
          (error: unknown) => failures.push(error),
        );
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      channel.close();
    });
    try {
      await work(server, caller);
      // Every connection that was opened before the end of the work is replaced after it.
      const before = answered;
      await pause();
      await eventually(() => expect(answered).toBeGreaterThan(before + CALLERS));
    } finally {
      isOver = true;
      await Promise.all(running);
    }
    expect(failures).toEqual([]);
    return answered;
  }

  /** Waits until all identities were read again, and all connections were replaced. */
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, 3 * CONNECTION_AGE_MS);
    });

  test('when both sides get new certificates, one file after the other', async () => {
    const first = await duringCalls(async (server, caller) => {
      const before = [server.identity.files.cert, caller.identity.files.cert];
      await server.renew();
      await caller.renew();
      await eventually(() => {
        expect(server.identity.files.cert).not.toEqual(before[0]);
        expect(caller.identity.files.cert).not.toEqual(before[1]);
      });
    });
    expect(first).toBeGreaterThan(CALLERS);
  });

  test('when the authority changes in three steps', async () => {
    const both = `${authority.certificate}${otherAuthority.certificate}`;
    await duringCalls(async (server, caller) => {
      for (const side of [server, caller]) await side.write('ca.crt', both);
      await pause();
      await server.renew(otherAuthority);
      await pause();
      await caller.renew(otherAuthority);
      await pause();
      for (const side of [server, caller]) await side.write('ca.crt', otherAuthority.certificate);
      await eventually(() => expect(server.identity.files.ca.toString()).toBe(otherAuthority.certificate));
    });
  });

  test.each<[string, (side: Issued, key: string) => Promise<void>]>([
    ['the key of another certificate', (side) => side.write('tls.key', authority.issue().key)],
    ['an empty key', (side) => side.write('tls.key', '')],
    ['no key', (side) => side.remove('tls.key')],
  ])('when both sides have %s for a while', async (_, spoil) => {
    await duringCalls(async (server, caller) => {
      for (const side of [server, caller]) {
        const key = await side.read('tls.key');
        await spoil(side, key);
        await pause();
        await side.write('tls.key', key);
      }
    });
    expect(lines.join()).toContain('new identity files do not fit together');
  });
});

test('the port for probes answers health, and nothing else', async () => {
  const { health, setReady } = await serve((await issue('organization')).identity);
  const probes = await startHealthServer('127.0.0.1', 0, health);
  closing.push(() => probes.stop());
  const ask = (path: string, body: Buffer): Promise<{ code: status; answer: Buffer | undefined }> => {
    const caller = new Client(`127.0.0.1:${probes.port}`, credentials.createInsecure());
    const same = (bytes: Buffer): Buffer => bytes;
    return new Promise((resolve) => {
      caller.makeUnaryRequest(path, same, same, body, (error: ServiceError | null, answer?: Buffer) => {
        caller.close();
        resolve({ code: error?.code ?? status.OK, answer });
      });
    });
  };
  const ready = Buffer.from('\n\x05ready');
  expect((await ask('/grpc.health.v1.Health/Check', ready)).answer?.[1]).toBe(2);
  setReady(true);
  expect((await ask('/grpc.health.v1.Health/Check', ready)).answer?.[1]).toBe(1);
  expect(await ask(AUTHENTICATE_PATH, Buffer.alloc(0))).toMatchObject({ code: status.UNIMPLEMENTED });
  expect(calls).toBe(0);
});

test('a service whose health nobody has set is alive and not ready', async () => {
  const probes = await startHealthServer('127.0.0.1', 0, newHealth());
  closing.push(() => probes.stop());
  await expect(startHealthServer('127.0.0.1', probes.port, newHealth())).rejects.toThrow('Cannot listen on');
});
