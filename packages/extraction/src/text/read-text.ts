import type { DocumentReading, FieldPath, FieldReading, OwnCompany } from '../reading.js';
import { findAccounts, findMalformedIban } from './accounts.js';
import { pickBest, toReading } from './candidates.js';
import type { Candidate } from './candidates.js';
import { CONFIDENCE_BY_COUNTRY_MAX, findCurrency } from './currency-field.js';
import { certaintyOfIssueDate, findDateCandidates } from './date-fields.js';
import { findKsefNumber } from './ksef-numbers.js';
import type { TextPage } from './layout.js';
import { certaintyOfName } from './name-certainty.js';
import { foldKey } from './normalise.js';
import { findNumberCandidates, findOrderCandidates } from './number-field.js';
import { countryOfAddress } from './country-of-address.js';
import { findPartyZones } from './parties.js';
import type { PartyZone } from './parties.js';
import { findPayeeName } from './payee.js';
import { findSalesDocument } from './sales-document.js';
import { findPartyNames } from './supplier-name.js';
import { findLocalTaxIds, findTaxIdCandidates } from './tax-id-fields.js';
import { hasKind, readCells } from './text-document.js';
import type { TextDocument } from './text-document.js';
import { findTotals } from './totals.js';

/** The reading of a text that comes from a text layer or from OCR. */
export interface TextReading extends Pick<
  DocumentReading,
  | 'kind'
  | 'fields'
  | 'payableAmount'
  | 'currencyCandidates'
  | 'invalidIban'
  | 'supplierNameCandidates'
  | 'ksefNumber'
  | 'salesDocument'
  | 'payeeName'
> {
  /**
   * True if the text looks like an invoice, because it contains at least two of these: the word "invoice", a number, a
   * date, a total, a tax id.
   */
  readonly isInvoice: boolean;
}

export interface TextContext {
  readonly companies: readonly OwnCompany[];
  /** Confidence of the text as a whole: 0.98 for a text layer, and 1 for OCR, whose words have their own confidence. */
  readonly sourceFactor: number;
  /** Letters in ids that OCR misread are corrected if the check digits then match. */
  readonly isOcr?: boolean;
  /** Current day in the form `YYYY-MM-DD`, with which dates in the document are compared. */
  readonly today: string;
}

const NAME_CANDIDATES_MAX = 5;
const CONFIDENCE_OF_UNCLEAR_DATE = 0.6;
const INVOICE_WORD =
  /invoice|rechnung|gutschrift|facture|avoir|faktura|rachunek|factura|abono|fattura|notadicredito|factuur|creditnota|receipt|creditnote|quittung|kassenbon|faktuur/;
const ARITHMETIC_FIELDS: readonly FieldPath[] = ['net_amount', 'tax_amount'];

/**
 * Reads an invoice from lines of cells by labels, positions, check digits and arithmetic (documents reference, 10 and
 * 11).
 */
