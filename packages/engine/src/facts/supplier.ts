/** Identity of a stored supplier. It is looked up by `keys`, which are those of `supplierKeysOf`. */
export interface KnownSupplier {
  readonly supplierId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly nameKey: string;
  readonly nameFold?: string;
  readonly taxKey?: string;
  readonly taxCountry?: string;
  /** True when the country is only presumed from a bank account. */
  readonly taxCountryPresumed?: boolean;
  readonly taxValid?: boolean;
  /** Keys by which suppliers with a similar name are found (lookalike.ts). */
  readonly lookalikeKeys?: readonly string[];
  /** Version of the rule that made the lookalike keys. Absent for the first version. */
  readonly lookalikeKeysVersion?: number;
}

/** Reason why an invoice belongs to a supplier; stored in facts. */
export type ResolutionReason = 'ERP_VENDOR' | 'TAX_KEY' | 'NAME_KEY' | 'BANK_KEY' | 'NEW';

export interface SupplierResolution {
  readonly supplierId: string;
  readonly reason: ResolutionReason;
}

/**
 * The stored profile of a supplier (detection reference, section 6): counters and bounded rings, never its whole
 * history. Rings hold the newest entries by day, so the order in which invoices arrive does not change them.
 */
export interface SupplierProfile {
  readonly format: 1;
  /** Invoices counted. */
  readonly count: number;
  readonly firstDay: number | null;
  readonly lastDay: number | null;
  /** Newest positive amounts by currency. */
  readonly amounts: Readonly<Record<string, readonly AmountUse[]>>;
  /** Newest bills of a positive amount, for rules about several of them together. Absent in profiles from before the field was stored. */
  readonly recentBills?: readonly RecentBill[];
  /** Invoices by currency, of any sign. */
  readonly currencies: Readonly<Record<string, number>>;
  /** Newest issue days, ascending; their differences are the gaps. */
  readonly days: readonly number[];
  readonly accounts: readonly AccountUse[];
  /** Accounts of the newest invoices that stated one. */
  readonly recentAccounts: readonly DatedText[];
  /** Name keys under which the supplier has invoiced. */
  readonly names: readonly string[];
  /** Most frequent patterns of invoice numbers. */
  readonly signatures: readonly CountedText[];
  /** Last numeric run of the newest invoice numbers; those of credit notes count apart. */
  readonly sequence: readonly DatedText[];
  /** Newest payment terms in days. */
  readonly terms: readonly DatedNumber[];
  /** Newest tax rates in basis points. */
  readonly taxRates: readonly DatedNumber[];
  readonly bankCount: number;
  readonly taxIdCount: number;
  /**
   * Countries of the tax ids that invoices stated with a country, in the order they came. Absent in profiles from before the field was
   * stored.
   */
  readonly taxCountries?: readonly string[];
  readonly poCount: number;
  readonly weekendCount: number;
  readonly roundCount: number;
  /** Counted bills that do not show who the supplier is. Absent without any, and in profiles from before the field was stored. */
  readonly doubted?: DoubtedBills;
  /** The newest bills that were taken for copies and joined when a person said that they are none. Absent without any. */
  readonly acceptedCopies?: readonly AcceptedCopy[];
  /** Absent until one of the two happened. */
  readonly ksef?: KsefHabit;
}

/** The use that a supplier makes of KSeF, as far as the inbox shows. */
export interface KsefHabit {
  /** An invoice of the supplier came through KSeF. */
  readonly received?: true;
  /** A finding told that none does. */
  readonly toldOutside?: true;
}

export interface AcceptedCopy {
  readonly invoiceId: string;
  /** Day of the review. */
  readonly day: number;
  /** The person who reviewed it. Absent where an API key did. */
  readonly reviewer?: string;
}

/** Bills with an open finding about the identity of the supplier. */
export interface DoubtedBills {
  readonly count: number;
  /** The newest of them, so that a review can take each out once. */
  readonly invoiceIds: readonly string[];
  /** The scan that brought all of them; absent once another road brought one. */
  readonly onlyScanId?: string;
}

export interface AmountUse {
  readonly day: number;
  readonly minor: string;
  /** The bill, while a finding about its amount is open: an amount that waits for a review is not usual. */
  readonly askedOn?: string;
  /** The scan of that bill. */
  readonly askedInScan?: string;
  /** A finding said that the bill may be a copy, and a person that it is none. */
  readonly wasCopy?: true;
}

export interface RecentBill extends AmountUse {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly currency: string;
  readonly poKey?: string;
}

export interface DatedText {
  readonly day: number;
  readonly text: string;
}

export interface DatedNumber {
  readonly day: number;
  readonly value: number;
}

export interface CountedText {
  readonly text: string;
  readonly count: number;
}

/**
 * Trust in an account as the supplier's own. SEEN is earned by use without findings, ERP comes from the vendor master,
 * REVIEWED and FRAUD from people. SEEN, ERP and REVIEWED are trusted.
 */
export type AccountTrust = 'UNVERIFIED' | 'SEEN' | 'ERP' | 'REVIEWED' | 'FRAUD';

export interface AccountUse {
  readonly key: string;
  readonly masked: string;
  readonly country?: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly count: number;
  readonly trust: AccountTrust;
  /** The trust before it was reviewed; restored when the review is withdrawn. */
  readonly earned?: AccountTrust;
  readonly firstInvoiceNumber: string;
  /** Bills that earn it trust. Absent without any, and in profiles from before the field was stored. */
  readonly earning?: EarningUse;
  /** Bills with a finding about the account or the party. Absent without any, and in profiles from before the field was stored. */
  readonly asked?: EarningUse;
  /** Rows after those that were asked about, in the scan that brought all accounts of the supplier. */
  readonly history?: EarningUse;
  /** The scan that brought all of its bills; absent once another road brought one. */
  readonly onlyScanId?: string;
}

/** Bills on an account, by the day of receipt; rows of a scan by issue day. */
export interface EarningUse {
  readonly count: number;
  readonly firstDay: number;
  readonly lastDay: number;
}

/** Another supplier than the invoice's, as far as it is compared with it. */
export interface RelatedSupplier extends Omit<KnownSupplier, 'keys' | 'lookalikeKeys' | 'lookalikeKeysVersion'> {
  /** Keys of further names that it is known under. */
  readonly otherNames?: readonly string[];
  /** Invoices counted, without those that have an open finding about its identity. */
  readonly invoices: number;
  /** The others. Absent without any, and in facts from before the field was stored. */
  readonly doubtedInvoices?: number;
  /**
   * True when the supplier is known on the account of the invoice. Absent where none is stated, and in facts from before the field was
   * stored.
   */
  readonly knowsAccount?: boolean;
  /** Issue day of the earliest. Absent in facts from before the field was stored. */
  readonly firstDay?: number;
}

export interface SupplierFacts {
  readonly supplierId: string;
  readonly reason: ResolutionReason;
  /** Name of the supplier as its first invoice prints it; absent for a new one. */
  readonly name?: string;
  /** Profile before this invoice. */
  readonly profile: SupplierProfile;
}
