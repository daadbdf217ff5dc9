/** Finding types as data. Severities and confidences are in the policy, rules in the detectors. */

export const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Severity = (typeof severities)[number];

/** Findings of one family describe one problem from several angles; the score counts the strongest in full. */
export const families = {
  DUP: 'The same supply billed twice',
  BANK: 'Whom the money would go to',
  SUP: 'Who sends the invoice',
  AMT: 'What it asks for',
  TAX: 'Its tax',
  DATE: 'Its dates and terms',
  NUM: 'How the supplier counts its invoices',
  PO: 'The order behind it',
  CUR: 'Its currency',
  BUY: 'Whom it is addressed to',
  DOC: 'The document it was read from',
  SCAN: 'What only a whole scan or the books show',
} as const;
export type Family = keyof typeof families;

/** Facts that a rule needs; without them it raises nothing. */
export const requiredFacts = {
  EARLIER_RECORDS: 'earlier invoices with which it shares a number, an amount or a file',
  SUPPLIER_HISTORY: 'the history of the supplier',
  RELATED_SUPPLIERS: 'other suppliers of the same name',
  LOOKALIKES: 'suppliers with a similar name',
  ACCOUNT: 'a bank account on the invoice',
  ACCOUNT_LINKS: 'who else uses the account',
  ORDER: 'an order number on the invoice',
  ORDER_LINKS: 'who has billed the order',
  ORDER_MASTER: 'the order in the ERP',
  TAX_ID: 'a tax id on the invoice',
  NET_AND_TAX: 'net and tax amounts',
  DUE_DATE: 'a due date',
  BUYER: 'a buyer on the invoice',
  COMPANIES: 'the companies of the organization',
  VENDOR_MASTER: 'the vendor list of the ERP',
  BOOKS: 'the bills in the ERP',
  PAYMENTS: 'the payments in the ERP',
  FILE: 'an uploaded file',
  DOCUMENT: 'what was read from the document',
  SCAN: 'a finished scan',
} as const;
export type RequiredFact = keyof typeof requiredFacts;

export interface FindingKind {
  readonly family: Family;
  /** The severities it can have, mildest first. */
  readonly severities: readonly Severity[];
  /** Beyond what every invoice states. */
  readonly requires: readonly RequiredFact[];
  /** What it says, in one sentence. */
  readonly description: string;
  /** What to do, with `{name}` standing for a value the detector supplies; null when there is nothing to do. */
  readonly recommendedAction: string | null;
}

