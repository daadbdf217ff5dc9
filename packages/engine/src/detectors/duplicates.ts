import { counted, listed as inWords } from '../explanation/phrases.js';
import { pairKey, subject } from '../explanation/subject.js';
import type { Facts } from '../facts/facts.js';
import { isCopiedNumber } from '../explanation/copied-numbers.js';
import { shownText } from '../explanation/evidence.js';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import type { FindingType, Severity } from '../explanation/catalogue.js';
import type { Candidate } from '../facts/invoice.js';
import { digitCount, isReminderMark, isRevision } from '../normalisation/invoice-number.js';
import { creditedNumbers } from '../normalisation/match-keys.js';
import { habitOf } from '../matching/contract.js';
import { creditNotesOf, isTakenBack } from '../matching/credit.js';
import { isOfTheSameDays } from '../matching/date-relation.js';
import { groupOf } from '../matching/groups.js';
import { isPowerOfTen } from '../matching/notations.js';
import type { PairScore } from '../matching/pair.js';
import { amountOf, amountText, comparisonRow, matchedRecord } from '../matching/comparison-row.js';
import { isEarlier, isLive, isSameInvoice, originalsOf, scorePairs } from '../matching/pair-score.js';
import { findSplit } from '../matching/split.js';
import { isSameSupplier } from '../matching/supplier-relation.js';
import { noteOf, pairSummary, SAME_NUMBER_VERB } from '../matching/wording.js';
import type { Policy } from '../policy/policy.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { compareByArrival, compareText } from '../facts/record-order.js';
import { haveConflictingTaxIds, isSameName } from '../supplier/identity.js';

/** Maximum number of partial invoices that a summary names by their numbers. */
const NAMED_PARTS_MAX = 5;

/** Finds supplies that were billed twice (family DUP; detection reference, sections 5 and 7.1). */
export function detectDuplicates(facts: Facts, policy: Policy): RaisedFinding[] {
  const parameters = policy.duplicates;
  const originals = originalsOf(facts);
  return [
    ...duplicateDocuments(facts, parameters),
    ...(originals.length === 0 ? [] : repeatedInvoices(facts, originals, parameters)),
    ...unmatchedCreditNotes(facts, originals, parameters),
  ];
}

/** Raises findings about invoices that repeat earlier invoices entirely or in part. */
function repeatedInvoices(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
): RaisedFinding[] {
  const creditNotes = creditNotesOf(facts, originals);
  const pairs = scorePairs(facts, originals, parameters, creditNotes).sort(byPoints);
  const accepted = pairs.filter((pair) => pair.halfPoints >= parameters.mediumMin);
  return [
    ...acceptedPairs(facts, accepted, parameters),
    ...splitDuplicates(facts, originals, parameters),
    ...reusedNumbers(facts, pairs, creditNotes, parameters),
  ];
}

/**
 * Raises findings about the pairs of invoices that are considered duplicates, by class. Each pair belongs to one class,
 * and a record gets at most one finding from each class.
 */
