import { isWeekend } from '../data/weekends.js';
import type { Candidate, NormalisedInvoice } from '../facts/invoice.js';
import type {
  AccountTrust,
  AccountUse,
  AmountUse,
  CountedText,
  DatedNumber,
  DatedText,
  EarningUse,
  RecentBill,
  SupplierProfile,
} from '../facts/supplier.js';
import { compareText } from '../facts/record-order.js';
import { isLikeName } from './name-likeness.js';

const AMOUNTS_MAX = 64;
const RECENT_BILLS_MAX = 16;
const STORED_NUMBER_LENGTH_MAX = 64;
const CURRENCIES_MAX = 12;
const DAYS_MAX = 33;
const ACCOUNTS_MAX = 16;
const RECENT_ACCOUNTS_MAX = 12;
const NAMES_MAX = 8;
const SIGNATURES_MAX = 8;
const SEQUENCE_MAX = 32;
const TERMS_MAX = 32;
const TAX_RATES_MAX = 16;
const TAX_COUNTRIES_MAX = 4;
const DAY_MS = 86_400_000;
/** Invoices and days after which an account is SEEN. */
const SEEN_INVOICES_MIN = 3;
const SEEN_DAYS_MIN = 60;

export const emptyProfile: SupplierProfile = {
  format: 1,
  count: 0,
  firstDay: null,
  lastDay: null,
  amounts: {},
  recentBills: [],
  currencies: {},
  days: [],
  accounts: [],
  recentAccounts: [],
  names: [],
  signatures: [],
  sequence: [],
  terms: [],
  taxRates: [],
  bankCount: 0,
  taxIdCount: 0,
  taxCountries: [],
  poCount: 0,
  weekendCount: 0,
  roundCount: 0,
};

export function isTrusted(trust: AccountTrust): boolean {
  return trust === 'SEEN' || trust === 'ERP' || trust === 'REVIEWED';
}

/**
 * Whether the account is known well enough to be paid without a question. Rows of one scan were received at once, and
 * nobody could review one before the next: for each other, and for nobody else, they establish an account by their dates.
 */
export function isTrustedFor({ scanId }: Candidate, use: AccountUse): boolean {
  return isTrusted(use.trust) || (isOfScan(use, scanId) && use.trust === 'UNVERIFIED' && isEstablished(use));
}

/** Whether all bills on the account are rows of this scan. */
export function isOfScan({ onlyScanId }: AccountUse, scanId: string | undefined): boolean {
  return onlyScanId !== undefined && onlyScanId === scanId;
}

/**
 * The profile after one more invoice. A bill that may be a copy teaches nothing, one that may be fraud earns its account
 * no trust. Pure; called once per invoice (links.ts keeps the ring of what was counted).
 */
export function countInvoice(profile: SupplierProfile, invoice: NormalisedInvoice): SupplierProfile {
  if (invoice.suspectedAs === 'DUPLICATE') return profile;
  const day = invoice.issueDay;
  const amount = BigInt(invoice.amountMinor);
  const rate = taxRateBasisPoints(invoice);
  const run = runOfSeries(invoice);
  return {
    format: 1,
    count: profile.count + 1,
    firstDay: profile.firstDay === null ? day : Math.min(profile.firstDay, day),
    lastDay: profile.lastDay === null ? day : Math.max(profile.lastDay, day),
    amounts:
      amount > 0n
        ? withAmount(profile.amounts, invoice.currency, { day, minor: invoice.amountMinor })
        : profile.amounts,
    recentBills: amount > 0n ? withRecentBill(profile.recentBills ?? [], invoice) : (profile.recentBills ?? []),
    currencies: withCount(profile.currencies, invoice.currency),
    days: newest([...profile.days, day], (entry) => entry, DAYS_MAX),
    accounts: withAccount(profile.accounts, invoice),
    recentAccounts:
      invoice.bankKey === undefined
        ? profile.recentAccounts
        : newestDated([...profile.recentAccounts, { day, text: invoice.bankKey }], RECENT_ACCOUNTS_MAX),
    names: withLikelyName(profile.names, invoice.nameKey),
    signatures: withSignature(profile.signatures, invoice.number.signature),
    sequence:
      run === undefined ? profile.sequence : newestDated([...profile.sequence, { day, text: run }], SEQUENCE_MAX),
    terms:
      invoice.dueDay === undefined
        ? profile.terms
        : newestNumbers([...profile.terms, { day, value: invoice.dueDay - day }], TERMS_MAX),
    taxRates:
      rate === undefined ? profile.taxRates : newestNumbers([...profile.taxRates, { day, value: rate }], TAX_RATES_MAX),
    bankCount: profile.bankCount + (invoice.bankKey === undefined ? 0 : 1),
    taxIdCount: profile.taxIdCount + (invoice.taxKey === undefined ? 0 : 1),
    taxCountries: withTaxCountry(profile.taxCountries ?? [], invoice),
    poCount: profile.poCount + (invoice.poKey === undefined ? 0 : 1),
    weekendCount: profile.weekendCount + (isWeekend(day, invoice.taxCountry) ? 1 : 0),
    roundCount: profile.roundCount + (isRound(amount) ? 1 : 0),
  };
}

