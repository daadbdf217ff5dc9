// Simulates companies whose suppliers issue invoices in KSeF, and audits what the killed services have received for them.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openBooks } from '../../chaos/books.js';
import type { Books } from '../../chaos/books.js';
import type { Ksef } from '../ksef-actions.js';
import type { KillableSystem } from './killable-system.js';

/**
 * Time limit in milliseconds for receiving and deciding all invoices. Leases of a killed analysis service last a
 * minute, and its sweep decides one invoice of an organization at a time.
 */
const RECEIVED_MS_MAX = 240_000;
/**
 * Time limit in milliseconds for completing all work that is unfinished after the invoices were decided. The broker
 * redelivers an unacknowledged event only after 30 seconds.
 */
const FINISHED_MS_MAX = 180_000;
/** Time in milliseconds after a crash within which the usage counters become exact. */
const USAGE_EXACT_MS_MAX = 300_000;
/**
 * Time limit in milliseconds for a response. If no response arrives by then, the service that should send it was
 * killed.
 */
const ANSWER_MS_MAX = 40_000;

type Db = MongoConnection['db'];

/** An invoice in KSeF that the company must receive. */
interface Purchase {
  readonly ksefNumber: string;
  readonly xml: string;
  /** Time before which the simulated KSeF stored the purchase invoice. */
  readonly storedBefore: Date;
  /** True if the company of the inbox is also a third party, so that two roles receive the invoice. */
  readonly isThirdParty: boolean;
}

/** A company with an enabled KSeF inbox. */
export interface Receiver {
  readonly tenant: Tenant;
  readonly nip: string;
  readonly connectionId: string;
  /** Purchase invoices of the receiver, in the order in which KSeF stored them. */
  readonly purchases: Purchase[];
}