function acceptedPairs(facts: Facts, accepted: readonly PairScore[], parameters: DuplicateParameters): RaisedFinding[] {
  const { invoice } = facts;
  const crossCompany = accepted.filter((pair) => pair.other.companyId !== invoice.companyId);
  const sameCompany = accepted.filter((pair) => pair.other.companyId === invoice.companyId);
  const acrossSuppliers = sameCompany.filter((pair) => !pair.sameSupplier);
  const sameSupplier = sameCompany.filter((pair) => pair.sameSupplier);
  return [
    ...withUnclearedPairs(
      facts,
      crossCompany,
      (pairs, best) => ({
        type: 'CROSS_COMPANY_DUPLICATE',
        severity: parameters.severities.crossCompany,
        verb: 'looks like',
        extra: { companyIds: distinct([invoice.companyId, ...pairs.map((pair) => pair.other.companyId)]) },
        confidence: confidenceOf(best, parameters),
      }),
      parameters,
    ),
    ...withUnclearedPairs(
      facts,
      acrossSuppliers,
      (pairs, best) => ({
        type: 'DUPLICATE_ACROSS_SUPPLIERS',
        severity: severityAcrossSuppliers(invoice, pairs, best, parameters),
        verb: 'looks like',
        extra: {
          supplierIds: distinct([facts.supplier.supplierId, ...pairs.map((pair) => pair.other.supplierId ?? '')]),
          sharedKey: sharedKey(invoice, best.other),
        },
        confidence: confidenceOf(best, parameters),
      }),
      parameters,
    ),
    ...withUnclearedPairs(
      facts,
      sameSupplier,
      (pairs, best) => {
        const certain = pairs.find((pair) => isSameInvoice(pair, parameters));
        return {
          type: certain === undefined ? 'SUSPECTED_DUPLICATE' : 'DUPLICATE_INVOICE',
          severity: severityOf(certain, best, parameters),
          verb: certain === undefined ? 'looks like' : 'repeats',
          extra: {},
          confidence: confidenceOf(certain ?? best, parameters),
          ...(certain === undefined ? {} : { actionPair: certain }),
          // Separate bills with similar numbers and the same amount are not included in a finding about copies.
          ...(certain === undefined && !isCopy(best) ? {} : { partners: pairs.filter(isCopy) }),
        };
      },
      parameters,
    ),
  ];
}

interface RaisedPairs {
  readonly type: FindingType;
  readonly severity: Severity;
  readonly confidence: number;
  readonly verb: string;
  readonly extra: { readonly [name: string]: EvidenceValue };
  /** The pair of invoices that determined the finding type, if it is not the pair with the most points. */
  readonly actionPair?: PairScore;
  /** Pairs of invoices that a duplicate finding shows, if it does not show every pair. */
  readonly partners?: readonly PairScore[];
}

/**
 * Raises one finding about the given pairs of invoices, with the best pair first. Pairs that a review has cleared are
 * left out. If a review has cleared all pairs, the finding is raised about all of them, and the review is applied to it
 * later (detection reference, section 10).
 */
function withUnclearedPairs(
  facts: Facts,
  pairs: readonly PairScore[],
  raise: (pairs: readonly PairScore[], best: PairScore) => RaisedPairs,
  parameters: DuplicateParameters,
): RaisedFinding[] {
  const open = pairs.filter((pair) => !isCleared(facts, pair.other));
  const known = open.length > 0 ? open : pairs;
  const [best] = known;
  if (best === undefined) return [];
  const raised = raise(known, best);
  const listed = raised.partners ?? known;
  const shown = raised.actionPair ?? best;
  const group = groupOf(
    facts.invoice,
    listed.map((pair) => pair.other),
  );
  return [
    {
      type: raised.type,
      severity: raised.severity,
      confidence: raised.confidence,
      summary: pairSummary(facts.invoice, shown, raised.verb, amountText(shown.other)),
      actionValues: {
        supplier: facts.invoice.supplierName,
        number: shownText(shown.other.invoiceNumber),
        date: shown.other.issueDate,
        record: recordToVoid(facts.invoice, shown),
      },
      ...pairEvidence(facts, listed, shown, parameters),
      extra: {
        ...pairExtra(facts, listed, shown, parameters),
        groupId: group.groupId,
        originalInvoiceId: group.original.invoiceId,
        amountAtRisk: amountOf(facts.invoice),
        amountAtRiskCurrency: facts.invoice.currency,
        ...raised.extra,
      },
    },
  ];
}

/**
 * Returns the evidence that all findings about pairs have in common (detection reference, section 8).
 * @param named the pair that the summary names
 */
function pairEvidence(
  facts: Facts,
  pairs: readonly PairScore[],
  named: PairScore,
  parameters: DuplicateParameters,
): Pick<RaisedFinding, 'about' | 'keyPrefix' | 'parameters' | 'observed' | 'explanation' | 'relatedInvoiceIds'> {
  const related = bestWith(named, pairs, parameters.relatedMax).map((pair) => pair.other.invoiceId);
  const [best] = pairs;
  return {
    about: related.map((invoiceId) => subject.pair(facts.invoice.invoiceId, invoiceId)),
    keyPrefix: 'DUP',
    parameters: {
      duplicateMin: parameters.duplicateMin / 2,
      highMin: parameters.highMin / 2,
      mediumMin: parameters.mediumMin / 2,
    },
    observed: {
      points: (best?.halfPoints ?? 0) / 2,
      pairs: pairs.length,
      recurringOthers: best?.recurringOthers ?? 0,
    },
    explanation: [
      ...(named.other.source === 'ERP' ? ['The bill is already in the ERP.'] : []),
      ...ksefNotes(facts.invoice, named),
      ...(best?.comparisons ?? [])
        .filter(({ field }) => field !== 'base')
        .map(({ field, relation }) => noteOf(field, relation)),
    ],
    relatedInvoiceIds: related,
  };
}

