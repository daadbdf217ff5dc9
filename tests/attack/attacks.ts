// Attacks that a security examination found, and variants of these attacks. Each attack closes its connections at the
// end, unless its description says otherwise.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { formatApiKey } from '@invoicecontrol/api-key';
import type { AttackedSystem } from './attacked-system.js';
import { putContent, reserve } from '../bench/upload-client.js';
import { payForAnother, STRANGERS } from './checkout-attacks.js';
import { ATTACKER, eitherOf, head, open, statusOf, tally, write } from './wire.js';

export interface Attack {
  readonly name: string;
  /**
   * Carries out the attack on the running system.
   * @param whileHeld called once when the attack occupies as many resources of the gateway as it can
   * @returns the responses of the gateway as text
   */
  run(system: AttackedSystem, whileHeld: () => Promise<void>): Promise<string>;
}

const PIPELINED = 1_200;
const PIPELINE_ROUNDS = 3;
const READERS = 1_100;
/**
 * Number of attackers who never read their responses. It is twice the number of requests without a key that the
 * gateway accepts at the same time from four addresses.
 */
const READERS_APART = 400;
const BODIES = 6;
const BODIES_BYTEWISE = 2;
const MIB = 1024 * 1024;
/** Size of a hostile request body, just below the 10 MiB that a history scan may have. */
const BODY_BYTES = Math.floor(9.7 * MIB);
/** Number of hostile request bodies that the gateway accepts at the same time from one organization. */
const FITTING = 1;
/** Number of uploaded files of one organization that a gateway receives at the same time. */
const ORGANIZATION_FILES = 40;
const JUNK = 25;
const FLOOD = 400;
const NEWCOMERS = 2;
/** Number of uploaded files, which is more than a gateway receives at the same time. */
const TRICKLED = 208;
const ADDRESSES = 5;
const TRICKLED_BYTES = 100_000;
const LARGE_FILES = 12;
const LARGE_BYTES = 20_000_000;
const SENDERS = 4;
/** Lengths of a header: one below and one above the maximum for all headers with one name. */
const HEADER_LENGTHS = [4_000, 15_000];
const SERVED_MEANWHILE = 5;
const UNTIL_MS_MAX = 30_000;
const UNTIL_EACH_MS = 20;

export const attacks: readonly Attack[] = [
  {
    name: `${PIPELINED} pipelined GETs closed at once, ${PIPELINE_ROUNDS} times, without a key`,
    run: (system) => pipelineAndLeave(system, head('GET', '/v1/invoices')),
  },
  {
    name: `${PIPELINED} pipelined GETs closed at once, ${PIPELINE_ROUNDS} times, with a key`,
    run: (system) => pipelineAndLeave(system, head('GET', '/v1/invoices', bearer(system.tenant.keys.viewer))),
  },
  {
    name: `${READERS} connections that do not read an asset, from one address`,
    run: (system, whileHeld) => neverRead(system, whileHeld, READERS, () => ATTACKER),
  },
  {
    name: `${READERS_APART} connections that do not read an asset, from four addresses`,
    run: (system, whileHeld) => neverRead(system, whileHeld, READERS_APART, (index) => `127.0.0.${2 + (index % 4)}`),
  },
  {
    name: `${BODIES} bodies of 9.7 MiB of {} at once`,
    run: (system) =>
      sendBodies(system, BODIES, `Content-Length: ${emptyRows.length}`, (socket) =>
        write(socket, pieces(emptyRows, MIB)),
      ),
  },
  {
    name: `${BODIES} bodies of 9.7 MiB of {} at once, in chunks`,
    run: (system) =>
      sendBodies(system, BODIES, 'Transfer-Encoding: chunked', (socket) => write(socket, chunks(emptyRows, 50_000))),
  },
  {
    name: `${BODIES_BYTEWISE} bodies of 9.7 MiB of one text at once, in chunks of a few bytes`,
    run: (system) =>
      sendBodies(system, BODIES_BYTEWISE, 'Transfer-Encoding: chunked', (socket) =>
        write(socket, joined(chunks(oneText, 7), MIB)),
      ),
  },
  {
    name: `${BODIES} bodies of 9.7 MiB that never end`,
    run: (system, whileHeld) => neverEnd(system, whileHeld),
  },
  {
    name: `${TRICKLED} files that trickle, from five addresses`,
    run: trickleFiles,
  },
  {
    name: 'bodies without a key that never end, from five addresses',
    run: holdPublicBodies,
  },
  {
    name: `${LARGE_FILES} files of 20 MB at once`,
    run: sendLargeFiles,
  },
  {
    name: `${SENDERS} senders of a Content-Type of blanks, without a key`,
    run: (system, whileHeld) =>
      keepSending(system, whileHeld, (length) => [
        'POST',
        '/v1/members/accept',
        `Content-Type: application/json; charset=${' '.repeat(length)}x y`,
        'Content-Length: 2',
      ]),
  },
  {
    name: `${SENDERS} senders of a Prefer of escaped quotes, with a key`,
    run: (system, whileHeld) =>
      keepSending(system, whileHeld, (length) => [
        'POST',
        '/v1/invoices/from-upload',
        bearer(system.tenant.keys.owner),
        `Prefer: ${'\\"'.repeat(length / 2)}`,
        'Content-Type: application/json',
        'Content-Length: 2',
      ]),
  },
  { name: 'junk tokens and revoked keys, then a change of the organization', run: changeAmongFailures },
  { name: `${FLOOD} connections with unknown keys, next to a key that is new to the gateway`, run: newKeyInFlood },
  { name: `${STRANGERS} paid checkouts of strangers that name an organization, and their ends`, run: payForAnother },
];

