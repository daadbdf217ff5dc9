import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

// What ERP systems have entered, as synchronisations bring it (ERP reference, section 2). Undefined: not stated.

export const vendorStatuses = ['ACTIVE', 'BLOCKED', 'ARCHIVED'] as const;
export type VendorStatus = (typeof vendorStatuses)[number];

export interface AccountRecord {
  /** Of accounts that the ERP lists apart from the vendors. */
  readonly externalId: string | undefined;
  readonly iban: string | undefined;
  readonly sortCode: string | undefined;
  readonly accountNumber: string | undefined;
  /** As the ERP prints it. */
  readonly raw: string;
  readonly holder: string | undefined;
  readonly bic: string | undefined;
  /** The ERP shows only a part of it: it is never compared. */
  readonly isMasked: boolean;
  readonly isTrusted: boolean | undefined;
}

export interface AddressRecord {
  readonly line1: string | undefined;
  readonly line2: string | undefined;
  readonly city: string | undefined;
  readonly region: string | undefined;
  readonly postalCode: string | undefined;
  readonly country: string | undefined;
}

/** A vendor without its accounts. */
export interface VendorDetails {
  readonly number: string | undefined;
  readonly name: string;
  readonly taxId: string | undefined;
  readonly isTaxIdMasked: boolean;
  readonly registrationNumber: string | undefined;
  readonly address: AddressRecord | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly currency: string | undefined;
  readonly status: VendorStatus;
  readonly mergedIntoExternalId: string | undefined;
  readonly modifiedAt: Date | undefined;
  /** Its page in the ERP. */
  readonly url: string | undefined;
}

export interface VendorRecord extends VendorDetails {
  readonly externalId: string;
  /** All of its accounts; undefined where the ERP lists them apart. */
  readonly accounts: readonly AccountRecord[] | undefined;
}

/** An account that is listed apart, with its vendor: by id, or else by number. */
export interface VendorAccountRecord {
  readonly externalId: string;
  readonly vendorExternalId: string | undefined;
  readonly vendorNumber: string | undefined;
  readonly account: AccountRecord;
}

export const billStates = ['DRAFT', 'IN_APPROVAL', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID'] as const;
export type BillState = (typeof billStates)[number];
export type BillKind = 'BILL' | 'CREDIT_NOTE';

/** A bill or a credit note. The kind has the sign of its amounts. */
export interface BillRecord {
  readonly externalId: string;
  readonly kind: BillKind;
  /** The supplier's. */
  readonly documentNumber: string | undefined;
  readonly erpNumber: string | undefined;
  readonly vendorExternalId: string;
  readonly vendorName: string;
  readonly issueDate: CalendarDate | undefined;
  readonly dueDate: CalendarDate | undefined;
  readonly postingDate: CalendarDate | undefined;
  readonly currency: string;
  readonly netAmount: DecimalAmount | undefined;
  readonly taxAmount: DecimalAmount | undefined;
  readonly grossAmount: DecimalAmount | undefined;
  readonly purchaseOrderRefs: readonly string[];
  readonly state: BillState;
  readonly paidAmount: DecimalAmount | undefined;
  readonly paidAccountExternalId: string | undefined;
  readonly modifiedAt: Date | undefined;
  readonly url: string | undefined;
}

export interface OrderRecord {
  readonly externalId: string;
  readonly number: string;
  readonly vendorExternalId: string;
  readonly currency: string;
  readonly netAmount: DecimalAmount | undefined;
  readonly grossAmount: DecimalAmount | undefined;
  readonly modifiedAt: Date | undefined;
}

export interface PaymentRecord {
  readonly externalId: string;
  readonly vendorExternalId: string;
  readonly date: CalendarDate;
  readonly currency: string;
  readonly amount: DecimalAmount;
  readonly reference: string | undefined;
  /** The bills that it settles. */
  readonly billExternalIds: readonly string[];
  /** The vendor's account that was paid. */
  readonly account: AccountRecord | undefined;
  readonly isReturned: boolean;
  readonly modifiedAt: Date | undefined;
}

/** Kinds of records whose ids are compared with a complete list. */
export const erpEntities = ['VENDOR', 'VENDOR_ACCOUNT', 'BILL', 'CREDIT_NOTE', 'ORDER', 'PAYMENT'] as const;
export type ErpEntity = (typeof erpEntities)[number];
