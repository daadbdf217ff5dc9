import type { Logger } from '@invoicecontrol/runtime/logger';
import type { FailurePeriod, InboxFacts } from '@invoicecontrol/engine/facts/inbox-facts';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { Channel } from '@invoicecontrol/values/channel-origin';
import { companiesWithoutInbox } from '../../telemetry.js';
import type { CompanyReference, Inbox, InboxStore } from './inbox-store.js';

/** Maximum number of companies with a KSeF inbox that a process keeps in memory. */
export const COMPANIES_MAX = 10_000;

interface Deps {
  readonly inboxes: InboxStore;
  /** Checks whether a document received through a channel such as KSeF was accepted but has no decision yet. */
  readonly hasUndecided: (organizationId: string, channel: Channel) => Promise<boolean>;
  readonly failurePeriods: readonly FailurePeriod[];
  readonly logger: Logger;
}

/**
 * Provides KSeF inboxes for analyses. Only the list of companies that have an inbox is cached, so that other companies
 * need no database command. The time up to which an inbox has received invoices changes often, so it is read for each
 * decision.
 */
export interface KnownInboxes {
  /** Reads again which companies have a KSeF inbox. */
  refresh(): Promise<void>;
  /** Adds a company to the companies with a KSeF inbox, as soon as the event about the inbox has been handled. */
  add(company: CompanyReference): void;
  /**
   * Returns the facts about the KSeF inbox of an invoice's company. Undefined if the company has none, or while a
   * document from KSeF is waiting for its decision, because the received invoices are then not fully known.
   */
  factsOf(
    organizationId: string,
    invoice: Pick<NormalisedInvoice, 'companyId' | 'issueDate'>,
  ): Promise<InboxFacts | undefined>;
}

export function knownInboxes({ inboxes, hasUndecided, failurePeriods, logger }: Deps): KnownInboxes {
  let known = new Set<string>();
  return {
    async refresh() {
      const companies = await inboxes.companies(COMPANIES_MAX + 1);
      if (companies.length > COMPANIES_MAX) companiesWithoutInbox(logger, COMPANIES_MAX);
      known = new Set(companies.slice(0, COMPANIES_MAX).map(keyOf));
    },
    add(company) {
      if (known.size < COMPANIES_MAX) known.add(keyOf(company));
    },
    async factsOf(organizationId, { companyId, issueDate }) {
      if (!known.has(keyOf({ organizationId, companyId }))) return undefined;
      // The time up to which a KSeF inbox has received invoices is read before the undecided documents, because further
      // documents may be accepted between the two reads.
      const inbox = inForce(await inboxes.of(organizationId, companyId));
      if (inbox === undefined || (await hasUndecided(organizationId, 'KSEF'))) return undefined;
      const failure = failurePeriods.find(({ from, to }) => from <= issueDate && issueDate <= to);
      return {
        from: inbox.from,
        receivedThrough: inbox.receivedThrough.toISOString(),
        ...(failure === undefined ? {} : { failure }),
      };
    },
  };
}

/** Returns the enabled KSeF inbox of a company. Invoices received by a disabled inbox remain known. */
function inForce(inboxes: readonly Inbox[]): Inbox | undefined {
  return inboxes.toSorted(
    (left, right) =>
      Number(right.enabled) - Number(left.enabled) || right.changedAt.getTime() - left.changedAt.getTime(),
  )[0];
}

function keyOf({ organizationId, companyId }: CompanyReference): string {
  return `${organizationId}|${companyId}`;
}
