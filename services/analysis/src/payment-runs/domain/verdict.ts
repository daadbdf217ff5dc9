import { moneyText } from '@invoicecontrol/engine/explanation/money';
import { listed } from '@invoicecontrol/engine/explanation/phrases';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { isLikeName } from '@invoicecontrol/engine/supplier/name-likeness';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { readKsefNumber } from '@invoicecontrol/values/ksef-number';
import { joinLine } from './join.js';
import type { JoinedLine, LineFacts, NearInvoice } from './join.js';
import { decisionOf, openMinor, toleranceMinor } from './payable.js';
import type { Payable } from './payable.js';
import { comparedAmount } from './payment-line.js';
import type { PaymentLine } from './payment-line.js';
import { referencesOf } from './references.js';
import type { LineReferences } from './references.js';

export type Verdict = 'PAY' | 'HOLD' | 'UNKNOWN';

/**
 * Version of the rules by which payments are checked, which is stored with each check. If a change of the rules gives
 * another result for any facts, even only another text or another invoice for a payment line, it requires at least a
 * new minor version. A replay of stored facts gives the stored results only if the check has this version.
 */
export const RULES_VERSION = '1.1.0';

/**
 * Version of the rules for checks of payment runs that were stored without a version, because older releases stored
 * none.
 */
export const RULES_VERSION_UNNAMED = '1.0.0';

/** Reasons that hold a payment (payment runs reference, section 3), in the order in which they are shown. */
export const holdReasons = [
  'ACCOUNT_CONFIRMED_FRAUD',
  'INVOICE_BLOCKED',
  'INVOICE_IN_REVIEW',
  'ACCOUNT_DIFFERS',
  'PAID_ALREADY',
  'TWICE_IN_RUN',
  'AMOUNT_EXCEEDS',
  'CURRENCY_DIFFERS',
  'PAYEE_NAME_DIFFERS',
  'OTHER_COMPANY',
  'KSEF_NUMBER_OF_ANOTHER_INVOICE',
] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Remarks about a payment that do not hold it. */
export const noticeCodes = [
  'CREDIT_OPEN',
  'NOT_DUE',
  'KSEF_NUMBER_MISSING',
  'MESSAGE_ID_REPEATED',
  'DISCOUNT_BEYOND_TERMS',
] as const;
export type NoticeCode = (typeof noticeCodes)[number];

/** One value of a payment next to the value in the invoice or vendor with which it is compared. */
export interface Comparison {
  readonly field: string;
  readonly invoiceId?: string;
  readonly line: string | null;
  readonly record: string | null;
}

export interface ReasonEvidence {
  readonly comparisons: readonly Comparison[];
  /** English sentences about a reason to hold a payment, each about one fact. */
  readonly explanation: readonly string[];
}

export interface Reason {
  readonly code: HoldReason;
  readonly summary: string;
  readonly evidence: ReasonEvidence;
}

export interface Notice {
  readonly code: NoticeCode;
  readonly summary: string;
}

/** An invoice that a payment line pays, with the amount that the line pays of it. */
export interface PaidInvoice {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  /** Paid part in minor units of the currency of the invoice. Negative for a credit note that the payment deducts. */
  readonly amountMinor: string;
  readonly currency: string;
}

export interface LineResult {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly notices: readonly Notice[];
  readonly invoices: readonly PaidInvoice[];
  readonly candidates: readonly NearInvoice[];
}

/** Facts about a payment run as a whole that every line is checked with. */
export interface RunFacts {
  readonly companyId: string;
  /** Tax id of the company that pays a payment run, with its country. */
  readonly debtorCountry?: string;
  /** Present if another payment run of the company has the message id of the payment file. */
  readonly repeatedMessageId?: string;
  /** Day from which transfers between Polish VAT payers must state KSeF numbers. */
  readonly ksefNumbersFrom: CalendarDate;
  /** Numbers of the credit notes that no payment has used yet, by supplier. */
  readonly openCredits: Readonly<Record<string, readonly string[]>>;
}

