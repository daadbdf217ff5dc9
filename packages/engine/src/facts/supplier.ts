/** Identity of a stored supplier. The supplier is found by its `keys`, which are built by `supplierKeysOf`. */
export interface KnownSupplier {
  readonly supplierId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly nameKey: string;
  readonly nameFold?: string;
  readonly taxKey?: string;
  readonly taxCountry?: string;
  /** True if the country of the supplier is only presumed from a bank account. */
  readonly taxCountryPresumed?: boolean;
  readonly taxValid?: boolean;
  /** Keys by which suppliers with a similar name are found (lookalike.ts). */
  readonly lookalikeKeys?: readonly string[];
  /** Version of the rule that built the lookalike keys of the supplier. Absent if the first version built them. */
  readonly lookalikeKeysVersion?: number;
}

/** Reason why an invoice was assigned to a supplier. The reason is stored in the facts of the invoice. */
export type ResolutionReason = 'ERP_VENDOR' | 'TAX_KEY' | 'NAME_KEY' | 'BANK_KEY' | 'NEW';

export interface SupplierResolution {
  readonly supplierId: string;
  readonly reason: ResolutionReason;
}

/**
 * The stored profile of a supplier (detection reference, section 6). It contains counters and lists of limited length,
 * never the whole history. The lists keep the newest entries by day, so the order in which invoices arrive does not
 * change them.
 */
export interface SupplierProfile {
  readonly format: 1;
  /** Number of invoices counted in the profile of the supplier. */
  readonly count: number;
  readonly firstDay: number | null;
  readonly lastDay: number | null;
  /** Newest positive invoice amounts of the supplier, by currency. */
  readonly amounts: Readonly<Record<string, readonly AmountUse[]>>;
  /**
   * Newest bills with a positive amount, for rules that compare several bills. Absent in profiles stored before the
   * field existed.
   */
  readonly recentBills?: readonly RecentBill[];
  /** Number of invoices by currency. Credit notes are included. */
  readonly currencies: Readonly<Record<string, number>>;
  /** Newest issue days in ascending order. From these days, rules compute the gaps between invoices. */
  readonly days: readonly number[];
  readonly accounts: readonly AccountUse[];
  /** Bank accounts on the newest invoices that stated an account. */
  readonly recentAccounts: readonly DatedText[];
  /** Keys of the names under which the supplier has sent invoices. */
  readonly names: readonly string[];
  /** Most frequent patterns of the invoice numbers that the supplier uses. */
  readonly signatures: readonly CountedText[];
  /** Last sequence of digits in each of the newest invoice numbers of the supplier. Credit notes are not included. */
  readonly sequence: readonly DatedText[];
  /** Payment terms on the newest invoices of the supplier, in days. */
  readonly terms: readonly DatedNumber[];
  /** Newest tax rates that the supplier charged, in basis points. */
  readonly taxRates: readonly DatedNumber[];
  readonly bankCount: number;
  readonly taxIdCount: number;
  /**
   * Countries that invoices stated for the tax ids of the supplier, in the order in which the invoices arrived. Absent
   * in profiles stored before the field existed.
   */
  readonly taxCountries?: readonly string[];
  /**
   * Tax ids that the supplier first stated after invoices without one. Such a tax id counts as the supplier's own once
   * a person or long use has confirmed it. Absent if there are no such tax ids, and in profiles stored before the field
   * existed.
   */
  readonly lateTaxIds?: readonly LateTaxId[];
  readonly poCount: number;
  readonly weekendCount: number;
  readonly roundCount: number;
  /**
   * Bills counted in the profile that do not confirm the identity of the supplier. Absent if every bill confirms it,
   * and in profiles stored before the field existed.
   */
  readonly doubted?: DoubtedBills;
  /**
   * Newest bills that were suspected copies and entered the profile when a person dismissed the suspicion. Absent if
   * there are no such bills.
   */
  readonly acceptedCopies?: readonly AcceptedCopy[];
  /**
   * Use of KSeF by the supplier. Absent until the supplier has sent an invoice through KSeF or has been reported for
   * not using KSeF.
   */
  readonly ksef?: KsefHabit;
}

/** The supplier's use of KSeF, as far as the inbox shows it. */
export interface KsefHabit {
  /** True once an invoice from the supplier has been received through KSeF. */
  readonly received?: true;
  /** True once a finding has reported that none of the supplier's invoices are received through KSeF. */
  readonly toldOutside?: true;
}

