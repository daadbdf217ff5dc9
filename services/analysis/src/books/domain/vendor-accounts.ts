import type { AccountRecord } from '@invoicecontrol/books/records';
import type { MasterAccount } from '@invoicecontrol/engine/facts/erp-facts';
import { readBankAccount } from '@invoicecontrol/values/bank-account';

/** Maximum number of former bank accounts stored for an ERP vendor. The oldest former accounts are removed first. */
export const FORMER_ACCOUNTS_MAX = 100;
/** Number of visible characters at the end of a masked account number. A shorter one is masked completely. */
const SHOWN_TAIL_LENGTH = 4;
const MASKED_TEXT_LENGTH_MIN = 8;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * The time zone of the company in the ERP is unknown, so a calendar day of an account change may begin this much
 * earlier, and end this much later, than in UTC.
 */
const DAY_BEGINS_EARLIER_MS = 14 * HOUR_MS;
const DAY_ENDS_LATER_MS = 12 * HOUR_MS;
/**
 * Maximum number of days for which a bank account counts as temporarily swapped in, if the ERP vendor keeps or regains
 * another account.
 */
export const PASSING_ACCOUNT_DAYS = 14;

/** Bank account of an ERP vendor, in its stored form. */
export interface VendorAccount extends AccountRecord {
  /**
   * Key of a vendor's bank account with the same format as `Candidate.bankKey`, or undefined if the account cannot be
   * compared because it is masked or is neither an IBAN nor a UK account.
   */
  readonly key: string | undefined;
  /** Masked number of a vendor's bank account that may be shown to users. */
  readonly masked: string;
}

/** Period in which an ERP vendor had a bank account, according to the import runs. */
export interface AccountPeriod extends MasterAccount {
  /**
   * Start of the period in which the vendor had the bank account, or undefined if the vendor has had the account since
   * it was first imported.
   */
  readonly from: Date | undefined;
  /**
   * Completion time of the last import run in which the vendor did not have the bank account. Undefined if the vendor
   * has had the account since its first import, or if the account was added before this field existed.
   */
  readonly absentAt?: Date | undefined;
  /** End of the period in which the vendor had the bank account. Undefined while it has the account. */
  readonly to: Date | undefined;
}

/** The last change of a vendor's bank accounts, and the import runs between which the change was made. */
export interface AccountChange {
  readonly before: readonly MasterAccount[];
  readonly seenBefore: Date;
  readonly seenAfter: Date;
}

export function readAccount(record: AccountRecord): VendorAccount {
  const { iban, sortCode, accountNumber, isMasked, raw } = record;
  const stated =
    iban !== undefined
      ? { iban }
      : sortCode !== undefined && accountNumber !== undefined
        ? { sortCode, accountNumber }
        : undefined;
  if (isMasked || stated === undefined) return { ...record, key: undefined, masked: maskedText(raw) };
  const { key, masked } = readBankAccount(stated);
  return { ...record, key, masked };
}

/** Returns the bank accounts of a vendor that can be compared, without duplicates. */
export function comparableAccounts(accounts: readonly VendorAccount[]): MasterAccount[] {
  const comparable = accounts.flatMap(({ key, masked }) =>
    key === undefined ? [] : [[key, { key, masked }] as const],
  );
  return [...new Map(comparable).values()];
}

/** Bank accounts of an ERP vendor, each with the periods in which the vendor had the account. */
export interface AccountTimes {
  readonly accountHistory: readonly AccountPeriod[];
  readonly accountChange: AccountChange | undefined;
}

interface Sighting {
  readonly now: Date;
  /**
   * Completion time of the last import run that included the vendor, or undefined if no run did. If no run did, the
   * current page of ERP records contains the first list of the vendor's accounts, which is not a change.
   */
  readonly seenBefore: Date | undefined;
}

/**
 * Computes the periods in which a vendor had each bank account, after its accounts changed. Several changes between two
 * import runs, such as a removal and an addition in separate pages, count as one change.
 */
export function accountTimesAfter(
  times: AccountTimes,
  before: readonly VendorAccount[],
  after: readonly VendorAccount[],
  { now, seenBefore }: Sighting,
): AccountTimes {
  const accounts = comparableAccounts(after);
  return {
    accountHistory: historyAfter(times.accountHistory, accounts, { now, seenBefore }),
    accountChange: changeAfter(times.accountChange, comparableAccounts(before), accounts, { now, seenBefore }),
  };
}

/**
 * Returns the keys of the bank accounts that a vendor may have had on a given day, according to the import runs.
 * Accounts that were added later or removed earlier are not included. For an account that was temporarily swapped in,
 * the accounts before and after are used instead. For a vendor without accounts, the accounts that were removed last
 * are used.
 * @param day days since 1970-01-01
 */