/** Maximum share by which a payment may be lower because of an early payment discount, in percent. */
const DISCOUNT_PERCENT_MAX = 5n;

/**
 * Returns a function that checks the lines of a payment run one by one, in the order of the file. The results depend
 * only on the facts, so a stored check can be replayed byte for byte.
 * @param usedBefore amounts that earlier lines of the run pay of each invoice, if not all lines are checked
 */
export function judgeOf(
  run: RunFacts,
  usedBefore: ReadonlyMap<string, bigint> = new Map(),
): (facts: LineFacts, references?: LineReferences) => LineResult {
  const used = new Map(usedBefore);
  const isTaken = (payable: Payable): boolean => leftOf(payable, used) === 0n;
  return (facts, references = referencesOf(facts.line)) =>
    judgeLine(run, facts, joinLine(facts, references, isTaken), used);
}

function judgeLine(
  run: RunFacts,
  facts: LineFacts,
  { payables, candidates, references, contradicting }: JoinedLine,
  used: Map<string, bigint>,
): LineResult {
  const { line } = facts;
  const fraud = fraudReason(facts);
  const repeated = run.repeatedMessageId === undefined ? [] : [messageNotice(run.repeatedMessageId)];
  if (payables.length === 0 || line.creditorAccount === undefined) {
    const verdict = fraud.length > 0 ? 'HOLD' : 'UNKNOWN';
    const near =
      candidates.length > 0
        ? candidates
        : payables.map(({ invoiceId }) => ({ invoiceId, whyNot: 'OTHER_SUPPLIER' as const }));
    return { verdict, reasons: fraud, notices: repeated, invoices: [], candidates: near };
  }
  const reasons = [
    ...fraud,
    ...decisionReasons(payables),
    ...accountReason(line, payables),
    ...amountReasons(line, payables, used),
    ...nameReason(facts, payables),
    ...companyReason(run, payables),
    ...ksefReason(references.ksefNumbers, payables, contradicting),
  ];
  const notices = [
    ...creditNotice(run, facts, payables, used),
    ...dueNotices(line, payables),
    ...ksefNotice(run, line, references, payables),
    ...repeated,
  ];
  const invoices = allot(line, payables, used);
  return { verdict: reasons.length > 0 ? 'HOLD' : 'PAY', reasons, notices, invoices, candidates: [] };
}

function fraudReason({ line: { creditorAccount }, confirmedFraud }: LineFacts): Reason[] {
  if (creditorAccount === undefined || confirmedFraud === undefined) return [];
  const { masked } = creditorAccount;
  return [
    reason('ACCOUNT_CONFIRMED_FRAUD', `Fraud with the account ${masked} was confirmed in a review.`, {
      comparisons: [{ field: 'creditor_account', line: masked, record: 'CONFIRMED_FRAUD' }],
      explanation: [
        `A reviewer confirmed fraud with this account on ${confirmedFraud.confirmedAt.slice(0, 10)}.`,
        'No payment to the account is released. Only a review of the finding lifts the block.',
      ],
    }),
  ];
}

function decisionReasons(payables: readonly Payable[]): Reason[] {
  const decided = payables.map((payable) => ({ payable, state: decisionOf(payable) }));
  const held = (state: string, code: HoldReason, what: string): Reason[] => {
    const found = decided.filter((one) => one.state === state).map(({ payable }) => payable);
    if (found.length === 0) return [];
    return [
      reason(code, `${namesOf(found)} ${found.length === 1 ? 'is' : 'are'} ${what}.`, {
        comparisons: found.map(({ invoiceId, verdict }) => ({
          field: 'decision',
          invoiceId,
          line: null,
          record: verdict?.decision ?? null,
        })),
        explanation: found.map(explanationOf),
      }),
    ];
  };
  return [
    ...held('BLOCK', 'INVOICE_BLOCKED', 'blocked'),
    ...held('REVIEW', 'INVOICE_IN_REVIEW', 'waiting for a review'),
  ];
}