function bearer(key: string): string {
  return `Authorization: Bearer ${key}`;
}

const emptyRows = Buffer.from(`{"rows":[${'{},'.repeat(BODY_BYTES / 3)}{}]}`);
const oneText = Buffer.from(`{"rows":["${'x'.repeat(BODY_BYTES)}"]}`);

function* pieces(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function* chunks(bytes: Uint8Array, length: number): Generator<string> {
  for (const piece of pieces(bytes, length)) {
    yield `${piece.length.toString(16)}\r\n${Buffer.from(piece).toString('latin1')}\r\n`;
  }
  yield '0\r\n\r\n';
}

/** Joins short texts of an attack into fewer texts of at least the given length. */
function* joined(texts: Iterable<string>, length: number): Generator<string> {
  let next = '';
  for (const text of texts) {
    next += text;
    if (next.length < length) continue;
    yield next;
    next = '';
  }
  yield next;
}

async function pipelineAndLeave({ port }: AttackedSystem, request: string): Promise<string> {
  for (let round = 0; round < PIPELINE_ROUNDS; round += 1) {
    const socket = await open(port);
    socket.write(request.repeat(PIPELINED));
    await eitherOf(socket, 'data');
    socket.destroy();
  }
  return `${PIPELINE_ROUNDS} connections left`;
}

async function neverRead(
  { port, origin }: AttackedSystem,
  whileHeld: () => Promise<void>,
  readers: number,
  addressOf: (index: number) => string,
): Promise<string> {
  const page = await (await fetch(`${origin}/docs/console`)).text();
  const asset = /src="([^"]+bundle\.js)"/.exec(page)?.[1];
  if (asset === undefined) throw new Error('The console of the documentation has no script.');
  const sockets: Socket[] = [];
  for (let index = 0; index < readers; index += 1) {
    const socket = await open(port, addressOf(index));
    socket.pause();
    socket.write(head('GET', asset));
    sockets.push(socket);
  }
  await whileHeld();
  const held = sockets.filter(({ destroyed }) => !destroyed).length;
  for (const socket of sockets) socket.destroy();
  return `${held} connections held`;
}

async function sendBodies(
  { port, tenant }: AttackedSystem,
  bodies: number,
  framing: string,
  send: (socket: Socket) => Promise<void>,
): Promise<string> {
  const sockets = await Promise.all(Array.from({ length: bodies }, () => open(port)));
  const statuses = await Promise.all(
    sockets.map(async (socket) => {
      const status = statusOf(socket);
      socket.write(scanHead(tenant.keys.owner, framing));
      void send(socket);
      return status;
    }),
  );
  for (const socket of sockets) socket.destroy();
  return tally(statuses);
}