export interface AcceptedCopy {
  readonly invoiceId: string;
  /** Day on which a reviewer accepted the repeated invoice. */
  readonly day: number;
  /** The person who reviewed the bill. Absent if an API key submitted the review. */
  readonly reviewer?: string;
}

/** Bills with an open finding about the supplier's identity. */
export interface DoubtedBills {
  readonly count: number;
  /** Ids of the newest doubted bills, so that a review removes each bill only once. */
  readonly invoiceIds: readonly string[];
  /** Id of the history scan that imported all doubted bills. Absent if a doubted bill came from another source. */
  readonly onlyScanId?: string;
}

export interface AmountUse {
  readonly day: number;
  readonly minor: string;
  /**
   * Id of the bill while a finding about its amount is open. An amount that is waiting for a review is not a usual
   * amount.
   */
  readonly askedOn?: string;
  /** Id of the history scan that imported the bill named in `askedOn`. */
  readonly askedInScan?: string;
  /** True if a finding reported the bill as a possible copy and a person dismissed that finding. */
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
 * Level of trust that an account belongs to its supplier. SEEN is earned by use without findings, ERP comes from the
 * vendor master, REVIEWED and FRAUD are set by people. SEEN, ERP and REVIEWED are trusted.
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
  /** Trust in the bank account before a review. If the review is withdrawn, the account has this trust again. */
  readonly earned?: AccountTrust;
  readonly firstInvoiceNumber: string;
  /**
   * Bills that count towards the trust in the account. Absent if there are none, and in profiles stored before the
   * field existed.
   */
  readonly earning?: EarningUse;
  /**
   * Bills with a finding about the account or the supplier. Absent if there are none, and in profiles stored before the
   * field existed.
   */
  readonly asked?: EarningUse;
  /**
   * Use of the bank account by rows of a history scan that have no finding and come after a row of the scan with a
   * finding. Present only if the scan imported all accounts of the supplier.
   */
  readonly history?: EarningUse;
  /**
   * Id of the history scan that imported all bills with the bank account. Absent if such a bill came from another
   * source.
   */
  readonly onlyScanId?: string;
}

/** Invoices that stated a tax id which does not identify the supplier yet. */
export interface LateTaxId {
  readonly taxKey: string;
  readonly count: number;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly firstInvoiceNumber: string;
  /**
   * Bills that count towards the trust in the tax id. The member `asked` contains all other bills. Both members are
   * absent if they are empty.
   */
  readonly earning?: EarningUse;
  readonly asked?: EarningUse;
  /** Present while a person's acceptance of the tax id is in effect. */
  readonly accepted?: true;
  /** Id of the history scan that imported all bills with the tax id. Absent if such a bill came from another source. */
  readonly onlyScanId?: string;
}

/**
 * The number of bills with a bank account, and the first and the last day of these bills. The day of a bill is the day
 * of receipt or, for rows of a history scan, the issue day.
 */
export interface EarningUse {
  readonly count: number;
  readonly firstDay: number;
  readonly lastDay: number;
}

/** A supplier with which the supplier of the invoice is compared. */
export interface RelatedSupplier extends Omit<KnownSupplier, 'keys' | 'lookalikeKeys' | 'lookalikeKeysVersion'> {
  /** Keys of further names under which the supplier is known. */
  readonly otherNames?: readonly string[];
  /** Number of counted invoices without an open finding about the supplier's identity. */
  readonly invoices: number;
  /**
   * Number of counted invoices with an open finding about the supplier's identity. Absent if there are none, and for
   * invoices that were analyzed before this number was stored.
   */
  readonly doubtedInvoices?: number;
  /**
   * True if this supplier is known to use the invoice's account. Absent if the invoice states no account, and in facts
   * stored before the field existed.
   */
  readonly knowsAccount?: boolean;
  /** Issue day of the supplier's earliest invoice. Absent in facts stored before the field existed. */
  readonly firstDay?: number;
}

export interface SupplierFacts {
  readonly supplierId: string;
  readonly reason: ResolutionReason;
  /** Name of the supplier as printed on its first invoice. Absent for a new supplier. */
  readonly name?: string;
  /** Profile of the supplier before the checked invoice is counted. */
  readonly profile: SupplierProfile;
}
