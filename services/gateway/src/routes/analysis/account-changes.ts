import type { AccountChange } from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import { invalidField } from '@invoicecontrol/errors';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { uuid } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import { csvFile, htmlPage } from './account-changes-file.js';

/** Maximum number of accounts in one export of account changes. */
const ACCOUNTS_MAX = 10_000;

function day() {
  return z.string().refine(isCalendarDate, 'Must be a date such as 2026-03-31.').meta({ format: 'date' });
}

export const exportAccountChanges = route({
  operation: 'exportAccountChanges',
  method: 'get',
  path: '/account-changes',
  summary: 'Export when bank accounts of suppliers were first seen and who verified them',
  description:
    'Returns the bank accounts that were first seen, verified or confirmed in the period, with all verifications of these accounts: who was called on which contact from which source, and who confirmed. A period with more than 10,000 accounts is refused; request a shorter period in that case.',
  rpc: 'invoicecontrol.analysis.v1.SupplierService/ListAccountChanges',
  access: { scope: 'payments:read' },
  timeoutMs: 30_000,
  isOneAtATime: true,
  query: z.strictObject({
    from: day()
      .optional()
      .describe('The first day of the period of the export in UTC. If absent, the period is the year before `to`.'),
    to: day().optional().describe('The last day of the period of the export in UTC. If absent, the period ends today.'),
    company_id: uuid()
      .optional()
      .describe('Return only bank accounts that were first seen on an invoice to the company with this id.'),
    format: z
      .enum(['csv', 'html'])
      .optional()
      .describe('The format of the exported bank account changes: csv (the default) or html.'),
  }),
  responses: {
    200: {
      description: 'The changes of bank accounts, supplier by supplier, with one row for each verification.',
      mediaTypes: ['text/csv', 'text/html'],
      headers: ['Content-Disposition'],
    },
  },
  refusals: [409],
  async handle({ query, isHead }, { suppliers }) {
    const to = query.to ?? new Date().toISOString().slice(0, 10);
    const from = query.from ?? yearBefore(to);
    const write = query.format === 'html' ? htmlPage : csvFile;
    if (isHead) {
      const { status, headers = {} } = write({ from, to, changes: [] });
      return { status, headers };
    }
    return write({ from, to, changes: await readChanges(suppliers, { from, to, companyId: query.company_id }) });
  },
});

async function readChanges(
  suppliers: TenantClients['suppliers'],
  { from, to, companyId }: { from: string; to: string; companyId: string | undefined },
): Promise<readonly AccountChange[]> {
  const changes: AccountChange[] = [];
  for (let pageToken = ''; ;) {
    const page = await suppliers.listAccountChanges({ fromDate: from, toDate: to, companyId, pageToken });
    changes.push(...page.changes);
    if (changes.length > ACCOUNTS_MAX) {
      throw invalidField(
        'from',
        `More than ${ACCOUNTS_MAX} bank accounts were first seen, verified or confirmed in the period. Choose a shorter period.`,
      );
    }
    if (page.nextPageToken === '') return changes;
    pageToken = page.nextPageToken;
  }
}

/**
 * Returns the same day of the previous year, which is the default start of an export of account changes. For 29
 * February, returns 1 March.
 */
function yearBefore(date: string): string {
  const time = new Date(`${date}T00:00:00Z`);
  time.setUTCFullYear(time.getUTCFullYear() - 1);
  return time.toISOString().slice(0, 10);
}
