import { shortDigest } from '../facts/digest.js';
import type { Candidate, InvoiceNumber, MatchPart, NormalisedInvoice } from '../facts/invoice.js';
import { isRevision, readInvoiceNumber } from './invoice-number.js';
import { compareByArrival, compareText } from '../facts/record-order.js';

/**
 * Equality keys by which matching records are found (detection reference, section 4). Kinds: 1 supplier and number
 * family · 2 supplier, amount, quarter · 3 number and amount · 4 day and amount · 5 same file · 6 invoice from KSeF and
 * a document that shows it. There are no range queries, so the cost of a lookup does not grow with the history.
 */
export type MatchKeyKind = 1 | 2 | 3 | 4 | 5 | 6;

export interface LookupKey {
  readonly kind: MatchKeyKind;
  readonly key: string;
}

/**
 * Maximum number of invoice records that a match key may find. A key that finds more records is hot: keys of kinds 2
 * and 4 are then ignored, and keys of kinds 1, 3, 5 and 6 keep their newest hits.
 */
export const CANDIDATES_PER_KEY_MAX = 64;
/**
 * Maximum number of invoice records that are read for a match key. It is one more than the number that a key may find,
 * so a key for which this many records are read counts as hot.
 */
export const HITS_PER_KEY_MAX = CANDIDATES_PER_KEY_MAX + 1;

const KEY_BYTES = 8;
const BUCKET_DAYS = 92;
const KIND_3_LENGTH_MIN = 5;
/** Maximum number of substrings of a credit note number that may name the credited invoice. */
const CREDITED_NUMBERS_MAX = 8;
const CREDITED_RUNS_MAX = 12;
const CREDITED_NUMBER_LENGTH_MIN = 3;

/**
 * Returns the keys that identify a record's supplier: `t:` tax id, `b:` account, `n:` name, and a second `n:` for the
 * folded name.
 */
export function supplierKeysOf(record: Pick<Candidate, 'taxKey' | 'bankKey' | 'nameKey' | 'nameFold'>): string[] {
  const keys: string[] = [];
  if (record.taxKey !== undefined) keys.push(`t:${record.taxKey}`);
  if (record.bankKey !== undefined) keys.push(`b:${record.bankKey}`);
  if (record.nameKey !== '') keys.push(`n:${record.nameKey}`);
  if (record.nameFold !== undefined) keys.push(`n:${record.nameFold}`);
  return keys;
}

/**
 * Returns the keys under which an invoice record is stored. A credit note is also stored under the numbers that it
 * contains.
 */
export function storedKeys(record: Candidate): string[] {
  return distinct([
    ...numberKeys(record),
    ...creditedNumberKeys(record),
    ...amountKeys(record, [0]),
    ...commonKeys(record),
    ...channelKeys(record, 'STORED'),
  ]).map(({ key }) => key);
}

/**
 * Returns the keys with which matching invoice records are looked up: the keys of the invoice itself, the keys of kind
 * 2 for the quarters before and after, and for a credit note the keys of the numbers that its own number contains.
 */
export function lookupKeys(record: Candidate): LookupKey[] {
  return distinct([
    ...numberKeys(record),
    ...creditedNumberKeys(record),
    ...revisedNumberKeys(record),
    ...amountKeys(record, [-1, 0, 1]),
    ...commonKeys(record),
    ...channelKeys(record, 'LOOKUP'),
  ]);
}

/** Returns the stored keys and the lookup keys of an invoice record. Each key is computed once. */
export function keysOf(record: Candidate): { readonly stored: string[]; readonly lookups: LookupKey[] } {
  const numbers = [...numberKeys(record), ...creditedNumberKeys(record)];
  const amounts = amountKeys(record, [0]);
  const common = commonKeys(record);
  return {
    stored: distinct([...numbers, ...amounts, ...common, ...channelKeys(record, 'STORED')]).map(({ key }) => key),
    lookups: distinct([
      ...numbers,
      ...revisedNumberKeys(record),
      ...amounts,
      ...amountKeys(record, [-1, 1]),
      ...common,
      ...channelKeys(record, 'LOOKUP'),
    ]),
  };
}

/** Returns the part of an invoice that is stored for matching, with its keys. */
export function matchPartOf(invoice: NormalisedInvoice, keys: readonly string[] = storedKeys(invoice)): MatchPart {
  return { ...candidateOf(invoice), keys };
}

/** Reduces a stored invoice or the checked invoice to the fields that the engine compares. */
function candidateOf(record: Candidate | MatchPart | NormalisedInvoice): Candidate {
  const {
    keys,
    bankProblems,
    taxValidity,
    hasPlaceholderTaxId,
    dueDay,
    taxMinor,
    buyerName,
    buyerTaxId,
    ...candidate
  } = record as MatchPart & NormalisedInvoice;
  return candidate;
}

