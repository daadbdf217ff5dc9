import { Binary } from 'mongodb';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import { envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import { v7 as uuidV7 } from 'uuid';
import { announcementsOf } from '../records/application/announcements.js';
import { assembleFacts } from '../facts/application/assemble-facts.js';
import { toDecidedAnalysis } from '../decisions/application/decided-analysis.js';
import { packFacts } from '../records/application/packed-facts.js';
import { supplierAfter } from '../records/application/counted-records.js';
import type { CountedRecord, SupplierRecord } from '../records/application/counted-records.js';
import { analyze } from '../decisions/domain/analyze.js';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { MatchPart, NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { countBankUse, countOrderUse, isFull, withoutFinalized } from '@invoicecontrol/engine/facts/links';
import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import {
  applyCandidateCaps,
  HITS_PER_KEY_MAX,
  lookupKeys,
  matchPartOf,
  supplierKeysOf,
} from '@invoicecontrol/engine/normalisation/match-keys';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { resolveSupplier } from '@invoicecontrol/engine/supplier/identity';
import { lookalikeKeysOf } from '@invoicecontrol/engine/supplier/lookalike';
import { emptyProfile } from '@invoicecontrol/engine/supplier/profile';
import { suspicionOf } from '../reviews/domain/review.js';
import { companyFor } from '../records/domain/tenant.js';
import { findingDocumentsOf } from '../records/storage/findings.js';
import type { FindingDocument } from '../records/storage/findings.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import type { LinkDocument } from '../records/storage/links.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';

/** The stored records of an invoice after its decision, with all records that follow from the decision. */
export interface StoredInvoice {
  readonly invoice: InvoiceDocument;
  readonly findings: readonly FindingDocument[];
}

/**
 * The records that count the invoices of suppliers, accounts and orders, in their state after the last invoice of a
 * test history.
 */
export interface StoredCounts {
  readonly suppliers: readonly SupplierDocument[];
  readonly links: readonly LinkDocument[];
}

export interface StoredHistory {
  /**
   * Decides on an invoice of a test history with the history of the invoices before it. The function must be called for
   * the invoices in the order of their arrival.
   */
  post(invoice: CanonicalInvoice, receivedAt: Date, invoiceId?: string): StoredInvoice;
  counts(): StoredCounts;
}

/** An empty set of exchange rates, for histories that use only the base currency. */
const noRates: PublishedRates = () => undefined;

/**
 * Creates the documents that posting invoices one after another would leave in the database. It uses the same functions
 * without the database, so that a large history can be stored by a few bulk writes. The invoices have no idempotency
 * key, the plan has no limits, and the default policy applies. Usage is not counted, and the usual amounts of the
 * organization are not known.
 */
export function storedHistory(organizationId: string, tenant: TenantFacts): StoredHistory {
  const hitsByKey = new Map<string, MatchPart[]>();
  const suppliers = new Map<string, SupplierRecord>();
  const supplierIdsByKey = new Map<string, Set<string>>();
  const bankLinks = new Map<string, LinkDocument<BankLink>>();
  const orderLinks = new Map<string, LinkDocument<OrderLink>>();

  const suppliersOf = (kind: 'keys' | 'lookalikeKeys', keys: readonly string[]): SupplierRecord[] => {
    const ids = new Set(keys.flatMap((key) => [...(supplierIdsByKey.get(`${kind}|${key}`) ?? [])]));
    return [...ids].flatMap((id) => suppliers.get(id) ?? []);
  };

  /**
   * Returns the next version of a record that counts invoices, with one more invoice. Before the call, all records that
   * follow from earlier invoices must have been stored.
   */
  const counted = (before: CountedRecord | undefined, unitId: string) => {
    const units = before?.countedUnits ?? [];
    const kept = isFull(units) ? withoutFinalized(units, new Set()) : units;
    return { version: (before?.version ?? 0) + 1, countedUnits: [...kept, unitId] };
  };

  function count(invoice: NormalisedInvoice, supplierId: string): void {
    const { invoiceId, bankKey, poKey } = invoice;
    const known = suppliers.get(supplierId);
    const state = supplierAfter(known, supplierId, invoice);
    const { identity } = state;
    suppliers.set(supplierId, { ...counted(known, invoiceId), ...state });
    for (const kind of ['keys', 'lookalikeKeys'] as const) {
      for (const key of identity[kind] ?? []) {
        const ids = supplierIdsByKey.get(`${kind}|${key}`) ?? new Set();
        supplierIdsByKey.set(`${kind}|${key}`, ids.add(supplierId));
      }
    }
    if (bankKey !== undefined) {
      const before = bankLinks.get(bankKey);
      const link = countBankUse(before?.link ?? null, bankKey, invoice, supplierId);
      bankLinks.set(bankKey, {
        _id: `${organizationId}|account|${bankKey}`,
        organizationId,
        ...counted(before, invoiceId),
        link,
      });
    }
    if (poKey !== undefined) {
      const before = orderLinks.get(poKey);
      const link = countOrderUse(before?.link ?? null, poKey, invoice, supplierId);
      orderLinks.set(poKey, {
        _id: `${organizationId}|order|${poKey}`,
        organizationId,
        ...counted(before, invoiceId),
        link,
      });
    }
  }

  return {
    post(canonical, receivedAt, invoiceId = uuidV7({ msecs: receivedAt.getTime() })) {
      const companyId = companyFor({ companyId: canonical.company_id, buyerTaxId: canonical.buyer?.tax_id }, tenant);
      const origin = { invoiceId, companyId, source: 'API', receivedAtMs: receivedAt.getTime() } as const;
      const invoice = normaliseInvoice(canonical, origin);
      const known = suppliersOf('keys', supplierKeysOf(invoice));
      const resolution = resolveSupplier(
        organizationId,
        invoice,
        known.map(({ identity }) => identity),
        { similarNameMin: defaultPolicy.duplicates.similarNameMin },
      );
      const hits = lookupKeys(invoice).flatMap(({ key }) => hitsByKey.get(key) ?? []);
      const facts = assembleFacts({
        organizationId,
        invoice,
        resolution,
        profile: suppliers.get(resolution.supplierId)?.profile ?? emptyProfile,
        withdrawnUnits: suppliers.get(resolution.supplierId)?.withdrawnUnits ?? [],
        found: applyCandidateCaps(invoice, hits),
        bankLink: bankLinks.get(invoice.bankKey ?? '')?.link,
        orderLink: orderLinks.get(invoice.poKey ?? '')?.link,
        tenant,
        publishedRates: noRates,
        known,
        erpFacts: () => ({}),
        newcomer: () => ({
          alike: suppliersOf('lookalikeKeys', lookalikeKeysOf(invoice)),
          highAmount: undefined,
        }),
      });
      const analysis = toDecidedAnalysis(
        { facts, analysis: analyze(facts, defaultPolicy) },
        { number: 1, rules: [], known: new Set(), at: receivedAt },
      );
      const suspicion = suspicionOf(analysis.findings);
      const suspected = suspicion === undefined ? {} : { suspectedAs: suspicion };
      count({ ...facts.invoice, ...suspected }, resolution.supplierId);
      const match: MatchPart = { ...matchPartOf(facts.invoice), ...suspected, status: 'ANALYZED' };
      for (const key of match.keys) hitsByKey.set(key, [...(hitsByKey.get(key) ?? []), match].slice(-HITS_PER_KEY_MAX));

      const version = 2;
      return {
        invoice: {
          _id: invoiceId,
          organizationId,
          companyId,
          source: 'API',
          createdAt: receivedAt,
          invoice: canonical,
          match,
          usageMonth: usageMonth(receivedAt),
          status: 'ANALYZED',
          version,
          base: facts.base,
          analysis,
          facts: new Binary(packFacts(facts)),
          verdict: { decision: analysis.decision, riskScore: analysis.riskScore },
          lastEventAt: receivedAt,
          recentEvents: envelopes(
            { id: invoiceId, organizationId, version },
            announcementsOf(facts.invoice, analysis),
            receivedAt,
          ),
        },
        findings: findingDocumentsOf(organizationId, facts.invoice, analysis, receivedAt),
      };
    },
    counts: () => ({
      suppliers: [...suppliers.values()].map(({ identity: { supplierId, ...names }, ...record }) => ({
        _id: supplierId,
        organizationId,
        ...names,
        ...record,
      })),
      links: [...bankLinks.values(), ...orderLinks.values()],
    }),
  };
}
