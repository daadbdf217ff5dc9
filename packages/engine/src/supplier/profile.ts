import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { isWeekend } from '../data/weekends.js';
import type { Candidate, NormalisedInvoice } from '../facts/invoice.js';
import type {
  AcceptedCopy,
  AccountTrust,
  AccountUse,
  AmountUse,
  CountedText,
  DatedNumber,
  DatedText,
  DoubtedBills,
  KsefHabit,
  RecentBill,
  SupplierProfile,
} from '../facts/supplier.js';
import { earnsTrust, withEarning } from '../facts/links.js';
import { compareText } from '../facts/record-order.js';
import { isEstablished, isLongHistory } from './established-use.js';
import { isOwnTaxId, lateTaxIdsAfter, lateTaxIdsWithout } from './late-tax-ids.js';
import { isLikeName } from './name-likeness.js';
import { isAmountInDoubt } from './suspicion.js';

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
const DOUBTED_IDS_MAX = 64;
const ACCEPTED_COPIES_MAX = 16;
/**
 * Number of reviewers, or of days between the first and the last review, after which accepted copies of bills count as
 * a habit.
 */
const HABIT_REVIEWERS_MIN = 2;
const HABIT_DAYS_MIN = 30;

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
 * Checks whether an invoice with the bank account needs no finding about this account. That is the case if the account
 * is trusted. In a history scan it is also the case for an unverified account, if this scan imported all accounts of
 * the supplier and the issue dates of its rows show long use. No one can review one row of a scan before the next,
 * because the rows are received together.
 */
export function isTrustedFor({ scanId }: Candidate, use: AccountUse, accounts: readonly AccountUse[]): boolean {
  if (isTrusted(use.trust)) return true;
  return use.trust === 'UNVERIFIED' && isEstablished(use) && areOfScan(accounts, scanId);
}

/**
 * Checks whether the supplier is known to use the bank account: the account is trusted, or at least one bill with it
 * had no finding about the account or the supplier.
 */
export function isKnownAccount({ accounts }: SupplierProfile, bankKey: string): boolean {
  return accounts.some(({ key, trust, earning }) => key === bankKey && (isTrusted(trust) || earning !== undefined));
}

/**
 * Counts the bills with the supplier's bank account that have no open finding. If a person or the vendor master has
 * accepted the account, all bills count. If all bills are rows of the history scan that contains the checked row, they
 * all count too, because no one can review one row before the next.
 */
export function answeredUses({ scanId }: Candidate, use: AccountUse): number {
  if (use.trust === 'REVIEWED' || use.trust === 'ERP' || isOfScan(use, scanId)) return use.count;
  return use.count - (use.asked?.count ?? 0);
}

/**
 * Checks whether bills with the bank account have been received for long enough to establish trust. Bills with open
 * findings count too.
 */
export function isLongInUse({ earning, asked, count, firstDay, lastDay }: AccountUse): boolean {
  const [first, last] = [earning ?? asked, asked ?? earning];
  if (first === undefined || last === undefined) return isEstablished({ count, firstDay, lastDay });
  return isEstablished({
    count,
    firstDay: Math.min(first.firstDay, last.firstDay),
    lastDay: Math.max(first.lastDay, last.lastDay),
  });
}

/** Checks whether one history scan imported all bills with any of the supplier's bank accounts. */
export function areOfScan(accounts: readonly AccountUse[], scanId: string | undefined): boolean {
  return accounts.every((use) => isOfScan(use, scanId));
}

/** Checks whether one history scan imported all bills with a bank account. */
function isOfScan({ onlyScanId }: AccountUse, scanId: string | undefined): boolean {
  return onlyScanId !== undefined && onlyScanId === scanId;
}

/**
 * Returns the supplier profile with one more invoice. A suspected copy is not counted. An invoice that is suspected of
 * fraud does not count towards the trust in its bank account, and an amount with an open finding does not count as a
 * usual amount. The function is pure and is called once per invoice (links.ts stores which invoices were counted).
 */