function explanationOf({ invoiceNumber, verdict, source, openFindingIds = [] }: Payable): string {
  if (verdict !== undefined) {
    return `The decision about invoice ${invoiceNumber} is ${verdict.decision} with a risk score of ${verdict.riskScore}.`;
  }
  return source === 'ERP'
    ? `The bill ${invoiceNumber} in the ERP has ${openFindingIds.length === 1 ? 'an open finding' : 'open findings'}.`
    : `Invoice ${invoiceNumber} has no decision yet.`;
}

function accountReason({ creditorAccount }: PaymentLine, payables: readonly Payable[]): Reason[] {
  if (creditorAccount === undefined) return [];
  const { key, masked } = creditorAccount;
  const differing = payables.filter(({ accounts }) => accounts.every((account) => account.key !== key));
  const [first] = differing;
  if (first === undefined) return [];
  const known = [...new Set(differing.flatMap(({ accounts }) => accounts.map((account) => account.masked)))];
  const since = differing
    .flatMap(({ newVendorAccounts = [] }) => newVendorAccounts)
    .find((account) => account.key === key)?.since;
  const compared =
    known.length === 0
      ? `No account of ${first.supplierName} is known, so ${masked} cannot be compared.`
      : `The payment goes to ${masked}. ${namesOf(differing)} ${differing.length === 1 ? 'names' : 'name'} ${listed(known, 'or')}.`;
  return [
    reason('ACCOUNT_DIFFERS', compared, {
      comparisons: differing.map(({ invoiceId, accounts }) => ({
        field: 'creditor_account',
        invoiceId,
        line: masked,
        record: accounts.length === 0 ? null : accounts.map((account) => account.masked).join(', '),
      })),
      explanation: [
        ...differing.flatMap(({ accounts, invoiceNumber }) =>
          accounts.map((account) => originOf(account.from, account.masked, invoiceNumber)),
        ),
        ...(since === undefined ? [] : [`The ERP has had ${masked} for this vendor only since ${since}.`]),
        'An account that appears only in the payment is the most common sign of payment fraud.',
      ],
    }),
  ];
}

function originOf(from: Payable['accounts'][number]['from'], masked: string, invoiceNumber: string): string {
  switch (from) {
    case 'INVOICE':
      return `Invoice ${invoiceNumber} states the account ${masked}.`;
    case 'SUPPLIER':
      return `Earlier invoices of the supplier have established the account ${masked}.`;
    case 'VENDOR':
      return `The vendor master has the account ${masked}.`;
  }
}

function amountReasons(line: PaymentLine, payables: readonly Payable[], used: ReadonlyMap<string, bigint>): Reason[] {
  const { amount, currency } = comparedAmount(line);
  const others = payables.filter((payable) => payable.currency !== currency);
  if (others.length > 0) {
    return [
      reason(
        'CURRENCY_DIFFERS',
        `The payment is in ${currency}. ${namesOf(others)} ${others.length === 1 ? 'is' : 'are'} in ${listed([...new Set(others.map((payable) => payable.currency))])}.`,
        {
          comparisons: others.map((payable) => ({
            field: 'currency',
            invoiceId: payable.invoiceId,
            line: currency,
            record: payable.currency,
          })),
          explanation: ['Amounts in different currencies cannot be compared.'],
        },
      ),
    ];
  }
  const minor = toMinorUnits(amount, minorUnitsOf(currency));
  const before = payables.reduce((sum, payable) => sum + openMinor(payable), 0n);
  const left = payables.reduce((sum, payable) => sum + leftOf(payable, used), 0n);
  const reasons: Reason[] = [];
  const paid = payables.filter((payable) => BigInt(payable.amountMinor) > 0n && openMinor(payable) === 0n);
  if (paid.length > 0) reasons.push(paidReason(paid));
  if (minor <= left + toleranceMinor(currency)) return reasons;
  const [asked, open] = [moneyText(amount, currency), moneyOf(left < 0n ? 0n : left, currency)];
  if (minor <= before + toleranceMinor(currency)) {
    return [
      ...reasons,
      reason('TWICE_IN_RUN', `An earlier line of this run already pays ${namesOf(payables)}.`, {
        comparisons: [{ field: 'amount', line: asked, record: open }],
        explanation: [
          `The line pays ${asked}. Earlier lines of the run leave ${open} of ${moneyOf(before, currency)} open.`,
        ],
      }),
    ];
  }
  if (paid.length === payables.length) return reasons;
  return [
    ...reasons,
    reason(
      'AMOUNT_EXCEEDS',
      `The payment of ${asked} exceeds the open amount of ${moneyOf(before, currency)} of ${namesOf(payables)}.`,
      {
        comparisons: payables.map((payable) => ({
          field: 'amount',
          invoiceId: payable.invoiceId,
          line: asked,
          record: moneyOf(openMinor(payable), currency),
        })),
        explanation: payables.map(
          ({ invoiceNumber, amountMinor, paidMinor }) =>
            `Invoice ${invoiceNumber} has ${moneyOf(BigInt(amountMinor), currency)}, of which ${moneyOf(BigInt(paidMinor), currency)} was paid.`,
        ),
      },
    ),
  ];
}

