import type { Row } from '../call.js';

/** Types of fields that a filter of the simulated Business Central distinguishes. */
export type FieldType = 'guid' | 'string' | 'enum' | 'number' | 'boolean' | 'date' | 'dateTime';

export interface Entity {
  /** Name of the entity type in error messages of Business Central, such as `Microsoft.NAV.vendor`. */
  readonly type: string;
  readonly fields: Readonly<Record<string, FieldType>>;
  /**
   * Name of the field with the modification time, which the simulated Business Central sets if a record does not have
   * it.
   */
  readonly modified: string;
  /** Default values for fields that are not stated when a record of the simulated Business Central is created. */
  readonly defaults: Row;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
const NO_DATE = '0001-01-01';
/** Currency of the simulated company, which applies to documents without a currency. */
const LOCAL_CURRENCY = 'EUR';

const address = {
  addressLine1: 'string',
  addressLine2: 'string',
  city: 'string',
  state: 'string',
  country: 'string',
  postalCode: 'string',
} as const;
const totals = {
  pricesIncludeTax: 'boolean',
  discountAmount: 'number',
  totalAmountExcludingTax: 'number',
  totalTaxAmount: 'number',
  totalAmountIncludingTax: 'number',
} as const;
const noTotals = {
  pricesIncludeTax: false,
  discountAmount: 0,
  totalAmountExcludingTax: 0,
  totalTaxAmount: 0,
  totalAmountIncludingTax: 0,
};
const ofVendor = { vendorId: 'guid', vendorNumber: 'string', vendorName: 'string' } as const;
const ofNoVendor = { vendorId: NO_ID, vendorNumber: '', vendorName: '' };
const payTo = { payToVendorId: 'guid', payToVendorNumber: 'string', payToName: 'string' } as const;
const payToNobody = { payToVendorId: NO_ID, payToVendorNumber: '', payToName: '' };
const currency = { currencyId: 'guid', currencyCode: 'string' } as const;
const localCurrency = { currencyId: NO_ID, currencyCode: LOCAL_CURRENCY };
const modified = { lastModifiedDateTime: 'dateTime' } as const;

/** Entity sets below `/companies({id})` of the standard API v2.0 of Business Central. */
export const standardEntities: Readonly<Record<string, Entity>> = {
  vendors: {
    type: 'Microsoft.NAV.vendor',
    fields: {
      id: 'guid',
      number: 'string',
      displayName: 'string',
      ...address,
      phoneNumber: 'string',
      email: 'string',
      website: 'string',
      taxRegistrationNumber: 'string',
      ...currency,
      irs1099Code: 'string',
      paymentTermsId: 'guid',
      paymentMethodId: 'guid',
      taxLiable: 'boolean',
      blocked: 'enum',
      balance: 'number',
      ...modified,
    },
    modified: 'lastModifiedDateTime',
    defaults: {
      number: '',
      displayName: '',
      addressLine1: '',
      addressLine2: '',
      city: '',
      state: '',
      country: '',
      postalCode: '',
      phoneNumber: '',
      email: '',
      website: '',
      taxRegistrationNumber: '',
      ...localCurrency,
      irs1099Code: '',
      paymentTermsId: NO_ID,
      paymentMethodId: NO_ID,
      taxLiable: false,
      blocked: '_x0020_',
      balance: 0,
    },
  },
  companyInformation: {
    type: 'Microsoft.NAV.companyInformation',
    fields: {
      id: 'guid',
      displayName: 'string',
      ...address,
      taxRegistrationNumber: 'string',
      currencyCode: 'string',
      ...modified,
    },
    modified: 'lastModifiedDateTime',
    defaults: { displayName: '', taxRegistrationNumber: '', currencyCode: LOCAL_CURRENCY },
  },
  purchaseInvoices: {
    type: 'Microsoft.NAV.purchaseInvoice',
    fields: {
      id: 'guid',
      number: 'string',
      postingDate: 'date',
      invoiceDate: 'date',
      dueDate: 'date',
      vendorInvoiceNumber: 'string',
      ...ofVendor,
      ...payTo,
      ...currency,
      orderId: 'guid',
      orderNumber: 'string',
      ...totals,
      status: 'enum',
      ...modified,
    },
    modified: 'lastModifiedDateTime',
    defaults: {
      number: '',
      postingDate: NO_DATE,
      invoiceDate: NO_DATE,
      dueDate: NO_DATE,
      vendorInvoiceNumber: '',
      ...ofNoVendor,
      ...payToNobody,
      ...localCurrency,
      orderId: NO_ID,
      orderNumber: '',
      ...noTotals,
      status: 'Open',
    },
  },
  purchaseCreditMemos: {
    type: 'Microsoft.NAV.purchaseCreditMemo',
    fields: {
      id: 'guid',
      number: 'string',
      creditMemoDate: 'date',
      postingDate: 'date',
      dueDate: 'date',
      vendorCreditMemoNumber: 'string',
      ...ofVendor,
      ...payTo,
      ...currency,
      invoiceId: 'guid',
      invoiceNumber: 'string',
      ...totals,
      status: 'enum',
      ...modified,
    },
    modified: 'lastModifiedDateTime',
    defaults: {
      number: '',
      creditMemoDate: NO_DATE,
      postingDate: NO_DATE,
      dueDate: NO_DATE,
      vendorCreditMemoNumber: '',
      ...ofNoVendor,
      ...payToNobody,
      ...localCurrency,
      invoiceId: NO_ID,
      invoiceNumber: '',
      ...noTotals,
      status: 'Open',
    },
  },
  purchaseOrders: {
    type: 'Microsoft.NAV.purchaseOrder',
    fields: {
      id: 'guid',
      number: 'string',
      orderDate: 'date',
      postingDate: 'date',
      ...ofVendor,
      ...payTo,
      ...currency,
      ...totals,
      fullyReceived: 'boolean',
      status: 'enum',
      ...modified,
    },
    modified: 'lastModifiedDateTime',
    defaults: {
      number: '',
      orderDate: NO_DATE,
      postingDate: NO_DATE,
      ...ofNoVendor,
      ...payToNobody,
      ...localCurrency,
      ...noTotals,
      fullyReceived: false,
      status: 'Open',
    },
  },
};

/** Entity sets in the custom APIs of other publishers in Business Central, by publisher/group/version and name. */
export const publishedEntities: Readonly<Record<string, Readonly<Record<string, Entity>>>> = {
  'navipartner/core/v1.0': {
    vendorBankAccounts: {
      type: 'NaviPartner.core.vendorBankAccount',
      fields: {
        id: 'guid',
        code: 'string',
        vendorNo: 'string',
        iban: 'string',
        bankAccountNo: 'string',
        bankBranchNo: 'string',
        swiftCode: 'string',
        currencyCode: 'string',
        systemModifiedAt: 'dateTime',
      },
      modified: 'systemModifiedAt',
      defaults: {
        code: '',
        vendorNo: '',
        iban: '',
        bankAccountNo: '',
        bankBranchNo: '',
        swiftCode: '',
        currencyCode: '',
      },
    },
  },
  'microsoft/reportsFinance/beta': {
    vendorLedgerEntries: {
      type: 'Microsoft.API.FinancialManagement.vendorLedgerEntry',
      fields: {
        // The API query for ledger entries returns no ids, so the entry number identifies its records.
        entryNumber: 'number',
        documentType: 'enum',
        description: 'string',
        postingDate: 'date',
        documentNumber: 'string',
        externalDocumentNumber: 'string',
        balancingAccountNumber: 'string',
        balancingAccountType: 'enum',
        vendorNumber: 'string',
        open: 'boolean',
        amount: 'number',
        debitAmount: 'number',
        creditAmount: 'number',
        amountLocalCurrency: 'number',
        currencyCode: 'string',
        lastModifiedDateTime: 'dateTime',
      },
      modified: 'lastModifiedDateTime',
      defaults: {
        documentType: 'Payment',
        description: '',
        postingDate: NO_DATE,
        documentNumber: '',
        externalDocumentNumber: '',
        balancingAccountNumber: '',
        balancingAccountType: 'Bank_x0020_Account',
        vendorNumber: '',
        open: false,
        amount: 0,
        debitAmount: 0,
        creditAmount: 0,
        amountLocalCurrency: 0,
        currencyCode: '',
      },
    },
  },
};

export function entityOf(name: string): Entity | undefined {
  return standardEntities[name] ?? Object.values(publishedEntities).find((sets) => name in sets)?.[name];
}

/** Encodes spaces in option values as Business Central does, as in XML names. */
export function encodeOption(value: string): string {
  return value === '' ? '_x0020_' : value.replaceAll(' ', '_x0020_');
}
