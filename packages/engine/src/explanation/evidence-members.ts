import type { FindingType } from './catalogue.js';

/** Type of a member of evidence, as JSON Schema describes it. */
export interface MemberSchema {
  readonly type: string | readonly string[];
  readonly description?: string;
  readonly items?: MemberSchema;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly required?: readonly string[];
}

/** Members by name. A name that ends with `?` is of a member that some evidence of the type lacks. */
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

/** Returns the properties of an object in the evidence, and the names of those that it always has. */
export function objectOf(members: Members): Required<Pick<MemberSchema, 'properties' | 'required'>> {
  const entries = Object.entries(members);
  return {
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
  };
}

const day = (what: string): MemberSchema => text(`${what}, as YYYY-MM-DD.`);
const amount = (what: string): MemberSchema =>
  text(`${what}, as a decimal string with the decimals of the currency beside it.`);
const currency = text('The currency of the amounts in the same record, as an ISO 4217 code.');
const account = text('The bank account on the invoice, masked.');
const invoiceId = text('The id of the invoice.');
const invoiceNumber = text('The number of the invoice.');
const supplierId = text('The id of the supplier.');
const supplierName = text('The name of the supplier.');
const taxRate = (what: string): MemberSchema => number(`${what}, in percent.`);

const comparison = record({
  with: text('The id of the matched invoice that the row compares.'),
  field: text(
    'The compared field, such as `number`, `amount`, `date`, `supplier`, `taxId` or `order`. Each matched invoice begins with a row `base`.',
  ),
  left: orNull(text('The value of the checked invoice, or null if the row compares no values.')),
  right: orNull(text('The value of the matched invoice, or null if the row compares no values.')),
  'leftCurrency?': text('The currency of the left value, on rows about amounts.'),
  'rightCurrency?': text('The currency of the right value, on rows about amounts.'),
  relation: text('The relation of the two compared values, such as EQ for equal values.'),
  points: number('The points that the row adds to the likeness of the two invoices. Negative points speak against it.'),
  note: text('A sentence for people about the compared field.'),
});

const matchedInvoice = record({
  invoiceId: text('The id of the matched invoice.'),
  invoiceNumber: text('The number of the matched invoice.'),
  supplierName: text('The supplier of the matched invoice.'),
  issueDate: day('The issue date of the matched invoice'),
  grossAmount: amount('The gross amount of the matched invoice'),
  currency: text('The currency of the matched invoice.'),
  companyId: text('The id of the company that received the matched invoice.'),
  purchaseOrderRef: orNull(text('The purchase order on the matched invoice, or null if there is none.')),
  scanId: orNull(text('The id of the history scan that imported the matched invoice, or null.')),
  externalId: orNull(text("The caller's id of the matched invoice, or null if there is none.")),
  sourceRowNumber: orNull(count("The row of the matched invoice in the caller's file, or null if there is none.")),
  status: text('The status of the matched record, such as ANALYZED.'),
  pairKey: text('A stable key of the pair of invoices.'),
  points: number('The points of the likeness of the two invoices.'),
});

const matches: Members = {
  matchedTotal: count('The number of compared invoices that match.'),
  matched: list(matchedInvoice, 'The invoices that match, the best match first, at most five.'),
};
const comparisons: Members = {
  points: number('The points of the invoice that matches best.'),
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
  originalInvoiceId: text('The id of the invoice that arrived first.'),
  ...amountAtRisk,
  'ksefNumber?': text('The KSeF number of the invoice, if one of the two came through KSeF.'),
};
const books: Members = { ...comparisons, ...amountAtRisk };