/**
 * Explains which of two records of the same invoice was received through KSeF, and whether their bank accounts differ.
 */
function ksefNotes(invoice: Candidate, { other, comparisons }: PairScore): string[] {
  if (!comparisons.some(({ field }) => field === 'channel')) return [];
  const registered = invoice.source === 'KSEF' ? invoice : other;
  const isAccountOther =
    invoice.bankKey !== undefined && other.bankKey !== undefined && invoice.bankKey !== other.bankKey;
  return [
    registered === invoice
      ? `The invoice came through KSeF as ${registered.externalId ?? ''}; the earlier record is the same invoice.`
      : `The same invoice came through KSeF as ${registered.externalId ?? ''}.`,
    ...(isAccountOther ? ['The two records state different bank accounts.'] : []),
  ];
}

/**
 * Names the record to void. The invoice in KSeF is the legally valid one, so the copy of it is voided, even if the copy
 * arrived first.
 */
function recordToVoid(invoice: Candidate, { comparisons }: PairScore): string {
  const isCopyEarlier = invoice.source === 'KSEF' && comparisons.some(({ field }) => field === 'channel');
  return isCopyEarlier ? 'the earlier record, which did not come through KSeF' : 'this record';
}

/**
 * Returns the KSeF number of the record that was received through KSeF, if only one of the two compared records was.
 */
function ksefNumberOf(invoice: Candidate, { other, comparisons }: PairScore): { readonly ksefNumber?: string } {
  if (!comparisons.some(({ field }) => field === 'channel')) return {};
  const { externalId } = invoice.source === 'KSEF' ? invoice : other;
  return externalId === undefined ? {} : { ksefNumber: externalId };
}

function pairExtra(
  facts: Facts,
  pairs: readonly PairScore[],
  named: PairScore,
  { matchedMax }: DuplicateParameters,
): { readonly [name: string]: EvidenceValue } {
  const shown = bestWith(named, pairs, matchedMax);
  return {
    points: (pairs[0]?.halfPoints ?? 0) / 2,
    ...ksefNumberOf(facts.invoice, named),
    matchedTotal: pairs.length,
    matched: shown.map((pair) => matchedRecord(facts.invoice, pair.other, pair.halfPoints / 2)),
    comparisons: shown.flatMap((pair) => pair.comparisons.map((row) => comparisonRow(facts.invoice, pair, row))),
  };
}

/**
 * Returns the best pairs of an invoice and its originals. They always include the pair that the summary of the finding
 * names.
 */
function bestWith(named: PairScore, pairs: readonly PairScore[], countMax: number): readonly PairScore[] {
  const best = pairs.slice(0, countMax);
  return best.includes(named) ? best : [...best.slice(0, -1), named];
}

/**
 * Reports an uploaded file whose content was analyzed before. Earlier records that failed or were withdrawn lead to a
 * notice only.
 */
