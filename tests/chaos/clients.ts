// Simulates clients that go on working even if processes fail: they post and upload invoices and copies of them, repeat
// requests, scan files, and review and assign findings. The seed determines what they send, and the responses determine
// what they review.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { randomFrom } from '../detection/random.js';
import type { Random } from '../detection/random.js';
import { sampleDocument, sampleFile, sampleInvoice } from '../e2e/crash/sample-invoices.js';
import type { Row, Sample, SampleRow } from '../e2e/crash/sample-invoices.js';
import type { InvoiceAnswer, InvoiceEntry, Ledger, ScanEntry } from './ledger.js';

export interface LoadOptions {
  readonly seed: number;
  readonly tenants: readonly Tenant[];
  /** Number of test clients of each organization, in addition to the client that sends history scans. */
  readonly clients: number;
  /** Maximum number of rows of a history scan file. With 0, the clients send no history scans. */
  readonly rowsMax: number;
  /** Maximum pause of a chaos client. Before each request, it waits for a random part of this time. */
  readonly pauseMs: number;
  readonly scanPauseMs: number;
}

export interface Load {
  /** Prevents the clients of the chaos run from beginning further requests. */
  stop(): void;
  /** Resolves when the outcome of every request of the chaos clients is known. Call it after `stop`. */
  finished(): Promise<void>;
}

const SUPPLIERS = 7;
const ROWS_MIN = 200;
/** Maximum number of requests that a chaos client repeats while it sends others. */
const RETRYING_MAX = 8;
/** Maximum number of findings that a client of the chaos run keeps for a later review. */
const OPEN_FINDINGS_MAX = 50;
/**
 * Number of the newest invoices from which copies are made, so that a copy may be sent while its original is in
 * progress.
 */
const RECENT_MAX = 20;

const shares = {
  repeat: 0.1,
  review: 0.12,
  assignment: 0.08,
  copy: 0.2,
  document: 0.2,
  withoutKey: 0.1,
  look: 0.4,
} as const;
const scanShares = { repeat: 0.3, withoutKey: 0.1, copy: 0.2, externalId: 0.5, knownId: 0.05 } as const;
const dispositions = ['CONFIRMED', 'FALSE_POSITIVE', 'UNDER_REVIEW'] as const;

export function startLoad(ledger: Ledger, options: LoadOptions): Load {
  const working: Promise<void>[] = [];
  const retrying: Promise<unknown>[] = [];
  let isStopped = false;
  const during = async (pauseMs: number, random: Random, step: () => Promise<void>): Promise<void> => {
    while (!isStopped) {
      await step();
      await delay(pauseMs * random.next());
    }
  };
  for (const [number, tenant] of options.tenants.entries()) {
    for (let client = 0; client < options.clients; client++) {
      const step = invoiceClient(ledger, tenant, { ...options, tenantNumber: number, client, retrying });
      working.push(during(options.pauseMs, randomOf(options.seed, 'pace', number, client), step));
    }
    if (options.rowsMax === 0) continue;
    const step = scanClient(ledger, tenant, { ...options, tenantNumber: number });
    working.push(during(options.scanPauseMs, randomOf(options.seed, 'scan pace', number), step));
  }
  return {
    stop() {
      isStopped = true;
    },
    async finished() {
      await Promise.all(working);
      await Promise.all(retrying);
    },
  };
}

interface ClientOptions extends LoadOptions {
  readonly tenantNumber: number;
}

function invoiceClient(
  ledger: Ledger,
  tenant: Tenant,
  { seed, tenantNumber, client, clients, retrying }: ClientOptions & { client: number; retrying: Promise<unknown>[] },
): () => Promise<void> {
  const random = randomOf(seed, 'client', tenantNumber, client);
  /** Requests that the chaos client has sent. It occasionally chooses one of them and repeats it. */
  const sent: (() => ReturnType<Ledger['postInvoice']>)[] = [];
  const open: string[] = [];
  const { organizationId } = tenant;
  let count = 0;
  let under = 0;

  /**
   * Repeats a request in the background while the chaos client sends other requests. If the client already repeats too
   * many requests, it waits for this one.
   */
  const inBackground = async (work: Promise<unknown>): Promise<void> => {
    under++;
    const ended = work.finally(() => under--);
    retrying.push(ended);
    if (under > RETRYING_MAX) await ended;
  };
  const look = async (answer: InvoiceAnswer): Promise<void> => {
    const findings = (await ledger.findingsOf(tenant, answer)) ?? [];
    const toReview = findings.filter(({ disposition }) => disposition === 'OPEN').map(({ id }) => id);
    open.push(...toReview.slice(0, OPEN_FINDINGS_MAX - open.length));
  };
  const post = async (): Promise<void> => {
    const copied = random.chance(shares.copy);
    const of = copied ? random.integer(0, clients - 1) : client;
    const number = copied ? Math.max(0, count - random.integer(1, RECENT_MAX)) : count;
    const sentAs = `${tenantNumber}-${client}-${count}`;
    const isDocument = random.chance(shares.document);
    // The upload id of a document takes the role of the idempotency key.
    const hasKey = !random.chance(shares.withoutKey) || isDocument;
    const isLooking = random.chance(shares.look);
    count++;
    const sample = sampleOf(seed, `${tenantNumber}-${of}`, number);
    const entry: InvoiceEntry = {
      organizationId,
      idempotencyKey: hasKey ? `invoice-${sentAs}` : undefined,
      sentAs,
      outcome: 'UNKNOWN',
      isRetried: hasKey,
      answers: [],
      ...(isDocument ? { upload: {} } : {}),
    };
    const send = isDocument
      ? () => ledger.uploadInvoice(tenant, entry, sampleDocument({ ...sample, sentAs }))
      : () => ledger.postInvoice(tenant, entry, sampleInvoice({ ...sample, sentAs }));
    if (hasKey) sent.push(send);
    const outcome = await send();
    if (outcome === 'UNKNOWN' && hasKey) await inBackground(ledger.untilKnown(send));
    const [answer] = entry.answers;
    if (isLooking && answer !== undefined) await look(answer);
  };
  /** A chaos client repeats the same request, which must get the same response. */
  const repeat = async (): Promise<void> => {
    await random.pick(sent.slice(-RECENT_MAX))();
  };
  const work = async (isReview: boolean): Promise<void> => {
    const findingId = open[0] ?? '';
    const begun = { organizationId, findingId, outcome: 'UNKNOWN', isRetried: true } as const;
    if (isReview) {
      open.shift();
      const entry = { ...begun, disposition: random.pick(dispositions) };
      await inBackground(ledger.untilKnown(() => ledger.review(tenant, entry)));
      return;
    }
    open.push(...open.splice(0, 1));
    if (ledger.books.assignments.some((assignment) => assignment.findingId === findingId)) return;
    const entry = { ...begun, assigneeUserId: tenant.users.analyst };
    await inBackground(ledger.untilKnown(() => ledger.assign(tenant, entry)));
  };
  return async () => {
    const chance = random.next();
    if (chance < shares.repeat) return sent.length === 0 ? post() : repeat();
    if (chance < shares.repeat + shares.review) return open.length === 0 ? post() : work(true);
    if (chance < shares.repeat + shares.review + shares.assignment) return open.length === 0 ? post() : work(false);
    return post();
  };
}