export function readText(pages: readonly TextPage[], context: TextContext): TextReading {
  const document = readCells(pages, context.isOcr);
  const zones = findPartyZones(document);
  const isCreditNote = hasCreditNoteTitle(document);
  const fields: Partial<Record<FieldPath, FieldReading>> = {};
  const put = (
    path: FieldPath,
    candidate: Candidate | undefined,
    isContested = false,
    confidenceMax = 1,
    hasRival = true,
  ): void => {
    if (candidate === undefined) return;
    fields[path] = toReading(document, candidate, {
      sourceFactor: context.sourceFactor,
      isContested,
      hasRival,
      confidenceMax,
    });
  };

  const accounts = findAccounts(document, zones);
  const iban = pickBest(accounts.ibans);
  put('supplier.bank_account.iban', iban?.best, iban?.isContested);
  if (iban === undefined && accounts.domestic !== undefined) {
    put('supplier.bank_account.sort_code', accounts.domestic.sortCode);
    put('supplier.bank_account.account_number', accounts.domestic.accountNumber);
  }

  const taxIds = findTaxIdCandidates(document, zones, context.companies);
  const taxId = pickBest(taxIds.supplier) ?? pickBest(findLocalTaxIds(document, zones));
  put('supplier.tax_id', taxId?.best, taxId?.isContested);
  put('buyer.tax_id', taxIds.buyer[0]);

  const names = findPartyNames(document, zones, context.companies);
  const buyerName = names.buyer[0];
  put('buyer.name', pickBest(names.buyer)?.best);
  const supplierNames = bestNames(names.supplier, buyerName);
  const [supplierName] = supplierNames;
  put('supplier.name', supplierName && { ...supplierName, certainty: certaintyOfName(document, zones, supplierNames) });

  const payeeName = findPayeeName(
    document,
    zones,
    supplierNames[0]?.value,
    names.buyer.map(({ value }) => value),
    context.companies,
  );

  const number = pickBest(findNumberCandidates(document, zones));
  put('invoice_number', number?.best, number?.isContested, 1, number?.hasRival);
  const order = pickBest(findOrderCandidates(document));
  if (order !== undefined && order.best.value !== number?.best.value)
    put('purchase_order_ref', order.best, order.isContested);

  const dates = findDateCandidates(document, context.today, isCreditNote);
  const issue = pickBest(dates.issue);
  const isUnclear = dates.issue.some(({ isAmbiguous, value }) => isAmbiguous && value === issue?.best.value);
  const issueDate = issue && { ...issue.best, certainty: certaintyOfIssueDate(issue, dates.lone) };
  const issueDateMax = isUnclear ? CONFIDENCE_OF_UNCLEAR_DATE : 1;
  put('issue_date', issueDate, issue?.isContested, issueDateMax, issue?.hasRival);
  const due = pickBest(dates.due.filter(({ score }) => score > 0.2));
  if (due !== undefined && (issue === undefined || due.best.value >= issue.best.value)) {
    const isDueUnclear = dates.due.some(({ isAmbiguous, value }) => isAmbiguous && value === due.best.value);
    put('due_date', due.best, due.isContested, isDueUnclear ? CONFIDENCE_OF_UNCLEAR_DATE : 1);
  }

  const totals = findTotals(document, isCreditNote);
  put('gross_amount', totals.gross?.best, totals.gross?.isContested === true && totals.gross.best.isProven === false);
  put('net_amount', totals.net);
  put('tax_amount', totals.tax);

  const countries = supplierCountries(document, fields, {
    taxIdCountry: taxIds.supplier[0]?.country ?? null,
    name: supplierNames[0],
    zones,
  });
  const currency = findCurrency(document, totals.gross?.best, countries, issue?.best.value);
  put('currency', currency.best, false, currency.isByCountry ? CONFIDENCE_BY_COUNTRY_MAX : 1);

  const kind = totals.isCorrection === true ? 'CORRECTION' : isCreditNote ? 'CREDIT_NOTE' : 'INVOICE';
  const ksefNumber = findKsefNumber(pages, document.isOcr);
  const salesDocument = findSalesDocument(document);
  return {
    kind,
    fields,
    payableAmount: totals.payable,
    currencyCandidates: currency.candidates,
    invalidIban: iban === undefined ? (accounts.invalid ?? findMalformedIban(document)) : null,
    supplierNameCandidates: supplierNames.slice(1, 1 + NAME_CANDIDATES_MAX).map(({ value }) => value),
    isInvoice: isInvoice(document, fields),
    ...(ksefNumber === undefined ? {} : { ksefNumber }),
    ...(salesDocument === undefined ? {} : { salesDocument }),
    ...(payeeName === undefined ? {} : { payeeName }),
  };
}

/**
 * Returns the names that may be the supplier's, the most likely name first and each name once. The name of the buyer
 * usually ranks lower.
 */
