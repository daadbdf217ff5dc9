/**
 * What every ERP is read into (ERP reference, section 2). Amounts are decimal strings with the digits that the ERP sent, days
 * are `YYYY-MM-DD`, instants are RFC 3339; a field that the ERP leaves empty is absent.
 */

/** The parts of a synchronisation, in the order in which they are read. */
export const streamNames = ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders'] as const;
export type StreamName = (typeof streamNames)[number];

export interface VendorRecord {
  readonly externalId: string;
  readonly number?: string;
  readonly name: string;
  readonly taxId?: string;
  /** The ERP shows only its last digits. */
  readonly isTaxIdMasked?: boolean;
  readonly registrationNumber?: string;
  readonly address?: AddressRecord;
  readonly email?: string;
  readonly phone?: string;
  readonly currency?: string;
  readonly status: 'ACTIVE' | 'BLOCKED' | 'ARCHIVED';
  readonly mergedIntoExternalId?: string;
  /** All of its accounts; absent where the ERP lists them apart, in the stream `bankAccounts`. */
  readonly accounts?: readonly AccountRecord[];
  readonly modifiedAt?: string;
  /** The page of the vendor in the ERP. */
  readonly url?: string;
}

export interface AddressRecord {
  readonly line1?: string;
  readonly line2?: string;
  readonly city?: string;
  readonly region?: string;
  readonly postalCode?: string;
  /** ISO 3166-1 alpha-2 where the ERP tells it, else as it prints it. */
  readonly country?: string;
}

export interface AccountRecord {
  readonly externalId?: string;
  /** Valid, without spaces. */
  readonly iban?: string;
  /** Six digits, together with the account number. */
  readonly sortCode?: string;
  readonly accountNumber?: string;
  /** As the ERP prints it. */
  readonly raw: string;
  readonly holder?: string;
  readonly bic?: string;
  /** The ERP shows only a part of it. */
  readonly isMasked?: boolean;
  readonly isTrusted?: boolean;
}

/** A row of the stream `bankAccounts`; names its vendor by id or by number. */
export interface VendorAccountRecord {
  readonly externalId: string;
  readonly vendorExternalId?: string;
  readonly vendorNumber?: string;
  readonly account: AccountRecord;
}

export interface BillRecord {
  readonly externalId: string;
  readonly kind: 'BILL' | 'CREDIT_NOTE';
  /** The supplier's. */
  readonly documentNumber?: string;
  readonly erpNumber?: string;
  readonly vendorExternalId: string;
  readonly vendorName: string;
  readonly issueDate?: string;
  readonly dueDate?: string;
  readonly postingDate?: string;
  readonly currency: string;
  /** Positive also on credit notes: the kind has the sign. */
  readonly netAmount?: string;
  readonly taxAmount?: string;
  readonly grossAmount?: string;
  readonly purchaseOrderRefs: readonly string[];
  readonly state: 'DRAFT' | 'IN_APPROVAL' | 'OPEN' | 'PARTIALLY_PAID' | 'PAID' | 'VOID';
  readonly paidAmount?: string;
  readonly paidAccountExternalId?: string;
  readonly modifiedAt?: string;
  readonly url?: string;
}

export interface OrderRecord {
  readonly externalId: string;
  readonly number: string;
  readonly vendorExternalId: string;
  readonly currency: string;
  readonly netAmount?: string;
  readonly grossAmount?: string;
  readonly modifiedAt?: string;
}

export interface PaymentRecord {
  readonly externalId: string;
  readonly vendorExternalId: string;
  readonly date: string;
  readonly currency: string;
  readonly amount: string;
  readonly reference?: string;
  readonly billExternalIds: readonly string[];
  /** The vendor's account that was paid. */
  readonly account?: AccountRecord;
  readonly isReturned: boolean;
  readonly modifiedAt?: string;
}

export interface RecordsOf {
  readonly vendors: VendorRecord;
  readonly bankAccounts: VendorAccountRecord;
  readonly bills: BillRecord;
  readonly creditNotes: BillRecord;
  readonly payments: PaymentRecord;
  readonly orders: OrderRecord;
}