export const catalogue = {
  DUPLICATE_INVOICE: {
    family: 'DUP',
    severities: ['CRITICAL'],
    requires: ['EARLIER_RECORDS'],
    description: 'The same invoice is already there: same number, amount and supplier.',
    recommendedAction:
      'Do not pay. Confirm with {supplier} that this is {number} of {date} again; void this record, or claim the money back if both were paid.',
  },
  SUSPECTED_DUPLICATE: {
    family: 'DUP',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['EARLIER_RECORDS'],
    description: 'The invoice resembles an earlier one in number, amount, date and supplier.',
    recommendedAction:
      'Compare both documents side by side; if they bill the same supply, reject one, or claim the money back if both were paid.',
  },
  DUPLICATE_ACROSS_SUPPLIERS: {
    family: 'DUP',
    severities: ['MEDIUM', 'HIGH', 'CRITICAL'],
    requires: ['EARLIER_RECORDS'],
    description: 'The same invoice is there under another supplier record.',
    recommendedAction: 'Check whether the two supplier records are one vendor; pay only one and merge the records.',
  },
  CROSS_COMPANY_DUPLICATE: {
    family: 'DUP',
    severities: ['HIGH'],
    requires: ['EARLIER_RECORDS'],
    description: 'The same invoice was sent to another company of the organization.',
    recommendedAction: 'Establish which company is the recipient; reject in the other.',
  },
  DUPLICATE_DOCUMENT: {
    family: 'DUP',
    severities: ['INFO', 'CRITICAL'],
    requires: ['FILE', 'EARLIER_RECORDS'],
    description: 'The uploaded file was analyzed before, byte for byte.',
    recommendedAction: 'The identical file was processed before; discard this upload.',
  },
  SPLIT_DUPLICATE: {
    family: 'DUP',
    severities: ['HIGH'],
    requires: ['EARLIER_RECORDS'],
    description: 'Parts of an invoice and the whole of it are both billed.',
    recommendedAction: 'The parts add up to {number}; pay either the whole or the parts.',
  },
  INVOICE_NUMBER_REUSED: {
    family: 'DUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['EARLIER_RECORDS'],
    description: 'The supplier used the invoice number before for another amount or date.',
    recommendedAction: 'Ask the supplier whether this corrects or replaces the earlier invoice with the same number.',
  },
  CREDIT_NOTE_UNMATCHED: {
    family: 'DUP',
    severities: ['INFO'],
    requires: ['EARLIER_RECORDS'],
    description: 'A credit note names no invoice and equals none.',
    recommendedAction: 'Allocate the credit note to an invoice before the next payment run.',
  },
  BANK_ACCOUNT_BLOCKLISTED: {
    family: 'BANK',
    severities: ['CRITICAL'],
    requires: ['ACCOUNT', 'ACCOUNT_LINKS'],
    description: 'The account was confirmed as fraudulent in this organization.',
    recommendedAction:
      'Stop payment and inform the security officer; this account was confirmed as fraudulent on {date}.',
  },
  BANK_ACCOUNT_MASTER_MISMATCH: {
    family: 'BANK',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['ACCOUNT', 'VENDOR_MASTER'],
    description: 'The account is none of those in the vendor master.',
    recommendedAction:
      'Call the supplier on the number held in the vendor master, not on the invoice; pay only to the master account.',
  },
  BANK_ACCOUNT_CHANGED: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'],
    requires: ['ACCOUNT', 'SUPPLIER_HISTORY'],
    description: 'The supplier asks for payment to another account than before.',
    recommendedAction: 'Verify the change by calling a known contact; do not reply to the e-mail that announced it.',
  },
  BANK_ACCOUNT_NEAR_MATCH: {
    family: 'BANK',
    severities: ['HIGH'],
    requires: ['ACCOUNT', 'SUPPLIER_HISTORY'],
    description: 'A new account differs from a known one of the supplier in one or two digits.',
    recommendedAction: 'Likely misread or forged digit; {verification}.',
  },
  BANK_ACCOUNT_REVERTED: {
    family: 'BANK',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['ACCOUNT', 'SUPPLIER_HISTORY'],
    description: 'The supplier returns to its account after a short time on another one.',
    recommendedAction: 'Review what was paid to the intermediate account and who changed it.',
  },
  BANK_ACCOUNT_SHARED: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['ACCOUNT', 'ACCOUNT_LINKS'],
    description: 'The account belongs to another supplier.',
    recommendedAction:
      'Find out why two suppliers use one account; fake supplier and supplier takeover look like this.',
  },
  BANK_ACCOUNT_INVALID: {
    family: 'BANK',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['ACCOUNT'],
    description: 'The account cannot exist: length, structure or check digits are wrong.',
    recommendedAction: 'Ask for the correct account; a payment would be returned or misdirected.',
  },
  BANK_COUNTRY_MISMATCH: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['ACCOUNT', 'TAX_ID'],
    description: 'The bank is in another country than the tax registration of the supplier.',
    recommendedAction: 'Confirm that the supplier banks in {country}.',
  },
  BANK_ACCOUNT_FIRST_USE: {
    family: 'BANK',
    severities: ['INFO', 'LOW'],
    requires: ['ACCOUNT'],
    description: 'The supplier states an account for the first time.',
    recommendedAction: 'Verify the account once before the first payment.',
  },
  BANK_ACCOUNT_MISSING: {
    family: 'BANK',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier used to state an account and now states none.',
    recommendedAction: 'Pay only to {account}.',
  },
  BANK_ACCOUNT_OWN: {
    family: 'BANK',
    severities: ['MEDIUM'],
    requires: ['ACCOUNT', 'COMPANIES'],
    description: 'The account belongs to a company of the organization itself.',
    recommendedAction: 'Check: the invoice asks to be paid into an own account.',
  },
  SUPPLIER_LOOKALIKE_NAME: {
    family: 'SUP',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['LOOKALIKES'],
    description:
      'The name of a new supplier is almost that of an established one, or exactly that with an account which the other never used.',
    recommendedAction: 'Treat as possible impersonation of {name}; confirm registration and account independently.',
  },
  SUPPLIER_TAX_ID_CHANGED: {
    family: 'SUP',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['TAX_ID', 'RELATED_SUPPLIERS'],
    description: 'A supplier of the same name was known under another tax id of the same country.',
    recommendedAction: 'Check in the register whether the legal entity changed.',
  },
  SUPPLIER_NAME_MISMATCH: {
    family: 'SUP',
    severities: ['MEDIUM'],
    requires: ['TAX_ID', 'SUPPLIER_HISTORY'],
    description: 'The tax id is known under names that have nothing in common with this one.',
    recommendedAction: 'Check who issued the invoice; name and tax id belong to different parties.',
  },
  SUPPLIER_TAX_ID_INVALID: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['TAX_ID'],
    description: 'The tax id is not valid in the country that it states or that the supplier is known to be of.',
    recommendedAction: 'Ask for a corrected invoice; input tax may not be deductible.',
  },
  SUPPLIER_TAX_ID_MISSING: {
    family: 'SUP',
    severities: ['LOW'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier used to state a tax id and now states none.',
    recommendedAction: "Request the supplier's tax id.",
  },
  SUPPLIER_NEW: {
    family: 'SUP',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The first invoice of a supplier.',
    recommendedAction: 'Complete supplier onboarding.',
  },
  SUPPLIER_NEW_HIGH_VALUE: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The first invoice of a supplier is a large one.',
    recommendedAction: 'Require order or contract evidence before the first payment to a new supplier.',
  },
  SUPPLIER_DORMANT_REACTIVATED: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier bills again after a long silence.',
    recommendedAction: 'Confirm that business with this supplier has resumed.',
  },
  SUPPLIER_NOT_IN_MASTER: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['VENDOR_MASTER'],
    description: 'The vendor list of the company does not know the supplier.',
    recommendedAction: 'Create and approve the vendor before payment.',
  },
  SUPPLIER_IS_OWN_COMPANY: {
    family: 'SUP',
    severities: ['MEDIUM'],
    requires: ['TAX_ID', 'COMPANIES'],
    description: 'The supplier is a company of the organization itself.',
    recommendedAction: 'Intercompany or self-billing: route to group accounting.',
  },
  AMOUNT_OUTLIER: {
    family: 'AMT',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The amount is far above what the supplier usually bills.',
    recommendedAction: 'Check quantity, price and order; {comparison}.',
  },
  AMOUNT_MAGNITUDE_SHIFT: {
    family: 'AMT',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The amount is an earlier one with the decimal point elsewhere.',
    recommendedAction: 'Probable decimal slip; compare with the document.',
  },
  RECURRING_AMOUNT_CHANGED: {
    family: 'AMT',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier billed one amount again and again, and now another.',
    recommendedAction: 'Ask for the contract basis of the increase.',
  },
  AMOUNT_ROUND: {
    family: 'AMT',
    severities: ['INFO', 'LOW'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The amount is round, which those of the supplier seldom are.',
    recommendedAction: 'No action for this alone; weigh it with other findings.',
  },
  AMOUNT_BELOW_THRESHOLD: {
    family: 'AMT',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The amount is just under an approval limit.',
    recommendedAction: 'No action for this alone.',
  },
  SPLIT_BELOW_THRESHOLD: {
    family: 'AMT',
    severities: ['INFO', 'LOW', 'MEDIUM', 'HIGH'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'Several invoices of a few days stay just under an approval limit.',
    recommendedAction: 'Treat the group as one purchase for approval.',
  },
  AMOUNT_ZERO: {
    family: 'AMT',
    severities: ['LOW'],
    requires: [],
    description: 'Nothing is billed.',
    recommendedAction: 'Confirm that no payment is due.',
  },
  TAX_ARITHMETIC_MISMATCH: {
    family: 'TAX',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['NET_AND_TAX'],
    description: 'Net and tax do not add up to the gross amount.',
    recommendedAction: 'Reject for correction; the totals do not add up.',
  },
  TAX_RATE_IMPLAUSIBLE: {
    family: 'TAX',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['NET_AND_TAX'],
    description:
      "The tax is more than the law of the supplier's country knows, or has another sign than the net amount.",
    recommendedAction: 'Ask for a corrected invoice; {fault}.',
  },
  TAX_RATE_UNUSUAL: {
    family: 'TAX',
    severities: ['LOW'],
    requires: ['NET_AND_TAX', 'SUPPLIER_HISTORY'],
    description: 'The supplier always charged one tax rate and now another.',
    recommendedAction: 'Check the tax code.',
  },
  TAX_WITHOUT_REGISTRATION: {
    family: 'TAX',
    severities: ['LOW', 'MEDIUM'],
    requires: ['NET_AND_TAX'],
    description: 'Tax is charged without a valid tax id.',
    recommendedAction: 'Do not deduct input tax until a valid id is shown.',
  },
  TAX_CROSS_BORDER_CHARGED: {
    family: 'TAX',
    severities: ['LOW'],
    requires: ['NET_AND_TAX', 'TAX_ID', 'BUYER'],
    description: 'Tax is charged to a buyer who is registered in another country of the European Union.',
    recommendedAction: 'Check reverse charge.',
  },
  ISSUE_DATE_FUTURE: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: [],
    description: 'The issue date is in the future.',
    recommendedAction: 'Reject or correct the date{swapped}.',
  },
  ISSUE_DATE_STALE: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: [],
    description: 'The invoice is older than a year.',
    recommendedAction: 'Check limitation, tax period and earlier payment.',
  },
  DUE_DATE_BEFORE_ISSUE: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: ['DUE_DATE'],
    description: 'The invoice was due before it was issued.',
    recommendedAction: 'Ask for corrected dates.',
  },
  PAYMENT_TERMS_CHANGED: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: ['DUE_DATE', 'SUPPLIER_HISTORY'],
    description: 'Payment is asked for much sooner than usual.',
    recommendedAction: 'Pay on the agreed terms unless the contract changed.',
  },
  ISSUE_DATE_WEEKEND: {
    family: 'DATE',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice was issued on a weekend, on which the supplier does not bill.',
    recommendedAction: 'No action for this alone.',
  },
  INVOICE_NUMBER_FORMAT_CHANGED: {
    family: 'NUM',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice number has a pattern that the supplier never used.',
    recommendedAction: 'Compare layout and sender with earlier invoices.',
  },
  INVOICE_NUMBER_OUT_OF_SEQUENCE: {
    family: 'NUM',
    severities: ['LOW'],
    requires: ['SUPPLIER_HISTORY'],
    description: "The invoice number does not follow the supplier's series.",
    recommendedAction: 'Ask why the number does not follow the series.',
  },
  INVOICE_NUMBERS_CONSECUTIVE: {
    family: 'NUM',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice numbers of the supplier leave no room for other customers.',
    recommendedAction: 'The buyer seems to be the only customer; confirm that the supplier really trades.',
  },
  PO_MISSING: {
    family: 'PO',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'An order number is expected and missing.',
    recommendedAction: 'Obtain the order number before approval.',
  },
  PO_SUPPLIER_MISMATCH: {
    family: 'PO',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['ORDER', 'ORDER_LINKS'],
    description: 'The order belongs to another supplier.',
    recommendedAction: 'Ask purchasing whose order this is.',
  },
  PO_OVERBILLED: {
    family: 'PO',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['ORDER', 'ORDER_MASTER'],
    description: 'More is billed on the order than was ordered.',
    recommendedAction: 'Hold the excess until the order is raised or credited.',
  },
  PO_REPEATED_AMOUNT: {
    family: 'PO',
    severities: ['LOW'],
    requires: ['ORDER', 'ORDER_LINKS'],
    description: 'The same amount is billed on one order again and again.',
    recommendedAction: 'Check partial deliveries against receipts.',
  },
  CURRENCY_UNKNOWN: {
    family: 'CUR',
    severities: ['HIGH'],
    requires: ['DOCUMENT'],
    description: 'The currency of the document could not be read.',
    recommendedAction: 'Enter the currency from the document.',
  },
  CURRENCY_CHANGED: {
    family: 'CUR',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier bills in a currency that it never used.',
    recommendedAction: 'Confirm the currency with the contract.',
  },
  CURRENCY_UNUSUAL_FOR_COUNTRY: {
    family: 'CUR',
    severities: ['LOW'],
    requires: [],
    description: 'The currency belongs neither to the country of the supplier nor to that of the buyer.',
    recommendedAction: 'Confirm the currency.',
  },
  BUYER_MISMATCH: {
    family: 'BUY',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['BUYER', 'COMPANIES'],
    description: 'The tax id of the buyer is not that of the company.',
    recommendedAction: 'The invoice is addressed to another party; reject or re-route.',
  },
  BUYER_NAME_MISMATCH: {
    family: 'BUY',
    severities: ['MEDIUM'],
    requires: ['BUYER', 'COMPANIES'],
    description: 'The name of the buyer is like that of no company.',
    recommendedAction: 'Check to whom the invoice is addressed.',
  },
  DOCUMENT_MODIFIED_AFTER_SIGNING: {
    family: 'DOC',
    severities: ['INFO', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description: 'The content of a signed document was changed after it was signed.',
    recommendedAction: 'Obtain the original from the supplier through a known channel.',
  },
  DOCUMENT_TAMPER_SIGNS: {
    family: 'DOC',
    severities: ['INFO', 'MEDIUM', 'HIGH', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description:
      'The document shows traces of having been edited, or shows something else than an earlier revision of it.',
    recommendedAction: 'Compare with earlier invoices of the supplier; ask for the original file.',
  },
  DOCUMENT_HIDDEN_TEXT: {
    family: 'DOC',
    severities: ['HIGH'],
    requires: ['DOCUMENT'],
    description: 'The document holds text that readers cannot see, with amounts, accounts or instructions.',
    recommendedAction: 'Do not trust extracted values; key them from the visible page.',
  },
  DOCUMENT_FIELD_CONFLICT: {
    family: 'DOC',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description: 'The machine-readable part of the document says something else than the visible page.',
    recommendedAction: 'Pay nothing until the supplier explains the difference.',
  },
  EXTRACTION_LOW_CONFIDENCE: {
    family: 'DOC',
    severities: ['INFO', 'MEDIUM'],
    requires: ['DOCUMENT'],
    description: 'Fields of the document could not be read with certainty.',
    recommendedAction: 'Check the listed fields against the document.',
  },
  E_INVOICE_SCHEMA_INVALID: {
    family: 'DOC',
    severities: ['HIGH'],
    requires: ['DOCUMENT'],
    description: 'The electronic invoice does not follow the schema of its format.',
    recommendedAction: 'Ask the supplier for an electronic invoice that is valid.',
  },
  E_INVOICE_RULE_FAILED: {
    family: 'DOC',
    severities: ['INFO', 'MEDIUM', 'HIGH'],
    requires: ['DOCUMENT'],
    description: 'The electronic invoice breaks rules of the profile it declares.',
    recommendedAction: 'Ask the supplier to correct the listed rules.',
  },
  E_INVOICE_PROFILE_CONFLICT: {
    family: 'DOC',
    severities: ['LOW'],
    requires: ['DOCUMENT'],
    description: 'The electronic invoice declares more than one profile.',
    recommendedAction: 'Ask the supplier which profile the invoice follows.',
  },
  VENDOR_RECORD_DUPLICATE: {
    family: 'SCAN',
    severities: ['LOW', 'MEDIUM'],
    requires: ['VENDOR_MASTER'],
    description: 'Two active vendor records are one vendor.',
    recommendedAction: 'Merge or block one vendor record.',
  },
  VENDOR_MASTER_BANK_CHANGED: {
    family: 'SCAN',
    severities: ['HIGH'],
    requires: ['VENDOR_MASTER'],
    description: 'The account of a vendor changed in the vendor master while bills are open.',
    recommendedAction: 'Verify the master data change before the next payment run.',
  },
  BOOKS_DUPLICATE_BILL: {
    family: 'SCAN',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['BOOKS'],
    description: 'The same bill is in the books of the ERP twice, and not paid twice yet.',
    recommendedAction:
      'Compare {number} with {other}; if they are one bill, void one of them before the next payment run.',
  },
  DUPLICATE_PAYMENT: {
    family: 'SCAN',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['PAYMENTS'],
    description: 'A vendor was paid the same amount twice.',
    recommendedAction: 'Recover the second payment or offset it.',
  },
  PAYMENT_ACCOUNT_MISMATCH: {
    family: 'SCAN',
    severities: ['CRITICAL'],
    requires: ['PAYMENTS'],
    description: "A payment went to an account that was not the vendor's.",
    recommendedAction: 'Contact the bank at once for a recall; open an incident.',
  },
  PAYMENT_AMOUNT_MISMATCH: {
    family: 'SCAN',
    severities: ['MEDIUM'],
    requires: ['PAYMENTS'],
    description: 'More was paid than was open.',
    recommendedAction: 'Request a refund or credit.',
  },
  SCAN_REIMPORTED: {
    family: 'SCAN',
    severities: ['MEDIUM'],
    requires: ['SCAN'],
    description: 'A scan holds the rows of an earlier one.',
    recommendedAction: 'Check the export; {imported} imported.',
  },
  BENFORD_DEVIATION: {
    family: 'SCAN',
    severities: ['INFO', 'LOW'],
    requires: ['SCAN'],
    description: 'Some leading digits of the amounts occur far more often than in amounts that result from trade.',
    recommendedAction: 'Sample the invoices in the listed digit groups.',
  },
  THRESHOLD_CLUSTER: {
    family: 'SCAN',
    severities: ['LOW'],
    requires: ['SCAN'],
    description: 'Unusually many amounts are just under an approval limit.',
    recommendedAction: 'Review who approved the invoices just under {threshold}.',
  },
} as const satisfies Record<string, FindingKind>;

export type FindingType = keyof typeof catalogue;

/** Orders severities: INFO is 0, CRITICAL is 4. */
export function severityRank(severity: Severity): number {
  return severities.indexOf(severity);
}
