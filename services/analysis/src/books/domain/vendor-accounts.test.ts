import type { AccountRecord } from '@invoicecontrol/books/records';
import { describe, expect, test } from 'vitest';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import {
  accountsAt,
  accountTimesAfter,
  comparableAccounts,
  FORMER_ACCOUNTS_MAX,
  PASSING_ACCOUNT_DAYS,
  passingAccounts,
  readAccount,
} from './vendor-accounts.js';
import type { AccountTimes, VendorAccount } from './vendor-accounts.js';

const HOUR = 3_600_000;
const first = new Date('2026-01-10T08:00:00Z');
const second = new Date('2026-02-10T08:00:00Z');
const third = new Date('2026-03-10T08:00:00Z');
const none: AccountTimes = { accountHistory: [], accountChange: undefined };

function account(iban: string | undefined, changes: Partial<AccountRecord> = {}) {
  return readAccount({
    ...(iban === undefined ? {} : { iban }),
    raw: iban ?? '',
    isMasked: false,
    ...changes,
  });
}

const german = account('DE89370400440532013000');
const other = account('DE27100777770209299700');

describe('an account of a vendor', () => {
  test('has one key in both forms of a UK account, and shows four characters at most at each end', () => {
    const iban = account('GB29NWBK60161331926819');
    const domestic = account(undefined, { sortCode: '601613', accountNumber: '31926819' });
    expect(iban.key).toBe(domestic.key);
    expect(iban.masked).toBe('GB29**************6819');
    expect(domestic.masked).toBe('60****/****6819');
  });

  test('is compared only where the ERP shows all of it in a known form', () => {
    const masked = account(german.iban, { isMasked: true, raw: 'XXXXX6789' });
    const free = account(undefined, { raw: '20-00-40 12345678' });
    expect(masked.key).toBeUndefined();
    expect(free).toMatchObject({ key: undefined, masked: '************5678' });
    expect(account(undefined, { raw: '1234567' }).masked).toBe('*******');
    expect(comparableAccounts([german, masked, free, german])).toEqual([{ key: german.key, masked: german.masked }]);
  });
});