function scanClient(ledger: Ledger, tenant: Tenant, options: ClientOptions): () => Promise<void> {
  const { seed, tenantNumber } = options;
  const random = randomOf(seed, 'scans', tenantNumber);
  let count = 0;
  return async () => {
    const hasKey = !random.chance(scanShares.withoutKey);
    const isRepeated = random.chance(scanShares.repeat);
    const firstNumber = `FIRST-${tenantNumber}-${letters(count)}`;
    const entry: ScanEntry = {
      organizationId: tenant.organizationId,
      idempotencyKey: hasKey ? `scan-${tenantNumber}-${count}` : undefined,
      outcome: 'UNKNOWN',
      isRetried: hasKey,
      rows: fileOf(random, { ...options, count, firstNumber }),
      firstNumber,
      answers: [],
    };
    count++;
    if (!hasKey) {
      await ledger.postScan(tenant, entry);
      return;
    }
    await ledger.untilKnown(() => ledger.postScan(tenant, entry));
    if (isRepeated) await ledger.postScan(tenant, entry);
  };
}

function fileOf(
  random: Random,
  { seed, tenantNumber, clients, count, firstNumber, rowsMax }: ClientOptions & { count: number; firstNumber: string },
): Row[] {
  // The random number is squared, so that most history scan files are small.
  const size = ROWS_MIN + Math.floor((rowsMax - ROWS_MIN) * random.next() ** 2);
  let ids = 0;
  const rows = Array.from({ length: size }, (_, index): SampleRow => {
    const isCopy = random.chance(scanShares.copy);
    const stream = isCopy ? `${tenantNumber}-${random.integer(0, clients - 1)}` : `${tenantNumber}-scan-${count}`;
    const sample = sampleOf(seed, stream, isCopy ? random.integer(0, RECENT_MAX * (count + 1)) : index);
    const date = `2025-${String(random.integer(1, 12)).padStart(2, '0')}-${String(random.integer(1, 28)).padStart(2, '0')}`;
    const hasId = random.chance(scanShares.externalId);
    const isKnown = random.chance(scanShares.knownId);
    // Chooses the external id of a row in this history scan file or in the previous file.
    const id = isKnown ? `${count - random.integer(0, 1)}-${random.integer(0, ids)}` : `${count}-${ids++}`;
    return { ...sample, issueDate: date, ...(hasId ? { externalId: `row-${id}` } : {}) };
  });
  // The first row of a history scan file has no external id, so it is never skipped. It shows whether the file was
  // stored, and how often.
  const first = { ...sampleOf(seed, firstNumber, 0), number: firstNumber };
  return sampleFile([first, ...rows.slice(1)]);
}

/** Returns the n-th invoice of a chaos client, regardless of when it is sent. */
function sampleOf(seed: number, stream: string, number: number): Omit<Sample, 'sentAs'> {
  const random = randomOf(seed, stream, number);
  return {
    supplier: random.integer(0, SUPPLIERS - 1),
    number: `${letters(random.integer(0, 2 ** 30))}-${random.integer(10_000, 99_999)}`,
    amount: random.integer(10_000, 900_000) / 100,
  };
}

/**
 * Writes a number in letters. If different invoice numbers differed only in similar digits, the service would report
 * the invoices as duplicates.
 */
function letters(value: number): string {
  return [...value.toString(26)].map((digit) => String.fromCharCode(65 + Number.parseInt(digit, 26))).join('');
}

/** Returns a separate random source of a chaos client for all values that identify records. */
function randomOf(seed: number, ...name: readonly (string | number)[]): Random {
  let hash = seed | 0;
  for (const character of name.join('|')) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return randomFrom(hash);
}
