// Simulates clients of one organization that post history scans at the same time, whichever process is killed.
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Ledger, SentScan } from './ledger.js';
import { pick, sampleFile } from './sample-invoices.js';
import type { Row, Sample, SampleRow } from './sample-invoices.js';

/** Number of rows of a history scan file, more than the service stores at once. */
const FILE_ROWS = 60;
/** Creates history scan rows: some without an external id, and some with an external id that was used before. */
const WITHOUT_ID_SHARE = 0.4;
const KNOWN_ID_SHARE = 0.1;

/**
 * Posts four requests with history scans of an organization at the same time: one with an Idempotency-Key, two with the
 * same key and file, and one without a key. The files contain copies of rows and of posted invoices, and repeat some
 * external ids.
 * @returns a promise that resolves when every request with a key was acknowledged
 */
export async function scanAtOnce(
  ledger: Ledger,
  tenant: Tenant,
  nextSample: () => Omit<Sample, 'sentAs'>,
): Promise<void> {
  const usedIds: string[] = [];
  const nextExternalId = (): string | undefined => {
    const chance = Math.random();
    if (chance < WITHOUT_ID_SHARE) return undefined;
    if (chance < WITHOUT_ID_SHARE + KNOWN_ID_SHARE) return pick(usedIds);
    usedIds.push(`id-${usedIds.length}`);
    return usedIds.at(-1);
  };
  const nextFile = (): Row[] =>
    sampleFile(
      Array.from({ length: FILE_ROWS }, (): SampleRow => {
        const externalId = nextExternalId();
        return { ...nextSample(), ...(externalId === undefined ? {} : { externalId }) };
      }),
    );
  const request = (idempotencyKey: string | undefined): SentScan => ({ tenant, idempotencyKey, rows: nextFile() });
  const twice = request('twice');
  await Promise.all([
    ledger.scanWithRetries(request('once')),
    ledger.scanWithRetries(twice),
    ledger.scanWithRetries(twice),
    // The history scan request has no Idempotency-Key and cannot be retried, so the sweep completes the stored part.
    ledger.sendScan(request(undefined)).catch(() => {}),
  ]);
}
