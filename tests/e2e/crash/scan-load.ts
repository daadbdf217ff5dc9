// Several clients of each organization that scan whatever is killed: files with copies of each other's rows and invoices.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Load } from './invoice-load.js';
import type { Ledger, SentScan } from './ledger.js';
import { pick, sampleFile } from './sample-invoices.js';
import type { Row, Sample, SampleRow } from './sample-invoices.js';

/** More than one, so that scans of an organization wait for each other. */
const CLIENTS_PER_TENANT = 3;
const PAUSE_MS = 500;
/** More than are stored at once. */
const FILE_ROWS = 120;
/** External ids are used again that are this young. */
const RECENT_MAX = 200;

export function startScanLoad(
  ledger: Ledger,
  tenants: readonly Tenant[],
  nextSample: () => Omit<Sample, 'sentAs'>,
): Load {
  const recentIds: string[] = [];
  let isStopped = false;
  let count = 0;

  const nextExternalId = (): string | undefined => {
    const chance = Math.random();
    if (chance < 0.4) return undefined;
    if (chance < 0.5) return pick(recentIds);
    const id = `id-${count}-${recentIds.length}-${Math.random()}`;
    recentIds.push(id);
    if (recentIds.length > RECENT_MAX) recentIds.shift();
    return id;
  };
  const nextFile = (): Row[] =>
    sampleFile(
      Array.from({ length: FILE_ROWS }, (): SampleRow => {
        const externalId = nextExternalId();
        return { ...nextSample(), ...(externalId === undefined ? {} : { externalId }) };
      }),
    );
  const client = async (tenant: Tenant): Promise<void> => {
    while (!isStopped) {
      count++;
      const keyed: SentScan = { tenant, idempotencyKey: `scan-${count}`, rows: nextFile() };
      const chance = Math.random();
      // Without a key a client cannot insist: what was stored completes by itself.
      if (chance < 0.1) await ledger.sendScan({ ...keyed, idempotencyKey: undefined }).catch(() => {});
      // Two clicks.
      else if (chance < 0.2) await Promise.all([ledger.insistOnScan(keyed), ledger.insistOnScan(keyed)]);
      else await ledger.insistOnScan(keyed);
      await delay(PAUSE_MS * Math.random());
    }
  };
  const clients = tenants.flatMap((tenant) => Array.from({ length: CLIENTS_PER_TENANT }, () => client(tenant)));
  for (const each of clients) each.catch(() => {});
  return {
    stop() {
      isStopped = true;
    },
    async settled() {
      await Promise.all(clients);
    },
  };
}
