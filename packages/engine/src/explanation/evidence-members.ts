import type { FindingType } from './catalogue.js';

/** Type of a field in the evidence of a finding, as JSON Schema describes it. */
export interface MemberSchema {
  readonly type: string | readonly string[];
  readonly description?: string;
  readonly items?: MemberSchema;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly required?: readonly string[];
}

/**
 * Members of the evidence of a finding, by name. A name that ends with `?` belongs to a member that may be absent.
 */
export type Members = Readonly<Record<string, MemberSchema>>;

const text = (description: string): MemberSchema => ({ type: 'string', description });
const number = (description: string): MemberSchema => ({ type: 'number', description });
const count = (description: string): MemberSchema => ({ type: 'integer', description });
const list = (items: MemberSchema, description: string): MemberSchema => ({ type: 'array', items, description });
const texts = (description: string): MemberSchema => list({ type: 'string' }, description);
const record = (members: Members, description?: string): MemberSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  ...objectOf(members),
});
const orNull = ({ type, ...schema }: MemberSchema): MemberSchema => ({ type: [String(type), 'null'], ...schema });

/**
 * Returns the properties of an object in the evidence of a finding, and the names of the properties that it always has.
 */
export function objectOf(members: Members): Required<Pick<MemberSchema, 'properties' | 'required'>> {
  const entries = Object.entries(members);
  return {
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
  };
}

const day = (what: string): MemberSchema => text(`${what}, as YYYY-MM-DD.`);
const amount = (what: string): MemberSchema => text(`${what}, as a decimal string with the decimals of the currency.`);
const currency = text('The currency of the amounts in the JSON object that contains this field, as an ISO 4217 code.');
const account = text('The bank account on the invoice, masked.');
const invoiceId = text('The id of the invoice.');
const invoiceNumber = text('The number of the invoice.');
const supplierId = text('The id of the supplier.');
const supplierName = text('The name of the supplier.');
const taxRate = (what: string): MemberSchema => number(`${what}, in percent.`);

const comparison = record({
  with: text('The id of the matched invoice with which the checked invoice is compared.'),
  field: text(
    'The compared field, such as `number`, `amount`, `date`, `supplier`, `taxId` or `order`. The first comparison with each matched invoice has the field `base`, which states the points that every comparison starts with.',
  ),
  left: orNull(text('The value of the compared field in the checked invoice, or null if no values were compared.')),
  right: orNull(text('The value of the compared field in the matched invoice, or null if no values were compared.')),
  'leftCurrency?': text('The currency of the amount in the checked invoice. Present only if amounts are compared.'),
  'rightCurrency?': text('The currency of the amount in the matched invoice. Present only if amounts are compared.'),
  relation: text(
    'The relation between the values in the checked and in the matched invoice, such as EQ for equal values.',
  ),
  points: number(
    'The points that the compared field adds to the likeness of the two invoices. Negative points reduce the likeness.',
  ),
  note: text('A sentence for people about the compared field of the two invoices.'),
});

const matchedInvoice = record({
  invoiceId: text('The id of the matched invoice.'),
  invoiceNumber: text('The number of the matched invoice.'),
  supplierName: text('The name of the supplier of the matched invoice.'),
  issueDate: day('The issue date of the matched invoice'),
  grossAmount: amount('The gross amount of the matched invoice'),
  currency: text('The currency of the matched invoice.'),
  companyId: text('The id of the company that received the matched invoice.'),
  purchaseOrderRef: orNull(text('The purchase order number on the matched invoice, or null if there is none.')),
  scanId: orNull(text('The id of the history scan that imported the matched invoice, or null if no scan imported it.')),
  externalId: orNull(text('The id of the matched invoice in the system from which it came, or null if there is none.')),
  sourceRowNumber: orNull(
    count('The row number of the matched invoice in the file of the caller, or null if there is none.'),
  ),
  status: text('The status of the matched invoice, such as ANALYZED.'),
  pairKey: text('A stable key of the pair of the checked and the matched invoice.'),
  points: number('The points of likeness between the checked and the matched invoice.'),
});

