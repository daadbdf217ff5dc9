import * as contract from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { Declared, Report, Values } from '@invoicecontrol/invoice/declaration';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccount } from '@invoicecontrol/values/bank-account';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import {
  amount,
  currency,
  day,
  flag,
  id,
  knownFlag,
  listOf,
  lookupText,
  oneOf,
  printedText,
  text,
  texts,
  time,
  url,
  visible,
  visibleId,
  writtenId,
} from './kinds.js';
import type { RecordKind } from './kinds.js';
import { asTaken } from './taken.js';

// The records into which the data of every ERP is converted (ERP reference, section 2). Each field is declared once. A
// field is absent if the ERP leaves it empty.

/** Maximum number of bank accounts of one vendor. */
export const ACCOUNTS_PER_VENDOR_MAX = 100;
/** Maximum number of orders that are stored for one bill, and of bills that are stored for one payment. */
export const REFERENCES_MAX = 200;
/** Maximum number of orders that are read for one bill from an ERP. */
export const PURCHASE_ORDERS_TAKEN_MAX = 100;

const externalId = required(visibleId, 'id');
const vendorExternalId = required(visibleId, 'vendor');
const modifiedAt = { ...optional(time, 'time of the last change'), wireName: 'modifiedTime' } as const;
/** URL of the page that shows the record in the ERP. */
const page = optional(url, 'address of the page in the ERP');

const address = {
  members: {
    line1: optional(text),
    line2: optional(text),
    city: optional(text),
    region: optional(text),
    postalCode: optional(text),
    /** Country as ISO 3166-1 alpha-2 code if the ERP provides the code, and otherwise as the ERP prints it. */
    country: optional(text),
  },
  isOptional: true,
  description: 'A postal address.',
} as const;

const account = {
  members: {
    /** Fields of bank accounts that the ERP lists separately from the vendors. */
    externalId: optional(id, 'id of the bank account'),
    /** IBAN of the vendor's bank account, if the ERP states a valid one. It is stored without spaces. */
    iban: optional(text),
    /** UK sort code of the vendor's bank account (six digits). A sort code requires an account number. */
    sortCode: optional(text),
    accountNumber: optional(text),
    /** Text that the ERP prints for the bank account, whether it is valid or not. */
    raw: required(printedText),
    holder: optional(text),
    bic: optional(text),
    /** True if the ERP shows only a part of the account number. Such an account is never compared. */
    isMasked: optional(flag),
    isTrusted: optional(knownFlag),
  },
  isOptional: true,
  description: 'An account of a vendor.',
  rule: hasBothHalves,
  taken: { normalise: withoutWrongNumber },
} as const;

export const vendor = {
  members: {
    externalId,
    name: required(visible(text)),
    number: optional(lookupText),
    taxId: optional(text),
    /** True if the ERP shows only the last digits of the tax id. */
    isTaxIdMasked: optional(flag),
    registrationNumber: optional(text),
    email: optional(text),
    phone: optional(text),
    address,
    mergedIntoExternalId: optional(id, 'merged vendor'),
    url: page,
    modifiedAt,
    /** All bank accounts of the vendor. Absent if the ERP lists bank accounts separately. */
    accounts: optional(
      listOf(
        account,
        {
          stored: ACCOUNTS_PER_VENDOR_MAX,
          taken: ACCOUNTS_PER_VENDOR_MAX,
          storedFault: (count, max) => `must list at most ${max} bank accounts of the vendor, not ${count}.`,
          takenFault: (max) => `The vendor has more than ${max} bank accounts.`,
        },
        asTaken,
      ),
    ),
    currency: optional(currency),
    status: required(oneOf(contract.VendorStatus)),
  },
  isOptional: false,
  description: 'A vendor.',
} as const;

/** A bank account that the ERP lists separately. The account names its vendor by id or by number. */
export const vendorAccount = {
  members: {
    externalId,
    vendorExternalId: optional(id, 'vendor id'),
    vendorNumber: optional(writtenId, 'vendor number'),
    account: { ...account, isOptional: false },
  },
  isOptional: false,
  description: 'An account with its vendor.',
  rule: namesItsVendor('vendor', 'must be named either by its id or by its number.'),
  taken: { rule: namesItsVendor('', 'The bank account does not name its vendor.') },
} as const;

