import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../chaos/audit.js';
import { runChaos } from '../chaos/chaos.js';
import type { Round } from '../chaos/plan.js';
import { auditWebhooks } from '../chaos/webhook-audit.js';

const when = { afterMs: 300, lengthMs: 1_500 } as const;
const rounds: readonly Round[] = [
  { number: 1, faults: [{ ...when, kind: 'kill', target: 'analysis-1', process: 'analysis-1', links: [] }] },
  { number: 2, faults: [{ ...when, kind: 'pause', target: 'organization-1', process: 'organization-1', links: [] }] },
  {
    number: 3,
    faults: [
      { ...when, kind: 'partition', target: 'scan>analysis', links: ['scan>analysis'] },
      { ...when, kind: 'refuse', target: 'analysis>database', links: ['analysis>database'] },
    ],
  },
  { number: 4, faults: [{ ...when, kind: 'broker-store', target: 'broker', process: 'broker', links: [] }] },
];
const MS_MAX = 600_000;

test(
  'a system whose processes and connections break keeps every promise, and its audit detects broken ones',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'invoice-control-chaos-'));
    const lines: string[] = [];
    const { report, books, ledger, webhooks } = await runChaos({
      seed: 1,
      rounds,
      replicas: 1,
      directory,
      graceMs: 240_000,
      // Usage counters are corrected minutes after a crash. The long chaos runs wait for the correction, and separate
      // tests prove it.
      usageGraceMs: 0,
      tenants: 2,
      rowsMax: 400,
      step: (line) => void lines.push(line),
      say: (line) => void lines.push(line),
    });
    const breaches = report.breaches.filter(({ count }) => count !== 'usage off');
    expect({ lines, breaches, ended: report.ended }).toEqual({ lines, breaches: [], ended: [] });
    expect(report.stored).toMatchObject({ invoices: expect.any(Number), events: expect.any(Number) });

    // The audit must report each missing part of the real records.
    const [acknowledged] = ledger.invoices.flatMap(({ answers }) => answers);
    const withoutInvoice = books.invoices.filter(({ _id }) => _id !== acknowledged?.invoiceId);
    expect(countsOf(audit({ ...books, invoices: withoutInvoice }, ledger))).toContain('lost');
    const withoutEvent = books.events.filter(({ name }, at) => name !== 'invoice_analyzed' || at > 0);
    expect(countsOf(audit({ ...books, events: withoutEvent.slice(1) }, ledger))).toContain('unannounced');
    const [delivery] = webhooks.deliveries;
    const withoutDelivery = webhooks.deliveries.filter((other) => other !== delivery);
    expect(countsOf(auditWebhooks({ ...webhooks, deliveries: withoutDelivery }))).toEqual(['lost']);
    expect(countsOf(auditWebhooks({ ...webhooks, arrivals: [] }))).toContain('lost');
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  },
  MS_MAX,
);

function countsOf(breaches: ReturnType<typeof audit>): string[] {
  return breaches.map(({ count }) => count);
}