/**
 * The profile as if the invoice had not been counted: used when a reviewer confirms it as a duplicate or
 * as fraud. Last days are restored from the rings where possible; first days
 * stay.
 */
export function withoutInvoice(profile: SupplierProfile, invoice: NormalisedInvoice): SupplierProfile {
  const day = invoice.issueDay;
  const rate = taxRateBasisPoints(invoice);
  const run = runOfSeries(invoice);
  const amounts = profile.amounts[invoice.currency];
  const days = withoutOne(profile.days, (entry) => entry === day);
  const recentAccounts = withoutOne(profile.recentAccounts, (use) => use.day === day && use.text === invoice.bankKey);
  return {
    ...profile,
    count: Math.max(0, profile.count - 1),
    lastDay: profile.lastDay === day ? (days.at(-1) ?? profile.lastDay) : profile.lastDay,
    amounts:
      amounts === undefined
        ? profile.amounts
        : {
            ...profile.amounts,
            [invoice.currency]: withoutOne(amounts, (use) => use.day === day && use.minor === invoice.amountMinor),
          },
    recentBills: (profile.recentBills ?? []).filter((bill) => bill.invoiceId !== invoice.invoiceId),
    currencies: withoutCount(profile.currencies, invoice.currency),
    days,
    accounts: withoutAccount(profile.accounts, invoice, recentAccounts),
    recentAccounts,
    signatures: profile.signatures
      .map((entry) => (entry.text === invoice.number.signature ? { ...entry, count: entry.count - 1 } : entry))
      .filter((entry) => entry.count > 0),
    sequence: withoutOne(profile.sequence, (entry) => entry.day === day && entry.text === run),
    terms: withoutOne(
      profile.terms,
      (entry) => entry.day === day && invoice.dueDay !== undefined && entry.value === invoice.dueDay - day,
    ),
    taxRates: withoutOne(profile.taxRates, (entry) => entry.day === day && entry.value === rate),
    bankCount: Math.max(0, profile.bankCount - (invoice.bankKey === undefined ? 0 : 1)),
    taxIdCount: Math.max(0, profile.taxIdCount - (invoice.taxKey === undefined ? 0 : 1)),
    poCount: Math.max(0, profile.poCount - (invoice.poKey === undefined ? 0 : 1)),
    weekendCount: Math.max(0, profile.weekendCount - (isWeekend(day, invoice.taxCountry) ? 1 : 0)),
    roundCount: Math.max(0, profile.roundCount - (isRound(BigInt(invoice.amountMinor)) ? 1 : 0)),
  };
}

/** The profile with an account set to a trust that a person or the vendor master decided. */
export function withAccountTrust(profile: SupplierProfile, bankKey: string, trust: AccountTrust): SupplierProfile {
  return {
    ...profile,
    accounts: profile.accounts.map((account) => (account.key === bankKey ? { ...account, trust } : account)),
  };
}

/** The profile with the review of an account; undefined withdraws it. */
export function withReviewedAccount(
  profile: SupplierProfile,
  bankKey: string,
  trust: 'REVIEWED' | 'FRAUD' | undefined,
): SupplierProfile {
  const accounts = profile.accounts.map((account) => {
    if (account.key !== bankKey) return account;
    const { earned, ...use } = account;
    if (trust === undefined) return earned === undefined ? account : { ...use, trust: earned };
    return { ...use, trust, earned: earned ?? account.trust };
  });
  return { ...profile, accounts };
}

/** A country is learned from a tax id that states it and is possible there. */
function withTaxCountry(countries: readonly string[], invoice: NormalisedInvoice): readonly string[] {
  const { taxCountry, taxCountryPresumed, taxValidity } = invoice;
  if (taxCountry === undefined || taxCountryPresumed === true || countries.includes(taxCountry)) return countries;
  if (taxValidity === 'WRONG_FORMAT' || taxValidity === 'WRONG_CHECK_DIGIT') return countries;
  return [...countries, taxCountry].slice(0, TAX_COUNTRIES_MAX);
}

/** A name unlike all known ones is not learned from an invoice; a person must accept it. */
function withLikelyName(names: readonly string[], nameKey: string): readonly string[] {
  if (names.includes(nameKey) || (names.length > 0 && !isLikeName(names, nameKey))) return names;
  return [...names, nameKey].slice(-NAMES_MAX);
}

