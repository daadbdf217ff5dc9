import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { convert, ratesPerEuro } from '@invoicecontrol/engine/facts/exchange-rates';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import type { CappedCandidates } from '@invoicecontrol/engine/normalisation/match-keys';
import type { SupplierResolution, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { lookalikesOf, namesakesOf } from '@invoicecontrol/engine/supplier/related';
import { undoubtedInvoices } from '@invoicecontrol/engine/supplier/profile';
import type { ProfiledSupplier } from '@invoicecontrol/engine/supplier/related';
import type { ErpFactsOf } from '../../books/domain/erp-facts.js';
import { companiesAround } from '../../records/domain/tenant.js';

const DAY_MS = 86_400_000;

/** Facts on which the decision about an invoice is based, collected from all sources. */
export interface FactParts {
  readonly organizationId: string;
  readonly invoice: NormalisedInvoice;
  readonly resolution: SupplierResolution;
  /** Profile of the supplier of an invoice, without the invoice that is analyzed. */
  readonly profile: SupplierProfile;
  /** Bills that reviews have removed from the profile of the supplier. */
  readonly withdrawnUnits: readonly string[];
  readonly found: CappedCandidates;
  readonly bankLink: BankLink | undefined;
  readonly orderLink: OrderLink | undefined;
  readonly tenant: TenantFacts;
  readonly publishedRates: PublishedRates;
  /** Suppliers that share an identity key with the analyzed invoice. */
  readonly known: readonly ProfiledSupplier[];
  /** Returns the facts about an invoice that ERP systems provide. */
  readonly erpFacts: ErpFactsOf;
  /**
   * Loads the facts that only an invoice of an unknown supplier needs. It is called only if the supplier has no earlier
   * invoices, or only invoices that are waiting for a review.
   */
  readonly newcomer: () => Newcomer;
}

/** Facts that are needed only for the decision on invoices of an unknown supplier. */
export interface Newcomer {
  /** Suppliers whose names are similar to the name of the invoice's supplier. */
  readonly alike: readonly ProfiledSupplier[];
  readonly highAmount: DecimalAmount | undefined;
}

/**
 * Assembles the facts for the decision on an invoice. Reviews and learned tolerances are added only if the engine
 * raises findings.
 */
export function assembleFacts(parts: FactParts): AnalysisFacts {
  const { organizationId, resolution, profile, found, tenant, publishedRates } = parts;
  const { supplierId, reason } = resolution;
  const invoice = { ...parts.invoice, supplierId };
  const namesakes = namesakesOf(invoice, supplierId, parts.known);
  const name = parts.known.find(({ identity }) => identity.supplierId === supplierId)?.identity.name;
  const asOf = dateOfDayNumber(Math.floor(invoice.receivedAtMs / DAY_MS));
  return {
    format: 1,
    organizationId,
    asOf,
    invoice,
    supplier: { supplierId, reason, ...(name === undefined ? {} : { name }), profile },
    candidates: found.candidates,
    candidateCapHit: found.candidateCapHit,
    bankLink: parts.bankLink ?? null,
    orderLink: parts.orderLink ?? null,
    reviews: [],
    withdrawnUnits: parts.withdrawnUnits,
    ratesPerEuro: ratesPerEuro(
      [...new Set([invoice.currency, ...found.candidates.map(({ currency }) => currency)])].sort(),
      invoice.issueDate,
      asOf,
      publishedRates,
    ),
    base: convert(
      {
        amount: invoice.grossAmount,
        from: invoice.currency,
        to: tenant.baseCurrency,
        issueDate: invoice.issueDate,
        today: asOf,
      },
      publishedRates,
    ),
    companies: companiesAround(invoice, tenant),
    ...parts.erpFacts({ invoice, supplierId, companies: tenant.companies, orderLink: parts.orderLink ?? null }),
    ...(namesakes.length === 0 ? {} : { namesakes }),
    ...(undoubtedInvoices(profile) === 0 ? newcomerFacts(invoice, supplierId, parts.newcomer()) : {}),
  };
}

function newcomerFacts(
  invoice: NormalisedInvoice,
  supplierId: string,
  { alike, highAmount }: Newcomer,
): Pick<AnalysisFacts, 'lookalikes' | 'highAmount'> {
  return {
    lookalikes: lookalikesOf(invoice, supplierId, alike),
    ...(highAmount === undefined ? {} : { highAmount }),
  };
}
