import type { Company } from '../facts/companies.js';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { Family, FindingType } from '../explanation/catalogue.js';
import { runEngine } from '../run-engine.js';
import { requireEvidenceContract } from './evidence-contract.js';
import { decide } from '../scoring/decision.js';
import type { RiskDecision } from '../scoring/decision.js';
import type { Finding } from '../explanation/evidence.js';
import type { Facts } from '../facts/facts.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { InvoiceOrigin, MatchPart, NormalisedInvoice, Suspicion } from '../facts/invoice.js';
import { countBankUse, countOrderUse, withAcceptedLink } from '../facts/links.js';
import type { BankLink, OrderLink } from '../facts/links.js';
import { applyCandidateCaps, lookupKeys, matchPartOf, supplierKeysOf } from '../normalisation/match-keys.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { defaultPolicy } from '../policy/policy.js';
import type { Policy } from '../policy/policy.js';
import { identityAfter, resolveSupplier } from '../supplier/identity.js';
import type { KnownSupplier, AccountTrust, SupplierProfile } from '../facts/supplier.js';
import { withAcceptedTaxId } from '../supplier/late-tax-ids.js';
import { lookalikeKeysOf } from '../supplier/lookalike.js';
import { lookalikesOf, namesakesOf } from '../supplier/related.js';
import { isAmountInDoubt, suspectedAs, toldOutsideKsef } from '../supplier/suspicion.js';
import {
  countInvoice,
  emptyProfile,
  withAccountTrust,
  withDoubt,
  withoutInvoice,
  withReviewedAccount,
  withReviewedAmount,
} from '../supplier/profile.js';

export const ORGANIZATION_ID = '0192a000-0000-7000-8000-000000000001';
export const COMPANY_ID = '0192a000-0000-7000-8000-00000000c001';
const FIRST_RECEIVED_AT_MS = Date.UTC(2026, 0, 1);

export interface BillOptions {
  readonly origin?: Partial<InvoiceOrigin>;
  readonly ratesPerEuro?: Readonly<Record<string, string>>;
  readonly scanStatesAccounts?: boolean;
  /** Further facts about the invoice, such as those from its document and from the ERP. */
  readonly facts?: Partial<Facts>;
  /** Day on which the test analyzes its invoices, by default 2026-01-01. */
  readonly asOf?: CalendarDate;
  readonly companies?: readonly Company[];
  /** Gross amount in the base currency, or null if no rate exists. The default is the stated amount. */
  readonly base?: Facts['base'];
}

/**
 * Processes invoices in memory with all steps: normalise, resolve the supplier, look up, run the engine, decide, count.
 * The services run the same steps on their database. Tests use this class to build a history from bills instead of
 * writing facts by hand.
 */
