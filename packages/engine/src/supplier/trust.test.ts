import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import type { Billed } from '../testing/in-memory-history.js';
import { ibanOf, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

// The tests replay attempts of forgers and habits of honest suppliers.

const HOME = { iban: 'DE89370400440532013000' };
const FORGED = ibanOf('DE', '500105175407324931');
const bankTypes = typesIn('BANK');
const ofScan = (scanId: string, position: number) => ({
  origin: { source: 'SCAN', scanId, position, receivedAtMs: Date.UTC(2026, 0, 1) } as const,
});

function established() {
  const acme = ledger();
  acme.repeat(8, { account: HOME });
  return acme;
}

const decisionOf = ({ analysis }: Billed): string => analysis.decision;

describe('trust in an account is not to be had by', () => {
  test('bills on it that are dated weeks apart and posted on one day', () => {
    const acme = established();
    const forged = ['2025-02-01', '2025-04-03', '2025-06-03', '2025-07-01', '2025-09-01'].map((issue_date) =>
      acme.bill({ account: FORGED, issue_date, gross_amount: '95.00' }),
    );
    expect(forged.map(decisionOf)).toEqual(Array(5).fill('REVIEW'));
    for (const bill of forged) expect(bankTypes(bill)).toContain('BANK_ACCOUNT_CHANGED');
  });

  test('elapsed time, while the finding about it is not reviewed', () => {
    const acme = established();
    const days = Array.from({ length: 6 }, (_, month) => addDays('2026-01-01', month * 31));
    const forged = days.map((day) =>
      acme.bill({ account: FORGED, issue_date: day }, { asOf: day, origin: { receivedAtMs: Date.parse(day) } }),
    );
    expect(forged.map(decisionOf)).not.toContain('PASS');
  });

  test('an older file that is scanned later', () => {
    const acme = established();
    acme.bill({ account: FORGED });
    const rows = Array.from({ length: 5 }, (_, row) =>
      acme.bill({ account: FORGED, issue_date: addDays('2024-01-01', row * 40) }, ofScan('scan-1', row)),
    );
    expect(rows.map(decisionOf)).not.toContain('PASS');
    expect(decisionOf(acme.bill({ account: FORGED }))).toBe('REVIEW');
  });

  test('a file that brings the account first: what its rows establish holds in that file alone', () => {
    const acme = established();
    for (let row = 0; row < 12; row += 1)
      acme.bill({ account: FORGED, issue_date: addDays('2024-01-01', row * 40) }, ofScan('scan-1', row));
    expect(decisionOf(acme.bill({ account: FORGED }, ofScan('scan-2', 0)))).toBe('REVIEW');
    expect(decisionOf(acme.bill({ account: FORGED }))).toBe('REVIEW');
  });

  test('a file, for a supplier that is known from elsewhere: its rows are asked about as single posts are', () => {
    const acme = established();
    const rows = Array.from({ length: 8 }, (_, row) =>
      acme.bill({ account: FORGED, issue_date: addDays('2024-01-01', row * 40) }, ofScan('scan-1', row)),
    );
    expect(rows.map(decisionOf)).not.toContain('PASS');
  });

  test('a file with several new accounts at one bank, for a supplier that is known from elsewhere', () => {
    const acme = established();
    const rows = Array.from({ length: 8 }, (_, row) =>
      acme.bill({ account: ibanOf('DE', `5001051700000010${row}${row}`) }, ofScan('scan-1', row)),
    );
    expect(rows.map(decisionOf)).not.toContain('PASS');
  });

  test('bills to another company of the organization', () => {
    const acme = established();
    const sister = '0192a000-0000-7000-8000-00000000c002';
    const days = Array.from({ length: 5 }, (_, month) => addDays('2026-01-01', month * 31));
    const forged = days.map((day) =>
      acme.bill(
        { account: FORGED, issue_date: day },
        { asOf: day, origin: { companyId: sister, receivedAtMs: Date.parse(day) } },
      ),
    );
    expect(forged.map(decisionOf)).not.toContain('PASS');
    expect(decisionOf(acme.bill({ account: FORGED }))).toBe('REVIEW');
  });

  test('several new accounts at one bank, each of which is asked about', () => {
    const acme = established();
    for (const tail of ['1001', '2002', '3003', '4004', '5005'])
      expect(decisionOf(acme.bill({ account: ibanOf('DE', `50010517000000${tail}`) }))).not.toBe('PASS');
  });
});

describe('trust in an account comes', () => {
  test('with the word of a person, from the next bill on', () => {
    const acme = established();
    const changed = acme.bill({ account: FORGED });
    expect(decisionOf(changed)).toBe('REVIEW');
    acme.dismiss(changed);
    expect(decisionOf(acme.bill({ account: FORGED }))).toBe('PASS');
  });

  test('within one scan with three rows over sixty days, so that a change is not asked about for years', () => {
    const acme = ledger();
    const rows = Array.from({ length: 12 }, (_, row) =>
      acme.bill({ account: row < 5 ? HOME : FORGED }, ofScan('scan-1', row)),
    );
    expect(rows.slice(0, 5).map(decisionOf)).toEqual(Array(5).fill('PASS'));
    expect(rows.slice(5, 8).map(decisionOf)).not.toContain('PASS');
    expect(rows.slice(9).map(decisionOf)).toEqual(Array(3).fill('PASS'));
  });

  test('with a year of rows that nobody disputed, in the file that brought the supplier', () => {
    const rowsOn = (rows: number) => {
      const acme = ledger();
      for (let row = 0; row < rows; row += 1)
        acme.bill(
          { account: row < 5 ? HOME : FORGED, issue_date: addDays('2021-01-01', row * 45) },
          ofScan('scan-1', row),
        );
      return acme;
    };
    // Three rows over sixty days are reported. At this pace, the supplier would have nine more rows in another year.
    expect(bankTypes(rowsOn(5 + 3 + 8).bill({ account: FORGED }))).toEqual(['BANK_ACCOUNT_CHANGED']);
    expect(bankTypes(rowsOn(5 + 3 + 10).bill({ account: FORGED }))).toEqual([]);
  });

  test('not with a year of rows of a supplier that is known from elsewhere', () => {
    const acme = established();
    for (let row = 0; row < 30; row += 1)
      acme.bill({ account: FORGED, issue_date: addDays('2021-01-01', row * 45) }, ofScan('scan-1', row));
    expect(bankTypes(acme.bill({ account: FORGED }))).toEqual(['BANK_ACCOUNT_CHANGED']);
  });

  test('with the first bill of a supplier, also in a scan', () => {
    const acme = ledger();
    const rows = Array.from({ length: 4 }, (_, row) => acme.bill({ account: HOME }, ofScan('scan-1', row)));
    expect(rows.map(decisionOf)).toEqual(Array(4).fill('PASS'));
    expect(decisionOf(acme.bill({ account: HOME }))).toBe('PASS');
  });
});

describe('copies that wait for a person', () => {
  const ORIGINAL: Bill = { invoice_number: 'RE-2025-48217', gross_amount: '1432.18', issue_date: '2025-09-01' };
  const SLIP: Bill = { ...ORIGINAL, invoice_number: 'RE-2025-48271' };

  const withCopies = () => {
    const acme = established();
    acme.bill(ORIGINAL);
    const copies = Array.from({ length: 9 }, () => acme.bill(ORIGINAL));
    return { acme, copies };
  };

  test('do not make the amount a habit: one more with a typing slip is still raised', () => {
    const { acme, copies } = withCopies();
    expect(copies.map(decisionOf)).not.toContain('PASS');
    const slip = acme.bill(SLIP);
    expect(typesIn('DUP')(slip)).toContain('SUSPECTED_DUPLICATE');
    expect(decisionOf(slip)).toBe('REVIEW');
  });

  test('do not change the profile, and count once a person has said that they are none', () => {
    const { acme, copies } = withCopies();
    const [copy] = copies;
    if (copy === undefined) throw new Error('nothing billed');
    const { supplierId } = copy.facts.supplier;
    expect(acme.profileOf(supplierId).count).toBe(9);
    acme.dismiss(copy);
    expect(acme.profileOf(supplierId).count).toBe(10);
  });

  test('do not silence the rent of an honest landlord', () => {
    const acme = ledger();
    const rents = Array.from({ length: 12 }, (_, month) =>
      acme.bill({
        gross_amount: '2400.00',
        invoice_number: `M-${4100 + month * 17}`,
        issue_date: addDays('2025-01-01', month * 30),
      }),
    );
    expect(rents.map(decisionOf)).toEqual(Array(12).fill('PASS'));
  });
});

describe('a question that nobody answered is asked again', () => {
  const FAKE = { name: 'Borealis Handel', tax_id: 'DE811569869' };

  test('on the second bill of a supplier that asks for money on the account of another', () => {
    const acme = established();
    const bills = Array.from({ length: 4 }, () => acme.bill({ account: HOME, by: FAKE }));
    expect(bills.map(decisionOf)).toEqual(Array(4).fill('REVIEW'));
    const [first] = bills;
    if (first !== undefined) acme.dismiss(first);
    expect(decisionOf(acme.bill({ account: HOME, by: FAKE }))).toBe('PASS');
  });

  test('but not on each row of one file', () => {
    const acme = ledger();
    const rows = Array.from({ length: 8 }, (_, row) =>
      acme.bill({ account: HOME, by: row % 2 === 0 ? FAKE : { name: 'Acme Supplies Ltd' } }, ofScan('scan-1', row)),
    );
    expect(rows.filter((row) => decisionOf(row) === 'REVIEW')).toHaveLength(1);
  });

  test('on later bills under a second tax id, also on the known account', () => {
    const acme = established();
    const second = { name: 'Acme Supplies Ltd', tax_id: 'DE811569869' };
    const bills = Array.from({ length: 4 }, () => acme.bill({ account: HOME, by: second }));
    for (const bill of bills) expect(typesIn('SUP')(bill)).toContain('SUPPLIER_TAX_ID_CHANGED');
    expect(bills.map(decisionOf)).toEqual(Array(4).fill('REVIEW'));
    expect(decisionOf(acme.bill({ account: HOME }))).toBe('PASS');
    const [first] = bills;
    if (first !== undefined) acme.dismiss(first);
    expect(decisionOf(acme.bill({ account: HOME, by: second }))).toBe('PASS');
  });

  test('of a second tax id as a notice on further rows of the file that brought it', () => {
    const acme = established();
    const second = { name: 'Acme Supplies Ltd', tax_id: 'DE811569869' };
    const rows = Array.from({ length: 4 }, (_, row) => acme.bill({ account: HOME, by: second }, ofScan('scan-1', row)));
    expect(rows.map(decisionOf)).toEqual(['REVIEW', 'PASS', 'PASS', 'PASS']);
    expect(decisionOf(acme.bill({ account: HOME, by: second }))).toBe('REVIEW');
  });
});

describe('the account of a factor is', () => {
  const names = ['Alpha', 'Beta Works', 'Gamma Tools', 'Delta Foods', 'Epsilon', 'Zeta Print'];

  test('not made by suppliers that nobody has accepted', () => {
    const acme = established();
    for (const name of names) acme.bill({ account: FORGED, by: { name } });
    const changed = acme.bill({ account: FORGED });
    expect(decisionOf(changed)).toBe('BLOCK');
    expect(decisionOf(acme.bill({ account: FORGED, by: { name: 'Omega Tools', tax_id: 'DE811569869' } }))).toBe(
      'REVIEW',
    );
  });

  test('known once people have accepted it for five suppliers', () => {
    const acme = established();
    for (const name of names) acme.dismiss(acme.bill({ account: FORGED, by: { name } }));
    expect(decisionOf(acme.bill({ account: FORGED }))).toBe('REVIEW');
    expect(decisionOf(acme.bill({ account: FORGED, by: { name: 'Omega Tools', tax_id: 'DE811569869' } }))).toBe('PASS');
  });
});
