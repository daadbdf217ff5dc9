import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import pLimit from 'p-limit';
import { LEFT_BY_ITS_WORKER_MS } from './count-invoice.js';
import type { InvoiceDecider } from './decide-invoice.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import { resumeInvoice } from './resume-invoice.js';

/** Number of interrupted invoices that one process completes at the same time, because an outage may leave thousands. */
const AT_ONCE_MAX = 8;

interface Deps {
  readonly invoices: InvoiceStore;
  readonly tenants: Tenants;
  readonly decider: InvoiceDecider;
  readonly usage: UsageCounters;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Completes work that crashes interrupted: decides invoices whose worker stopped responding, and stores missing derived
 * records. An error with one invoice does not delay the other invoices.
 * @returns the number of completed invoices
 */
export const sweepInvoices =
  ({ invoices, tenants, usage, decider, clock, logger }: Deps) =>
  async (): Promise<number> => {
    const resume = resumeInvoice({ invoices, usage, decider });
    let finished = 0;
    const attempt = async (invoiceId: string, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
        finished++;
      } catch (error) {
        logger.error({ error, invoiceId }, 'an interrupted analysis could not be finished; the next sweep retries');
      }
    };
    const inTurn = pLimit(AT_ONCE_MAX);
    const undecided = await invoices.undecided();
    await inTurn.map(undecided, ({ organizationId, invoiceId }) =>
      attempt(invoiceId, async () => {
        const tenant = await tenants.factsOf(organizationId, systemContext(`sweep-${invoiceId}`));
        await resume({ organizationId, invoiceId }, tenant);
      }),
    );
    const decidedBefore = new Date(clock.now().getTime() - LEFT_BY_ITS_WORKER_MS);
    let page = await invoices.pending(decidedBefore);
    while (page.length > 0) {
      await inTurn.map(page, ({ record, facts }) => attempt(record.invoiceId, () => decider.finish(record, facts)));
      page = await invoices.pending(decidedBefore, page.at(-1)?.record.invoiceId);
    }
    return finished;
  };
