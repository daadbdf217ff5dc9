import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import type { FindingType, Severity } from '../explanation/catalogue.js';
import { shortDigest } from '../facts/digest.js';
import { amounts } from './amounts.js';
import type { AmountParameters } from './amounts.js';
import { bank } from './bank-accounts.js';
import type { BankParameters } from './bank-accounts.js';
import { books } from './books.js';
import type { BooksParameters } from './books.js';
import { buyers } from './buyers.js';
import type { BuyerParameters } from './buyers.js';
import { currencies } from './currencies.js';
import type { CurrencyParameters } from './currencies.js';
import { dates } from './dates.js';
import type { DateParameters } from './dates.js';
import { documents } from './documents.js';
import type { DocumentParameters } from './documents.js';
import { duplicates } from './duplicates.js';
import type { DuplicateParameters } from './duplicates.js';
import { erp } from './erp.js';
import type { ErpParameters } from './erp.js';
import { ksef } from './ksef.js';
import type { KsefParameters } from './ksef.js';
import { numbers } from './numbers.js';
import type { NumberParameters } from './numbers.js';
import { orders } from './orders.js';
import type { OrderParameters } from './orders.js';
import { scans } from './scans.js';
import type { ScanParameters } from './scans.js';
import { suppliers } from './suppliers.js';
import type { SupplierParameters } from './suppliers.js';
import { taxes } from './taxes.js';
import type { TaxParameters } from './taxes.js';

/**
 * Length in bytes of the digest in the name of a detection policy. With six bytes, the probability that two policies
 * with the same id and version have the same name is 1 in 281 trillion. When the service starts, it checks that no two
 * policies have the same name.
 */
const NAME_DIGEST_BYTES = 6;

/**
 * The detection policy: all numbers that the engine uses (detection reference, sections 3 to 9). Analyses name the
 * policy by {@link policyVersion}, which changes if any number changes. Points are stored as half points, so 18 means 9
 * points.
 */
export interface Policy {
  readonly id: string;
  readonly version: number;
  /**
   * Version of the learned tolerances and overrides of an organization's detection policy. The version increases with
   * each change.
   */
  readonly overlay: number;
  readonly effectiveFrom: string;
  readonly weights: Readonly<Record<Severity, number>>;
  readonly thresholds: {
    readonly blockScore: number;
    readonly reviewScore: number;
    readonly hardBlockConfidence: number;
    readonly reviewSeverity: Severity;
    readonly reviewConfidence: number;
    /** Types of findings that always require a review, regardless of their confidence. */
    readonly reviewTypes: readonly FindingType[];
    /** Maximum contribution of one finding family to the risk score of an invoice, in basis points. */
    readonly familyCap: number;
    /** Divisor for the points of all findings of a family except the strongest one. */
    readonly familyShare: number;
  };
  /**
   * Types of findings of which a single finding blocks an invoice, if it is CRITICAL and its confidence is high enough.
   */
  readonly hardBlocks: readonly FindingType[];
  readonly duplicates: DuplicateParameters;
  readonly bank: BankParameters;
  readonly suppliers: SupplierParameters;
  readonly numbers: NumberParameters;
  readonly orders: OrderParameters;
  readonly erp: ErpParameters;
  readonly documents: DocumentParameters;
  readonly ksef: KsefParameters;
  readonly books: BooksParameters;
  readonly scans: ScanParameters;
  readonly amounts: AmountParameters;
  readonly taxes: TaxParameters;
  readonly dates: DateParameters;
  readonly currencies: CurrencyParameters;
  readonly buyers: BuyerParameters;
}

/** Detection policy with which every organization starts. */
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
    'DOCUMENT_TAMPER_SIGNS',
    'DOCUMENT_FIELD_CONFLICT',
    'KSEF_CONTENT_DIFFERS',
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
  ksef,
  books,
  scans,
};

const names = new WeakMap<Policy, string>();

/**
 * Returns the policy name, such as `default-3+0123456789ab`. The digest in the name covers all numbers of the policy,
 * but not the organization's overlay. Different numbers therefore have different names, and a name means the same
 * numbers in every release and for every organization.
 */
export function policyName(policy: Policy): string {
  const known = names.get(policy);
  if (known !== undefined) return known;
  const { id, version, overlay: _overlay, ...numbers } = policy;
  const name = `${id}-${version}+${shortDigest(canonicalJson(numbers), NAME_DIGEST_BYTES)}`;
  names.set(policy, name);
  return name;
}

/**
 * Returns `versions.policy`, the policy name followed by the organization's overlay version:
 * `default-3+0123456789ab.o0`.
 */
export function policyVersion(policy: Policy): string {
  return `${policyName(policy)}.o${policy.overlay}`;
}

/**
 * Pattern for policy versions from releases without a digest: `default-3+o0`. Analyses from these releases keep this
 * form.
 */
const UNDIGESTED = /^[a-z]+-\d+\+o\d+$/;

/**
 * Checks whether a policy version has the form without a digest. Such a version does not identify the numbers of the
 * policy.
 */
export function isUndigestedVersion(version: string): boolean {
  return UNDIGESTED.test(version);
}