export function countInvoice(profile: SupplierProfile, invoice: NormalisedInvoice): SupplierProfile {
  const ksef = ksefAfter(profile.ksef, invoice);
  // A copy is not counted in the profile. But if it was received through KSeF, the profile notes that the supplier
  // issues through KSeF.
  if (invoice.suspectedAs === 'DUPLICATE') return ksef === undefined ? profile : { ...profile, ksef };
  const day = invoice.issueDay;
  const amount = BigInt(invoice.amountMinor);
  const rate = taxRateBasisPoints(invoice);
  const run = runOfSeries(invoice);
  const late = lateTaxIdsAfter(profile, invoice);
  return {
    format: 1,
    count: profile.count + 1,
    firstDay: profile.firstDay === null ? day : Math.min(profile.firstDay, day),
    lastDay: profile.lastDay === null ? day : Math.max(profile.lastDay, day),
    amounts: amount > 0n ? withAmount(profile.amounts, invoice.currency, amountUseOf(invoice)) : profile.amounts,
    recentBills: amount > 0n ? withRecentBill(profile.recentBills ?? [], invoice) : (profile.recentBills ?? []),
    currencies: withCount(profile.currencies, invoice.currency),
    days: newest([...profile.days, day], (entry) => entry, DAYS_MAX),
    accounts: withAccount(profile, invoice),
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
    taxCountries: withTaxCountry({ ...profile, ...late }, invoice),
    ...late,
    poCount: profile.poCount + (invoice.poKey === undefined ? 0 : 1),
    weekendCount: profile.weekendCount + (isWeekend(day, invoice.taxCountry) ? 1 : 0),
    roundCount: profile.roundCount + (isRound(amount, invoice.currency) ? 1 : 0),
    ...doubtedAfter(profile.doubted, invoice),
    ...acceptedAfter(profile.acceptedCopies, invoice),
    ...(ksef === undefined ? {} : { ksef }),
  };
}

function ksefAfter(
  habit: KsefHabit | undefined,
  { source, toldOutsideKsef }: NormalisedInvoice,
): KsefHabit | undefined {
  if (source !== 'KSEF' && toldOutsideKsef === undefined) return habit;
  return {
    ...habit,
    ...(source === 'KSEF' ? { received: true } : {}),
    ...(toldOutsideKsef === undefined ? {} : { toldOutside: true }),
  };
}

/**
 * Returns the supplier profile without a counted invoice, after a reviewer confirmed that invoice as a duplicate or as
 * fraud. If the invoice was the last use of an account or another value, the last day of use is restored from the lists
 * of newest entries where possible. The first day of use does not change.
 */
