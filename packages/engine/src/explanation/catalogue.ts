/** Catalogue of finding types. Severities and confidences are in the policy, and rules are in the detectors. */

export const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Severity = (typeof severities)[number];

/**
 * Families of findings. Findings of one family about an invoice describe the same problem, so the score counts
 * only the strongest of them in full.
 */
export const families = {
  DUP: 'Duplicate invoices',
  BANK: 'Bank accounts',
  SUP: 'Suppliers',
  AMT: 'Amounts',
  TAX: 'Tax',
  DATE: 'Dates and payment terms',
  NUM: 'Invoice numbers',
  PO: 'Purchase orders',
  CUR: 'Currencies',
  BUY: 'Buyers',
  DOC: 'Documents',
  SCAN: 'Scans, vendor master and payments',
} as const;
export type Family = keyof typeof families;

/** Facts that a detection rule needs. If they are missing, the rule raises no finding. */
export const requiredFacts = {
  EARLIER_RECORDS: 'earlier invoices with the same number, amount or file as the checked invoice',
  SUPPLIER_HISTORY: 'earlier invoices of the supplier',
  RELATED_SUPPLIERS: 'other suppliers with the same name as the supplier',
  LOOKALIKES: 'other suppliers whose names resemble the name of the supplier',
  ACCOUNT: 'a bank account on the invoice',
  ACCOUNT_LINKS: 'other suppliers that use the bank account on the invoice',
  ORDER: 'a purchase order number on the invoice',
  ORDER_LINKS: 'earlier invoices for the same purchase order',
  ORDER_MASTER: 'the purchase order in the ERP',
  TAX_ID: 'a tax id on the invoice',
  NET_AND_TAX: 'the net amount and the tax on the invoice',
  DUE_DATE: 'a due date on the invoice',
  BUYER: 'a buyer on the invoice',
  COMPANIES: 'the companies of the organization',
  VENDOR_MASTER: 'the vendor master of the ERP',
  BOOKS: 'the bills in the ERP',
  PAYMENTS: 'the payments in the ERP',
  FILE: 'the uploaded file of the invoice',
  DOCUMENT: 'the data read from the document of the invoice',
  INBOX: 'the KSeF inbox of the company',
  SCAN: 'a completed scan of past invoices',
} as const;
export type RequiredFact = keyof typeof requiredFacts;

export interface FindingKind {
  readonly family: Family;
  /** Severities that findings of this type can have, lowest first. */
  readonly severities: readonly Severity[];
  /** Facts that the detection rule needs in addition to the facts that every invoice states. */
  readonly requires: readonly RequiredFact[];
  /** Description of the finding type in one sentence. */
  readonly description: string;
  /**
   * Recommended action, or null if no action is needed. `{name}` is a placeholder for a value that the detector
   * supplies.
   */
  readonly recommendedAction: string | null;
}