const matches: Members = {
  matchedTotal: count('The number of invoices that match the checked invoice.'),
  matched: list(matchedInvoice, 'The invoices that match the checked invoice, best match first, at most five.'),
};
const comparisons: Members = {
  points: number('The likeness, in points, between the checked invoice and the invoice that matches it best.'),
  ...matches,
  comparisons: list(comparison, 'The comparison of the invoice with each matched invoice, field by field.'),
};
const amountAtRisk: Members = {
  amountAtRisk: amount('The amount that would be paid twice'),
  amountAtRiskCurrency: text('The currency of the amount at risk.'),
};
const duplicate: Members = {
  ...comparisons,
  groupId: text('A key that all findings about copies of one invoice share.'),
  originalInvoiceId: text('The id of the original invoice, which arrived before its copies.'),
  ...amountAtRisk,
  'ksefNumber?': text(
    'The KSeF number of the checked or the matched invoice. Present only if one of these two invoices came through KSeF.',
  ),
};
const books: Members = { ...comparisons, ...amountAtRisk };

const usedAccount = {
  account: text('A known bank account of the supplier, masked.'),
  firstSeen: day('The issue date of the first invoice that states the bank account'),
  lastSeen: day('The issue date of the last invoice that states the bank account'),
  invoices: count('The number of invoices that state the bank account.'),
  trust: text('The trust that the bank account belongs to the supplier: UNVERIFIED, SEEN, ERP, REVIEWED or FRAUD.'),
};
const threshold: Members = {
  threshold: amount('The approval limit'),
  thresholdCurrency: text('The currency of the approval limit.'),
};
const paidRecords = text('The ERP records that state the payment: PAYMENTS, or BILLS that are marked as paid.');
const paymentId = text('The id of the payment in the ERP.');
const eInvoice: Members = {
  profile: text('The profile of the electronic invoice, such as PEPPOL_BIS.'),
  ruleSet: text('The name and version of the validation rules that were applied to the electronic invoice.'),
  total: count('The number of all faults in the electronic invoice, including faults that the evidence does not list.'),
};
const signs = texts('The signs that raised the severity of the finding.');

/** Members that the evidence of every finding has (detection reference, section 8). */
export const commonMembers: Members = {
  key: text(
    'A stable key of the case that the finding is about. A review applies to every later finding with the same key.',
  ),
  rule: text('The finding type and the version of the engine that raised the finding, as TYPE@version.'),
  parameters: {
    type: 'object',
    description: 'The values of the detection policy that the detection rule used to raise the finding.',
  },
  observed: {
    type: 'object',
    description: 'The observed values that the detection rule compared with the values of the detection policy.',
  },
  explanation: texts('The sentences that explain the finding to people, each about one fact.'),
  'externalId?': orNull(
    text('The id that the caller sent for the history scan row about which the finding was raised.'),
  ),
  'sourceRowNumber?': orNull(
    count('The row number, in the file of the caller, of the history scan row about which the finding was raised.'),
  ),
  'tolerance?': record(
    {
      signature: text('The key that identifies the findings to which the learned tolerance applies.'),
      falsePositives: count('The number of earlier findings that reviews dismissed as false positives.'),
      'reviewers?': count('The number of people who dismissed the earlier findings as false positives.'),
      learnedOn: day('The day when the learned tolerance began'),
      expiresOn: day('The day when the learned tolerance ends'),
      severityBefore: text('The severity that the finding has without the learned tolerance.'),
      confidenceBefore: number('The confidence that the finding has without the learned tolerance, from 0 to 100.'),
    },
    'The tolerance, learned from earlier reviews, that lowered the severity and the confidence of the finding.',
  ),
};

/**
 * Members that the evidence of each finding type has in addition to {@link commonMembers}. Every test of a detector
 * checks its findings against them, and the API description publishes them. Evidence stays free-form for callers: a
 * later engine may add members.
 */
