import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import { erpFactsIndex, isOnCutOrder } from '../../books/domain/erp-facts.js';
import type { DocumentFacts } from '@invoicecontrol/engine/facts/document-facts';
import type { InboxFacts } from '@invoicecontrol/engine/facts/inbox-facts';
import type { NormalisedInvoice, MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import { applyCandidateCaps, lookupKeys, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { compareByArrival } from '@invoicecontrol/engine/facts/record-order';
import { resolveSupplier } from '@invoicecontrol/engine/supplier/identity';
import { lookalikeKeysOf } from '@invoicecontrol/engine/supplier/lookalike';
import { emptyProfile, undoubtedInvoices } from '@invoicecontrol/engine/supplier/profile';
import { candidatesCut, recordsLeftOut } from '../../telemetry.js';
import type { WithoutAbandonedScans } from './abandoned-scans.js';
import { assembleFacts } from './assemble-facts.js';
import type {
  BankLinkStore,
  LinkRecord,
  OrderLinkStore,
  SupplierRecord,
  SupplierStore,
} from '../../records/application/counted-records.js';
import type { LoadErpRecords } from '../../books/application/load-erp-records.js';
import type { HighAmounts } from './high-amounts.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';

/**
 * Maximum number of times that a decision polls for the decision on a concurrent invoice. All polls take two seconds in
 * total.
 */
const CONCURRENT_POLL_ATTEMPTS_MAX = 200;
const CONCURRENT_POLL_EACH_MS = 10;

interface Deps {
  readonly invoices: InvoiceStore;
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
  readonly policy: Policy;
  readonly publishedRates: PublishedRates;
  readonly highAmounts: HighAmounts;
  readonly withoutAbandonedScans: WithoutAbandonedScans;
  readonly documentFacts: DocumentFactsOf;
  readonly erpRecords: LoadErpRecords;
  readonly inboxOf: InboxOf;
  readonly logger: Logger;
}

/** Returns the facts about the document from which an invoice was read, or undefined if there is none. */
export type DocumentFactsOf = (
  invoice: Pick<NormalisedInvoice, 'invoiceId' | 'source'>,
  organizationId: string,
) => Promise<DocumentFacts | undefined>;

/** Returns the KSeF inbox of an invoice's company, or undefined if there is none. */
export type InboxOf = (
  organizationId: string,
  invoice: Pick<NormalisedInvoice, 'companyId' | 'issueDate'>,
) => Promise<InboxFacts | undefined>;

/**
 * The facts for the decision on an invoice, and the stored records from which they were read. After the decision, the
 * invoice is counted in these records.
 */
export interface LoadedFacts {
  readonly facts: AnalysisFacts;
  readonly supplier: SupplierRecord | undefined;
  readonly bankLink: LinkRecord<BankLink> | undefined;
  readonly orderLink: LinkRecord<OrderLink> | undefined;
}

export interface FactsInput {
  readonly organizationId: string;
  /**
   * The invoice to decide. It is already stored as RECEIVED, because two equal invoices that are sent at the same time
   * must find each other.
   */
  readonly invoice: NormalisedInvoice;
  readonly tenant: TenantFacts;
  /** Suppliers that share an identity key with the invoice, if they were read while the invoice was inserted. */
  readonly suppliers?: readonly SupplierRecord[];
}

/**
 * Loads the facts for the analysis of an invoice by keys that records share with the invoice. The suppliers are loaded
 * first. The invoices to compare and the links to bank accounts and orders are then loaded together (detection
 * reference, section 4).
 */
export type LoadFacts = (input: FactsInput) => Promise<LoadedFacts>;

export const loadFacts =
  ({
    invoices,
    suppliers,
    bankLinks,
    orderLinks,
    policy,
    publishedRates,
    highAmounts,
    withoutAbandonedScans,
    documentFacts,
    erpRecords,
    inboxOf,
    logger,
  }: Deps): LoadFacts =>
  async (input) => {
    const { organizationId, tenant } = input;
    const known = input.suppliers ?? (await suppliers.findByKeys(organizationId, supplierKeysOf(input.invoice)));
    const lookups = lookupKeys(input.invoice);
    const { bankKey, poKey } = input.invoice;
    const resolution = resolveSupplier(
      organizationId,
      input.invoice,
      known.map(({ identity }) => identity),
      { similarNameMin: policy.duplicates.similarNameMin },
    );
    const { supplierId } = resolution;
    const supplier = known.find(({ identity }) => identity.supplierId === supplierId);
    const profile = supplier?.profile ?? emptyProfile;
    // The state of the KSeF inbox is read before the invoices to compare, so that these invoices include every invoice
    // that the inbox had received.
    const inbox = await inboxOf(organizationId, input.invoice);
    const isNewcomer = undoubtedInvoices(profile) === 0;
    const [found, bankLink, orderLink, document, erp, alike, highAmount] = await Promise.all([
      invoices.candidates(
        organizationId,
        lookups.map(({ key }) => key),
      ),
      bankKey === undefined ? undefined : bankLinks.find(organizationId, bankKey),
      poKey === undefined ? undefined : orderLinks.find(organizationId, poKey),
      documentFacts(input.invoice, organizationId),
      erpRecords(organizationId, [input.invoice]),
      isNewcomer ? suppliers.findByLookalikeKeys(organizationId, lookalikeKeysOf(input.invoice)) : [],
      isNewcomer ? highAmounts.of(organizationId, tenant.baseCurrency) : undefined,
    ]);
    const hits = await withoutAbandonedScans(organizationId, found);
    const invoice = await orderAfterConcurrentDuplicates(invoices, organizationId, input.invoice, hits);
    const facts = assembleFacts({
      organizationId,
      invoice,
      resolution,
      profile,
      withdrawnUnits: supplier?.withdrawnUnits ?? [],
      found: applyCandidateCaps(invoice, hits, lookups),
      bankLink: bankLink?.link,
      orderLink: orderLink?.link,
      tenant,
      publishedRates,
      known,
      erpFacts: erpFactsIndex(erp, policy),
      newcomer: () => ({ alike, highAmount }),
    });
    if (facts.candidateCapHit) candidatesCut();
    if (isOnCutOrder(facts)) recordsLeftOut(logger, 'INVOICES_ON_ORDERS', { organizationId, number: 1 });
    const loaded = {
      ...facts,
      ...(document === undefined ? {} : { document }),
      ...(inbox === undefined ? {} : { inbox }),
    };
    return { facts: loaded, supplier, bankLink, orderLink };
  };

/**
 * Ensures that a duplicate is reported even if both invoices are analyzed at the same time. Usually the invoice that
 * was received later gets the finding. But that invoice may have been decided before its analysis could find this one,
 * and then nobody would learn of the duplicate. In this case, this invoice gets the later time of receipt, and with it
 * the finding. The function waits only for invoices that share a key with this one, so it costs nothing without
 * concurrent invoices.
 */
async function orderAfterConcurrentDuplicates(
  invoices: InvoiceStore,
  organizationId: string,
  invoice: NormalisedInvoice,
  hits: readonly MatchPart[],
): Promise<NormalisedInvoice> {
  const later = hits
    // An ERP bill that arrived after the invoice is ignored, because ERP bills never get a decision.
    .filter(({ source }) => source !== 'ERP')
    .filter((hit) => hit.invoiceId !== invoice.invoiceId && compareByArrival(hit, invoice) > 0)
    .map(({ invoiceId }) => invoiceId);
  if (later.length === 0) return invoice;
  for (let attempts = 1; ; attempts++) {
    const outcomes = await invoices.outcomes(organizationId, later);
    if (outcomes.every(({ isDecided }) => isDecided) || attempts === CONCURRENT_POLL_ATTEMPTS_MAX) {
      // If another invoice still has no decision when the wait is over, its worker has died. When a sweep resumes that
      // invoice, its analysis finds the invoice that is analyzed here.
      const missed = outcomes.filter(({ isDecided, named }) => isDecided && !named.has(invoice.invoiceId));
      const receivedAtMs = Math.max(invoice.receivedAtMs, ...missed.map((outcome) => outcome.receivedAtMs + 1));
      return { ...invoice, receivedAtMs };
    }
    await delay(CONCURRENT_POLL_EACH_MS);
  }
}