export interface InboxTrial {
  newReceiver(name: string): Promise<Receiver>;
  /** Issues invoices of suppliers to a company, and one from the company to itself. */
  issue(receiver: Receiver): Promise<void>;
  /** Starts to receive the company's invoices from KSeF, for each role of the company, such as buyer or third party. */
  run(receiver: Receiver): Promise<void>;
  /**
   * Waits until every purchase invoice was received from KSeF and decided. Starts another inbox run if one ended
   * without all of them.
   */
  finish(receiver: Receiver): Promise<void>;
  /**
   * Lists KSeF invoices that the position of an inbox has passed although they were not stored. There must never be
   * such an invoice.
   */
  skipped(receivers: readonly Receiver[]): Promise<readonly string[]>;
  /** Lists the broken guarantees about invoices received from KSeF, once no work is left. */
  breaches(receivers: readonly Receiver[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface ChannelUpload {
  readonly state: string;
  readonly origin: { readonly externalId: string };
  readonly content?: { readonly sha256: string };
}

interface ChannelInvoice {
  readonly _id: string;
  readonly status: string;
  readonly channel: { readonly externalId: string };
}

interface StoredInbox {
  readonly _id: string;
  readonly roles: readonly { readonly role: string; readonly mark?: string; readonly run?: object }[];
  readonly invoicesReceived: number;
}

export async function startInboxTrial(system: KillableSystem, ksef: Ksef): Promise<InboxTrial> {
  const connect = (databaseName: string) => connectMongo({ url: system.mongodbUrl, databaseName, appName: 'audit' });
  const connections = [await connect('ksef'), await connect('documents'), await connect('analysis')] as const;
  const [inboxes, documents, analysis] = connections.map(({ db }) => db) as [Db, Db, Db];
  const books = await openBooks(system);
  let issued = 0;

  async function call<Body>({ keys }: Tenant, target: string, body?: object): Promise<Body> {
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(`${system.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }

  const inboxOf = async ({ connectionId }: Receiver): Promise<StoredInbox> => {
    const inbox = await inboxes.collection<StoredInbox>('inboxes').findOne({ _id: connectionId });
    if (inbox === null) throw new Error(`The connection ${connectionId} has no inbox.`);
    return inbox;
  };
  const uploadsOf = async ({ tenant: { organizationId } }: Receiver): Promise<readonly ChannelUpload[]> =>
    documents
      .collection<ChannelUpload>('uploads')
      .find({ organizationId, origin: { $exists: true } })
      .toArray();
  /** KSeF numbers whose analysis was requested, in the order of the requests. */
  const requestedOf = async ({ tenant: { organizationId } }: Receiver): Promise<readonly string[]> => {
    const requests = analysis.collection<Pick<ChannelUpload, 'origin'>>('upload_analyses').find({ organizationId });
    return (await requests.sort({ createdAt: 1 }).toArray()).map(({ origin }) => origin.externalId);
  };
  /** Invoices of an organization, in the order of their decisions. */
  const invoicesOf = async ({ tenant: { organizationId } }: Receiver): Promise<readonly ChannelInvoice[]> =>
    analysis
      .collection<ChannelInvoice>('invoices')
      .find({ organizationId, source: 'KSEF' })
      .sort({ 'analysis.createdAt': 1 })
      .toArray();

  async function breachesOf(receiver: Receiver, { analyses, events, usage }: Books): Promise<string[]> {
    const { tenant, purchases } = receiver;
    const { organizationId } = tenant;
    const invoices = await invoicesOf(receiver);
    const ids = new Set(invoices.map(({ _id }) => _id));
    const decided = events.filter(
      ({ name, payload }) => name === 'invoice_analyzed' && payload['organizationId'] === organizationId,
    );
    // The order is compared only for invoices in which the company is the buyer. An invoice in which it is also a third
    // party may be received earlier in that role.
    const ofBuyer = purchases.flatMap(({ ksefNumber, isThirdParty }) => (isThirdParty ? [] : [ksefNumber]));
    const buyerOrder = (numbers: readonly string[]): readonly string[] => numbers.filter((n) => ofBuyer.includes(n));
    const numbers = purchases.map(({ ksefNumber }) => ksefNumber).toSorted();
    const used = (meter: string): number =>
      usage.reduce((sum, { _id, used: amount }) => {
        const [owner, , counted] = _id.split(':');
        return owner === organizationId && counted === meter ? sum + amount : sum;
      }, 0);
    const uploads = await uploadsOf(receiver);
    const requested = await requestedOf(receiver);
    const { invoicesReceived } = await inboxOf(receiver);
    const is = {
      documents: uploads
        .map(({ state, origin, content }) => `${origin.externalId} ${state} ${content?.sha256}`)
        .toSorted(),
      requests: requested.toSorted(),
      invoicesReceived,
      requestOrder: buyerOrder(requested),
      decided: invoices.map(({ channel, status }) => `${channel.externalId} ${status}`).toSorted(),
      decisionOrder: buyerOrder(invoices.map(({ channel }) => channel.externalId)),
      analyses: analyses.filter(({ invoiceId }) => ids.has(invoiceId)).length,
      events: new Set(decided.map(({ id }) => id)).size,
      usage: [used('analyses'), used('upload_bytes')],
    };
    const should: typeof is = {
      documents: purchases.map(({ ksefNumber, xml }) => `${ksefNumber} UPLOADED ${sha256(xml)}`).toSorted(),
      requests: numbers,
      invoicesReceived: purchases.length,
      requestOrder: ofBuyer,
      decided: numbers.map((number) => `${number} ANALYZED`),
      decisionOrder: ofBuyer,
      analyses: purchases.length,
      events: purchases.length,
      usage: [purchases.length, purchases.reduce((sum, { xml }) => sum + Buffer.byteLength(xml), 0)],
    };
    return (Object.keys(should) as (keyof typeof is)[]).flatMap((name) => {
      const [found, expected] = [JSON.stringify(is[name]), JSON.stringify(should[name])];
      return found === expected ? [] : [`${name} of ${organizationId}: ${found} instead of ${expected}`];
    });
  }

  async function skippedBy(receiver: Receiver): Promise<string[]> {
    // The positions of the KSeF inbox are read before the documents, because documents may be added in between.
    const { roles } = await inboxOf(receiver);
    const uploads = (await uploadsOf(receiver)).filter(({ content }) => content !== undefined);
    const stored = new Set(uploads.map(({ origin }) => origin.externalId));
    const requested = new Set(await requestedOf(receiver));
    return roles.flatMap(({ role, mark }) => {
      const isOfRole = ({ isThirdParty }: Purchase) => role === 'SUBJECT2' || (role === 'SUBJECT3' && isThirdParty);
      const passed = receiver.purchases.filter(
        (purchase) => mark !== undefined && isOfRole(purchase) && purchase.storedBefore <= new Date(mark),
      );
      return passed
        .filter(({ ksefNumber }) => !stored.has(ksefNumber) || !requested.has(ksefNumber))
        .map(({ ksefNumber }) => `the mark ${mark} of ${role} has passed ${ksefNumber}`);
    });
  }

  const trial: InboxTrial = {
    async newReceiver(name) {
      const tenant = await system.newTenant(name);
      const { nip, token } = await ksef.newCompany();
      const { id: connectionId } = await call<{ id: string }>(tenant, 'POST /ksef-connections', {
        environment: 'TEST',
        context_nip: nip,
        ksef_token: token,
      });
      const tested = await call(tenant, `POST /ksef-connections/${connectionId}/test`);
      expect(tested).toMatchObject({ status: 'CONNECTED' });
      await call(tenant, `PATCH /ksef-connections/${connectionId}`, { inbox: { enabled: true } });
      return { tenant, nip, connectionId, purchases: [] };
    },
    async issue({ nip, purchases }) {
      const documentOf = (more: Partial<Parameters<typeof fa3Document>[0]> = {}): string =>
        fa3Document({ number: `FV/${++issued}`, buyer: nip, ...more });
      const bills = [documentOf(), documentOf({ seller: nip }), documentOf({ recipients: [nip] }), documentOf()];
      for (const [index, xml] of bills.entries()) {
        const ksefNumber = await ksef.issue(nip, xml);
        purchases.push({ ksefNumber, xml, storedBefore: new Date(), isThirdParty: index === 2 });
      }
    },
    run: ({ tenant, connectionId }) => call(tenant, `POST /ksef-connections/${connectionId}/inbox/runs`),
    async finish(receiver) {
      const { purchases } = receiver;
      await eventually(
        async () => {
          expect(system.unexpected).toEqual([]);
          const { roles } = await inboxOf(receiver);
          const mark = roles.find(({ role }) => role === 'SUBJECT2')?.mark;
          const last = purchases.at(-1)?.storedBefore ?? new Date(0);
          const isComplete = mark !== undefined && new Date(mark) >= last;
          if (!isComplete && roles.every(({ run }) => run === undefined)) await trial.run(receiver);
          // If the assertion fails, it prints the progress of the inbox in each role of the company (such as buyer or
          // third party), which shows why the test still waits. The progress contains keys of exports only in encrypted
          // form, so it may be printed.
          expect({ isComplete, roles }).toMatchObject({ isComplete: true });
          const decided = (await invoicesOf(receiver)).filter(({ status }) => status === 'ANALYZED');
          expect(decided).toHaveLength(purchases.length);
        },
        { timeoutMs: RECEIVED_MS_MAX },
      );
    },
    async skipped(receivers) {
      return (await Promise.all(receivers.map(skippedBy))).flat();
    },
    async breaches(receivers) {
      // Lets three minutes pass for the services, so that two jobs run at once: the removal of data that broken calls
      // left, and the correction of usage counters.
      system.letTimePass();
      await eventually(async () => expect(await books.unfinished()).toEqual([]), { timeoutMs: FINISHED_MS_MAX });
      const found = async (): Promise<string[]> => {
        const read = await books.read();
        return (await Promise.all(receivers.map((receiver) => breachesOf(receiver, read)))).flat();
      };
      await eventually(async () => expect(await found()).toEqual([]), { timeoutMs: USAGE_EXACT_MS_MAX });
      return [...(await trial.skipped(receivers)), ...system.unexpected];
    },
    async close() {
      await books.close();
      for (const connection of connections) await connection.close();
    },
  };
  return trial;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
