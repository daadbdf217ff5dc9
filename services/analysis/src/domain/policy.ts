import type { FindingType, Severity } from './catalogue.js';
import { amounts } from './policy/amounts.js';
import type { AmountParameters } from './policy/amounts.js';
import { bank } from './policy/bank-accounts.js';
import type { BankParameters } from './policy/bank-accounts.js';
import { books } from './policy/books.js';
import type { BooksParameters } from './policy/books.js';
import { buyers } from './policy/buyers.js';
import type { BuyerParameters } from './policy/buyers.js';
import { currencies } from './policy/currencies.js';
import type { CurrencyParameters } from './policy/currencies.js';
import { dates } from './policy/dates.js';
import type { DateParameters } from './policy/dates.js';
import { documents } from './policy/documents.js';
import type { DocumentParameters } from './policy/documents.js';
import { duplicates } from './policy/duplicates.js';
import type { DuplicateParameters } from './policy/duplicates.js';
import { erp } from './policy/erp.js';
import type { ErpParameters } from './policy/erp.js';
import { numbers } from './policy/numbers.js';
import type { NumberParameters } from './policy/numbers.js';
import { orders } from './policy/orders.js';
import type { OrderParameters } from './policy/orders.js';
import { scans } from './policy/scans.js';
import type { ScanParameters } from './policy/scans.js';
import { suppliers } from './policy/suppliers.js';
import type { SupplierParameters } from './policy/suppliers.js';
import { taxes } from './policy/taxes.js';
import type { TaxParameters } from './policy/taxes.js';

/**
 * Every number the engine uses (detection reference, sections 3 to 9). Immutable once an analysis names it; a changed
 * number is a new version. Points are half points: 18 stands for 9.
 */
export interface Policy {
  readonly id: string;
  readonly version: number;
  /** Grows with every learned tolerance and override of an organization. */
  readonly overlay: number;
  readonly effectiveFrom: string;
  readonly weights: Readonly<Record<Severity, number>>;
  readonly thresholds: {
    readonly blockScore: number;
    readonly reviewScore: number;
    readonly hardBlockConfidence: number;
    readonly reviewSeverity: Severity;
    readonly reviewConfidence: number;
    /** Types that are reviewed whatever their confidence. */
    readonly reviewTypes: readonly FindingType[];
    /** Cap of one family in basis points. */
    readonly familyCap: number;
    /** Other findings of a family count one in so many. */
    readonly familyShare: number;
  };
  /** Types that block on their own when CRITICAL and confident. */
  readonly hardBlocks: readonly FindingType[];
  readonly duplicates: DuplicateParameters;
  readonly bank: BankParameters;
  readonly suppliers: SupplierParameters;
  readonly numbers: NumberParameters;
  readonly orders: OrderParameters;
  readonly erp: ErpParameters;
  readonly documents: DocumentParameters;
  readonly books: BooksParameters;
  readonly scans: ScanParameters;
  readonly amounts: AmountParameters;
  readonly taxes: TaxParameters;
  readonly dates: DateParameters;
  readonly currencies: CurrencyParameters;
  readonly buyers: BuyerParameters;
}

/** The policy every organization starts with. */
export const defaultPolicy: Policy = {
  id: 'default',
  version: 3,
  overlay: 0,
  effectiveFrom: '2026-11-01',
  weights: { INFO: 0, LOW: 8, MEDIUM: 30, HIGH: 60, CRITICAL: 92 },
  thresholds: {
    blockScore: 80,
    reviewScore: 25,
    hardBlockConfidence: 90,
    reviewSeverity: 'MEDIUM',
    reviewConfidence: 60,
    reviewTypes: ['CURRENCY_UNKNOWN'],
    familyCap: 9900,
    familyShare: 10,
  },
  hardBlocks: [
    'DUPLICATE_INVOICE',
    'DUPLICATE_ACROSS_SUPPLIERS',
    'DUPLICATE_DOCUMENT',
    'BANK_ACCOUNT_BLOCKLISTED',
    'BANK_ACCOUNT_MASTER_MISMATCH',
    'BANK_ACCOUNT_CHANGED',
    'DOCUMENT_MODIFIED_AFTER_SIGNING',
    'DOCUMENT_FIELD_CONFLICT',
  ],
  duplicates,
  bank,
  amounts,
  taxes,
  dates,
  currencies,
  buyers,
  suppliers,
  numbers,
  orders,
  erp,
  documents,
  books,
  scans,
};

/** What `versions.policy` shows: `default-3+o0`. */
export function policyVersion(policy: Policy): string {
  return `${policy.id}-${policy.version}+o${policy.overlay}`;
}