function duplicateDocuments(facts: Facts, parameters: DuplicateParameters): RaisedFinding[] {
  const sha256 = facts.invoice.documentSha256;
  if (sha256 === undefined) return [];
  const copies = facts.candidates
    .filter((candidate) => candidate.documentSha256 === sha256 && isEarlier(facts, candidate))
    .sort(compareByArrival);
  const live = copies.filter(isLive);
  const earliest = live[0] ?? copies[0];
  if (earliest === undefined) return [];
  const level = live.length > 0 ? parameters.levels.documentLive : parameters.levels.documentNotLive;
  return [
    {
      type: 'DUPLICATE_DOCUMENT',
      ...level,
      summary: `The file of ${shownText(facts.invoice.invoiceNumber)} is identical to the file of ${shownText(earliest.invoiceNumber)} (${earliest.issueDate}, ${amountText(earliest)}).`,
      about: [sha256],
      observed: { copies: copies.length, liveCopies: live.length },
      explanation: [
        'Both invoices were read from the same file.',
        live.length > 0
          ? 'The earlier invoice was received and is still valid.'
          : 'The earlier invoices from this file failed, or were voided or rejected.',
      ],
      extra: {
        sha256,
        earlierUploadAt: new Date(earliest.receivedAtMs).toISOString(),
        matchedTotal: copies.length,
        matched: copies
          .slice(0, parameters.matchedMax)
          .map((copy) => matchedRecord(facts.invoice, copy, parameters.halfPoints.sameFileSum / 2)),
      },
      relatedInvoiceIds: copies.slice(0, parameters.relatedMax).map((copy) => copy.invoiceId),
    },
  ];
}

function splitDuplicates(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
): RaisedFinding[] {
  const split = findSplit(facts, originals, parameters);
  if (split === undefined) return [];
  const { invoice } = facts;
  const { whole, parts, leftOut, equalParts } = split;
  const { currency } = whole;
  const all = [whole, ...parts].filter((record) => record.invoiceId !== invoice.invoiceId);
  const others = all.slice(0, parameters.relatedMax);
  return [
    {
      type: 'SPLIT_DUPLICATE',
      ...parameters.levels.split,
      summary:
        equalParts === undefined
          ? `${partNumbers(parts)} add up to ${shownText(whole.invoiceNumber)} (${whole.issueDate}, ${amountText(whole)}).`
          : `${partNumbers(parts)} are ${parts.length} of ${equalParts} equal parts of ${shownText(whole.invoiceNumber)} (${whole.issueDate}, ${amountText(whole)}).`,
      actionValues: { number: whole.invoiceNumber },
      about: others.map((other) => subject.pair(invoice.invoiceId, other.invoiceId)),
      parameters: {
        splitTolerance: amountOf({ currency, amountMinor: String(parameters.splitToleranceMinor) }),
        currency,
        splitPartsMin: parameters.splitPartsMin,
      },
      observed: { parts: parts.length, otherParts: leftOut.length, whole: amountOf(whole), currency },
      explanation: [
        'Each part has the number of the whole invoice, in some cases with a part number added.',
        equalParts === undefined
          ? 'The amounts of the parts add up to the amount of the whole invoice.'
          : `${equalParts} parts of this amount add up to the amount of the whole invoice.`,
        ...(leftOut.length === 0
          ? []
          : [
              `${counted(leftOut.length, 'other bill')} with this number ${leftOut.length === 1 ? 'is' : 'are'} for something else.`,
            ]),
      ],
      extra: {
        wholeInvoiceId: whole.invoiceId,
        partsTotal: parts.length,
        parts: parts.slice(0, parameters.partsMax).map((part) => ({
          invoiceId: part.invoiceId,
          invoiceNumber: part.invoiceNumber,
          grossAmount: amountOf(part),
          currency: part.currency,
          ...(part.rowNo === undefined ? {} : { sourceRowNumber: part.rowNo }),
        })),
        sum: amountOf({
          currency,
          amountMinor: String(parts.reduce((sum, part) => sum + BigInt(part.amountMinor), 0n)),
        }),
        currency,
        matchedTotal: all.length,
        matched: others.slice(0, parameters.matchedMax).map((other) => matchedRecord(invoice, other, 0)),
      },
      relatedInvoiceIds: others.map((other) => other.invoiceId),
    },
  ];
}

/** Lists the invoice numbers of the first partial invoices and counts the other partial invoices. */
function partNumbers(parts: readonly Candidate[]): string {
  const named = parts.slice(0, NAMED_PARTS_MAX).map((part) => shownText(part.invoiceNumber));
  const more = parts.length - named.length;
  return inWords(more === 0 ? named : [...named, `${more} more`]);
}

