import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import { convert, ratesPerEuro } from '@invoicecontrol/engine/facts/exchange-rates';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { withAcceptedLink } from '@invoicecontrol/engine/facts/links';
import type { BankLink } from '@invoicecontrol/engine/facts/links';
import { compareByArrival, compareText } from '@invoicecontrol/engine/facts/record-order';
import type { AccountUse, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { applyCandidateCaps, lookupKeys } from '@invoicecontrol/engine/normalisation/match-keys';
import { ENGINE_VERSION } from '@invoicecontrol/engine/run-engine';
import { withAcceptedTaxIds } from '@invoicecontrol/engine/supplier/late-tax-ids';
import {
  countInvoice as countInProfile,
  withAnsweredDoubts,
  withoutInvoice,
  withReviewedAccount,
} from '@invoicecontrol/engine/supplier/profile';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import { withoutKnownScans } from '../../records/domain/reimport.js';
import { companiesAround } from '../../records/domain/tenant.js';
import type { WithoutAbandonedScans } from './abandoned-scans.js';
import type { BankLinkStore, SupplierRecord, SupplierStore } from '../../records/application/counted-records.js';
import type { DecidedInvoice, InvoiceStore } from '../../records/application/invoice-store.js';
import type { DocumentFactsOf } from './load-facts.js';
import { renormalise } from '../../records/application/renormalise.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly publishedRates: PublishedRates;
  readonly withoutAbandonedScans: WithoutAbandonedScans;
  readonly documentFacts: DocumentFactsOf;
}

/** The first analysis of an invoice that is analyzed again. The invoices that arrived before it are its history. */
export interface FirstAnalysis {
  readonly facts: AnalysisFacts;
  readonly engineVersion: string;
}

/**
 * Loads the facts for an invoice that is analyzed again. The history that the first analysis stored is used, so that
 * later records neither clear nor raise a finding. Reviews since then, the tenant's companies, and exchange rates that
 * were missing are added (detection reference, section 10).
 */
export type ReloadFacts = (record: DecidedInvoice, first: FirstAnalysis, tenant: TenantFacts) => Promise<AnalysisFacts>;

export const reloadFacts =
  ({ invoices, suppliers, bankLinks, publishedRates, withoutAbandonedScans, documentFacts }: Deps): ReloadFacts =>
  async (record, { facts: first, engineVersion }, tenant) => {
    const { organizationId } = record;
    const { supplierId } = first.supplier;
    const invoice = { ...renormalise(record), supplierId };
    const { bankKey } = invoice;
    const [supplier, candidates, bankLink, document] = await Promise.all([
      suppliers.find(organizationId, supplierId),
      engineVersion === ENGINE_VERSION
        ? reviewedCandidates(invoices, organizationId, first)
        : candidatesOf({ invoices, withoutAbandonedScans }, record, invoice, first),
      bankKey === undefined ? undefined : bankLinks.find(organizationId, bankKey),
      documentFacts(invoice, organizationId),
    ]);
    const profile = await reviewedProfile(invoices, invoice, first, supplier);
    const { tolerances: _learnedThen, ...then } = first;
    const currencies = [...new Set([invoice.currency, ...candidates.candidates.map(({ currency }) => currency)])];
    const facts: AnalysisFacts = {
      ...then,
      ...candidates,
      invoice,
      supplier: { ...first.supplier, profile },
      bankLink: reviewedLink(first.bankLink, bankLink?.link),
      reviews: [],
      ratesPerEuro: {
        ...ratesPerEuro(currencies.sort(compareText), invoice.issueDate, first.asOf, publishedRates),
        ...first.ratesPerEuro,
      },
      base:
        first.base ??
        convert(
          {
            amount: invoice.grossAmount,
            from: invoice.currency,
            to: tenant.baseCurrency,
            issueDate: invoice.issueDate,
            today: first.asOf,
          },
          publishedRates,
        ),
      companies: companiesAround(invoice, tenant),
      ...(document === undefined ? {} : { document }),
    };
    return facts;
  };

type Candidates = Pick<AnalysisFacts, 'candidates' | 'candidateCapHit'>;

/**
 * Returns the invoices that the first analysis compared, with the values that reviews and the ERP have stored with them
 * since then.
 */
async function reviewedCandidates(
  invoices: InvoiceStore,
  organizationId: string,
  { candidates, candidateCapHit }: AnalysisFacts,
): Promise<Candidates> {
  const ids = candidates.map(({ invoiceId }) => invoiceId);
  const noted = await invoices.notes(organizationId, ids);
  return {
    candidates: candidates.map(
      ({ confirmedAs: _confirmed, suspectedAs: then, bookedInvoiceId: _booked, ...candidate }) => {
        const { suspectedAs: now, ...notes } = noted.get(candidate.invoiceId) ?? {};
        // A compared invoice that was first suspected after the first analysis does not count as suspected, for example
        // of being a duplicate. A suspicion that people have dismissed since the first analysis is removed.
        return { ...candidate, ...notes, ...(then === undefined || now === undefined ? {} : { suspectedAs: then }) };
      },
    ),
    candidateCapHit,
  };
}

/**
 * Finds earlier invoices that share a key with an invoice that is analyzed again, because another engine version may
 * use other keys.
 */