/** The profile with a name that a person accepted for the supplier. */
export function withName(profile: SupplierProfile, nameKey: string): SupplierProfile {
  if (profile.names.includes(nameKey)) return profile;
  return { ...profile, names: [...profile.names, nameKey].slice(-NAMES_MAX) };
}

/** The profile with a pattern of invoice numbers that a person accepted for the supplier. */
export function withNumberPattern(profile: SupplierProfile, signature: string): SupplierProfile {
  if (profile.signatures.some(({ text }) => text === signature)) return profile;
  return { ...profile, signatures: withSignature(profile.signatures, signature) };
}

/** Tax as a share of net in basis points; undefined when either is missing or net is zero. */
function taxRateBasisPoints({ netMinor, taxMinor }: NormalisedInvoice): number | undefined {
  if (netMinor === undefined || taxMinor === undefined) return undefined;
  return rateBasisPoints(BigInt(netMinor), BigInt(taxMinor));
}

/** The same of amounts that have been read. */
export function rateBasisPoints(net: bigint, tax: bigint): number | undefined {
  return net === 0n ? undefined : Number((tax * 10_000n) / net);
}

function withAccount(accounts: readonly AccountUse[], invoice: NormalisedInvoice): readonly AccountUse[] {
  const { bankKey, bankMasked, bankCountry, issueDay, scanId } = invoice;
  const earnsTrust = invoice.suspectedAs === undefined;
  if (bankKey === undefined || bankMasked === undefined) return accounts;
  const known = accounts.find((account) => account.key === bankKey);
  if (known !== undefined) {
    const { onlyScanId: _scan, earning: earned, ...use } = known;
    // Rows may have passed because of what their own scan established; that is no answer to the question about others.
    const wasAskedAbout = (earned?.count ?? 0) < known.count;
    const earning = earnsTrust && !(scanId !== undefined && wasAskedAbout) ? withEarning(earned, invoice) : earned;
    const used = {
      ...use,
      ...(isOfScan(known, scanId) && scanId !== undefined ? { onlyScanId: scanId } : {}),
      ...(earning === undefined ? {} : { earning }),
      firstDay: Math.min(known.firstDay, issueDay),
      lastDay: Math.max(known.lastDay, issueDay),
      count: known.count + 1,
    };
    const seen = earning !== undefined && isEstablished(earning);
    const trust = used.trust === 'UNVERIFIED' && seen ? 'SEEN' : used.trust;
    return accounts.map((account) => (account.key === bankKey ? { ...used, trust } : account));
  }
  const first: AccountUse = {
    key: bankKey,
    masked: bankMasked,
    ...(bankCountry === undefined ? {} : { country: bankCountry }),
    firstDay: issueDay,
    lastDay: issueDay,
    count: 1,
    // The account a supplier starts with is its own until something contradicts it.
    trust: accounts.length === 0 ? 'SEEN' : 'UNVERIFIED',
    firstInvoiceNumber: invoice.invoiceNumber,
    ...(earnsTrust ? { earning: withEarning(undefined, invoice) } : {}),
    ...(scanId === undefined ? {} : { onlyScanId: scanId }),
  };
  return accounts.length < ACCOUNTS_MAX ? [...accounts, first] : [...withoutLeastUseful(accounts), first];
}

/** A sender chooses the date on a bill, not the day on which it is received. */
function withEarning(use: EarningUse | undefined, { scanId, issueDay, receivedAtMs }: NormalisedInvoice): EarningUse {
  const day = scanId === undefined ? Math.floor(receivedAtMs / DAY_MS) : issueDay;
  return {
    count: (use?.count ?? 0) + 1,
    firstDay: Math.min(use?.firstDay ?? day, day),
    lastDay: Math.max(use?.lastDay ?? day, day),
  };
}

function isEstablished({ count, firstDay, lastDay }: EarningUse): boolean {
  return count >= SEEN_INVOICES_MIN && lastDay - firstDay >= SEEN_DAYS_MIN;
}

/** Room for a new account: unverified ones leave before trusted ones, the longest unused first. */
function withoutLeastUseful(accounts: readonly AccountUse[]): readonly AccountUse[] {
  const leaving = accounts.toSorted(
    (left, right) =>
      Number(left.trust !== 'UNVERIFIED') - Number(right.trust !== 'UNVERIFIED') ||
      left.lastDay - right.lastDay ||
      compareText(left.key, right.key),
  )[0];
  return accounts.filter((account) => account !== leaving);
}