function bestNames(candidates: readonly Candidate[], buyer: Candidate | undefined): Candidate[] {
  const buyerKey = buyer === undefined ? '' : foldKey(buyer.value);
  const byKey = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = foldKey(candidate.value);
    const penalty = key === buyerKey && candidate.evidence !== 'SPECIFIC_LABEL' ? 0.4 : 0;
    const score = candidate.score - penalty;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { ...candidate, score });
    else {
      const better = score > known.score ? { ...candidate, score } : known;
      byKey.set(key, { ...better, score: better.score + (known.cell === candidate.cell ? 0 : 0.12) });
    }
  }
  return [...byKey.values()].filter(({ score }) => score > 0.05).sort((one, other) => other.score - one.score);
}

/**
 * Checks whether a document has the title of a credit note at the start of a text cell in the upper half of its first
 * page.
 */
function hasCreditNoteTitle(document: TextDocument): boolean {
  const height = document.pages[0]?.height ?? 1;
  return (
    document.cells.some(
      (cell) =>
        cell.page === 0 &&
        cell.top < height / 2 &&
        cell.text.length < 60 &&
        cell.labels.some((hit) => hit.start <= 1 && hasKind(hit, 'creditNote')),
    ) ||
    document.cells.some(
      (cell) =>
        cell.page === 0 &&
        cell.top < height / 2 &&
        cell.text.length < 50 &&
        cell.labels.some(
          (hit) =>
            hit.start <= 1 &&
            hasKind(hit, 'number') &&
            /credit|gutschrift|avoir|korygujaca|rectificativa|abono|notadicredito|storno|korrektur/.test(hit.key),
        ),
    )
  );
}

/** Countries to which the tax ids, the bank account and the domain of the supplier belong. */
function supplierCountries(
  document: TextDocument,
  fields: Partial<Record<FieldPath, FieldReading>>,
  {
    taxIdCountry,
    name,
    zones,
  }: { taxIdCountry: string | null; name: Candidate | undefined; zones: readonly PartyZone[] },
): string[] {
  const countries = new Set<string>();
  if (taxIdCountry !== null) countries.add(taxIdCountry);
  const iban = fields['supplier.bank_account.iban']?.value;
  if (iban !== undefined) countries.add(iban.slice(0, 2));
  if (fields['supplier.bank_account.sort_code'] !== undefined) countries.add('GB');
  const texts = document.cells.map(({ text }) => text);
  const hasLabel = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));
  if (hasLabel(/\bABN\b/)) countries.add('AU');
  if (hasLabel(/\b(?:QST|TVQ|TPS|TVH|HST)\b/)) countries.add('CA');
  if (hasLabel(/\bEIN\b|\bFed(?:eral)? Tax ID\b/i)) countries.add('US');
  if (hasLabel(/\bGSTIN\b/)) countries.add('IN');
  for (const text of texts) {
    const domain =
      /(?:www\.|@)[a-z0-9.-]{1,253}\.(uk|de|fr|pl|es|it|nl|se|no|dk|ca|au|nz|sg|jp|cn|za|in|ch|mx)\b/i.exec(text)?.[1];
    if (domain !== undefined) countries.add(domain.toLowerCase() === 'uk' ? 'GB' : domain.toUpperCase());
  }
  const ofAddress = name === undefined ? undefined : countryOfAddress(document, name.cell, zones);
  if (ofAddress !== undefined) countries.add(ofAddress);
  return [...countries];
}

function isInvoice(document: TextDocument, fields: Partial<Record<FieldPath, FieldReading>>): boolean {
  const hasWord = document.cells.some(({ text }) => INVOICE_WORD.test(foldKey(text.slice(0, 200))));
  const signs = [
    hasWord,
    fields.invoice_number !== undefined,
    fields.issue_date !== undefined,
    fields.gross_amount !== undefined && !ARITHMETIC_FIELDS.includes('gross_amount'),
    fields['supplier.tax_id'] !== undefined,
  ];
  return signs.filter(Boolean).length >= 2;
}