export function withoutInvoice(profile: SupplierProfile, invoice: NormalisedInvoice): SupplierProfile {
  const day = invoice.issueDay;
  const rate = taxRateBasisPoints(invoice);
  const run = runOfSeries(invoice);
  const amounts = profile.amounts[invoice.currency];
  const days = withoutOne(profile.days, (entry) => entry === day);
  const recentAccounts = withoutOne(profile.recentAccounts, (use) => use.day === day && use.text === invoice.bankKey);
  const { suspectedAs: _suspicion, ...unsuspected } = invoice;
  const { acceptedCopies, ...undoubted } = withDoubt(profile, unsuspected);
  const accepted = acceptedCopies?.filter((copy) => copy.invoiceId !== invoice.invoiceId);
  return {
    ...undoubted,
    ...(accepted === undefined || accepted.length === 0 ? {} : { acceptedCopies: accepted }),
    count: Math.max(0, profile.count - 1),
    lastDay: profile.lastDay === day ? (days.at(-1) ?? profile.lastDay) : profile.lastDay,
    amounts:
      amounts === undefined
        ? profile.amounts
        : {
            ...profile.amounts,
            [invoice.currency]: withoutOne(amounts, isUseOf(amounts, invoice)),
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
    ...lateTaxIdsWithout(profile, invoice),
    poCount: Math.max(0, profile.poCount - (invoice.poKey === undefined ? 0 : 1)),
    weekendCount: Math.max(0, profile.weekendCount - (isWeekend(day, invoice.taxCountry) ? 1 : 0)),
    roundCount: Math.max(0, profile.roundCount - (isRound(BigInt(invoice.amountMinor), invoice.currency) ? 1 : 0)),
  };
}

/** Marks or unmarks the amount of a counted bill as waiting for a review. Repeating the call changes nothing. */
export function withReviewedAmount(
  profile: SupplierProfile,
  invoice: NormalisedInvoice,
  isAskedAbout: boolean,
): SupplierProfile {
  const uses = profile.amounts[invoice.currency];
  const index = uses?.findIndex(isUseOf(uses, invoice)) ?? -1;
  const use = uses?.[index];
  if (uses === undefined || use === undefined || isAskedAbout === (use.askedOn !== undefined)) return profile;
  const { suspectedAs: _before, ...bill } = invoice;
  const reviewed = amountUseOf(isAskedAbout ? { ...bill, suspectedAs: 'AMOUNT' } : bill);
  return { ...profile, amounts: { ...profile.amounts, [invoice.currency]: uses.with(index, reviewed) } };
}

function amountUseOf({
  issueDay,
  amountMinor,
  suspectedAs,
  invoiceId,
  scanId,
  acceptedCopy,
}: NormalisedInvoice): AmountUse {
  const use = { day: issueDay, minor: amountMinor, ...(acceptedCopy === undefined ? {} : { wasCopy: true as const }) };
  if (!isAmountInDoubt(suspectedAs)) return use;
  return { ...use, askedOn: invoiceId, ...(scanId === undefined ? {} : { askedInScan: scanId }) };
}

/**
 * Finds the amount of a bill in the supplier profile: the entry that names the bill or, without one, an entry with its
 * day and amount that names no bill.
 */
function isUseOf(
  uses: readonly AmountUse[],
  { invoiceId, issueDay, amountMinor }: NormalisedInvoice,
): (use: AmountUse) => boolean {
  if (uses.some(({ askedOn }) => askedOn === invoiceId)) return ({ askedOn }) => askedOn === invoiceId;
  return ({ day, minor, askedOn }) => day === issueDay && minor === amountMinor && askedOn === undefined;
}

function acceptedAfter(
  copies: readonly AcceptedCopy[] | undefined,
  { invoiceId, acceptedCopy }: NormalisedInvoice,
): Pick<SupplierProfile, 'acceptedCopies'> {
  if (acceptedCopy === undefined) return copies === undefined ? {} : { acceptedCopies: copies };
  return { acceptedCopies: [...(copies ?? []), { invoiceId, ...acceptedCopy }].slice(-ACCEPTED_COPIES_MAX) };
}

/**
 * Checks whether bills that reviewers accepted, although they looked like copies, show how the supplier bills: two
 * reviewers accepted such bills, or the reviews were spread over thirty days. No single person can therefore establish
 * the habit within a day.
 */
export function showAcceptedCopiesHabit({ acceptedCopies = [] }: SupplierProfile): boolean {
  const days = acceptedCopies.map(({ day }) => day);
  const reviewers = new Set(acceptedCopies.flatMap(({ reviewer }) => reviewer ?? []));
  return reviewers.size >= HABIT_REVIEWERS_MIN || Math.max(...days) - Math.min(...days) >= HABIT_DAYS_MIN;
}

/**
 * Counts the invoices that confirm the supplier's identity, which are the invoices without an open finding about the
 * identity.
 */
export function undoubtedInvoices({ count, doubted }: SupplierProfile): number {
  return Math.max(0, count - (doubted?.count ?? 0));
}

/**
 * Checks whether all doubted bills of the supplier are rows of the history scan that contains the checked row, so that
 * nobody can have reviewed them yet.
 */
export function isAskedInScan({ scanId }: Candidate, { doubted }: SupplierProfile): boolean {
  return scanId !== undefined && doubted?.onlyScanId === scanId;
}

/**
 * Adds an invoice to the profile's doubted bills or removes it, depending on its findings. Repeating the call changes
 * nothing.
 */
export function withDoubt(profile: SupplierProfile, invoice: NormalisedInvoice): SupplierProfile {
  const { doubted, ...rest } = profile;
  const isListed = doubted?.invoiceIds.includes(invoice.invoiceId) === true;
  if (isDoubted(invoice)) return isListed ? profile : { ...rest, doubted: oneMoreDoubted(doubted, invoice) };
  if (doubted === undefined || !isListed) return profile;
  return withDoubtsAbout(
    profile,
    doubted.invoiceIds.filter((id) => id !== invoice.invoiceId),
  );
}

/**
 * Removes bills from an earlier profile's doubted bills if reviews have cleared them since. Bills that became doubtful
 * later are not added.
 */
export function withAnsweredDoubts(profile: SupplierProfile, { doubted: now }: SupplierProfile): SupplierProfile {
  // The supplier profile lists only the newest doubted bills, so a bill that is missing from a full list may still be
  // in doubt.
  if (profile.doubted === undefined || now?.invoiceIds.length === DOUBTED_IDS_MAX) return profile;
  return withDoubtsAbout(
    profile,
    profile.doubted.invoiceIds.filter((id) => now?.invoiceIds.includes(id)),
  );
}

/** Returns the supplier profile with its list of doubted bills reduced to the bills with the given invoice ids. */
function withDoubtsAbout(profile: SupplierProfile, invoiceIds: readonly string[]): SupplierProfile {
  const { doubted, ...rest } = profile;
  if (doubted === undefined) return rest;
  const count = doubted.count - (doubted.invoiceIds.length - invoiceIds.length);
  return count === 0 ? rest : { ...rest, doubted: { ...doubted, count, invoiceIds } };
}

function doubtedAfter(doubted: DoubtedBills | undefined, invoice: NormalisedInvoice): { doubted?: DoubtedBills } {
  if (isDoubted(invoice)) return { doubted: oneMoreDoubted(doubted, invoice) };
  return doubted === undefined ? {} : { doubted };
}

function isDoubted({ suspectedAs }: NormalisedInvoice): boolean {
  return suspectedAs === 'IDENTITY' || suspectedAs === 'IDENTITY_AMOUNT';
}

function oneMoreDoubted(doubted: DoubtedBills | undefined, { invoiceId, scanId }: NormalisedInvoice): DoubtedBills {
  const isOnlyScan = scanId !== undefined && (doubted === undefined || doubted.onlyScanId === scanId);
  return {
    count: (doubted?.count ?? 0) + 1,
    invoiceIds: [...(doubted?.invoiceIds ?? []), invoiceId].slice(-DOUBTED_IDS_MAX),
    ...(isOnlyScan ? { onlyScanId: scanId } : {}),
  };
}

/** Sets the trust in a bank account of a supplier to the level that a person or the vendor master decided. */
export function withAccountTrust(profile: SupplierProfile, bankKey: string, trust: AccountTrust): SupplierProfile {
  return {
    ...profile,
    accounts: profile.accounts.map((account) => (account.key === bankKey ? { ...account, trust } : account)),
  };
}

/** Applies a review of a bank account to the supplier profile. If `trust` is undefined, the review is withdrawn. */
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

/**
 * Adds the stated country of a tax id to the supplier's list of tax countries, if the rules of that country allow the
 * tax id and the tax id identifies the supplier.
 */
function withTaxCountry(profile: SupplierProfile, invoice: NormalisedInvoice): readonly string[] {
  const { taxKey, taxCountry, taxCountryPresumed, taxValidity } = invoice;
  const countries = profile.taxCountries ?? [];
  if (taxKey !== undefined && !isOwnTaxId(profile, taxKey)) return countries;
  if (taxCountry === undefined || taxCountryPresumed === true || countries.includes(taxCountry)) return countries;
  if (taxValidity === 'WRONG_FORMAT' || taxValidity === 'WRONG_CHECK_DIGIT') return countries;
  return [...countries, taxCountry].slice(0, TAX_COUNTRIES_MAX);
}

/**
 * Adds a name from an invoice to the names of the supplier, unless the name is unlike all known names. A person must
 * accept such a name first.
 */
function withLikelyName(names: readonly string[], nameKey: string): readonly string[] {
  if (names.includes(nameKey) || (names.length > 0 && !isLikeName(names, nameKey))) return names;
  return [...names, nameKey].slice(-NAMES_MAX);
}

/** Adds a name that a person accepted for the supplier to its profile. */
export function withName(profile: SupplierProfile, nameKey: string): SupplierProfile {
  if (profile.names.includes(nameKey)) return profile;
  return { ...profile, names: [...profile.names, nameKey].slice(-NAMES_MAX) };
}

/** Adds an invoice number pattern that a person accepted for the supplier. */
export function withNumberPattern(profile: SupplierProfile, signature: string): SupplierProfile {
  if (profile.signatures.some(({ text }) => text === signature)) return profile;
  return { ...profile, signatures: withSignature(profile.signatures, signature) };
}

/**
 * Returns the tax as a share of net in basis points, or undefined if one of the two is missing or the net amount is
 * zero.
 */
function taxRateBasisPoints({ netMinor, taxMinor }: NormalisedInvoice): number | undefined {
  if (netMinor === undefined || taxMinor === undefined) return undefined;
  return rateBasisPoints(BigInt(netMinor), BigInt(taxMinor));
}

/** Returns the tax as a share of net in basis points for parsed amounts, or undefined if net is zero. */
export function rateBasisPoints(net: bigint, tax: bigint): number | undefined {
  return net === 0n ? undefined : Number((tax * 10_000n) / net);
}

function withAccount({ accounts, count }: SupplierProfile, invoice: NormalisedInvoice): readonly AccountUse[] {
  const { bankKey, bankMasked, bankCountry, issueDay, scanId } = invoice;
  const isEarning = earnsTrust(invoice);
  if (bankKey === undefined || bankMasked === undefined) return accounts;
  const known = accounts.find((account) => account.key === bankKey);
  if (known !== undefined) {
    const { onlyScanId: _scan, earning: earned, ...use } = known;
    // In a history scan, a row may have no finding about the account only because an earlier row of the scan already
    // has one. Once a bill with the account has a finding, further rows of the scan therefore do not count towards
    // trust.
    const wasAskedAbout = (earned?.count ?? 0) < known.count;
    const earning = isEarning && !(scanId !== undefined && wasAskedAbout) ? withEarning(earned, invoice) : earned;
    const isHistory = isEarning && scanId !== undefined && wasAskedAbout && areOfScan(accounts, scanId);
    const history = isHistory ? withEarning(known.history, invoice) : known.history;
    const used = {
      ...use,
      ...(isOfScan(known, scanId) && scanId !== undefined ? { onlyScanId: scanId } : {}),
      ...(earning === undefined ? {} : { earning }),
      ...(history === undefined ? {} : { history }),
      ...(isEarning ? {} : { asked: withEarning(known.asked, invoice) }),
      firstDay: Math.min(known.firstDay, issueDay),
      lastDay: Math.max(known.lastDay, issueDay),
      count: known.count + 1,
    };
    const seen = (earning !== undefined && isEstablished(earning)) || (history !== undefined && isLongHistory(history));
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
    // The bank account on the first bill of a supplier counts as its own account until a finding contradicts it. An
    // account that is first stated later may belong to a forger.
    trust: count === 0 && accounts.length === 0 ? 'SEEN' : 'UNVERIFIED',
    firstInvoiceNumber: invoice.invoiceNumber,
    ...(isEarning ? { earning: withEarning(undefined, invoice) } : { asked: withEarning(undefined, invoice) }),
    ...(scanId === undefined ? {} : { onlyScanId: scanId }),
  };
  return accounts.length < ACCOUNTS_MAX ? [...accounts, first] : [...withoutLeastUseful(accounts), first];
}

/**
 * Makes room for a new bank account in the supplier profile. Unverified accounts are removed before trusted accounts,
 * starting with the account that has been unused for the longest time.
 */
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
      const { earning, asked, ...use } = account;
      // The supplier profile does not store whether a removed bill counted towards trust. Counting one bill too few is
      // safer than counting one too many.
      const left =
        earning === undefined || earning.count <= 1 ? {} : { earning: { ...earning, count: earning.count - 1 } };
      const others =
        asked === undefined ? {} : { asked: { ...asked, count: Math.min(asked.count, account.count - 1) } };
      return { ...use, ...left, ...others, count: account.count - 1, lastDay };
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
    (left, right) =>
      left.day - right.day ||
      compareText(left.minor, right.minor) ||
      compareText(left.askedOn ?? '', right.askedOn ?? ''),
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
    ...(invoice.acceptedCopy === undefined ? {} : { wasCopy: true as const }),
    ...(invoice.poKey === undefined ? {} : { poKey: invoice.poKey }),
  };
  return [...bills, bill]
    .sort(
      (left, right) =>
        left.day - right.day ||
        compareText(left.invoiceNumber, right.invoiceNumber) ||
        compareText(left.minor, right.minor) ||
        compareText(left.invoiceId, right.invoiceId),
    )
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
  // If the list is full, the new number pattern replaces the least frequent one, although the new pattern has the
  // lowest count. Otherwise a full list would never get a new pattern.
  return byCount.length <= SIGNATURES_MAX
    ? byCount
    : [...byCount.filter((entry) => entry.text !== text).slice(0, SIGNATURES_MAX - 1), { text, count: 1 }];
}