export interface CappedCandidates {
  /** Earlier invoices that may match the checked invoice, without repetition, in order of arrival. */
  readonly candidates: readonly Candidate[];
  /**
   * True if a match key that very many invoices share was ignored or its matches were cut. The facts of the analysis
   * record whether this happened.
   */
  readonly candidateCapHit: boolean;
}

/**
 * Selects the records that the engine compares with an invoice, from all records that were found by match keys. The
 * invoice itself and later records are removed, and then the limit for hot keys is applied. A hot key keeps its newest
 * records by issue day, and within one day the records that arrived last.
 * @param lookups the invoice's lookup keys, if the caller has them already
 */
export function applyCandidateCaps(
  invoice: Candidate,
  hits: readonly MatchPart[],
  lookups: readonly LookupKey[] = lookupKeys(invoice),
): CappedCandidates {
  const earlier = new Map<string, MatchPart>();
  for (const hit of hits) {
    if (hit.invoiceId !== invoice.invoiceId && compareByArrival(hit, invoice) < 0) earlier.set(hit.invoiceId, hit);
  }
  if (earlier.size === 0) return { candidates: [], candidateCapHit: false };
  const byKey = new Map<string, MatchPart[]>(lookups.map(({ key }) => [key, []]));
  for (const hit of earlier.values()) {
    for (const key of hit.keys) byKey.get(key)?.push(hit);
  }
  const kept = new Set<MatchPart>();
  let candidateCapHit = false;
  for (const { kind, key } of lookups) {
    const sharing = byKey.get(key) ?? [];
    if (sharing.length <= CANDIDATES_PER_KEY_MAX) {
      for (const hit of sharing) kept.add(hit);
      continue;
    }
    candidateCapHit = true;
    if (kind === 2 || kind === 4) continue;
    const newest = sharing.toSorted((left, right) => right.issueDay - left.issueDay || compareByArrival(right, left));
    for (const hit of newest.slice(0, CANDIDATES_PER_KEY_MAX)) kept.add(hit);
  }
  const candidates = [...kept].map(candidateOf).sort(compareByArrival);
  return { candidates, candidateCapHit };
}

/**
 * Returns the keys that find credit notes with a given amount and an issue day in a given period.
 * @param supplierKeys keys of the supplier that issued them, from {@link supplierKeysOf}
 */
export function creditKeys(
  supplierKeys: readonly string[],
  { amountMinor, currency }: Pick<Candidate, 'amountMinor' | 'currency'>,
  days: { readonly from: number; readonly to: number },
): string[] {
  const [first, last] = [Math.floor(days.from / BUCKET_DAYS), Math.floor(days.to / BUCKET_DAYS)];
  const buckets = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return supplierKeys.flatMap((supplier) =>
    buckets.map((bucket) => matchKey(2, `${supplier}|${amountMinor.replace('-', '')}|${currency}|${bucket}`).key),
  );
}

/**
 * Returns the keys that find the bills that a payment may settle: by a number with the supplier or with the amount, and
 * by a KSeF number.
 * @param supplierKeys keys of the payee, from {@link supplierKeysOf}
 */
export function paidBillKeys(payment: {
  readonly supplierKeys: readonly string[];
  readonly numbers: readonly InvoiceNumber[];
  readonly ksefNumbers: readonly string[];
  readonly amountMinor: string;
  readonly currency: string;
}): string[] {
  const { supplierKeys, numbers, ksefNumbers, amountMinor, currency } = payment;
  const forms = new Set(
    numbers.flatMap(({ o1, o2, b1, b2 }) => [o1, o2, b1, b2]).filter((form) => form !== undefined && form !== ''),
  );
  return distinct([
    ...supplierKeys.flatMap((supplier) => [...forms].map((form) => matchKey(1, `${supplier}|${form}`))),
    ...numbers
      .filter(({ o1 }) => o1.length >= KIND_3_LENGTH_MIN)
      .map(({ o1 }) => matchKey(3, `${o1}|${amountMinor}|${currency}`)),
    ...ksefNumbers.flatMap((number) => ['REGISTERED', 'NAMED'].map((side) => matchKey(6, `KSEF|${side}|${number}`))),
  ]).map(({ key }) => key);
}

/** Returns the keys that find the bills that a credit note names in its number. */
export function creditedBillKeys(note: Candidate): string[] {
  return distinct([...numberKeys(note), ...creditedNumberKeys(note)]).map(({ key }) => key);
}