export const evidenceMembers: Readonly<Record<FindingType, Members>> = {
  DUPLICATE_INVOICE: duplicate,
  SUSPECTED_DUPLICATE: duplicate,
  DUPLICATE_ACROSS_SUPPLIERS: {
    ...duplicate,
    supplierIds: texts('The ids of the suppliers of the matched invoices.'),
    sharedKey: orNull(
      text(
        'The detail that the suppliers of the matched invoices share: `tax`, `bank` or `name`, or null if there is none.',
      ),
    ),
  },
  CROSS_COMPANY_DUPLICATE: { ...duplicate, companyIds: texts('The ids of the companies that received the invoice.') },
  DUPLICATE_DOCUMENT: {
    ...matches,
    sha256: text('The SHA-256 hash of the uploaded file, in hexadecimal.'),
    earlierUploadAt: text('The time when the identical file was uploaded before.'),
  },
  SPLIT_DUPLICATE: {
    ...matches,
    wholeInvoiceId: text('The id of the invoice that bills the whole amount.'),
    parts: list(
      record({
        invoiceId,
        invoiceNumber,
        grossAmount: amount('The gross amount of the partial invoice'),
        currency,
        'sourceRowNumber?': count('The row number of the partial invoice in the file of the caller.'),
      }),
      'The partial invoices that add up to the whole invoice, at most 20.',
    ),
    partsTotal: count('The number of partial invoices that add up to the whole invoice.'),
    sum: amount('The sum of the partial invoices'),
    currency,
  },
  INVOICE_NUMBER_REUSED: duplicate,
  CREDIT_NOTE_UNMATCHED: {
    searchedKeys: texts('The invoice numbers for which the detection rule searched among the earlier invoices.'),
  },
  BANK_ACCOUNT_BLOCKLISTED: {
    account,
    reviewId: text('The id of the review that confirmed the fraud with the bank account.'),
    confirmedAt: text('The time when the fraud with the bank account was confirmed.'),
  },
  BANK_ACCOUNT_MASTER_MISMATCH: {
    account,
    masterAccounts: texts('The bank accounts of the vendor in the ERP, masked.'),
    erpVendorId: text('The id of the vendor in the ERP.'),
    syncedAt: text('The time of the ERP import whose vendor master was compared with the invoice.'),
  },
  BANK_ACCOUNT_CHANGED: {
    account,
    knownAccounts: list(record(usedAccount), 'The bank accounts that the supplier used before.'),
    firstSeen: day('The date of the first use of the known bank accounts'),
    lastSeen: day('The date of the last use of the known bank accounts'),
    invoicesOnOldAccount: count('The number of invoices that state a known bank account of the supplier.'),
    escalators: signs,
    'firstInvoiceNumber?': text('The number of the first invoice with the new bank account.'),
  },
  BANK_ACCOUNT_NEAR_MATCH: {
    account,
    nearest: text('The known bank account that resembles the bank account on the invoice, masked.'),
    differingPositions: list(
      { type: 'integer' },
      'The positions at which the bank account on the invoice differs from the known bank account.',
    ),
  },
  BANK_ACCOUNT_SHARED: {
    account,
    otherSuppliers: list(
      record({
        supplierId,
        name: supplierName,
        invoices: count('The number of invoices that state the bank account.'),
        firstSeen: usedAccount.firstSeen,
        lastSeen: usedAccount.lastSeen,
      }),
      'The other suppliers that use the bank account on the invoice.',
    ),
    firstLinkedAt: day('The issue date of the first invoice of another supplier with the bank account'),
  },
  BANK_ACCOUNT_REVERTED: {
    sequence: list(
      record({
        account: usedAccount.account,
        firstSeen: usedAccount.firstSeen,
        'lastSeen?': usedAccount.lastSeen,
        'invoices?': usedAccount.invoices,
        'trust?': usedAccount.trust,
      }),
      'The bank accounts of the supplier in the order of their use.',
    ),
    paidOnB: {
      type: ['boolean', 'null'],
      description:
        'Whether money was paid to the bank account that the supplier stated only for a short time, or null if unknown.',
    },
  },
  BANK_ACCOUNT_OWN: { account, companyId: text('The id of the company that owns the bank account on the invoice.') },
  BANK_ACCOUNT_INVALID: {
    account,
    reasonCodes: texts('The faults of the bank account number on the invoice, such as WRONG_LENGTH.'),
    'suspectCharacters?': list(
      record({
        position: count('The position of the suspect character in the bank account number.'),
        character: text('The character of the bank account number that was probably misread.'),
      }),
      'The characters of the bank account number that were probably misread.',
    ),
  },
  BANK_COUNTRY_MISMATCH: {
    account,
    ibanCountry: text('The country of the bank account on the invoice.'),
    taxCountry: text('The country of the tax id of the supplier.'),
  },
  BANK_ACCOUNT_FIRST_USE: { account, accountCountry: text('The country of the bank account on the invoice.'), signs },
  BANK_ACCOUNT_MISSING: {
    share: number("The share of the supplier's invoices that state a bank account, from 0 to 1."),
  },
  PAYEE_DIFFERS: {
    payee: text('The name of the payee that the document asks to pay.'),
    supplier: text('The name of the supplier on the invoice.'),
    account: orNull(account),
  },
  SUPPLIER_LOOKALIKE_NAME: {
    lookalikeOf: record({ supplierId, name: supplierName }, 'The supplier whose name is imitated.'),
    likeness: text('The kind of likeness between the name of the supplier and the imitated name.'),
    edits: count('The number of letters in which the name of the supplier and the imitated name differ.'),
    establishedInvoices: count('The number of invoices of the imitated supplier.'),
    'account?': account,
    'taxId?': orNull(text('The tax id of the supplier on the invoice, or null if there is none.')),
    'establishedTaxId?': orNull(text('The tax id of the imitated supplier, or null if there is none.')),
  },
  SUPPLIER_TAX_ID_CHANGED: {
    oldTaxId: text('The tax id that earlier invoices under the name of the supplier stated.'),
    newTaxId: text('The tax id of the supplier on the invoice.'),
    knownSupplierId: text('The id of the known supplier that has the same name and the earlier tax id.'),
  },
  SUPPLIER_TAX_ID_INVALID: {
    country: text('The country of the tax id of the supplier.'),
    reason: text('The fault of the tax id of the supplier, such as WRONG_CHECK_DIGIT.'),
  },
  SUPPLIER_TAX_ID_MISSING: {
    share: number("The share of the supplier's invoices that state a tax id, from 0 to 1."),
  },
  SUPPLIER_NAME_MISMATCH: {
    knownNames: texts('The supplier names that earlier invoices state for the tax id.'),
    taxId: text('The tax id of the supplier on the invoice.'),
  },
  SUPPLIER_TAX_ID_FIRST_USE: { taxId: text('The tax id of the supplier on the invoice.'), signs },
  SUPPLIER_NEW_HIGH_VALUE: {
    p95: orNull(
      amount(
        'The amount that 95% of the recent invoices of the organization do not exceed, or null if there are too few invoices',
      ),
    ),
    'currency?': currency,
  },
  SUPPLIER_NEW: {},
  SUPPLIER_DORMANT_REACTIVATED: {
    gapDays: count('The number of days since the last invoice of the supplier.'),
    medianGap: number('The usual number of days between two invoices of the supplier.'),
    lastInvoice: day('The issue date of the last invoice of the supplier'),
  },
  SUPPLIER_NOT_IN_MASTER: {
    syncedAt: text('The time of the ERP import whose vendor master was compared with the invoice.'),
  },
  SUPPLIER_IS_OWN_COMPANY: {
    companyId: text('The id of the company of the organization that has the tax id of the supplier.'),
  },
  AMOUNT_OUTLIER: {
    ratio: number('The ratio of the amount of the invoice to the usual amount of the supplier.'),
    sampleSize: count('The number of earlier invoice amounts with which the invoice was compared.'),
    'z?': number(
      'The distance between the amount of the invoice and the usual amount, in multiples of the usual deviation of the earlier amounts.',
    ),
    'median?': amount('The usual amount of an invoice from the supplier'),
    'currency?': currency,
    'mad?': number('The deviation of the earlier invoice amounts, on a logarithmic scale.'),
    'window?': record(
      {
        from: day('The issue date of the first earlier invoice that was compared'),
        to: day('The issue date of the last earlier invoice that was compared'),
      },
      'The period of the earlier invoices with which the invoice was compared.',
    ),
  },
  AMOUNT_MAGNITUDE_SHIFT: {
    matchedAmount: amount('The earlier amount of the supplier with the same digits'),
    currency,
    factor: text('The factor between the amount of the invoice and the earlier amount, such as 10 or 1/10.'),
  },
  RECURRING_AMOUNT_CHANGED: {
    series: list(
      record({
        issueDate: day('The issue date of an earlier invoice of the supplier'),
        grossAmount: amount('The gross amount of an earlier invoice of the supplier'),
        currency,
      }),
      'The earlier invoices of the supplier with the recurring amount.',
    ),
    oldAmount: amount('The recurring amount of the earlier invoices'),
    currency,
    changePct: number('The change from the recurring amount to the amount of the invoice, in percent.'),
  },
  AMOUNT_ROUND: {
    roundShare: orNull(
      number('The share of round amounts among the earlier invoices, from 0 to 1, or null if there are none.'),
    ),
  },
  AMOUNT_BELOW_THRESHOLD: threshold,
  SPLIT_BELOW_THRESHOLD: {
    group: list(
      record({
        invoiceId,
        invoiceNumber,
        issueDate: day('The issue date of the invoice'),
        grossAmount: amount('The gross amount of the invoice'),
        currency,
        order: orNull(text('The purchase order number on the invoice, or null if there is none.')),
      }),
      'The invoices whose amounts are each just under the approval limit.',
    ),
    sum: amount('The sum of the invoices just under the approval limit'),
    currency,
    ...threshold,
    days: count('The number of days between the first and the last invoice just under the approval limit.'),
  },
  AMOUNT_ZERO: {},
  TAX_ARITHMETIC_MISMATCH: {
    difference: amount('The difference between the gross amount and the sum of net amount and tax, without its sign'),
    expectedGross: amount('The sum of the net amount and the tax'),
    currency,
  },
  TAX_RATE_IMPLAUSIBLE: {
    rate: taxRate('The tax rate of the invoice'),
    maxRate: orNull(taxRate('The highest tax rate in the country of the supplier, or null if unknown')),
    validFrom: orNull(day('The day since which the highest tax rate of the country applies, or null if unknown')),
  },
  TAX_RATE_UNUSUAL: {
    usualRate: taxRate('The usual tax rate of the supplier'),
    rate: taxRate('The tax rate of the invoice'),
  },
  TAX_WITHOUT_REGISTRATION: {},
  TAX_CROSS_BORDER_CHARGED: { countries: texts('The countries of the supplier and of the buyer.') },
  ISSUE_DATE_FUTURE: {
    daysAhead: count('The number of days from the day of the analysis to the issue date of the invoice.'),
    swappedCandidate: orNull(
      day('The issue date with day and month swapped, or null if the swapped date is no better'),
    ),
  },
  ISSUE_DATE_STALE: {
    ageDays: count('The number of days from the issue date of the invoice to the day of the analysis.'),
  },
  DUE_DATE_BEFORE_ISSUE: {
    days: count('The number of days by which the due date of the invoice is before its issue date.'),
  },
  PAYMENT_TERMS_CHANGED: {
    usualDays: count('The usual payment term of the supplier, in days.'),
    newDays: count('The payment term of the invoice, in days.'),
  },
  ISSUE_DATE_WEEKEND: { weekday: text('The weekday of the issue date, such as Saturday.') },
  INVOICE_NUMBER_FORMAT_CHANGED: {
    usualPattern: text(
      'The usual pattern of the invoice numbers of the supplier. A stands for letters and 9 for digits.',
    ),
    pattern: text('The pattern of the number of the invoice. A stands for letters and 9 for digits.'),
  },
  INVOICE_NUMBER_OUT_OF_SEQUENCE: {
    expectedRange: record(
      {
        from: number('The lowest number that was expected for the next invoice of the supplier.'),
        to: number('The highest number that was expected for the next invoice of the supplier.'),
      },
      'The range in which the next invoice number of the supplier was expected.',
    ),
    value: number('The number that the invoice has in the series of invoice numbers of the supplier.'),
  },
  INVOICE_NUMBERS_CONSECUTIVE: { numbers: texts('The consecutive invoice numbers of the supplier.') },
  PO_MISSING: {
    poShare: number("The share of the supplier's invoices that state a purchase order, from 0 to 1."),
    reference: orNull(text('The purchase order field of the invoice, or null if the field is empty.')),
  },
  PO_SUPPLIER_MISMATCH: {
    otherSupplier: record({ supplierId, name: supplierName }, 'The supplier to whom the purchase order belongs.'),
    firstUse: orNull(
      day(
        'The issue date of the first invoice of the other supplier for the purchase order, or null if only the ERP names that supplier',
      ),
    ),
  },
  PO_OVERBILLED: {
    orderTotal: amount('The total of the purchase order'),
    billed: amount('The amount billed against the purchase order, including the checked invoice'),
    excess: amount('The billed amount that exceeds the purchase order'),
    currency,
  },
  PO_REPEATED_AMOUNT: {
    invoices: list(
      record({ invoiceId, issueDate: day('The issue date of the invoice') }),
      'The earlier invoices that bill the same amount against the purchase order.',
    ),
  },
  CURRENCY_UNKNOWN: { candidates: texts('The currencies that the currency sign in the document may mean.') },
  CURRENCY_CHANGED: {
    usual: text('The usual currency of the supplier.'),
    new: text('The currency of the invoice.'),
  },
  CURRENCY_WITHOUT_RATE: {},
  CURRENCY_UNUSUAL_FOR_COUNTRY: { country: text('The country of the supplier.') },
  BUYER_MISMATCH: {
    buyerTaxId: text("The buyer's tax id on the invoice."),
    companyTaxId: orNull(text('The tax id of the company that received the invoice, or null if the company has none.')),
    buyerName: orNull(text("The buyer's name on the invoice, or null if there is none.")),
  },
  BUYER_NAME_MISMATCH: { buyerName: text("The buyer's name on the invoice.") },
  DOCUMENT_MODIFIED_AFTER_SIGNING: {
    changed: text(
      'The part of the document that changed after signing: CONTENT, SIGNATURE_REMOVED or FORM_OR_VALIDATION.',
    ),
    revisions: count('The number of revisions of the document file.'),
    signatureCoverage: number('The percentage of the file that the signature covers.'),
  },
  DOCUMENT_TAMPER_SIGNS: {
    signals: list(
      record({
        signal: text('The kind of sign that the document was edited, such as OVERLAY.'),
        weight: number('The weight of the sign that the document was edited.'),
        objects: texts('The objects in the PDF file that show that the document was edited.'),
      }),
      'The signs that the document was edited.',
    ),
    producer: orNull(text('The program that wrote the file, or null if the file does not state it.')),
  },
  DOCUMENT_HIDDEN_TEXT: {
    snippets: texts('The hidden texts of the document, masked.'),
    positions: list(
      record({
        page: count('The number of the document page with the hidden text, counted from 1.'),
        hiddenBy: text('The reason why a reader cannot see the hidden text, such as COLOUR.'),
        box: list(
          { type: 'number' },
          'The position of the hidden text: left, top, right and bottom, as shares of the page from 0 to 1.',
        ),
      }),
      'The positions of the hidden texts in the document.',
    ),
  },
  DOCUMENT_FIELD_CONFLICT: {
    field: text('The invoice field with the most important difference.'),
    xmlValue: text('The value of the invoice field in the machine-readable part of the document.'),
    visibleValue: orNull(
      text('The value of the invoice field on the visible page, or null if the page does not show the field.'),
    ),
    conflicts: list(
      record({
        field: text('The name of the invoice field that differs.'),
        source: text('The machine-readable part of the document, such as XML.'),
        machineValue: text('The value of the invoice field in the machine-readable part of the document.'),
        visibleValue: orNull(
          text('The value of the invoice field on the visible page, or null if the page does not show the field.'),
        ),
      }),
      'All invoice fields that differ between the machine-readable part and the visible page.',
    ),
  },
  KSEF_CONTENT_DIFFERS: {
    ksefNumber: orNull(text('The KSeF number that the document states, or null if there is none.')),
    ksefInvoiceId: orNull(text('The id of the invoice from KSeF, or null if that invoice was not received.')),
    documentInvoiceId: text('The id of the invoice from the document.'),
    differences: list(
      record({
        field: text('The name of the invoice field that differs.'),
        documentValue: text('The value of the invoice field in the document.'),
        ksefValue: text('The value of the invoice field in the invoice from KSeF.'),
        'documentValueCurrency?': text('The currency of the value in the document. Present only for amounts.'),
        'ksefValueCurrency?': text('The currency of the value in KSeF. Present only for amounts.'),
      }),
      'The invoice fields that differ between the document and KSeF.',
    ),
  },
  KSEF_INVOICE_MISSING: { ksefNumber: orNull(text('The KSeF number on the invoice, or null if there is none.')) },
  EXTRACTION_LOW_CONFIDENCE: {
    fields: list(
      record({
        field: text('The name of the invoice field that could not be read with certainty.'),
        confidence: number('The confidence in the value of the invoice field, from 0 to 1.'),
      }),
      'The invoice fields that could not be read with certainty.',
    ),
    method: text('The method that read the document, such as TEXT or OCR.'),
  },
  E_INVOICE_SCHEMA_INVALID: {
    ...eInvoice,
    errors: list(
      record({
        message: text('The message that explains the schema error in the electronic invoice.'),
        location: text('The place of the error in the electronic invoice.'),
      }),
      'The schema errors of the electronic invoice.',
    ),
  },
  E_INVOICE_RULE_FAILED: {
    ...eInvoice,
    rules: list(
      record({
        id: text('The id of the broken validation rule, such as BR-CO-15.'),
        flag: text('The weight of the broken validation rule: FATAL or WARNING.'),
        message: text('The text of the broken validation rule.'),
        location: text('The place of the error in the electronic invoice.'),
        expected: orNull(text('The value that the validation rule expects, or null if the rule names no value.')),
        actual: orNull(text('The value that the electronic invoice states, or null if the rule names no value.')),
      }),
      'The validation rules that the electronic invoice breaks.',
    ),
  },
  E_INVOICE_PROFILE_CONFLICT: { profiles: texts('The profiles that the electronic invoice declares.') },
  VENDOR_RECORD_DUPLICATE: {
    vendorIds: texts('The ids of the vendor records in the ERP.'),
    sharedKey: text('The detail that the vendor records share, such as `tax` or `bank`.'),
  },
  VENDOR_MASTER_BANK_CHANGED: {
    'vendorId?': text('The id of the vendor in the ERP.'),
    'old?': texts('The bank accounts of the vendor before the change, masked.'),
    'new?': texts('The bank accounts of the vendor after the change, masked.'),
    openBills: count('The number of open bills of the vendor.'),
    changedBetween: texts('The times of the two synchronisations between which the bank account was changed.'),
    'vendorIds?': texts(
      'The ids of the vendors in the ERP, if the bank accounts of many vendors were changed at once.',
    ),
  },
  BOOKS_DUPLICATE_BILL: books,
  DUPLICATE_PAYMENT: {
    ...Object.fromEntries(Object.entries(books).map(([name, schema]) => [`${name}?`, schema])),
    paidRecords,
    paymentIds: texts('The ids of the payments in the ERP.'),
    dates: texts('The days of the payments, as YYYY-MM-DD.'),
  },
  PAYMENT_ACCOUNT_MISMATCH: {
    paymentId,
    paidRecords,
    account: text('The bank account to which the payment went, masked.'),
  },
  PAYMENT_AMOUNT_MISMATCH: {
    paymentId,
    paidRecords,
    paid: amount('The amount of the payment'),
    due: amount('The amount of the bill that was due'),
    currency,
  },
  SCAN_REIMPORTED: {
    earlierScanId: text('The id of the earlier history scan.'),
    share: number('The share of the rows of the history scan that the earlier scan also contains, from 0 to 1.'),
  },
  BENFORD_DEVIATION: {
    mad: number(
      'The mean difference between the share of invoice amounts that begin with each first digit and the expected share.',
    ),
    noise: number(
      'The difference between the shares of first digits and the expected shares that chance alone can explain.',
    ),
    n: count('The number of invoice amounts whose first digits were counted.'),
    digits: count('The number of leading digits of each invoice amount that were examined: 1 or 2.'),
    spikes: list(
      record({
        digits: count('The leading digits with which too many invoice amounts begin.'),
        share: number('The share of the invoice amounts that begin with these leading digits, from 0 to 1.'),
        expected: number(
          'The expected share of the invoice amounts that begin with these leading digits, from 0 to 1.',
        ),
        z: number(
          'The distance, in standard deviations, between the share of invoice amounts that begin with these leading digits and the expected share.',
        ),
      }),
      'The leading digits with which far too many invoice amounts begin.',
    ),
    'supplierId?': supplierId,
  },
  THRESHOLD_CLUSTER: {
    threshold: amount('The approval limit'),
    currency,
    counts: record(
      {
        under: count('The number of invoice amounts just under the approval limit.'),
        neighbours: count('The number of invoice amounts in the bands next to the approval limit.'),
      },
      'The numbers of invoice amounts near the approval limit.',
    ),
    suppliers: list(
      record({
        supplierId,
        name: supplierName,
        invoices: count('The number of invoices of the supplier just under the approval limit.'),
      }),
      'The suppliers with most of the invoices just under the approval limit.',
    ),
  },
};