function paidReason(paid: readonly Payable[]): Reason {
  return reason('PAID_ALREADY', `${namesOf(paid)} ${paid.length === 1 ? 'was' : 'were'} already paid in full.`, {
    comparisons: paid.map(({ invoiceId, amountMinor, paidMinor, currency }) => ({
      field: 'paid_amount',
      invoiceId,
      line: null,
      record: `${moneyOf(BigInt(paidMinor), currency)} of ${moneyOf(BigInt(amountMinor), currency)}`,
    })),
    explanation: paid.flatMap(({ invoiceNumber, payments, currency }) =>
      payments.map(({ kind, amountMinor, on }) =>
        kind === 'ERP'
          ? `The ERP has a payment of ${moneyOf(BigInt(amountMinor), currency)} for invoice ${invoiceNumber} on ${on}.`
          : `The file of an earlier payment run paid ${moneyOf(BigInt(amountMinor), currency)} of invoice ${invoiceNumber} on ${on}.`,
      ),
    ),
  });
}

function nameReason({ line: { creditorName }, payeeCheck }: LineFacts, payables: readonly Payable[]): Reason[] {
  if (payeeCheck?.result === 'NO_MATCH') {
    return [
      reason('PAYEE_NAME_DIFFERS', "The bank reported that the payee's name does not belong to the account.", {
        comparisons: [{ field: 'creditor_name', line: creditorName ?? null, record: payeeCheck.name ?? null }],
        explanation: ["The bank's verification of the payee found another name for this account."],
      }),
    ];
  }
  if (creditorName === undefined) return [];
  const { key } = readName(creditorName);
  const differing = payables.filter(({ nameKeys }) => !isLikeName(nameKeys, key));
  if (differing.length === 0) return [];
  const names = listed([...new Set(differing.map(({ supplierName }) => supplierName))]);
  return [
    reason(
      'PAYEE_NAME_DIFFERS',
      `The payment names ${creditorName} as the payee. ${namesOf(differing)} ${differing.length === 1 ? 'is' : 'are'} from ${names}.`,
      {
        comparisons: differing.map(({ invoiceId, supplierName }) => ({
          field: 'creditor_name',
          invoiceId,
          line: creditorName,
          record: supplierName,
        })),
        explanation: ['The names have no long word in common and are not similar.'],
      },
    ),
  ];
}

function companyReason({ companyId }: RunFacts, payables: readonly Payable[]): Reason[] {
  const others = payables.filter((payable) => payable.companyId !== companyId);
  if (others.length === 0) return [];
  return [
    reason(
      'OTHER_COMPANY',
      `${namesOf(others)} ${others.length === 1 ? 'was' : 'were'} billed to another company of the organization.`,
      {
        comparisons: others.map((payable) => ({
          field: 'company_id',
          invoiceId: payable.invoiceId,
          line: companyId,
          record: payable.companyId,
        })),
        explanation: ['The company that pays is not the company to which the invoice is addressed.'],
      },
    ),
  ];
}