export function inMemoryHistory(policy: Policy = defaultPolicy) {
  const records = new Map<string, MatchPart>();
  const idsByKey = new Map<string, string[]>();
  const suppliers = new Map<string, KnownSupplier>();
  const profiles = new Map<string, SupplierProfile>();
  const bankLinks = new Map<string, BankLink>();
  const orderLinks = new Map<string, OrderLink>();
  const supplierIdsByKey = new Map<string, Set<string>>();
  let received = 0;

  function suppliersSharing(keys: readonly string[]): KnownSupplier[] {
    const ids = new Set(keys.flatMap((key) => [...(supplierIdsByKey.get(key) ?? [])]));
    return [...ids].flatMap((id) => suppliers.get(id) ?? []);
  }

  function factsOf(canonical: CanonicalInvoice, options: BillOptions = {}): Facts {
    received += 1;
    const unresolved = normaliseInvoice(canonical, {
      invoiceId: `0192a000-0000-7000-8000-${String(received).padStart(12, '0')}`,
      companyId: COMPANY_ID,
      source: 'API',
      receivedAtMs: FIRST_RECEIVED_AT_MS + received * 1000,
      ...options.origin,
    });
    const keys = supplierKeysOf(unresolved);
    const known = suppliersSharing(keys);
    const resolution = resolveSupplier(ORGANIZATION_ID, unresolved, known, {
      similarNameMin: policy.duplicates.similarNameMin,
    });
    const invoice: NormalisedInvoice = { ...unresolved, supplierId: resolution.supplierId };
    const name = suppliers.get(resolution.supplierId)?.name;
    const hits = lookupKeys(invoice).flatMap(({ key }) => idsByKey.get(key) ?? []);
    return {
      format: 1,
      asOf: options.asOf ?? '2026-01-01',
      invoice,
      supplier: {
        ...resolution,
        ...(name === undefined ? {} : { name }),
        profile: profiles.get(resolution.supplierId) ?? emptyProfile,
      },
      ...applyCandidateCaps(
        invoice,
        hits.flatMap((id) => records.get(id) ?? []),
      ),
      bankLink: (invoice.bankKey === undefined ? undefined : bankLinks.get(invoice.bankKey)) ?? null,
      orderLink: (invoice.poKey === undefined ? undefined : orderLinks.get(invoice.poKey)) ?? null,
      ratesPerEuro: options.ratesPerEuro ?? {},
      base:
        options.base === undefined
          ? { currency: 'EUR', amount: canonical.gross_amount, rate: '1', source: 'IDENTITY' }
          : options.base,
      ...relatedSuppliers(invoice, resolution.supplierId),
      ...(options.companies === undefined ? {} : { companies: options.companies }),
      ...(options.scanStatesAccounts === undefined ? {} : { scanStatesAccounts: options.scanStatesAccounts }),
      ...options.facts,
    };
  }

  function relatedSuppliers(invoice: NormalisedInvoice, supplierId: string): Pick<Facts, 'namesakes' | 'lookalikes'> {
    const sharing = (keys: readonly string[]) =>
      suppliersSharing(keys).map((identity) => ({
        identity,
        profile: profiles.get(identity.supplierId) ?? emptyProfile,
      }));
    return {
      namesakes: namesakesOf(invoice, supplierId, sharing(supplierKeysOf(invoice))),
      lookalikes: lookalikesOf(invoice, supplierId, sharing(lookalikeKeysOf(invoice).map(lookalikeIndexKey))),
    };
  }

  function store(part: MatchPart): void {
    const isNew = !records.has(part.invoiceId);
    records.set(part.invoiceId, part);
    if (isNew) for (const key of part.keys) idsByKey.set(key, [...(idsByKey.get(key) ?? []), part.invoiceId]);
  }

  function record(
    { invoice, supplier: { supplierId } }: Facts,
    {
      status = 'ANALYZED',
      suspicion,
      told = {},
    }: {
      status?: MatchPart['status'];
      suspicion?: Suspicion | undefined;
      told?: Pick<MatchPart, 'toldOutsideKsef'>;
    } = {},
  ): void {
    const decided = { ...invoice, ...(suspicion === undefined ? {} : { suspectedAs: suspicion }), ...told };
    store({ ...matchPartOf(decided), status });
    const profile = countInvoice(profiles.get(supplierId) ?? emptyProfile, decided);
    const identity = identityAfter(suppliers.get(supplierId), supplierId, invoice, profile);
    suppliers.set(supplierId, identity);
    for (const key of [...identity.keys, ...(identity.lookalikeKeys ?? []).map(lookalikeIndexKey)]) {
      const ids = supplierIdsByKey.get(key) ?? new Set();
      supplierIdsByKey.set(key, ids.add(supplierId));
    }
    profiles.set(supplierId, profile);
    const { bankKey, poKey } = invoice;
    if (bankKey !== undefined) {
      bankLinks.set(bankKey, countBankUse(bankLinks.get(bankKey) ?? null, bankKey, decided, supplierId));
    }
    if (poKey !== undefined) {
      orderLinks.set(poKey, countOrderUse(orderLinks.get(poKey) ?? null, poKey, invoice, supplierId));
    }
  }

  return {
    factsOf,
    record,
    /** Stores a record as RECEIVED. A history scan stores all its rows before it decides the first row. */
    receive(canonical: CanonicalInvoice, origin: InvoiceOrigin): void {
      store(matchPartOf(normaliseInvoice(canonical, origin)));
    },
    /** Runs an invoice through the engine and adds it to the history. Throws when evidence breaks its contract. */
    bill(canonical: CanonicalInvoice, options: BillOptions = {}): Billed {
      const facts = factsOf(canonical, options);
      const findings = runEngine(facts, policy);
      requireEvidenceContract(findings);
      record(facts, { suspicion: suspectedAs(findings), told: toldOutsideKsef(findings) });
      return { facts, analysis: { findings, ...decide(findings, policy) } };
    },
    /** Changes a stored record, as reviews and ERP imports do. */
    amend(invoiceId: string, changes: Partial<MatchPart>): void {
      const part = records.get(invoiceId);
      if (part !== undefined) records.set(invoiceId, { ...part, ...changes });
    },
    /** Dismisses all findings of a bill in the history of a test, on its issue day unless another day is given. */
    dismiss(
      { facts: { invoice, supplier }, analysis }: Billed,
      review: { day?: number; reviewer?: string } = {},
    ): void {
      const part = records.get(invoice.invoiceId);
      if (part === undefined) return;
      const { suspectedAs, ...dismissed } = part;
      records.set(invoice.invoiceId, dismissed);
      let profile = profiles.get(supplier.supplierId) ?? emptyProfile;
      const acceptedCopy = { day: invoice.issueDay, ...review };
      profile =
        suspectedAs === 'DUPLICATE' ? countInvoice(profile, { ...invoice, acceptedCopy }) : withDoubt(profile, invoice);
      if (isAmountInDoubt(suspectedAs)) profile = withReviewedAmount(profile, invoice, false);
      const isTaxIdReviewed = analysis.findings.some(({ type }) => type === 'SUPPLIER_TAX_ID_FIRST_USE');
      if (invoice.taxKey !== undefined && isTaxIdReviewed) profile = withAcceptedTaxId(profile, invoice.taxKey, true);
      const isAccountReviewed = analysis.findings.some(({ family }) => family === 'BANK');
      if (invoice.bankKey !== undefined && isAccountReviewed) {
        profile = withReviewedAccount(profile, invoice.bankKey, 'REVIEWED');
        const link = bankLinks.get(invoice.bankKey);
        if (link !== undefined) bankLinks.set(invoice.bankKey, withAcceptedLink(link, supplier.supplierId, true));
      }
      profiles.set(supplier.supplierId, profile);
    },
    /** Confirms that a bill carries the number of another bill. */
    confirmReuse({ facts: { invoice, supplier } }: Billed): void {
      const part = records.get(invoice.invoiceId);
      if (part !== undefined) records.set(invoice.invoiceId, { ...part, confirmedAs: 'REUSED_NUMBER' });
      const profile = profiles.get(supplier.supplierId) ?? emptyProfile;
      profiles.set(supplier.supplierId, withoutInvoice(profile, invoice));
    },
    confirmFraud(bankKey: string): void {
      const link = bankLinks.get(bankKey) ?? { bankKey, suppliers: [] };
      bankLinks.set(bankKey, { ...link, fraud: { reviewId: 'review-1', confirmedAt: '2025-06-01T10:00:00Z' } });
    },
    trustAccount(supplierId: string, bankKey: string, trust: AccountTrust): void {
      profiles.set(supplierId, withAccountTrust(profiles.get(supplierId) ?? emptyProfile, bankKey, trust));
    },
    /** Changes the stored profile of a supplier, as accepted reviews do. */
    amendProfile(supplierId: string, change: (profile: SupplierProfile) => SupplierProfile): void {
      profiles.set(supplierId, change(profiles.get(supplierId) ?? emptyProfile));
    },
    profileOf: (supplierId: string): SupplierProfile => profiles.get(supplierId) ?? emptyProfile,
  };
}

/**
 * Returns the index key for a lookalike key of a supplier name. The prefix is needed because identity keys are in the
 * same index.
 */
function lookalikeIndexKey(key: string): string {
  return `lookalike|${key}`;
}

export interface Billed {
  readonly facts: Facts;
  readonly analysis: RiskDecision & { readonly findings: readonly Finding[] };
}

/** Returns the types of the findings in one family, in order. */
export const typesIn =
  (family: Family) =>
  ({ analysis }: Billed): FindingType[] =>
    analysis.findings.filter((finding) => finding.family === family).map(({ type }) => type);
