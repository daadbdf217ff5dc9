import type { MasterAccount } from '@invoicecontrol/engine/facts/erp-facts';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { AccountRecord } from './records.js';

/** Accounts of one vendor that are stored. */
export const ACCOUNTS_PER_VENDOR_MAX = 100;
/** Accounts that a vendor no longer has and that are remembered; the oldest leave first. */
export const FORMER_ACCOUNTS_MAX = 100;
/** A shorter text shows nothing of itself when it is masked. */
const SHOWN_TAIL_LENGTH = 4;
const MASKED_TEXT_LENGTH_MIN = 8;

/** An account of a vendor as it is stored. */
export interface VendorAccount extends AccountRecord {
  /** As `Candidate.bankKey`; undefined where it cannot be compared: masked, or neither an IBAN nor a UK account. */
  readonly key: string | undefined;
  /** Safe to show. */
  readonly masked: string;
}

/** The time in which a vendor had an account, as synchronisations saw it. */
export interface AccountPeriod extends MasterAccount {
  /** Undefined: since the vendor is known. */
  readonly from: Date | undefined;
  /** Undefined: it has the account now. */
  readonly to: Date | undefined;
}

/** The last change of the accounts of a vendor, and the synchronisations between which it was made. */
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

/** Those that can be compared, each once. */
export function comparableAccounts(accounts: readonly VendorAccount[]): MasterAccount[] {
  const comparable = accounts.flatMap(({ key, masked }) =>
    key === undefined ? [] : [[key, { key, masked }] as const],
  );
  return [...new Map(comparable).values()];
}

/** What is known of a vendor's accounts over time. */
export interface AccountTimes {
  readonly accountHistory: readonly AccountPeriod[];
  readonly accountChange: AccountChange | undefined;
}

interface Sighting {
  readonly now: Date;
  /**
   * When a synchronisation last ended that had seen the vendor; undefined while none has: then what comes is its first
   * list of accounts, and no change.
   */
  readonly seenBefore: Date | undefined;
}

/**
 * What is known over time when a vendor has other accounts than before. Several changes between two synchronisations, such
 * as a removal and an addition in pages of their own, are one change.
 */
export function accountTimesAfter(
  times: AccountTimes,
  before: readonly VendorAccount[],
  after: readonly VendorAccount[],
  { now, seenBefore }: Sighting,
): AccountTimes {
  const accounts = comparableAccounts(after);
  return {
    accountHistory: historyAfter(times.accountHistory, accounts, seenBefore === undefined ? undefined : now, now),
    accountChange: changeAfter(times.accountChange, comparableAccounts(before), accounts, { now, seenBefore }),
  };
}

/** The keys of the accounts that a vendor had at some time of a day, as far as synchronisations saw it. */
export function accountsAt(history: readonly AccountPeriod[], day: Date): readonly string[] {
  const end = new Date(day.getTime() + 86_400_000);
  return history
    .filter(({ from, to }) => (from === undefined || from < end) && (to === undefined || to >= day))
    .map(({ key }) => key);
}

function historyAfter(
  history: readonly AccountPeriod[],
  accounts: readonly MasterAccount[],
  from: Date | undefined,
  now: Date,
): AccountPeriod[] {
  const current = new Set(accounts.map(({ key }) => key));
  const periods = history.map((period) =>
    period.to === undefined && !current.has(period.key) ? { ...period, to: now } : period,
  );
  const open = periods.filter(({ to }) => to === undefined);
  const known = new Set(open.map(({ key }) => key));
  const added = accounts.filter(({ key }) => !known.has(key)).map((account) => ({ ...account, from, to: undefined }));
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

/** The last four characters of a text that is no account by its form. */
function maskedText(raw: string): string {
  const characters = [...raw.replace(/\s/g, '')];
  const shown = characters.length < MASKED_TEXT_LENGTH_MIN ? 0 : SHOWN_TAIL_LENGTH;
  return '*'.repeat(characters.length - shown) + characters.slice(characters.length - shown).join('');
}