/** A bill or credit note from an ERP. The amounts of both are positive, and `kind` implies the sign. */
export const bill = {
  members: {
    externalId,
    kind: required(oneOf(contract.BillKind)),
    vendorExternalId,
    vendorName: required(visible(text), 'name of the vendor'),
    /** Invoice number that the supplier assigned to the bill. */
    documentNumber: optional(text, 'document number'),
    erpNumber: optional(text, 'number'),
    /** Bank account to which the bill was or will be paid. */
    paidAccountExternalId: optional(id, 'paid account'),
    url: page,
    issueDate: optional(day()),
    dueDate: optional(day()),
    modifiedAt,
    purchaseOrderRefs: required(
      texts({ ...text, taken: visible(text).taken }, 'purchase order', {
        stored: REFERENCES_MAX,
        taken: PURCHASE_ORDERS_TAKEN_MAX,
        storedFault: (_, max) => `there are more than ${max}.`,
        takenFault: (max) => `The bill names more than ${max} purchase orders.`,
      }),
    ),
    currency: required(currency),
    netAmount: optional(amount()),
    taxAmount: optional(amount()),
    /** Amount of the bill that has been paid so far. */
    paidAmount: optional(amount()),
    grossAmount: optional(amount('unsigned')),
    state: required(oneOf(contract.BillState)),
  },
  isOptional: false,
  description: 'A bill or a credit note.',
  rule: isCompleteOnceEntered,
  taken: {},
} as const;

export const order = {
  members: {
    externalId,
    number: required(visible(text)),
    vendorExternalId,
    modifiedAt,
    currency: required(currency),
    netAmount: optional(amount()),
    grossAmount: optional(amount()),
  },
  isOptional: false,
  description: 'A purchase order.',
} as const;

export const payment = {
  members: {
    externalId,
    vendorExternalId,
    reference: optional(text),
    date: required(day('The payment has no date.')),
    modifiedAt,
    billExternalIds: required(
      texts(id, 'bill', {
        stored: REFERENCES_MAX,
        taken: 1_000,
        storedFault: (_, max) => `there are more than ${max}.`,
        takenFault: (max) => `The payment settles more than ${max} bills.`,
      }),
    ),
    currency: required(currency),
    amount: required(amount('unsigned')),
    /** Bank account of the vendor to which the payment was made. */
    account,
    /** True if the payment in the ERP was returned, voided or deleted. */
    isReturned: required(flag),
  },
  isOptional: false,
  description: 'A payment to a vendor.',
} as const;

export type VendorRecord = Declared<typeof vendor.members>;
/** Fields of a vendor in an ERP, except its bank accounts and its id in the ERP. */
export type VendorDetails = Omit<VendorRecord, 'externalId' | 'accounts'>;
export type VendorAccountRecord = Declared<typeof vendorAccount.members>;
export type AccountRecord = Declared<typeof account.members>;
export type BillRecord = Declared<typeof bill.members>;
export type BillKind = BillRecord['kind'];
export type BillState = BillRecord['state'];
export type OrderRecord = Declared<typeof order.members>;
export type PaymentRecord = Declared<typeof payment.members>;

/**
 * Declares a required field of an ERP record.
 * @param words the name of the field in sentences for people, if it differs from the name in the code
 */
function required<T>(kind: RecordKind<T>, words?: string) {
  return { kind, isOptional: false, description: words, hasPresence: true } as const;
}

/**
 * Declares an optional field of an ERP record. An empty text counts as an absent field, because some ERPs cannot leave
 * out a field.
 */
function optional<T>(kind: RecordKind<T>, words?: string) {
  return { kind, isOptional: true, description: words, hasPresence: false } as const;
}

function hasBothHalves({ sortCode, accountNumber }: Values, report: Report): void {
  if ((sortCode === undefined) !== (accountNumber === undefined)) {
    report('', 'a sort code and an account number come together.');
  }
}

/** Drops an invalid IBAN or account number, and keeps the account as printed text. */
function withoutWrongNumber(values: Values): Values {
  const { iban, sortCode, accountNumber, ...printed } = values;
  return values['isMasked'] === true || isReadable({ iban, sortCode, accountNumber } as UnreadAccount)
    ? values
    : printed;
}

type UnreadAccount = { readonly [name in 'iban' | 'sortCode' | 'accountNumber']: string | undefined };

/**
 * Checks whether a vendor's bank account has either a valid number, or no number that can be compared. National check
 * digits are not verified.
 */
function isReadable({ iban, sortCode, accountNumber }: UnreadAccount): boolean {
  if (iban !== undefined) return isRight({ iban });
  if (sortCode === undefined && accountNumber === undefined) return true;
  return sortCode !== undefined && accountNumber !== undefined && isRight({ sortCode, accountNumber });
}

function isRight(stated: BankAccount): boolean {
  return readBankAccount(stated).problems.every((problem) => problem === 'WRONG_NATIONAL_CHECK');
}

function namesItsVendor(name: string, message: string) {
  return (values: Values, report: Report): void => {
    if ((values['vendorExternalId'] === undefined) === (values['vendorNumber'] === undefined)) report(name, message);
  };
}

function isCompleteOnceEntered(values: Values, report: Report): void {
  const { state, documentNumber, erpNumber, issueDate, grossAmount } = values as unknown as BillRecord;
  if (state === 'DRAFT' || state === 'VOID') return;
  const isNumbered = hasVisibleText(documentNumber ?? erpNumber ?? '');
  if (isNumbered && issueDate !== undefined && grossAmount !== undefined) return;
  report('', 'A bill that is neither a draft nor voided must have a number, an issue date and an amount.');
}