describe('the accounts of a vendor over time', () => {
  test('are those of a day, as synchronisations saw them', () => {
    const began = accountTimesAfter(none, [], [german], { now: first, seenBefore: undefined });
    const changed = accountTimesAfter(began, [german], [other], { now: third, seenBefore: second });
    expect(accountsAt(changed.accountHistory, dayNumber('2025-06-01'))).toEqual([german.key]);
    expect(accountsAt(changed.accountHistory, dayNumber('2026-03-10'))).toEqual([german.key, other.key]);
    expect(accountsAt(changed.accountHistory, dayNumber('2026-03-11'))).toEqual([other.key]);
    expect(changed.accountChange).toEqual({
      before: [{ key: german.key, masked: german.masked }],
      seenBefore: second,
      seenAfter: third,
    });
  });

  test('are not those that the vendor got after a day: an account may be as old as the last run without it, in any time zone', () => {
    const began = accountTimesAfter(none, [], [german], { now: first, seenBefore: undefined });
    const { accountHistory } = accountTimesAfter(began, [german], [german, other], { now: third, seenBefore: second });
    // The last import without the new account was on 10 February at 08:00 UTC. By then, 8 February had ended in every
    // time zone, but 9 February had not.
    expect(accountsAt(accountHistory, dayNumber('2026-02-08'))).toEqual([german.key]);
    expect(accountsAt(accountHistory, dayNumber('2026-02-09'))).toEqual([german.key, other.key]);
    expect(accountsAt(accountHistory, dayNumber('2026-02-10'))).toEqual([german.key, other.key]);
  });

  test('are not those that were swapped in and out again, also alongside another one', () => {
    const began = accountTimesAfter(none, [], [german], { now: first, seenBefore: undefined });
    const swap = (during: VendorAccount[], seenBefore: Date, backAt: Date) => {
      const swapped = accountTimesAfter(began, [german], during, {
        now: new Date(seenBefore.getTime() + HOUR),
        seenBefore,
      });
      const sightingBefore = new Date(backAt.getTime() - HOUR);
      return accountTimesAfter(swapped, during, [german], { now: backAt, seenBefore: sightingBefore }).accountHistory;
    };
    const day = dayNumber('2026-02-11');
    const limit = new Date(second.getTime() + PASSING_ACCOUNT_DAYS * 24 * HOUR);
    const justOver = new Date(limit.getTime() + 1);
    expect(accountsAt(swap([other], second, limit), day)).toEqual([german.key]);
    expect(accountsAt(swap([german, other], second, limit), day)).toEqual([german.key]);
    expect(passingAccounts(swap([other], second, limit))).toMatchObject([
      { key: other.key, absentAt: second, to: limit },
    ]);
    expect(accountsAt(swap([german, other], second, justOver), day)).toEqual([other.key, german.key]);
  });

  test('are those that it lost last while it has none', () => {
    const began = accountTimesAfter(none, [], [german], { now: first, seenBefore: undefined });
    const { accountHistory } = accountTimesAfter(began, [german], [], { now: second, seenBefore: first });
    expect(accountsAt(accountHistory, dayNumber('2026-02-20'))).toEqual([german.key]);
    const firstOne = accountTimesAfter(none, [], [other], { now: second, seenBefore: first }).accountHistory;
    expect(accountsAt(firstOne, dayNumber('2026-01-01'))).toEqual([]);
  });

  test('are one period where an account goes and comes back between two runs', () => {
    const began = accountTimesAfter(none, [], [german], { now: first, seenBefore: undefined });
    const gone = accountTimesAfter(began, [german], [], { now: third, seenBefore: second });
    const back = accountTimesAfter(gone, [], [german], { now: new Date(third.getTime() + 1), seenBefore: second });
    expect(back.accountHistory).toEqual(began.accountHistory);
    const later = accountTimesAfter(gone, [], [german], { now: new Date(third.getTime() + HOUR), seenBefore: third });
    expect(later.accountHistory).toMatchObject([{ to: third }, { absentAt: third, to: undefined }]);
  });

  test('have no change in the first list, nor where only what is masked is another', () => {
    expect(accountTimesAfter(none, [], [german], { now: first, seenBefore: undefined }).accountChange).toBeUndefined();
    const masked = account(undefined, { raw: 'XXXXX6789', isMasked: true });
    expect(accountTimesAfter(none, [german], [german, masked], { now: second, seenBefore: first })).toMatchObject({
      accountChange: undefined,
    });
  });

  test('keep the change of an earlier run until another one comes', () => {
    const changed = accountTimesAfter(none, [german], [other], { now: second, seenBefore: first });
    const after = accountTimesAfter(changed, [other], [other], { now: third, seenBefore: second });
    expect(after.accountChange).toEqual(changed.accountChange);
    const back = accountTimesAfter(changed, [other], [german], { now: third, seenBefore: second });
    expect(back.accountChange).toMatchObject({ before: [{ key: other.key }], seenBefore: second, seenAfter: third });
  });

  test('remember a bounded number of former accounts, the newest', () => {
    const history = Array.from({ length: FORMER_ACCOUNTS_MAX }, (_, index) => ({
      key: `K${index}`,
      masked: '',
      from: undefined,
      to: first,
    }));
    const began = {
      accountHistory: [...history, { key: german.key ?? '', masked: '', from: undefined, to: undefined }],
    };
    const { accountHistory } = accountTimesAfter({ ...none, ...began }, [german], [], {
      now: third,
      seenBefore: second,
    });
    expect(accountHistory).toHaveLength(FORMER_ACCOUNTS_MAX);
    expect(accountHistory[0]?.key).toBe('K1');
    expect(accountHistory.at(-1)).toMatchObject({ key: german.key, to: third });
  });
});