function scanHead(key: string, framing: string): string {
  return head('POST', '/v1/scans', bearer(key), 'Content-Type: application/json', framing);
}

/** Attacks with as many unfinished request bodies as possible, and sends a byte from time to time. */
async function neverEnd({ port, tenant }: AttackedSystem, whileHeld: () => Promise<void>): Promise<string> {
  const sockets = await Promise.all(Array.from({ length: BODIES }, () => open(port)));
  const answered: number[] = [];
  await Promise.all(
    sockets.map(async (socket) => {
      void statusOf(socket).then((status) => answered.push(status));
      socket.write(scanHead(tenant.keys.owner, `Content-Length: ${oneText.length}`));
      await write(socket, pieces(oneText.subarray(0, oneText.length - 1_000), MIB));
    }),
  );
  const dripping = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write('x');
  }, 100);
  try {
    await until(() => answered.length >= BODIES - FITTING);
    await whileHeld();
  } finally {
    clearInterval(dripping);
    for (const socket of sockets) socket.destroy();
  }
  return `${BODIES - answered.length} held, ${tally(answered)}`;
}

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + UNTIL_MS_MAX;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error('The gateway did not refuse what does not fit.');
    await delay(UNTIL_EACH_MS);
  }
}

/** Returns the IP address of one of the simulated attackers. */
function addressOf(index: number): string {
  return `127.0.0.${2 + (index % ADDRESSES)}`;
}

/** Sends a byte of the attack on each connection from time to time, until `whileHeld` is over. */
async function drip(sockets: readonly Socket[], whileHeld: () => Promise<void>): Promise<void> {
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1_000);
  try {
    await whileHeld();
  } finally {
    clearInterval(dripping);
    for (const socket of sockets) socket.destroy();
  }
}

/** Sends all files of an upload attack for one organization, with the tokens of its uploads. */
async function trickleFiles({ port, origin, tenant }: AttackedSystem, whileHeld: () => Promise<void>): Promise<string> {
  const target = { origin, key: tenant.keys.owner };
  const sockets: Socket[] = [];
  const answered: number[] = [];
  for (let index = 0; index < TRICKLED; index += 1) {
    const { upload_url } = await reserve(target, 'application/pdf', TRICKLED_BYTES);
    const socket = await open(port, addressOf(index));
    void statusOf(socket).then((status) => answered.push(status));
    socket.write(head('PUT', upload_url, 'Content-Type: application/pdf', `Content-Length: ${TRICKLED_BYTES}`));
    sockets.push(socket);
  }
  await until(() => answered.length >= TRICKLED - ORGANIZATION_FILES);
  await drip(sockets, whileHeld);
  return `${TRICKLED - answered.length} held, ${tally(answered)}`;
}

/** Sends the bodies of an invitation and a payment notification without their last byte. */
async function holdPublicBodies({ port }: AttackedSystem, whileHeld: () => Promise<void>): Promise<string> {
  const sockets: Socket[] = [];
  const answered: number[] = [];
  for (let index = 0; index < ADDRESSES; index += 1) {
    for (const [path, bytes, count] of [
      ['/v1/members/accept', 16 * 1024, 40],
      ['/v1/organizations/current/restore', 16 * 1024, 40],
      ['/v1/billing/paddle/notifications', MIB, 2],
    ] as const) {
      for (let sent = 0; sent < count; sent += 1) {
        const socket = await open(port, addressOf(index));
        void statusOf(socket).then((status) => answered.push(status));
        socket.write(head('POST', path, 'Content-Type: application/json', `Content-Length: ${bytes}`));
        socket.write('x'.repeat(bytes - 1_000));
        sockets.push(socket);
      }
    }
  }
  await drip(sockets, whileHeld);
  return `${sockets.length - answered.length} held, ${tally(answered)}`;
}

async function sendLargeFiles({ origin, tenant }: AttackedSystem, whileHeld: () => Promise<void>): Promise<string> {
  const target = { origin, key: tenant.keys.owner };
  const file = { mediaType: 'application/pdf', bytes: Buffer.alloc(LARGE_BYTES, 'x') };
  file.bytes.write('%PDF-1.7\n');
  const reserved = await Promise.all(
    Array.from({ length: LARGE_FILES }, () => reserve(target, file.mediaType, LARGE_BYTES)),
  );
  const sending = Promise.all(reserved.map((reservation) => putContent(target, reservation, file)));
  await whileHeld();
  const statuses = await sending;
  if (statuses.some((status) => status !== 204)) throw new Error(`Files were answered ${tally(statuses)}.`);
  return tally(statuses);
}