/**
 * Returns the digits that an invoice adds to the supplier's series of invoice numbers. Credit notes add no digits,
 * because they have their own series or repeat the number of the credited invoice.
 */
function runOfSeries(invoice: Candidate): string | undefined {
  return invoice.amountMinor.startsWith('-') ? undefined : lastNumericRun(invoice);
}

/**
 * Returns the digits at the end of an invoice number, without leading zeros. In most numbers they are the running
 * number.
 */
export function lastNumericRun(invoice: Candidate): string | undefined {
  return invoice.number.runs.findLast((run) => /^[0-9]{1,15}$/.test(run))?.replace(/^0+(?=.)/, '');
}

/**
 * Checks whether an amount is a multiple of 1000 major units, or of 100 units if it is below 10,000. Currencies without
 * decimals are compared as if they had two.
 */
export function isRound(minor: bigint, currency: string): boolean {
  if (minor <= 0n) return false;
  const { thousand, hundred } = roundSteps(currency);
  return minor % thousand === 0n || (minor < thousand * 10n && minor % hundred === 0n);
}

/** Returns the amounts, in minor units, whose multiples count as round invoice amounts. */
export function roundSteps(currency: string): { readonly thousand: bigint; readonly hundred: bigint } {
  const hundred = 100n * 10n ** BigInt(Math.max(2, minorUnitsOf(currency)));
  return { thousand: hundred * 10n, hundred };
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