/**
 * Reports an invoice number that was used before with another amount or date, or a bill that states that it replaces
 * another bill. The evidence is weaker than for a duplicate. A bill with another amount is not reported if a credit
 * note has cancelled the earlier bill.
 */
function reusedNumbers(
  facts: Facts,
  pairs: readonly PairScore[],
  creditNotes: readonly Candidate[],
  parameters: DuplicateParameters,
): RaisedFinding[] {
  const { invoice } = facts;
  const reused = pairs.filter(
    (pair) =>
      pair.halfPoints < parameters.mediumMin &&
      pair.sameSupplier &&
      (isNumberReused(invoice, pair, parameters) || isRebilled(invoice, pair, parameters)) &&
      Math.abs(pair.other.issueDay - invoice.issueDay) <= parameters.reusedDaysMax &&
      !(pair.amount !== 'EQ' && isTakenBack(facts, creditNotes, pair.other, pair.number === 'SUFFIX')),
  );
  // A spreadsheet gives many numbers the same form, so it is enough to ask about the first two bills.
  if (isPowerOfTen(invoice) && reused.length > 1) return [];
  return withUnclearedPairs(
    facts,
    reused,
    (listed, best) => ({
      type: 'INVOICE_NUMBER_REUSED',
      // A single earlier bill does not prove that the number is the number of a contract, so the second bill must be
      // reviewed.
      ...(habitOf(
        reused.map(({ other }) => other),
        invoice,
      ).size >= parameters.contractRecordsMin && listed.every((pair) => pair.number === 'CONTRACT')
        ? parameters.levels.contractNumberReused
        : parameters.levels.numberReused),
      verb: best.number === 'SUFFIX' ? 'may replace' : SAME_NUMBER_VERB,
      extra: {},
    }),
    parameters,
  );
}

function isNumberReused(
  invoice: Candidate,
  { number, date, other }: PairScore,
  parameters: DuplicateParameters,
): boolean {
  const isOneNumber = number === 'IDENT' || number === 'FORMAT' || number === 'CONTRACT';
  return isOneNumber && (date === 'SAME' || isTelling(invoice, other, parameters));
}

/**
 * Checks whether one of two bills replaces the other or is a reminder of it. A replacement has the number of the other
 * bill with the mark of a revision, and a similar amount. A reminder has the number of the other bill with the mark of
 * a reminder, and a fee is added. A correction that states only the difference is usually much smaller.
 */
function isRebilled(
  invoice: Candidate,
  { number, amount, other }: PairScore,
  { rebilledShareMinPercent, reminderShareMinPercent }: DuplicateParameters,
): boolean {
  if (number !== 'SUFFIX' || amount === 'EQ' || invoice.currency !== other.currency) return false;
  const isReminder = isReminderMark(invoice.number) !== isReminderMark(other.number);
  if (!isReminder && isRevision(invoice.number) === isRevision(other.number)) return false;
  const shareMin = isReminder ? reminderShareMinPercent : rebilledShareMinPercent;
  const [low = 0, high = 0] = [Number(invoice.amountMinor), Number(other.amountMinor)].sort((a, b) => a - b);
  return low > 0 && low * 100 >= high * shareMin;
}

/**
 * Checks whether it is significant that two invoice numbers are equal. A short number recurs by chance. A number with
 * more printed digits (`00128`) recurs only when its counter restarts at the beginning of a new year.
 */
function isTelling(invoice: Candidate, other: Candidate, { reusedNumberLengthMin }: DuplicateParameters): boolean {
  if (invoice.number.f1.length >= reusedNumberLengthMin) return true;
  const printed = Math.max(digitCount(invoice.number.raw0), digitCount(other.number.raw0));
  return printed >= reusedNumberLengthMin && invoice.issueDate.slice(0, 4) === other.issueDate.slice(0, 4);
}