function withoutAccount(
  accounts: readonly AccountUse[],
  invoice: Candidate,
  remaining: readonly DatedText[],
): readonly AccountUse[] {
  return accounts
    .map((account) => {
      if (account.key !== invoice.bankKey) return account;
      const before = remaining.findLast((use) => use.text === account.key);
      const lastDay = account.lastDay === invoice.issueDay ? (before?.day ?? account.lastDay) : account.lastDay;
      const { earning, ...use } = account;
      // Whether this bill was one of those that earn trust is not stored: rather one too few than one too many.
      const left =
        earning === undefined || earning.count <= 1 ? {} : { earning: { ...earning, count: earning.count - 1 } };
      return { ...use, ...left, count: account.count - 1, lastDay };
    })
    .filter((account) => account.count > 0 || account.trust === 'ERP' || account.trust === 'REVIEWED');
}

function withAmount(
  amounts: SupplierProfile['amounts'],
  currency: string,
  use: AmountUse,
): Readonly<Record<string, readonly AmountUse[]>> {
  const ring = amounts[currency];
  if (ring === undefined && Object.keys(amounts).length >= CURRENCIES_MAX) return amounts;
  const sorted = [...(ring ?? []), use].sort(
    (left, right) => left.day - right.day || compareText(left.minor, right.minor),
  );
  return { ...amounts, [currency]: sorted.slice(-AMOUNTS_MAX) };
}

function withRecentBill(bills: readonly RecentBill[], invoice: NormalisedInvoice): readonly RecentBill[] {
  const bill: RecentBill = {
    day: invoice.issueDay,
    minor: invoice.amountMinor,
    invoiceId: invoice.invoiceId,
    invoiceNumber: invoice.invoiceNumber.slice(0, STORED_NUMBER_LENGTH_MAX),
    currency: invoice.currency,
    ...(invoice.poKey === undefined ? {} : { poKey: invoice.poKey }),
  };
  return [...bills, bill]
    .sort((left, right) => left.day - right.day || compareText(left.invoiceId, right.invoiceId))
    .slice(-RECENT_BILLS_MAX);
}

function withCount(counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  const count = counts[key];
  if (count === undefined && Object.keys(counts).length >= CURRENCIES_MAX) return counts;
  return { ...counts, [key]: (count ?? 0) + 1 };
}

function withoutCount(counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  const { [key]: count, ...others } = counts;
  return count === undefined || count <= 1 ? others : { ...others, [key]: count - 1 };
}

function withSignature(signatures: readonly CountedText[], text: string): readonly CountedText[] {
  const known = signatures.find((entry) => entry.text === text);
  const counted =
    known === undefined
      ? [...signatures, { text, count: 1 }]
      : signatures.map((entry) => (entry === known ? { text, count: entry.count + 1 } : entry));
  const byCount = counted.toSorted((left, right) => right.count - left.count || compareText(left.text, right.text));
  // The new pattern keeps the last place, or no new pattern could ever be learned.
  return byCount.length <= SIGNATURES_MAX
    ? byCount
    : [...byCount.filter((entry) => entry.text !== text).slice(0, SIGNATURES_MAX - 1), { text, count: 1 }];
}

/** What the number adds to the series of the supplier. A credit note has a series of its own, or the number it credits. */
function runOfSeries(invoice: Candidate): string | undefined {
  return invoice.amountMinor.startsWith('-') ? undefined : lastNumericRun(invoice);
}

/** The digits that end a number, without leading zeros; those of a running number in most cases. */
export function lastNumericRun(invoice: Candidate): string | undefined {
  return invoice.number.runs.findLast((run) => /^[0-9]{1,15}$/.test(run))?.replace(/^0+(?=.)/, '');
}

/** A multiple of 1000 major units, or of 100 below 10 000, taken at two decimals. */
export function isRound(minor: bigint): boolean {
  if (minor <= 0n) return false;
  return minor % 100_000n === 0n || (minor < 1_000_000n && minor % 10_000n === 0n);
}

function newest<T>(entries: readonly T[], dayOf: (entry: T) => number, max: number): T[] {
  return entries.toSorted((left, right) => dayOf(left) - dayOf(right)).slice(-max);
}

function newestDated(entries: readonly DatedText[], max: number): DatedText[] {
  return entries.toSorted((left, right) => left.day - right.day || compareText(left.text, right.text)).slice(-max);
}

function newestNumbers(entries: readonly DatedNumber[], max: number): DatedNumber[] {
  return entries.toSorted((left, right) => left.day - right.day || left.value - right.value).slice(-max);
}

function withoutOne<T>(entries: readonly T[], matches: (entry: T) => boolean): readonly T[] {
  const index = entries.findIndex(matches);
  return index < 0 ? entries : entries.toSpliced(index, 1);
}