export const catalogue = {
  DUPLICATE_INVOICE: {
    family: 'DUP',
    severities: ['CRITICAL'],
    requires: ['EARLIER_RECORDS'],
    description: 'The same invoice was already received: it has the same number, amount and supplier.',
    recommendedAction:
      'Do not pay the invoice. Confirm with {supplier} that the invoice repeats {number} of {date}, then void {record}. If both were paid, claim the money back.',
  },
  SUSPECTED_DUPLICATE: {
    family: 'DUP',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['EARLIER_RECORDS'],
    description: 'The invoice resembles an earlier invoice in number, amount, date and supplier.',
    recommendedAction:
      'Compare the documents of the two invoices. If both charge for the same goods or services, reject one of the invoices. If both were paid, claim the money back.',
  },
  DUPLICATE_ACROSS_SUPPLIERS: {
    family: 'DUP',
    severities: ['MEDIUM', 'HIGH', 'CRITICAL'],
    requires: ['EARLIER_RECORDS'],
    description: 'The same invoice was already received under another supplier record.',
    recommendedAction:
      'Check whether the two supplier records are for one vendor. If so, pay only one of the two invoices and merge the supplier records.',
  },
  CROSS_COMPANY_DUPLICATE: {
    family: 'DUP',
    severities: ['HIGH'],
    requires: ['EARLIER_RECORDS'],
    description: 'The same invoice was already sent to another company of the organization.',
    recommendedAction:
      'Find out which of the two companies the invoice is for, and reject the invoice in the other company.',
  },
  DUPLICATE_DOCUMENT: {
    family: 'DUP',
    severities: ['INFO', 'CRITICAL'],
    requires: ['FILE', 'EARLIER_RECORDS'],
    description: 'The uploaded file is identical to a file that was analyzed before.',
    recommendedAction: 'The same file was uploaded before. Discard the new upload.',
  },
  SPLIT_DUPLICATE: {
    family: 'DUP',
    severities: ['HIGH'],
    requires: ['EARLIER_RECORDS'],
    description: 'One amount was billed twice: as a whole invoice, and as several partial invoices.',
    recommendedAction:
      'The partial invoices add up to invoice {number}. Pay either the whole invoice or the partial invoices, not both.',
  },
  INVOICE_NUMBER_REUSED: {
    family: 'DUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['EARLIER_RECORDS'],
    description: 'The supplier has used the invoice number before, for another amount or date.',
    recommendedAction:
      'Ask the supplier whether the invoice corrects or replaces the earlier invoice with the same number.',
  },
  CREDIT_NOTE_UNMATCHED: {
    family: 'DUP',
    severities: ['INFO'],
    requires: ['EARLIER_RECORDS'],
    description: 'The credit note matches no earlier invoice by number or amount.',
    recommendedAction: 'Allocate the credit note to an invoice of the supplier before the next payment run.',
  },
  BANK_ACCOUNT_BLOCKLISTED: {
    family: 'BANK',
    severities: ['CRITICAL'],
    requires: ['ACCOUNT', 'ACCOUNT_LINKS'],
    description: 'The bank account on the invoice was confirmed as fraudulent in this organization.',
    recommendedAction:
      'Stop the payment and inform the security officer. The bank account on the invoice was confirmed as fraudulent on {date}.',
  },
  BANK_ACCOUNT_MASTER_MISMATCH: {
    family: 'BANK',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['ACCOUNT', 'VENDOR_MASTER'],
    description: 'The bank account on the invoice is not in the vendor master.',
    recommendedAction:
      'Call the supplier on the phone number in the vendor master, not on the phone number on the invoice. Pay only to the bank account in the vendor master.',
  },
  BANK_ACCOUNT_CHANGED: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'],
    requires: ['ACCOUNT', 'SUPPLIER_HISTORY'],
    description: 'The supplier asks for payment to another bank account than before.',
    recommendedAction:
      'Verify the change of the bank account by calling a known contact of the supplier. Do not reply to the message that announced the new account.',
  },
  BANK_ACCOUNT_NEAR_MATCH: {
    family: 'BANK',
    severities: ['HIGH'],
    requires: ['ACCOUNT', 'SUPPLIER_HISTORY'],
    description: 'A new bank account differs from a known account of the supplier in only one or two digits.',
    recommendedAction: 'A digit of the bank account was probably misread or forged; {verification}.',
  },
  BANK_ACCOUNT_REVERTED: {
    family: 'BANK',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['ACCOUNT', 'SUPPLIER_HISTORY'],
    description:
      'The supplier asks for payment to its former bank account again, after it stated another account for a short time.',
    recommendedAction:
      'Check every payment to the bank account that the supplier stated only for a short time, and find out who asked for that account.',
  },
  BANK_ACCOUNT_SHARED: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['ACCOUNT', 'ACCOUNT_LINKS'],
    description: 'Another supplier uses the bank account on the invoice.',
    recommendedAction:
      'Find out why two suppliers use one bank account. One of them may be a fake supplier, or may have been taken over by a fraudster.',
  },
  BANK_ACCOUNT_INVALID: {
    family: 'BANK',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['ACCOUNT'],
    description: 'The bank account on the invoice is not valid: its length, structure or check digits are wrong.',
    recommendedAction:
      'Ask the supplier for the correct bank account. A payment to the bank account on the invoice would be returned or misdirected.',
  },
  BANK_COUNTRY_MISMATCH: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['ACCOUNT', 'TAX_ID'],
    description: 'The bank account is in a different country from the tax registration of the supplier.',
    recommendedAction: 'Confirm with a known contact of the supplier that its bank is in {country}.',
  },
  BANK_ACCOUNT_FIRST_USE: {
    family: 'BANK',
    severities: ['INFO', 'LOW', 'MEDIUM'],
    requires: ['ACCOUNT'],
    description:
      'The supplier states a bank account for the first time. A person must review the invoice if the supplier billed before without an account, and the account is abroad, the amount is unusually high or the payment terms are shorter.',
    recommendedAction: 'Verify the bank account with the supplier once, before the first payment.',
  },
  BANK_ACCOUNT_MISSING: {
    family: 'BANK',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier usually states a bank account, but the invoice has none.',
    recommendedAction: 'The invoice states no bank account. Pay only to {account}.',
  },
  BANK_ACCOUNT_OWN: {
    family: 'BANK',
    severities: ['MEDIUM'],
    requires: ['ACCOUNT', 'COMPANIES'],
    description: 'The bank account on the invoice belongs to a company of your own organization.',
    recommendedAction: 'Check why the invoice asks for payment to a bank account of your own organization.',
  },
  PAYEE_DIFFERS: {
    family: 'BANK',
    severities: ['LOW', 'MEDIUM'],
    requires: ['DOCUMENT'],
    description: 'The document asks for payment to a party other than the supplier.',
    recommendedAction:
      'Ask a known contact of the supplier whether {payee} is to be paid for the invoice. Do not use contact details from the document.',
  },
  SUPPLIER_LOOKALIKE_NAME: {
    family: 'SUP',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['LOOKALIKES'],
    description:
      'A new supplier has almost the same name as an established supplier, or the same name with a bank account that the established supplier has never used.',
    recommendedAction:
      'The supplier may be impersonating {name}. Confirm the registration and the bank account of the supplier without using contact details from the invoice.',
  },
  SUPPLIER_TAX_ID_CHANGED: {
    family: 'SUP',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['TAX_ID', 'RELATED_SUPPLIERS'],
    description: 'The supplier has the name of a known supplier, but a different tax id from the same country.',
    recommendedAction: 'Check in the company register whether the legal entity of the supplier changed.',
  },
  SUPPLIER_TAX_ID_FIRST_USE: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['TAX_ID', 'SUPPLIER_HISTORY'],
    description:
      'A supplier that was known by its name alone states a tax id for the first time. A person must review the invoice if it also states a bank account, country or legal form that is new for the supplier.',
    recommendedAction: 'Check in the company register that the tax id belongs to {supplier}.',
  },
  SUPPLIER_NAME_MISMATCH: {
    family: 'SUP',
    severities: ['MEDIUM'],
    requires: ['TAX_ID', 'SUPPLIER_HISTORY'],
    description: 'Earlier invoices with the same supplier tax id state a clearly different supplier name.',
    recommendedAction:
      'Check who issued the invoice. The supplier name and the tax id on the invoice belong to different parties.',
  },
  SUPPLIER_TAX_ID_INVALID: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['TAX_ID'],
    description:
      'The tax id of the supplier is not valid in the country that the tax id states, or in the known country of the supplier.',
    recommendedAction:
      'Ask the supplier for an invoice with a valid tax id. Without a valid tax id, the input tax may not be deductible.',
  },
  SUPPLIER_TAX_ID_MISSING: {
    family: 'SUP',
    severities: ['LOW'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier usually states a tax id, but the invoice has none.',
    recommendedAction: 'Ask the supplier for the tax id that is missing on the invoice.',
  },
  SUPPLIER_NEW: {
    family: 'SUP',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice is the first invoice from the supplier.',
    recommendedAction: 'Complete the onboarding of the new supplier.',
  },
  SUPPLIER_NEW_HIGH_VALUE: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The first invoice from the supplier is for a large amount.',
    recommendedAction: 'Obtain a purchase order or a contract before the first payment to the new supplier.',
  },
  SUPPLIER_DORMANT_REACTIVATED: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier bills again after a long time without an invoice.',
    recommendedAction: 'Confirm that your organization has started to buy from the supplier again.',
  },
  SUPPLIER_NOT_IN_MASTER: {
    family: 'SUP',
    severities: ['LOW', 'MEDIUM'],
    requires: ['VENDOR_MASTER'],
    description: 'The supplier is not in the vendor master.',
    recommendedAction: 'Create and approve the supplier in the vendor master before you pay the invoice.',
  },
  SUPPLIER_IS_OWN_COMPANY: {
    family: 'SUP',
    severities: ['MEDIUM'],
    requires: ['TAX_ID', 'COMPANIES'],
    description: 'The supplier is a company of your own organization.',
    recommendedAction: 'Send the invoice to group accounting as an intercompany invoice or as self-billing.',
  },
  AMOUNT_OUTLIER: {
    family: 'AMT',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The amount of the invoice is far above what the supplier usually bills.',
    recommendedAction: 'Check the quantity and the price on the invoice, and its purchase order; {comparison}.',
  },
  AMOUNT_MAGNITUDE_SHIFT: {
    family: 'AMT',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['SUPPLIER_HISTORY'],
    description:
      'The amount of the invoice equals an earlier amount of the supplier with the decimal point in another place.',
    recommendedAction:
      'Compare the amount of the invoice with the document. The decimal point of the amount is probably in the wrong place.',
  },
  RECURRING_AMOUNT_CHANGED: {
    family: 'AMT',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier regularly billed the same amount and now bills another amount.',
    recommendedAction: 'Ask the supplier which contract the new amount of the invoice is based on.',
  },
  AMOUNT_ROUND: {
    family: 'AMT',
    severities: ['INFO', 'LOW'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice is for a round amount, although the supplier rarely bills round amounts.',
    recommendedAction:
      'A round amount needs no action on its own. Consider the round amount together with other findings on the invoice.',
  },
  AMOUNT_BELOW_THRESHOLD: {
    family: 'AMT',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The amount of the invoice is just under an approval limit.',
    recommendedAction: 'An amount just under an approval limit needs no action on its own.',
  },
  SPLIT_BELOW_THRESHOLD: {
    family: 'AMT',
    severities: ['INFO', 'LOW', 'MEDIUM', 'HIGH'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'Several invoices within a few days are each just under an approval limit.',
    recommendedAction: 'Approve the invoices just under the approval limit together, as one purchase.',
  },
  AMOUNT_ZERO: {
    family: 'AMT',
    severities: ['LOW'],
    requires: [],
    description: 'The amount of the invoice is zero.',
    recommendedAction: 'The amount of the invoice is zero. Confirm with the supplier that no payment is due.',
  },
  TAX_ARITHMETIC_MISMATCH: {
    family: 'TAX',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['NET_AND_TAX'],
    description: 'The net amount and the tax do not add up to the gross amount.',
    recommendedAction:
      'The net amount and the tax do not add up to the gross amount. Reject the invoice and ask the supplier for a corrected invoice.',
  },
  TAX_RATE_IMPLAUSIBLE: {
    family: 'TAX',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['NET_AND_TAX'],
    description:
      "The tax is higher than any rate in the supplier's country, or has the opposite sign to the net amount.",
    recommendedAction: 'Ask the supplier for an invoice with the correct tax, because {fault}.',
  },
  TAX_RATE_UNUSUAL: {
    family: 'TAX',
    severities: ['LOW'],
    requires: ['NET_AND_TAX', 'SUPPLIER_HISTORY'],
    description: 'The supplier has always charged one tax rate and now charges another tax rate.',
    recommendedAction: 'Check whether the tax rate and the tax code of the invoice are correct.',
  },
  TAX_WITHOUT_REGISTRATION: {
    family: 'TAX',
    severities: ['LOW', 'MEDIUM'],
    requires: ['NET_AND_TAX'],
    description: 'The invoice charges tax without a valid tax id.',
    recommendedAction: 'Do not deduct input tax until the supplier provides a valid tax id.',
  },
  TAX_CROSS_BORDER_CHARGED: {
    family: 'TAX',
    severities: ['LOW'],
    requires: ['NET_AND_TAX', 'TAX_ID', 'BUYER'],
    description: 'The invoice charges tax to a buyer who is registered in another country of the European Union.',
    recommendedAction: 'Check whether the reverse charge applies to the invoice.',
  },
  ISSUE_DATE_FUTURE: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: [],
    description: 'The issue date of the invoice is in the future.',
    recommendedAction: 'Reject the invoice, or correct its issue date to {date}.',
  },
  ISSUE_DATE_STALE: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: [],
    description: 'The invoice is more than a year old.',
    recommendedAction:
      'Check whether the old invoice was already paid, and whether its limitation period and tax period have ended.',
  },
  DUE_DATE_BEFORE_ISSUE: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: ['DUE_DATE'],
    description: 'The due date of the invoice is before its issue date.',
    recommendedAction: 'Ask the supplier for an invoice whose due date is not before its issue date.',
  },
  PAYMENT_TERMS_CHANGED: {
    family: 'DATE',
    severities: ['LOW', 'MEDIUM'],
    requires: ['DUE_DATE', 'SUPPLIER_HISTORY'],
    description: 'The supplier asks for payment much sooner than usual.',
    recommendedAction:
      'Pay the invoice on the payment terms that were agreed with the supplier, unless the contract has changed.',
  },
  ISSUE_DATE_WEEKEND: {
    family: 'DATE',
    severities: ['INFO'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice was issued on a weekend, when the supplier does not usually bill.',
    recommendedAction: 'An invoice issued on a weekend needs no action on its own.',
  },
  INVOICE_NUMBER_FORMAT_CHANGED: {
    family: 'NUM',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice number has a format that the supplier has not used before.',
    recommendedAction: 'Compare the layout and the sender of the invoice with earlier invoices of the supplier.',
  },
  INVOICE_NUMBER_OUT_OF_SEQUENCE: {
    family: 'NUM',
    severities: ['LOW'],
    requires: ['SUPPLIER_HISTORY'],
    description: "The invoice number does not follow the supplier's series.",
    recommendedAction: 'Ask the supplier why the invoice number does not follow its series.',
  },
  INVOICE_NUMBERS_CONSECUTIVE: {
    family: 'NUM',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier numbers its invoices without gaps, as if it had no other customers.',
    recommendedAction: 'You appear to be the only customer of the supplier. Confirm that the supplier really trades.',
  },
  PO_MISSING: {
    family: 'PO',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The invoice should state a purchase order number, but does not.',
    recommendedAction:
      'Obtain the purchase order number that is missing on the invoice before you approve the invoice.',
  },
  PO_SUPPLIER_MISMATCH: {
    family: 'PO',
    severities: ['LOW', 'MEDIUM', 'HIGH'],
    requires: ['ORDER', 'ORDER_LINKS'],
    description: 'The purchase order on the invoice belongs to another supplier.',
    recommendedAction: 'Ask the purchasing department which supplier received the purchase order.',
  },
  PO_OVERBILLED: {
    family: 'PO',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['ORDER', 'ORDER_MASTER'],
    description: 'More was billed against the purchase order than was ordered.',
    recommendedAction:
      'Do not pay the amount beyond the purchase order until the purchase order is increased or a credit note arrives.',
  },
  PO_REPEATED_AMOUNT: {
    family: 'PO',
    severities: ['LOW'],
    requires: ['ORDER', 'ORDER_LINKS'],
    description: 'The same amount was billed several times against one purchase order.',
    recommendedAction:
      'Check whether a goods receipt exists for each invoice that bills the same amount against the purchase order.',
  },
  CURRENCY_UNKNOWN: {
    family: 'CUR',
    severities: ['HIGH'],
    requires: ['DOCUMENT'],
    description: 'The currency of the invoice could not be read from its document.',
    recommendedAction: 'Enter the currency that the document of the invoice shows.',
  },
  CURRENCY_CHANGED: {
    family: 'CUR',
    severities: ['LOW', 'MEDIUM'],
    requires: ['SUPPLIER_HISTORY'],
    description: 'The supplier bills in a currency that it has not used before.',
    recommendedAction: 'Check whether the contract with the supplier allows the new currency.',
  },
  CURRENCY_WITHOUT_RATE: {
    family: 'CUR',
    severities: ['INFO'],
    requires: [],
    description:
      'There is no exchange rate for the currency of the invoice, so the amount was not compared with limits in EUR.',
    recommendedAction:
      'There is no exchange rate for the currency of the invoice. Decide yourself whether the amount of the invoice is large.',
  },
  CURRENCY_UNUSUAL_FOR_COUNTRY: {
    family: 'CUR',
    severities: ['LOW'],
    requires: [],
    description:
      "The currency of the invoice is neither that of the supplier's country nor that of the buyer's country.",
    recommendedAction: 'Confirm the currency of the invoice with the supplier.',
  },
  BUYER_MISMATCH: {
    family: 'BUY',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['BUYER', 'COMPANIES'],
    description: "The buyer's tax id on the invoice is not the tax id of the company that received the invoice.",
    recommendedAction:
      'The invoice is addressed to another party. Reject the invoice or route it to the right company.',
  },
  BUYER_NAME_MISMATCH: {
    family: 'BUY',
    severities: ['MEDIUM'],
    requires: ['BUYER', 'COMPANIES'],
    description: 'The buyer named on the invoice does not match any company of the organization.',
    recommendedAction: 'Check whether the invoice is addressed to a company of your organization.',
  },
  DOCUMENT_MODIFIED_AFTER_SIGNING: {
    family: 'DOC',
    severities: ['INFO', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description: 'The document was changed after it was signed.',
    recommendedAction: 'Obtain the original document from the supplier through a known channel.',
  },
  DOCUMENT_TAMPER_SIGNS: {
    family: 'DOC',
    severities: ['INFO', 'MEDIUM', 'HIGH', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description:
      'The document shows signs of having been edited, or differs from an earlier revision of the same file.',
    recommendedAction: 'Compare the document with earlier invoices of the supplier, and ask for the original file.',
  },
  DOCUMENT_HIDDEN_TEXT: {
    family: 'DOC',
    severities: ['HIGH'],
    requires: ['DOCUMENT'],
    description: 'The document contains amounts, accounts or instructions that a reader cannot see.',
    recommendedAction:
      'Do not rely on the values that were read from the document. Enter the values of the invoice from the visible page.',
  },
  DOCUMENT_FIELD_CONFLICT: {
    family: 'DOC',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description: 'The machine-readable part of the document differs from the visible page.',
    recommendedAction:
      'Do not pay the invoice until the supplier explains why the visible page of the document differs from its machine-readable part.',
  },
  KSEF_CONTENT_DIFFERS: {
    family: 'DOC',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['DOCUMENT'],
    description:
      'The document names an invoice in KSeF but differs from that invoice in account, amount, number or seller, or the KSeF number and the QR code contradict the document.',
    recommendedAction:
      'Do not pay the invoice. Confirm the {field} with a known contact of the supplier, not with a contact from the document.',
  },
  KSEF_INVOICE_MISSING: {
    family: 'DOC',
    severities: ['INFO', 'LOW', 'MEDIUM'],
    requires: ['INBOX', 'NET_AND_TAX', 'TAX_ID'],
    description: 'The Polish supplier must issue the invoice through KSeF, but the invoice did not come through KSeF.',
    recommendedAction: 'Ask a known contact of the supplier for the KSeF number of the invoice before you pay.',
  },
  EXTRACTION_LOW_CONFIDENCE: {
    family: 'DOC',
    severities: ['INFO', 'MEDIUM'],
    requires: ['DOCUMENT'],
    description: 'Some fields of the invoice could not be read from the document with certainty.',
    recommendedAction: 'Read the uncertain fields of the invoice in the document, and correct them if they are wrong.',
  },
  E_INVOICE_SCHEMA_INVALID: {
    family: 'DOC',
    severities: ['HIGH'],
    requires: ['DOCUMENT'],
    description: 'The electronic invoice does not conform to the schema of its format.',
    recommendedAction: 'Ask the supplier for an electronic invoice that conforms to the schema of its format.',
  },
  E_INVOICE_RULE_FAILED: {
    family: 'DOC',
    severities: ['INFO', 'MEDIUM', 'HIGH'],
    requires: ['DOCUMENT'],
    description: 'The electronic invoice breaks rules of the profile that it declares.',
    recommendedAction: 'Ask the supplier for an electronic invoice that follows the rules of its profile.',
  },
  E_INVOICE_PROFILE_CONFLICT: {
    family: 'DOC',
    severities: ['LOW'],
    requires: ['DOCUMENT'],
    description: 'The electronic invoice declares more than one profile.',
    recommendedAction: 'Ask the supplier which of the declared profiles the electronic invoice follows.',
  },
  VENDOR_RECORD_DUPLICATE: {
    family: 'SCAN',
    severities: ['LOW', 'MEDIUM'],
    requires: ['VENDOR_MASTER'],
    description: 'Several active records in the vendor master are for the same vendor.',
    recommendedAction:
      'Merge the records of the vendor in the vendor master, or block all records of the vendor except one.',
  },
  VENDOR_MASTER_BANK_CHANGED: {
    family: 'SCAN',
    severities: ['HIGH'],
    requires: ['VENDOR_MASTER'],
    description: 'The bank account of a vendor was changed in the vendor master while bills of the vendor are open.',
    recommendedAction: 'Verify the new bank account with a known contact of the vendor before the next payment run.',
  },
  BOOKS_DUPLICATE_BILL: {
    family: 'SCAN',
    severities: ['MEDIUM', 'HIGH'],
    requires: ['BOOKS'],
    description: 'The same bill was entered twice in the ERP, but has been paid at most once.',
    recommendedAction:
      'Compare bill {number} with bill {other}. If both are the same bill, void one of the two entries before the next payment run.',
  },
  DUPLICATE_PAYMENT: {
    family: 'SCAN',
    severities: ['HIGH', 'CRITICAL'],
    requires: ['PAYMENTS'],
    description: 'A vendor was paid the same amount twice.',
    recommendedAction: 'Recover the second payment from the vendor, or offset it against another bill of the vendor.',
  },
  PAYMENT_ACCOUNT_MISMATCH: {
    family: 'SCAN',
    severities: ['CRITICAL'],
    requires: ['PAYMENTS'],
    description: 'The payment went to a bank account that did not belong to the vendor.',
    recommendedAction: 'Ask the bank at once to recall the payment to the wrong bank account, and report an incident.',
  },
  PAYMENT_AMOUNT_MISMATCH: {
    family: 'SCAN',
    severities: ['MEDIUM'],
    requires: ['PAYMENTS'],
    description: 'The payment was higher than the open amount of the bill.',
    recommendedAction:
      'Ask the vendor to refund the amount that was paid beyond the open amount of the bill, or to issue a credit note.',
  },
  SCAN_REIMPORTED: {
    family: 'SCAN',
    severities: ['MEDIUM'],
    requires: ['SCAN'],
    description: 'A scan of past invoices contains the rows of an earlier scan.',
    recommendedAction:
      'Check whether the right file was exported for the scan of past invoices, because the file has {newRows}.',
  },
  BENFORD_DEVIATION: {
    family: 'SCAN',
    severities: ['INFO', 'LOW'],
    requires: ['SCAN'],
    description: 'Far more invoice amounts begin with certain digits than is usual in ordinary trade.',
    recommendedAction: 'Review a sample of the invoices whose amounts begin with the digits that occur too often.',
  },
  THRESHOLD_CLUSTER: {
    family: 'SCAN',
    severities: ['LOW'],
    requires: ['SCAN'],
    description: 'Unusually many invoice amounts are just under an approval limit.',
    recommendedAction: 'Review who approved the invoices just under the approval limit of {threshold}.',
  },
} as const satisfies Record<string, FindingKind>;

export type FindingType = keyof typeof catalogue;

/** Returns the rank of a finding severity: INFO is 0, CRITICAL is 4. */
export function severityRank(severity: Severity): number {
  return severities.indexOf(severity);
}