/**
 * A KSeF number that a payment states must belong to one of the paid invoices, or at least to their seller if no
 * invoice with that KSeF number is known.
 */
function ksefReason(
  ksefNumbers: readonly string[],
  payables: readonly Payable[],
  contradicting: readonly Payable[],
): Reason[] {
  const own = new Set(payables.flatMap(({ ksefNumber }) => ksefNumber ?? []));
  const areKnown = payables.every(({ ksefNumber }) => ksefNumber !== undefined);
  const wrong = ksefNumbers.filter((number) => {
    if (contradicting.some(({ ksefNumber }) => ksefNumber === number)) return true;
    if (own.has(number)) return false;
    const seller = readKsefNumber(number)?.sellerNip;
    return areKnown || payables.every(({ taxKey }) => taxKey !== undefined && taxKey !== seller);
  });
  if (wrong.length === 0) return [];
  return [
    reason(
      'KSEF_NUMBER_OF_ANOTHER_INVOICE',
      `The KSeF number ${listed(wrong)} does not belong to ${namesOf(payables)}.`,
      {
        comparisons: payables.map(({ invoiceId, ksefNumber }) => ({
          field: 'ksef_number',
          invoiceId,
          line: wrong.join(', '),
          record: ksefNumber ?? null,
        })),
        explanation: ['A transfer must state the KSeF number of the invoice that it pays.'],
      },
    ),
  ];
}

/**
 * Returns a notice with the numbers of open credit notes: credit notes in the ERP, and received credit notes that have
 * the same company and currency as an invoice of the payment line. A credit note that this line or an earlier line of
 * the run deducts is not open.
 */
function creditNotice(
  { openCredits }: RunFacts,
  { receivedCredits = [] }: LineFacts,
  payables: readonly Payable[],
  used: ReadonlyMap<string, bigint>,
): Notice[] {
  const netted = new Set(payables.map(({ invoiceNumber }) => invoiceNumber));
  const inErp = payables.flatMap(({ supplierId }) => (supplierId === null ? [] : (openCredits[supplierId] ?? [])));
  const received = receivedCredits.filter(
    (credit) =>
      (used.get(credit.invoiceId) ?? 0n) === 0n &&
      payables.some(
        ({ supplierId, companyId, currency }) =>
          supplierId === credit.supplierId && companyId === credit.companyId && currency === credit.currency,
      ),
  );
  const numbers = new Set([...inErp, ...received.map(({ invoiceNumber }) => invoiceNumber)]);
  const open = [...numbers].filter((number) => !netted.has(number));
  if (open.length === 0) return [];
  return [{ code: 'CREDIT_OPEN', summary: `The supplier has given credit that no payment has used: ${listed(open)}.` }];
}

function dueNotices(line: PaymentLine, payables: readonly Payable[]): Notice[] {
  const { executionDate } = line;
  if (executionDate === undefined) return [];
  const notices: Notice[] = [];
  const early = payables.filter(({ dueDate }) => dueDate !== undefined && dueDate > executionDate);
  if (early.length > 0) {
    const due = early.map(({ dueDate }) => dueDate ?? '').sort()[0];
    notices.push({
      code: 'NOT_DUE',
      summary: `${namesOf(early)} ${early.length === 1 ? 'is' : 'are'} due on ${due}, after the payment on ${executionDate}.`,
    });
  }
  const { amount, currency } = comparedAmount(line);
  const late = payables.filter(
    ({ dueDate, currency: own }) => own === currency && dueDate !== undefined && dueDate < executionDate,
  );
  if (late.length === payables.length) {
    const open = payables.reduce((sum, payable) => sum + openMinor(payable), 0n);
    const missing = open - toMinorUnits(amount, minorUnitsOf(currency));
    if (missing > toleranceMinor(currency) && missing * 100n <= open * DISCOUNT_PERCENT_MAX) {
      notices.push({
        code: 'DISCOUNT_BEYOND_TERMS',
        summary: `The payment is ${moneyOf(missing, currency)} lower than what is open, although the due date has passed.`,
      });
    }
  }
  return notices;
}