async function candidatesOf(
  { invoices, withoutAbandonedScans }: Pick<Deps, 'invoices' | 'withoutAbandonedScans'>,
  { organizationId, reimportOf }: DecidedInvoice,
  invoice: NormalisedInvoice,
  first: AnalysisFacts,
): Promise<Candidates> {
  const lookups = lookupKeys(invoice);
  const found = await withoutAbandonedScans(
    organizationId,
    await invoices.candidates(
      organizationId,
      lookups.map(({ key }) => key),
      invoice,
    ),
  );
  const hits = reimportOf === undefined ? found : withoutKnownScans(invoice, found);
  const capped = applyCandidateCaps(invoice, hits, lookups);
  const known = new Set(capped.candidates.map(({ invoiceId }) => invoiceId));
  const others = await reviewedCandidates(invoices, organizationId, {
    ...first,
    candidates: first.candidates.filter(({ invoiceId }) => !known.has(invoiceId)),
  });
  return {
    candidates: [...capped.candidates, ...others.candidates].sort(compareByArrival),
    candidateCapHit: capped.candidateCapHit || first.candidateCapHit,
  };
}

/**
 * Returns the supplier profile used in the first analysis, without bills that people have since confirmed as fraud or
 * duplicates.
 */
async function reviewedProfile(
  invoices: InvoiceStore,
  invoice: NormalisedInvoice,
  { organizationId, supplier: { profile: then }, withdrawnUnits }: AnalysisFacts,
  supplier: SupplierRecord | undefined,
): Promise<SupplierProfile> {
  let profile = then;
  // Facts stored before the field for excluded bills existed do not show which bills were part of the supplier profile.
  const wasOut = new Set(withdrawnUnits);
  const isOutNow = withdrawnUnits === undefined ? [] : (supplier?.withdrawnUnits ?? []);
  const units = [...new Set([...wasOut, ...isOutNow])];
  if (units.length > 0) {
    const noted = await invoices.notes(organizationId, units);
    // A suspected copy of an invoice was never counted in the supplier profile. Only reviews of other invoices change
    // the profile.
    const isOut = (unitId: string): boolean => {
      const { confirmedAs, suspectedAs } = noted.get(unitId) ?? {};
      return confirmedAs !== undefined || (wasOut.has(unitId) && suspectedAs === 'DUPLICATE');
    };
    // Usually no invoice in the supplier profile has been reviewed, so the profile is unchanged.
    const changed = units.filter((unitId) => isOut(unitId) !== wasOut.has(unitId));
    const records = await Promise.all(changed.map((unitId) => invoices.find(organizationId, unitId)));
    for (const record of records) {
      if (record === undefined || compareByArrival(record.match, invoice) >= 0) continue;
      const { suspectedAs } = record.match;
      const accepted = supplier?.profile.acceptedCopies?.find(({ invoiceId }) => invoiceId === record.invoiceId);
      profile = isOut(record.invoiceId)
        ? withoutInvoice(profile, renormalise(record))
        : countInProfile(profile, {
            ...renormalise(record),
            ...(suspectedAs === undefined ? {} : { suspectedAs }),
            ...(accepted === undefined ? {} : { acceptedCopy: accepted }),
          });
    }
  }
  if (supplier === undefined) return withReviewedAccounts(profile, []);
  const answered = withAcceptedTaxIds(withAnsweredDoubts(profile, supplier.profile), supplier.profile);
  return withReviewedAccounts(answered, supplier.profile.accounts);
}

/**
 * Returns the supplier profile with the reviews of the supplier's accounts, including accounts that were used later.
 */
function withReviewedAccounts(profile: SupplierProfile, now: readonly AccountUse[]): SupplierProfile {
  let reviewed = profile;
  for (const { key } of profile.accounts) {
    reviewed = withReviewedAccount(reviewed, key, reviewedTrust(now.find((account) => account.key === key)));
  }
  const known = new Set(profile.accounts.map(({ key }) => key));
  const cleared = now.filter((account) => !known.has(account.key) && account.trust === 'REVIEWED');
  return cleared.length === 0 ? reviewed : { ...reviewed, accounts: [...reviewed.accounts, ...cleared] };
}

function reviewedTrust(account: AccountUse | undefined): 'REVIEWED' | 'FRAUD' | undefined {
  return account?.trust === 'REVIEWED' || account?.trust === 'FRAUD' ? account.trust : undefined;
}

/**
 * Returns the facts that the first analysis had about a bank account, but with the current block of the account and the
 * suppliers for which the account is now accepted.
 */
function reviewedLink(then: BankLink | null, now: BankLink | undefined): BankLink | null {
  if (then === null && now?.fraud === undefined) return null;
  let reviewed = then ?? { bankKey: now?.bankKey ?? '', suppliers: [] };
  for (const { supplierId } of reviewed.suppliers) {
    const linked = now?.suppliers.find((other) => other.supplierId === supplierId);
    reviewed = withAcceptedLink(reviewed, supplierId, linked?.accepted === true);
  }
  const { fraud: _blockedThen, ...link } = reviewed;
  return now?.fraud === undefined ? link : { ...link, fraud: now.fraud };
}