/** Reports a credit note that matches no invoice, because the credit note may be used twice or not at all. */
function unmatchedCreditNotes(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
): RaisedFinding[] {
  const { invoice, supplier } = facts;
  if (!invoice.amountMinor.startsWith('-')) return [];
  const credited = invoice.amountMinor.slice(1);
  const numbers = new Set([...creditedNumbers(invoice), invoice.number.o1, invoice.number.o2]);
  const isNear = (day: number): boolean => Math.abs(day - invoice.issueDay) <= parameters.creditNoteDays;
  const matches = originals.some(
    (candidate) =>
      !candidate.amountMinor.startsWith('-') &&
      isSameSupplier(supplier.supplierId, invoice, candidate) &&
      (numbers.has(candidate.number.o1) ||
        numbers.has(candidate.number.o2) ||
        (candidate.currency === invoice.currency && candidate.amountMinor === credited && isNear(candidate.issueDay))),
  );
  const amounts = supplier.profile.amounts[invoice.currency] ?? [];
  if (matches || amounts.some((use) => use.minor === credited && isNear(use.day))) return [];
  const searchedKeys = [...numbers].filter((number) => number !== '').sort(compareText);
  return [
    {
      type: 'CREDIT_NOTE_UNMATCHED',
      ...parameters.levels.creditNoteUnmatched,
      summary: `Credit note ${shownText(invoice.invoiceNumber)} for ${amountText({ currency: invoice.currency, amountMinor: credited })} matches no earlier invoice from ${shownText(invoice.supplierName)}.`,
      about: [invoice.invoiceId],
      parameters: { creditNoteDays: parameters.creditNoteDays },
      observed: { searchedNumbers: searchedKeys.length },
      explanation: [
        'The credit note does not contain the number of any earlier invoice.',
        'No earlier invoice has the same amount with the opposite sign.',
      ],
      extra: { searchedKeys },
    },
  ];
}

/**
 * Checks whether the compared record is a copy of the invoice and not a separate bill with a similar number and the
 * same price.
 */
function isCopy({ number, amount }: PairScore): boolean {
  return amount === 'EQ' && isCopiedNumber(number);
}

function severityAcrossSuppliers(
  invoice: Candidate,
  pairs: readonly PairScore[],
  best: PairScore,
  { severities, highMin }: DuplicateParameters,
): Severity {
  if (pairs.some((pair) => isSameMoneySameAccount(invoice, pair))) return severities.acrossSuppliersSameBank;
  return best.halfPoints >= highMin ? severities.acrossSuppliers : severities.suspectedMedium;
}

/**
 * Checks whether two bills have an equal number, amount and bank account. Bills that are months apart and have
 * conflicting tax ids do not count as equal, because suppliers that use the same factoring company share its account.
 */
function isSameMoneySameAccount(invoice: Candidate, pair: PairScore): boolean {
  return (
    invoice.bankKey !== undefined &&
    invoice.bankKey === pair.other.bankKey &&
    (pair.number === 'IDENT' || pair.number === 'FORMAT') &&
    pair.amount === 'EQ' &&
    (isOfTheSameDays(pair.date) || !haveConflictingTaxIds(invoice, pair.other))
  );
}

function severityOf(certain: PairScore | undefined, best: PairScore, parameters: DuplicateParameters): Severity {
  const { severities, highMin } = parameters;
  if (certain !== undefined) return severities.DUPLICATE_INVOICE;
  return best.halfPoints >= highMin ? severities.suspectedHigh : severities.suspectedMedium;
}

function confidenceOf(pair: PairScore, { confidence }: DuplicateParameters): number {
  const points = Math.floor(pair.halfPoints / 2);
  return (confidence.findLast((step) => step.points <= points) ?? confidence[0])?.percent ?? 0;
}

/** Checks whether a reviewer has decided that two records are not duplicates of each other. */
function isCleared(facts: Facts, other: Candidate): boolean {
  const { clearedPairs, invoice } = facts;
  return clearedPairs?.includes(pairKey(invoice.invoiceId, other.invoiceId)) ?? false;
}

/** Returns the kind of key that two suppliers have in common: the bank account or, if the accounts differ, the name. */
function sharedKey(invoice: Candidate, other: Candidate): 'bank' | 'name' | null {
  if (invoice.bankKey !== undefined && invoice.bankKey === other.bankKey) return 'bank';
  return isSameName(invoice, other) ? 'name' : null;
}

function byPoints(left: PairScore, right: PairScore): number {
  return right.halfPoints - left.halfPoints || compareByArrival(left.other, right.other);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}