const usedAccount = {
  account: text('A known bank account of the supplier, masked.'),
  firstSeen: day('The issue date of the first invoice with the account'),
  lastSeen: day('The issue date of the last invoice with the account'),
  invoices: count('The number of invoices with the account.'),
  trust: text('The trust in the account: UNVERIFIED, SEEN, ERP, REVIEWED or FRAUD.'),
};
const threshold: Members = {
  threshold: amount('The approval limit'),
  thresholdCurrency: text('The currency of the approval limit.'),
};
const paidRecords = text('The ERP records that state the payment: PAYMENTS, or BILLS that are marked as paid.');
const paymentId = text('The id of the payment in the ERP.');
const eInvoice: Members = {
  profile: text('The profile of the electronic invoice, such as PEPPOL_BIS.'),
  ruleSet: text('The name and version of the rules that were applied.'),
  total: count('The number of faults, of which the evidence lists a part.'),
};
const signs = texts('The signs that raised the severity.');

/** Members that the evidence of every finding has (detection reference, section 8). */
export const commonMembers: Members = {
  key: text(
    'A stable key of the case that the finding is about. A review applies to every later finding with the same key.',
  ),
  rule: text('The finding type and the version of the engine that raised the finding, as TYPE@version.'),
  parameters: { type: 'object', description: 'The values of the detection policy that the rule used.' },
  observed: { type: 'object', description: 'The values that the detection rule compared.' },
  explanation: texts('The sentences that explain the finding to people, each about one fact.'),
  'externalId?': orNull(text("The caller's id of the row, on findings of a history scan.")),
  'sourceRowNumber?': orNull(count("The row number in the caller's file, on findings of a history scan.")),
  'tolerance?': record(
    {
      signature: text('The key of the findings to which the tolerance applies.'),
      falsePositives: count('The number of findings that reviews dismissed.'),
      'reviewers?': count('The number of people who dismissed earlier findings.'),
      learnedOn: day('The day when the tolerance began'),
      expiresOn: day('The day when the tolerance ends'),
      severityBefore: text('The severity of the finding without the tolerance.'),
      confidenceBefore: number('The confidence without the tolerance, from 0 to 100.'),
    },
    'The tolerance learned from earlier reviews that lowered severity and confidence.',
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
    sharedKey: orNull(text('The detail that the suppliers share: `tax`, `bank` or `name`, or null if there is none.')),
  },
  CROSS_COMPANY_DUPLICATE: { ...duplicate, companyIds: texts('The ids of the companies that received the invoice.') },
  DUPLICATE_DOCUMENT: {
    ...matches,
    sha256: text('The SHA-256 hash of the file, in hexadecimal.'),
    earlierUploadAt: text('The time when the file was uploaded before.'),
  },
  SPLIT_DUPLICATE: {
    ...matches,
    wholeInvoiceId: text('The id of the invoice for the whole amount.'),
    parts: list(
      record({
        invoiceId,
        invoiceNumber,
        grossAmount: amount('The gross amount of the partial invoice'),
        currency,
        'sourceRowNumber?': count("The row of the partial invoice in the caller's file."),
      }),
      'The partial invoices, at most 20.',
    ),
    partsTotal: count('The number of partial invoices.'),
    sum: amount('The sum of the partial invoices'),
    currency,
  },
  INVOICE_NUMBER_REUSED: duplicate,
  CREDIT_NOTE_UNMATCHED: { searchedKeys: texts('The invoice numbers for which the rule searched.') },
  BANK_ACCOUNT_BLOCKLISTED: {
    account,
    reviewId: text('The id of the review that confirmed the fraud.'),
    confirmedAt: text('The time when the fraud was confirmed.'),
  },
  BANK_ACCOUNT_MASTER_MISMATCH: {
    account,
    masterAccounts: texts('The bank accounts of the vendor in the ERP, masked.'),
    erpVendorId: text('The id of the vendor in the ERP.'),
    syncedAt: text('The time of the vendor master that was compared.'),
  },
  BANK_ACCOUNT_CHANGED: {
    account,
    knownAccounts: list(record(usedAccount), 'The bank accounts that the supplier used before.'),
    firstSeen: day('The first use of the known accounts'),
    lastSeen: day('The last use of the known accounts'),
    invoicesOnOldAccount: count('The number of invoices with the known accounts.'),
    escalators: signs,
    'firstInvoiceNumber?': text('The number of the first invoice with the new account.'),
  },
  BANK_ACCOUNT_NEAR_MATCH: {
    account,
    nearest: text('The known bank account that resembles the one on the invoice, masked.'),
    differingPositions: list({ type: 'integer' }, 'The positions at which the two accounts differ.'),
  },
  BANK_ACCOUNT_SHARED: {
    account,
    otherSuppliers: list(
      record({
        supplierId,
        name: supplierName,
        invoices: count('The number of invoices with the account.'),
        firstSeen: usedAccount.firstSeen,
        lastSeen: usedAccount.lastSeen,
      }),
      'The other suppliers that use the account.',
    ),
    firstLinkedAt: day('The issue date of the first invoice of another supplier with the account'),
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
      'The bank accounts in the order of their use.',
    ),
    paidOnB: { type: ['boolean', 'null'], description: 'Whether the second account was paid, or null if unknown.' },
  },
  BANK_ACCOUNT_OWN: { account, companyId: text('The id of the company whose bank account it is.') },
  BANK_ACCOUNT_INVALID: {
    account,
    reasonCodes: texts('The faults of the account number, such as WRONG_LENGTH.'),
    'suspectCharacters?': list(
      record({
        position: count('The position of the character in the account number.'),
        character: text('The character of the bank account at the position.'),
      }),
      'The characters that are probably misread.',
    ),
  },
  BANK_COUNTRY_MISMATCH: {
    account,
    ibanCountry: text('The country of the bank account.'),
    taxCountry: text('The country of the tax id.'),
  },
  BANK_ACCOUNT_FIRST_USE: { account, accountCountry: text('The country of the bank account.'), signs },
  BANK_ACCOUNT_MISSING: {
    share: number("The share of the supplier's invoices that state a bank account, from 0 to 1."),
  },
  PAYEE_DIFFERS: {
    payee: text('The payee on the invoice.'),
    supplier: text('The supplier on the invoice.'),
    account: orNull(account),
  },
  SUPPLIER_LOOKALIKE_NAME: {
    lookalikeOf: record({ supplierId, name: supplierName }, 'The supplier whose name is imitated.'),
    likeness: text('The kind of likeness between the two names.'),
    edits: count('The number of letters in which the names differ.'),
    establishedInvoices: count('The number of invoices of the imitated supplier.'),
    'account?': account,
    'taxId?': orNull(text('The tax id on the invoice, or null if there is none.')),
    'establishedTaxId?': orNull(text('The tax id of the imitated supplier, or null if there is none.')),
  },
  SUPPLIER_TAX_ID_CHANGED: {
    oldTaxId: text('The known tax id of the supplier.'),
    newTaxId: text('The tax id on the invoice.'),
    knownSupplierId: text('The id of the supplier with the known tax id.'),
  },
  SUPPLIER_TAX_ID_INVALID: {
    country: text('The country of the tax id.'),
    reason: text('The fault of the tax id, such as WRONG_CHECK_DIGIT.'),
  },
  SUPPLIER_TAX_ID_MISSING: {
    share: number("The share of the supplier's invoices that state a tax id, from 0 to 1."),
  },
  SUPPLIER_NAME_MISMATCH: {
    knownNames: texts('The names that earlier invoices state for the tax id.'),
    taxId: text('The tax id on the invoice.'),
  },
  SUPPLIER_TAX_ID_FIRST_USE: { taxId: text('The tax id on the invoice.'), signs },
  SUPPLIER_NEW_HIGH_VALUE: {
    p95: orNull(amount('The amount that 95 % of the invoices do not exceed, or null if there are too few invoices')),
    'currency?': currency,
  },
  SUPPLIER_NEW: {},
  SUPPLIER_DORMANT_REACTIVATED: {
    gapDays: count('The number of days since the last invoice of the supplier.'),
    medianGap: number('The usual number of days between two invoices of the supplier.'),
    lastInvoice: day('The issue date of the last invoice of the supplier'),
  },
  SUPPLIER_NOT_IN_MASTER: { syncedAt: text('The time of the vendor master that was compared.') },
  SUPPLIER_IS_OWN_COMPANY: { companyId: text('The id of the company whose tax id it is.') },
  AMOUNT_OUTLIER: {
    ratio: number('The ratio of the amount to the usual amount.'),
    sampleSize: count('The number of earlier amounts that were compared.'),
    'z?': number('The distance from the usual amount in deviations.'),
    'median?': amount('The usual amount'),
    'currency?': currency,
    'mad?': number('The deviation of the earlier amounts, on a logarithmic scale.'),
    'window?': record(
      { from: day('The first issue date of the sample'), to: day('The last issue date of the sample') },
      'The period of the earlier invoice amounts.',
    ),
  },
  AMOUNT_MAGNITUDE_SHIFT: {
    matchedAmount: amount('The earlier amount with the same digits'),
    currency,
    factor: text('The factor between the two amounts, such as 10 or 1/10.'),
  },
  RECURRING_AMOUNT_CHANGED: {
    series: list(
      record({
        issueDate: day('The issue date of the earlier invoice'),
        grossAmount: amount('The gross amount of the earlier invoice'),
        currency,
      }),
      'The earlier invoices of the series.',
    ),
    oldAmount: amount('The amount of the earlier invoices'),
    currency,
    changePct: number('The change of the amount, in percent.'),
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
        order: orNull(text('The purchase order on the invoice, or null if there is none.')),
      }),
      'The invoices that are each just under the limit.',
    ),
    sum: amount('The sum of the invoices'),
    currency,
    ...threshold,
    days: count('The number of days between the first and the last of the invoices.'),
  },
  AMOUNT_ZERO: {},
  TAX_ARITHMETIC_MISMATCH: {
    difference: amount('The difference between the gross amount and the sum of net and tax, without its sign'),
    expectedGross: amount('The sum of the net amount and the tax'),
    currency,
  },
  TAX_RATE_IMPLAUSIBLE: {
    rate: taxRate('The tax rate of the invoice'),
    maxRate: orNull(taxRate('The highest tax rate of the country, or null if unknown')),
    validFrom: orNull(day('The day since which the highest rate applies, or null if unknown')),
  },
  TAX_RATE_UNUSUAL: { usualRate: taxRate('The usual tax rate of the supplier'), rate: taxRate('The tax rate') },
  TAX_WITHOUT_REGISTRATION: {},
  TAX_CROSS_BORDER_CHARGED: { countries: texts('The countries of the supplier and of the buyer.') },
  ISSUE_DATE_FUTURE: {
    daysAhead: count('The number of days from the day of analysis to the issue date.'),
    swappedCandidate: orNull(day('The date with day and month swapped, or null if it is no better')),
  },
  ISSUE_DATE_STALE: { ageDays: count('The number of days from the issue date to the day of analysis.') },
  DUE_DATE_BEFORE_ISSUE: { days: count('The number of days from the due date to the issue date.') },
  PAYMENT_TERMS_CHANGED: {
    usualDays: count('The usual number of days until payment.'),
    newDays: count('The number of days until payment on the invoice.'),
  },
  ISSUE_DATE_WEEKEND: { weekday: text('The weekday of the issue date, such as Saturday.') },
  INVOICE_NUMBER_FORMAT_CHANGED: {
    usualPattern: text('The usual pattern of the numbers, in which A is a letter group and 9 a digit group.'),
    pattern: text('The pattern of the number on the invoice.'),
  },
  INVOICE_NUMBER_OUT_OF_SEQUENCE: {
    expectedRange: record(
      { from: number('The lowest expected invoice number.'), to: number('The highest expected invoice number.') },
      'The range in which the series continues.',
    ),
    value: number('The number on the invoice within its series.'),
  },
  INVOICE_NUMBERS_CONSECUTIVE: { numbers: texts('The consecutive invoice numbers.') },
  PO_MISSING: {
    poShare: number("The share of the supplier's invoices that state an order, from 0 to 1."),
    reference: orNull(text('The order field of the invoice, or null if it is empty.')),
  },
  PO_SUPPLIER_MISMATCH: {
    otherSupplier: record({ supplierId, name: supplierName }, 'The supplier to whom the order belongs.'),
    firstUse: orNull(
      day('The issue date of the first invoice of the other supplier for the order, or null if only the ERP names it'),
    ),
  },
  PO_OVERBILLED: {
    orderTotal: amount('The total of the purchase order'),
    billed: amount('The amount billed against the order, with this invoice'),
    excess: amount('The amount that exceeds the order'),
    currency,
  },
  PO_REPEATED_AMOUNT: {
    invoices: list(
      record({ invoiceId, issueDate: day('The issue date of the invoice') }),
      'The earlier invoices with the same amount for the order.',
    ),
  },
  CURRENCY_UNKNOWN: { candidates: texts('The currencies that the document may mean.') },
  CURRENCY_CHANGED: {
    usual: text('The usual currency of the supplier.'),
    new: text('The currency of the invoice.'),
  },
  CURRENCY_WITHOUT_RATE: {},
  CURRENCY_UNUSUAL_FOR_COUNTRY: { country: text('The country of the supplier.') },
  BUYER_MISMATCH: {
    buyerTaxId: text("The buyer's tax id on the invoice."),
    companyTaxId: orNull(text('The tax id of the company that received the invoice, or null if it has none.')),
    buyerName: orNull(text("The buyer's name on the invoice, or null if there is none.")),
  },
  BUYER_NAME_MISMATCH: { buyerName: text("The buyer's name on the invoice.") },
  DOCUMENT_MODIFIED_AFTER_SIGNING: {
    changed: text('The part that changed: CONTENT, SIGNATURE_REMOVED or FORM_OR_VALIDATION.'),
    revisions: count('The number of revisions of the file.'),
    signatureCoverage: number('The percentage of the file that the signature covers.'),
  },
  DOCUMENT_TAMPER_SIGNS: {
    signals: list(
      record({
        signal: text('The sign of an edit, such as OVERLAY.'),
        weight: number('The weight of the sign of an edit.'),
        objects: texts('The objects of the PDF that show the sign of an edit.'),
      }),
      'The signs that the document was edited.',
    ),
    producer: orNull(text('The program that wrote the file, or null if the file does not state it.')),
  },
  DOCUMENT_HIDDEN_TEXT: {
    snippets: texts('The hidden texts of the document, masked.'),
    positions: list(
      record({
        page: count('The number of the document page, from 1.'),
        hiddenBy: text('The reason why a reader cannot see the text, such as COLOUR.'),
        box: list(
          { type: 'number' },
          'The position of the hidden text: left, top, right and bottom, as shares of the page from 0 to 1.',
        ),
      }),
      'The positions of the hidden texts in the document.',
    ),
  },
  DOCUMENT_FIELD_CONFLICT: {
    field: text('The field with the most important difference.'),
    xmlValue: text('The value in the machine-readable part.'),
    visibleValue: orNull(text('The value on the page, or null if the page does not show one.')),
    conflicts: list(
      record({
        field: text('The invoice field that differs.'),
        source: text('The machine-readable part, such as XML.'),
        machineValue: text('The value in the machine-readable part.'),
        visibleValue: orNull(text('The value on the page, or null if the page does not show one.')),
      }),
      'All invoice fields that differ.',
    ),
  },
  KSEF_CONTENT_DIFFERS: {
    ksefNumber: orNull(text('The KSeF number that the document states, or null if there is none.')),
    ksefInvoiceId: orNull(text('The id of the invoice from KSeF, or null if it was not received.')),
    documentInvoiceId: text('The id of the invoice from the document.'),
    differences: list(
      record({
        field: text('The invoice field that differs.'),
        documentValue: text('The value of the field in the document.'),
        ksefValue: text('The value of the field in KSeF.'),
        'documentValueCurrency?': text('The currency of the value in the document, for amounts.'),
        'ksefValueCurrency?': text('The currency of the value in KSeF, for amounts.'),
      }),
      'The invoice fields that differ from KSeF.',
    ),
  },
  KSEF_INVOICE_MISSING: { ksefNumber: orNull(text('The KSeF number on the invoice, or null if there is none.')) },
  EXTRACTION_LOW_CONFIDENCE: {
    fields: list(
      record({
        field: text('The name of the invoice field.'),
        confidence: number('The confidence in the value of the field, from 0 to 1.'),
      }),
      'The fields that could not be read with certainty.',
    ),
    method: text('The method that read the document, such as TEXT or OCR.'),
  },
  E_INVOICE_SCHEMA_INVALID: {
    ...eInvoice,
    errors: list(
      record({
        message: text('The message of the schema that the document violates.'),
        location: text('The place of the error in the document.'),
      }),
      'The schema errors of the document.',
    ),
  },
  E_INVOICE_RULE_FAILED: {
    ...eInvoice,
    rules: list(
      record({
        id: text('The id of the rule, such as BR-CO-15.'),
        flag: text('The weight of the rule: FATAL or WARNING.'),
        message: text('The text of the validation rule.'),
        location: text('The place of the error in the document.'),
        expected: orNull(text('The value that the rule expects, or null.')),
        actual: orNull(text('The value that the document states, or null.')),
      }),
      'The rules that the document breaks.',
    ),
  },
  E_INVOICE_PROFILE_CONFLICT: { profiles: texts('The profiles that the document declares.') },
  VENDOR_RECORD_DUPLICATE: {
    vendorIds: texts('The ids of the vendor records in the ERP.'),
    sharedKey: text('The detail that the vendor records share, such as `tax` or `bank`.'),
  },
  VENDOR_MASTER_BANK_CHANGED: {
    'vendorId?': text('The id of the vendor in the ERP.'),
    'old?': texts('The bank accounts before the change, masked.'),
    'new?': texts('The bank accounts after the change, masked.'),
    openBills: count('The number of open bills.'),
    changedBetween: texts('The times of the two synchronisations between which the change happened.'),
    'vendorIds?': texts('The ids of the vendors in the ERP, if many accounts changed at once.'),
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
    paid: amount('The amount that was paid'),
    due: amount('The amount that was due'),
    currency,
  },
  SCAN_REIMPORTED: {
    earlierScanId: text('The id of the earlier history scan.'),
    share: number('The share of rows that the earlier scan also has, from 0 to 1.'),
  },
  BENFORD_DEVIATION: {
    mad: number('The mean deviation of the shares of first digits from the expected shares.'),
    noise: number('The deviation of first digits that chance explains.'),
    n: count('The number of amounts whose first digits were counted.'),
    digits: count('The number of first digits that were counted together.'),
    spikes: list(
      record({
        digits: count('The first digits of the amounts.'),
        share: number('The share of amounts with these first digits, from 0 to 1.'),
        expected: number('The expected share, from 0 to 1.'),
        z: number('The distance from the expected share in deviations.'),
      }),
      'The first digits of amounts that occur far too often.',
    ),
    'supplierId?': supplierId,
  },
  THRESHOLD_CLUSTER: {
    threshold: amount('The approval limit'),
    currency,
    counts: record(
      {
        under: count('The number of amounts just under the approval limit.'),
        neighbours: count('The number of amounts in the bands next to the approval limit.'),
      },
      'The numbers of amounts that were compared.',
    ),
    suppliers: list(
      record({ supplierId, name: supplierName, invoices: count('The number of invoices just under the limit.') }),
      'The suppliers with most of the invoices.',
    ),
  },
};