function numberKeys(record: Candidate): LookupKey[] {
  const { o1, o2, b1, b2 } = record.number;
  const numbers = new Set([o1, o2, b1, b2].filter((form) => form !== undefined && form !== ''));
  return supplierKeysOf(record).flatMap((supplier) => [...numbers].map((form) => matchKey(1, `${supplier}|${form}`)));
}

function creditedNumberKeys(record: Candidate): LookupKey[] {
  if (!record.amountMinor.startsWith('-')) return [];
  const numbers = creditedNumbers(record);
  return supplierKeysOf(record).flatMap((supplier) => numbers.map((form) => matchKey(1, `${supplier}|${form}`)));
}

/**
 * Returns the keys by which a bill that replaces another bill finds the credit note for the replaced bill: `CN-2001`
 * for `IN-2001-REV`.
 */
function revisedNumberKeys(record: Candidate): LookupKey[] {
  if (!isRevision(record.number)) return [];
  const digits = billDigits(record.number.base ?? '');
  return digits === undefined ? [] : supplierKeysOf(record).map((supplier) => matchKey(1, `${supplier}|${digits}`));
}

/**
 * Returns the digits of an invoice number as its credit note states them. Undefined if they are too few to name a bill.
 */
export function billDigits(number: string): string | undefined {
  const digits = number.replace(/[^0-9]/g, '').replace(/^0+/, '');
  return digits.length >= BILL_DIGITS_MIN ? digits : undefined;
}

const BILL_DIGITS_MIN = 4;

/**
 * Returns the numbers contained in a credit note number, longest first: `CN-INV-1042` contains `INV1042` and `1042`.
 */
export function creditedNumbers(record: Candidate): string[] {
  const { o1, o2 } = record.number;
  const runs = record.number.runs.slice(0, CREDITED_RUNS_MAX);
  const found = new Set<string>();
  for (let from = 0; from < runs.length; from += 1) {
    for (let to = runs.length; to > from; to -= 1) {
      const text = runs
        .slice(from, to)
        .join('')
        .replace(/^0+(?=.)/, '');
      if (text.length < CREDITED_NUMBER_LENGTH_MIN || !/[0-9]{2}/.test(text)) continue;
      // A part of a credit note number is read like an invoice number: labels are removed and misread letters become
      // digits.
      const credited = readInvoiceNumber(text).o1;
      if (credited !== o1 && credited !== o2) found.add(credited);
    }
  }
  return [...found]
    .sort((left, right) => right.length - left.length || compareText(left, right))
    .slice(0, CREDITED_NUMBERS_MAX);
}

function amountKeys(record: Candidate, bucketOffsets: readonly number[]): LookupKey[] {
  const bucket = Math.floor(record.issueDay / BUCKET_DAYS);
  return supplierKeysOf(record).flatMap((supplier) =>
    bucketOffsets.map((offset) => matchKey(2, `${supplier}|${magnitude(record)}|${bucket + offset}`)),
  );
}

function commonKeys(record: Candidate): LookupKey[] {
  const keys = [matchKey(4, `${record.issueDate}|${magnitude(record)}`)];
  if (record.number.o1.length >= KIND_3_LENGTH_MIN) keys.push(matchKey(3, `${record.number.o1}|${magnitude(record)}`));
  if (record.documentSha256 !== undefined) keys.push(matchKey(5, record.documentSha256));
  return keys;
}

/**
 * Returns the keys that connect KSeF invoices with documents that show their number or code. Invoices and documents are
 * stored under separate keys. A lookup of the invoice therefore finds it even if very many documents show its number.
 */
function channelKeys(record: Candidate, use: 'STORED' | 'LOOKUP'): LookupKey[] {
  const { source, externalId, documentSha256, ksefReference } = record;
  const isRegistered = source === 'KSEF';
  const names = isRegistered ? [externalId, documentSha256] : [ksefReference?.number, ksefReference?.code?.sha256];
  const side = isRegistered === (use === 'STORED') ? 'REGISTERED' : 'NAMED';
  return names.flatMap((name) => (name === undefined ? [] : [matchKey(6, `KSEF|${side}|${name}`)]));
}

/** Returns the amount and the currency of an invoice without the sign, so that a credit note finds its invoice. */
function magnitude(record: Candidate): string {
  return `${record.amountMinor.replace('-', '')}|${record.currency}`;
}

function matchKey(kind: MatchKeyKind, value: string): LookupKey {
  return { kind, key: shortDigest(`${kind}|${value}`, KEY_BYTES) };
}

function distinct(keys: readonly LookupKey[]): LookupKey[] {
  return [...new Map(keys.map((entry) => [entry.key, entry])).values()];
}
