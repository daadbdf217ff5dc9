import type { Logger } from '@invoicecontrol/runtime/logger';
import type { FailurePeriod, InboxFacts } from '@invoicecontrol/engine/facts/inbox-facts';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { Channel } from '@invoicecontrol/values/channel-origin';
import { companiesWithoutInbox } from '../../telemetry.js';
import type { CompanyReference, Inbox, InboxStore } from './inbox-store.js';

/** Companies with an inbox that a process keeps in memory. */
export const COMPANIES_MAX = 10_000;

interface Deps {
  readonly inboxes: InboxStore;
  /** Tells whether a document of a channel was accepted and is not decided yet. */
  readonly hasUndecided: (organizationId: string, channel: Channel) => Promise<boolean>;
  readonly failurePeriods: readonly FailurePeriod[];
  readonly logger: Logger;
}

/**
 * The inboxes by which invoices are analyzed. Only which companies have one is kept in memory, so that the others cost no command; the
 * mark of an inbox is read for each decision, because it moves.
 */
export interface KnownInboxes {
  /** Reads again which companies have an inbox. */
  refresh(): Promise<void>;
  /** Adds a company at once, where its event was handled. */
  add(company: CompanyReference): void;
  /**
   * The inbox of the company of an invoice. Undefined for one without an inbox, and while a document that KSeF delivered waits for its
   * decision: nobody can tell then what has come.
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
      // Read before it is asked what is undecided: a mark covers what was accepted before it moved.
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

/** The inbox that is enabled; what one that was disabled has received stays known. */
function inForce(inboxes: readonly Inbox[]): Inbox | undefined {
  return inboxes.toSorted(
    (left, right) =>
      Number(right.enabled) - Number(left.enabled) || right.changedAt.getTime() - left.changedAt.getTime(),
  )[0];
}

function keyOf({ organizationId, companyId }: CompanyReference): string {
  return `${organizationId}|${companyId}`;
}