function ksefNotice(
  { ksefNumbersFrom, debtorCountry }: RunFacts,
  { currency, executionDate }: PaymentLine,
  { ksefNumbers, collectiveNumbers }: JoinedLine['references'],
  payables: readonly Payable[],
): Notice[] {
  if (currency !== 'PLN' || debtorCountry !== 'PL' || (executionDate ?? '') < ksefNumbersFrom) return [];
  if (collectiveNumbers.length > 0) return [];
  const missing = payables.filter(
    ({ ksefNumber, taxCountry }) =>
      ksefNumber !== undefined && !ksefNumbers.includes(ksefNumber) && (taxCountry ?? 'PL') === 'PL',
  );
  if (missing.length === 0) return [];
  return [
    {
      code: 'KSEF_NUMBER_MISSING',
      summary: `The transfer does not state the KSeF number of ${namesOf(missing)}: ${listed(missing.map(({ ksefNumber }) => ksefNumber ?? ''))}.`,
    },
  ];
}

function messageNotice(messageId: string): Notice {
  return {
    code: 'MESSAGE_ID_REPEATED',
    summary: `Another payment run of the company has the message id ${messageId}.`,
  };
}

/**
 * Allots the amount of a payment line to its invoices: credit notes are used whole, then the bills in the order of
 * their issue. An amount that exceeds all bills is allotted to the last bill, so that the parts add up to the amount of
 * the line, and a line that is released although it pays too much counts as paid.
 */
function allot(line: PaymentLine, payables: readonly Payable[], used: Map<string, bigint>): readonly PaidInvoice[] {
  const { amount, currency } = comparedAmount(line);
  const same = payables.filter((payable) => payable.currency === currency);
  const credits = same.reduce((sum, payable) => (openMinor(payable) < 0n ? sum - openMinor(payable) : sum), 0n);
  let rest = toMinorUnits(amount, minorUnitsOf(currency)) + credits;
  const last = same.findLast(({ amountMinor }) => !amountMinor.startsWith('-'))?.invoiceId;
  return payables.map((payable) => {
    const { invoiceId, invoiceNumber } = payable;
    const open = openMinor(payable);
    const part = open < 0n || invoiceId !== last ? (open < rest ? open : rest) : rest;
    const taken = payable.currency === currency ? part : 0n;
    if (taken > 0n) rest -= taken;
    used.set(invoiceId, (used.get(invoiceId) ?? 0n) + taken);
    return { invoiceId, invoiceNumber, amountMinor: String(taken), currency: payable.currency };
  });
}

/** Returns the part of a bill, or of a credit, that is still open after the earlier lines of the payment run. */
function leftOf(payable: Payable, used: ReadonlyMap<string, bigint>): bigint {
  const open = openMinor(payable);
  const left = open - (used.get(payable.invoiceId) ?? 0n);
  if (open < 0n) return left < 0n ? left : 0n;
  return left > 0n ? left : 0n;
}

/** Number of invoices that a sentence about a payment names; further invoices are only counted. */
const NAMED_MAX = 3;

function namesOf(payables: readonly Payable[]): string {
  const numbers = payables.slice(0, NAMED_MAX).map(({ invoiceNumber }) => invoiceNumber);
  const more = payables.length - numbers.length;
  const named = more > 0 ? [...numbers, `${more} more`] : numbers;
  return `${payables.length === 1 ? 'Invoice' : 'Invoices'} ${listed(named)}`;
}

function moneyOf(minor: bigint, currency: string): string {
  return moneyText(minorToDecimal(minor, minorUnitsOf(currency)), currency);
}

function reason(code: HoldReason, summary: string, evidence: ReasonEvidence): Reason {
  return { code, summary, evidence };
}