/** Returns a well-formed API key that does not exist. */
function junkKey(): string {
  return formatApiKey('live', randomBytes(8).toString('hex'), randomBytes(32).toString('hex').slice(0, 43));
}

async function call(
  { origin }: AttackedSystem,
  method: string,
  path: string,
  key?: string,
  body?: unknown,
): Promise<Response> {
  const response = await fetch(`${origin}/v1${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response;
}

/** Attacks with requests one after the other over several connections, while an ordinary client works. */
async function keepSending(
  { port }: AttackedSystem,
  whileHeld: () => Promise<void>,
  requestOf: (length: number) => [method: string, path: string, ...lines: string[]],
): Promise<string> {
  const requests = HEADER_LENGTHS.map((length) => `${head(...requestOf(length))}{}`);
  const statuses: number[] = [];
  let isOver = false;
  const send = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const socket = await open(port);
      const status = statusOf(socket);
      socket.write(requests[count % requests.length] ?? '');
      statuses.push(await status);
      socket.destroy();
    }
  };
  const sending = Array.from({ length: SENDERS }, send);
  try {
    for (let count = 0; count < SERVED_MEANWHILE; count += 1) await whileHeld();
  } finally {
    isOver = true;
  }
  await Promise.all(sending);
  return tally(statuses);
}

/**
 * Changes a resource with a valid API key after many requests with wrong keys. All requests come from the IP address of
 * the customer.
 */
async function changeAmongFailures(system: AttackedSystem): Promise<string> {
  const { owner, admin } = system.tenant.keys;
  await expectStatus(200, call(system, 'GET', '/organizations/current', owner));
  const created = (await (await call(system, 'POST', '/api-keys', owner, { name: 'x', role: 'VIEWER' })).json()) as {
    id: string;
    key: string;
  };
  await expectStatus(204, call(system, 'DELETE', `/api-keys/${created.id}`, owner));
  const statuses: number[] = [];
  for (let count = 0; count < JUNK; count += 1) {
    const token = `junk-${count}`.padEnd(43, 'x');
    statuses.push((await call(system, 'POST', '/members/accept', undefined, { token, name: 'x' })).status);
    statuses.push((await call(system, 'GET', '/organizations/current', created.key)).status);
    statuses.push((await call(system, 'GET', '/organizations/current', junkKey())).status);
  }
  await expectStatus(200, call(system, 'PATCH', '/organizations/current', owner, { name: `Changed ${Date.now()}` }));
  await expectStatus(200, call(system, 'GET', '/organizations/current', owner));
  await expectStatus(200, call(system, 'GET', '/organizations/current', admin));
  return tally(statuses);
}

async function expectStatus(expected: number, answer: Promise<Response>): Promise<void> {
  const { status, url } = await answer;
  if (status !== expected) throw new Error(`${url} answered ${status}, not ${expected}.`);
}

/** The flood of requests comes from the IP address of the customer. */
async function newKeyInFlood(system: AttackedSystem): Promise<string> {
  const { port } = system;
  const statuses: number[] = [];
  let isOver = false;
  const guess = async (): Promise<void> => {
    while (!isOver) {
      const socket = await open(port, '127.0.0.1');
      const status = statusOf(socket);
      socket.write(head('GET', '/v1/organizations/current', bearer(junkKey())));
      statuses.push(await status);
      socket.destroy();
    }
  };
  const guessing = Array.from({ length: FLOOD }, guess);
  try {
    for (let count = 0; count < NEWCOMERS; count += 1) {
      const { keys } = await system.newTenant(`Newcomer ${randomBytes(4).toString('hex')}`);
      for (const key of [keys.owner, keys.admin, keys.viewer]) {
        await expectStatus(200, call(system, 'GET', '/organizations/current', key));
      }
    }
  } finally {
    isOver = true;
  }
  await Promise.all(guessing);
  return tally(statuses);
}
