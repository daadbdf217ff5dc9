import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { startInboxTrial } from './crash/inbox-trial.js';
import type { InboxTrial, Receiver } from './crash/inbox-trial.js';
import { startKillableSystem } from './crash/killable-system.js';
import type { KillableSystem } from './crash/killable-system.js';
import { fa3, hashOf, startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';

/** The KSeF calls of one submission that name its company, in their order. */
const operations = ['A3', 'A4', 'A5', 'S1', 'S2', 'S3', 'S5', 'S6', 'S7'] as const;

interface KillPoint {
  readonly operation: (typeof operations)[number];
  /** True if KSeF has processed the request before the service is killed. */
  readonly processed: boolean;
}

const points: readonly KillPoint[] = operations.flatMap((operation) => [
  { operation, processed: false },
  { operation, processed: true },
]);

/** Factor for the waiting times that the KSeF service chooses itself. */
const WAIT_FACTOR = 0.05;
const ROUNDS = Number(process.env['CRASH_KSEF_ROUNDS'] ?? '1');
const REACHED_MS_MAX = 60_000;
/** Duration of a simulated hang, longer than the test lasts. */
const HANG_SECONDS = 3_600;
/**
 * Time limit of a round: the lease of a killed worker ends first, and then the time in which its document may still
 * arrive.
 */
const ENDS_MS_MAX = 120_000;

let system: KillableSystem;
let ksef: Ksef;

beforeAll(async () => {
  ksef = await startKsef();
  // The export limit of the simulated KSeF is raised, because a few rounds request more exports than KSeF allows in an
  // hour.
  await ksef.control('PUT settings', { limitFactor: 0 });
  system = await startKillableSystem({
    ksefEnv: {
      ...ksef.env,
      KSEF_WAIT_FACTOR: String(WAIT_FACTOR),
      KSEF_REQUEST_SECONDS: '30',
      KSEF_LEASE_SECONDS: '5',
      KSEF_LIMIT_FACTOR: '1000',
    },
    documentsEnv: { UPLOAD_SWEEP_SECONDS: '1' },
  });
}, 120_000);
afterAll(async () => {
  await system.stop();
  await ksef.stop();
});

/** One invoice of a separate company, during its submission to KSeF. */
interface Filing {
  readonly point: KillPoint;
  readonly nip: string;
  readonly xml: string;
  readonly faultId: string;
  read(): Promise<Record<string, unknown>>;
}

async function send<Body = Record<string, unknown>>(key: string, target: string, body?: object): Promise<Body> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${system.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

async function upload(key: string, xml: string): Promise<string> {
  const bytes = Buffer.from(xml);
  const reserved = await send<{ upload_id: string; upload_url: string }>(key, 'POST /uploads', {
    mediaType: 'application/xml',
    byteSize: bytes.length,
  });
  const { pathname, search } = new URL(reserved.upload_url, system.baseUrl);
  const response = await fetch(`${new URL(system.baseUrl).origin}${pathname}${search}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/xml' },
    body: bytes as Uint8Array<ArrayBuffer>,
  });
  expect(response.status).toBe(204);
  return reserved.upload_id;
}

/** Starts a KSeF submission that waits at the given call. */
async function begin(point: KillPoint, number: string): Promise<Filing> {
  const { keys } = await system.newTenant(`Filer ${number}`);
  const key = keys.owner;
  const { nip, token } = await ksef.newCompany();
  const { id: connectionId } = await send<{ id: string }>(key, 'POST /ksef-connections', {
    environment: 'TEST',
    context_nip: nip,
    ksef_token: token,
  });
  const tested = await send(key, `POST /ksef-connections/${connectionId}/test`);
  expect(tested['status']).toBe('CONNECTED');
  const xml = fa3({ nip, number });
  const invoice = await send(key, 'POST /invoices/from-upload', { upload_id: await upload(key, xml) });
  expect(invoice['decision']).toBe('PASS');
  const faultId = await ksef.fault({
    operation: point.operation,
    context: nip,
    // A request with the fault HOLD continues when the fault is removed. A request with the fault HANG is never
    // processed.
    ...(point.processed ? { kind: 'HOLD', processed: true } : { kind: 'HANG', seconds: HANG_SECONDS }),
    times: 1,
  });
  const path = `/ksef-connections/${connectionId}/submissions`;
  const { id } = await send<{ id: string }>(key, `POST ${path}`, { invoice_id: invoice['id'] });
  return { point, nip, xml, faultId, read: () => send(key, `GET ${path}/${id}`) };
}

describe('a submission to KSeF whose service is killed while a call is under way', () => {
  test(
    'is registered exactly once, has its confirmation, and leaves no session open',
    async () => {
      for (let round = 1; round <= ROUNDS; round++) {
        const filings = await Promise.all(
          points.map((point) => begin(point, `FV/${round}/${point.operation}/${point.processed ? 'after' : 'before'}`)),
        );
        await eventually(
          async () => {
            const unreached = await Promise.all(
              filings.map(async ({ point, faultId }) => ((await ksef.hits(faultId)) > 0 ? [] : [point])),
            );
            expect(unreached.flat()).toEqual([]);
          },
          { timeoutMs: REACHED_MS_MAX },
        );
        await system.ksef.kill();
        await ksef.mend();
        await system.ksef.restart();
        for (const { point, nip, xml, read } of filings) {
          await eventually(
            async () =>
              expect([point, await read()]).toEqual([
                point,
                expect.objectContaining({
                  status: 'ACCEPTED',
                  errorCode: null,
                  upoReferenceNumber: expect.any(String),
                }),
              ]),
            { timeoutMs: ENDS_MS_MAX },
          );
          const { registered, sends, sessions, plaintextTokens } = await ksef.counters(nip);
          expect([point, registered.map(({ invoiceHash }) => invoiceHash)]).toEqual([point, [hashOf(xml)]]);
          // An invoice that KSeF received is found in its session and is not sent again.
          const isRepeated = point.operation === 'S2' && !point.processed;
          expect([point, sends[hashOf(xml)]]).toEqual([point, isRepeated ? 2 : 1]);
          // If opening a session got no response, the service does not know the session, which is empty and expires.
          const isUnknown = point.operation === 'S1' && point.processed;
          expect([point, sessions.open]).toEqual([point, isUnknown ? 1 : 0]);
          expect(plaintextTokens).toBe(0);
        }
        expect(system.unexpected).toEqual([]);
      }
    },
    ROUNDS * (REACHED_MS_MAX + ENDS_MS_MAX) + 60_000,
  );
});

/** Services that receive purchases. A round kills each of them at a random moment, and every fourth round all at once. */
const receiving = ['ksef', 'documents', 'analysis'] as const satisfies readonly ServiceName[];

/** For a long test run, set `CRASH_INBOX_ROUNDS=50`. */
const INBOX_ROUNDS = Number(process.env['CRASH_INBOX_ROUNDS'] ?? 1);
/** Time in milliseconds within which a kill happens at a random moment. */
const KILL_WITHIN_MS = 3_000;
const INBOX_ROUND_MS_MAX = 300_000;
const AUDIT_MS_MAX = 500_000;

/** Faults of the calls that receive purchases, by call. Login calls before A3 do not name their context. */
const faultsOfCalls: Readonly<Record<string, readonly object[]>> = {
  A3: [{ kind: 'DROP' }, { kind: 'LOSE_ANSWER' }, { kind: 'STATUS', status: 503 }],
  A4: [{ kind: 'DROP' }, { kind: 'STATUS', status: 502 }],
  A5: [{ kind: 'DROP' }, { kind: 'STATUS', status: 503 }],
  R1: [
    { kind: 'DROP' },
    { kind: 'LOSE_ANSWER' },
    { kind: 'STATUS', status: 503 },
    { kind: 'PROBLEM', status: 400, code: 21_182 },
    { kind: 'PROBLEM', status: 400, code: 21_470 },
    { kind: 'THROTTLE', retryAfter: 1 },
    { kind: 'UNAUTHORIZED' },
    { kind: 'EXPORT_STATUS', code: 100 },
    { kind: 'EXPORT_STATUS', code: 210 },
    { kind: 'EXPORT_STATUS', code: 415 },
    { kind: 'EXPORT_STATUS', code: 500 },
    { kind: 'ZIP_BOMB', bytes: 5_000_000 },
    { kind: 'CUT_METADATA' },
    { kind: 'REPEATED_INVOICE' },
    { kind: 'EXTRA_FILE' },
  ],
  R2: [
    { kind: 'DROP' },
    { kind: 'STATUS', status: 502 },
    { kind: 'PROBLEM', status: 410 },
    { kind: 'PROBLEM', status: 400, code: 21_175 },
    { kind: 'PART_HASH' },
    { kind: 'PART_HASH', member: 'partHash' },
    { kind: 'BODY', body: '{}' },
  ],
  R3: [{ kind: 'DROP' }, { kind: 'STATUS', status: 403 }, { kind: 'BAD_HASH' }, { kind: 'HANG', seconds: 1 }],
};

describe('an inbox whose services are killed while KSeF has faults', () => {
  let trial: InboxTrial;
  let receivers: readonly Receiver[];
  beforeAll(async () => {
    // Packages are truncated, and most have several parts. An export whose number a kill lost runs for its ten minutes,
    // which are shortened like the waits of the service. Otherwise ten of them would block the inbox for minutes.
    await ksef.control('PUT settings', {
      exportInvoicesMax: 2,
      partBytesMax: 1_500,
      exportSeconds: 600 * WAIT_FACTOR,
    });
    trial = await startInboxTrial(system, ksef);
    receivers = await Promise.all(['Odlewnia', 'Tartak', 'Browar'].map((name) => trial.newReceiver(name)));
  }, 120_000);
  afterAll(() => trial.close());

  test(
    'receives every invoice once and in the order of KSeF, and no mark passes an invoice that is not stored',
    async () => {
      for (let round = 0; round < INBOX_ROUNDS; round++) {
        for (const { nip } of receivers) {
          for (const [operation, faults] of Object.entries(faultsOfCalls)) {
            await ksef.fault({
              operation,
              context: nip,
              skip: randomInt(3),
              ...faults[randomInt(faults.length)],
            });
          }
        }
        await Promise.all(receivers.map((receiver) => trial.issue(receiver)));
        await Promise.all(receivers.map((receiver) => trial.run(receiver)));
        const kills = round % 4 === 3 ? [receiving] : receiving.map((service) => [service]);
        for (const killed of kills) {
          await delay(randomInt(KILL_WITHIN_MS));
          await Promise.all(killed.map((service) => system[service].kill()));
          expect(await trial.skipped(receivers)).toEqual([]);
          // If one service is killed, the test ends its leases. If all are killed, the leases expire in real time.
          for (const service of killed) {
            await (killed.length === 1 ? system.restartLater(service) : system[service].restart());
          }
        }
        // The test removes the fault that makes KSeF prepare an export forever.
        await ksef.mend();
        for (const receiver of receivers) await trial.finish(receiver);
      }
      expect(await trial.breaches(receivers)).toEqual([]);
    },
    INBOX_ROUNDS * INBOX_ROUND_MS_MAX + AUDIT_MS_MAX,
  );
});