export function accountsAt(history: readonly AccountPeriod[], day: number): readonly string[] {
  const from = day * DAY_MS - DAY_BEGINS_EARLIER_MS;
  const to = (day + 1) * DAY_MS + DAY_ENDS_LATER_MS;
  const then = history.filter(
    (period) => (period.absentAt?.getTime() ?? -Infinity) < to && (period.to?.getTime() ?? Infinity) >= from,
  );
  const keys = new Set(
    then.flatMap((period) => {
      const held = heldThroughout(period, history);
      return held.length === 0 ? period.key : held;
    }),
  );
  if (keys.size > 0) return [...keys];
  const lost = history.filter((period) => period.to !== undefined && period.to.getTime() < from);
  const last = Math.max(...lost.map((period) => period.to?.getTime() ?? 0));
  return lost.filter((period) => period.to?.getTime() === last).map(({ key }) => key);
}

/**
 * Returns the bank accounts of a vendor that were temporarily swapped in. Bills may have been paid to such an account,
 * although the vendor master no longer shows it.
 */
export function passingAccounts(history: readonly AccountPeriod[]): readonly AccountPeriod[] {
  return history.filter((period) => heldThroughout(period, history).length > 0);
}

/**
 * Returns the other bank accounts that a vendor had both before and after the period of the given account. Returns none
 * if the period is too long for a temporary account.
 */
function heldThroughout({ key, absentAt, to }: AccountPeriod, history: readonly AccountPeriod[]): readonly string[] {
  if (absentAt === undefined || to === undefined) return [];
  if (to.getTime() - absentAt.getTime() > PASSING_ACCOUNT_DAYS * DAY_MS) return [];
  const heldAt = (at: Date): string[] =>
    history
      .filter((other) => (other.from === undefined || other.from <= at) && (other.to === undefined || other.to > at))
      .map((other) => other.key);
  const after = new Set(heldAt(to));
  return heldAt(absentAt).filter((other) => other !== key && after.has(other));
}

function historyAfter(
  history: readonly AccountPeriod[],
  accounts: readonly MasterAccount[],
  { now, seenBefore }: Sighting,
): AccountPeriod[] {
  const current = new Set(accounts.map(({ key }) => key));
  const isOpen = new Set(history.filter(({ to }) => to === undefined).map(({ key }) => key));
  const periods = history.map((period) => {
    if (period.to === undefined) return current.has(period.key) ? period : { ...period, to: now };
    // A vendor's bank account that was removed and added again between two import runs, for example by two pages of ERP
    // records, was never missing.
    const isBack = seenBefore !== undefined && period.to > seenBefore;
    return isBack && current.has(period.key) && !isOpen.has(period.key) ? { ...period, to: undefined } : period;
  });
  const open = periods.filter(({ to }) => to === undefined);
  const known = new Set(open.map(({ key }) => key));
  const added = accounts
    .filter(({ key }) => !known.has(key))
    .map((account) =>
      seenBefore === undefined
        ? { ...account, from: undefined, to: undefined }
        : { ...account, from: now, absentAt: seenBefore, to: undefined },
    );
  const former = periods.filter(({ to }) => to !== undefined).slice(-FORMER_ACCOUNTS_MAX);
  return [...former, ...open, ...added];
}

function changeAfter(
  change: AccountChange | undefined,
  before: readonly MasterAccount[],
  after: readonly MasterAccount[],
  { now, seenBefore }: Sighting,
): AccountChange | undefined {
  if (seenBefore === undefined) return undefined;
  const isUnderWay = change !== undefined && change.seenAfter > seenBefore;
  const origin = isUnderWay ? change.before : before;
  if (haveSameKeys(origin, after)) return isUnderWay ? undefined : change;
  return { before: origin, seenBefore, seenAfter: isUnderWay ? change.seenAfter : now };
}

function haveSameKeys(left: readonly MasterAccount[], right: readonly MasterAccount[]): boolean {
  const keys = new Set(left.map(({ key }) => key));
  return keys.size === right.length && right.every(({ key }) => keys.has(key));
}

/** Masks a string that does not have the form of a bank account, except for its last four characters. */
function maskedText(raw: string): string {
  const characters = [...raw.replace(/\s/g, '')];
  const shown = characters.length < MASKED_TEXT_LENGTH_MIN ? 0 : SHOWN_TAIL_LENGTH;
  return '*'.repeat(characters.length - shown) + characters.slice(characters.length - shown).join('');
}
