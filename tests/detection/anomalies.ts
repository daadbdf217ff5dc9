import { composeIBAN } from 'ibantools';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import { cents, withGross, withInvoice, withSupplier } from './bill.js';
import type { Bill } from './bill.js';
import { validIban, validTaxId } from './parties.js';
import type { Party } from './parties.js';
import type { Random } from './random.js';

interface PlantContext {
  readonly party: Party;
  /** Another supplier of the history, for anomalies that involve two suppliers. */
  readonly other: Party;
  readonly random: Random;
}

interface Anomaly {
  /** Finding types, at least one of which the anomaly must raise. */
  readonly expected: readonly string[];
  readonly plant: (bill: Bill, context: PlantContext) => Bill;
}

/**
 * Kinds of wrong invoices that are recognizable without a second invoice. The generator of test data puts one of them
 * in place of a supplier's last bill.
 */
export const anomalies: Readonly<Record<string, Anomaly>> = {
  'changed account': {
    expected: ['BANK_ACCOUNT_CHANGED'],
    plant: (bill, { party, random }) =>
      withSupplier(bill, { bank_account: { iban: validIban(party.country, random) } }),
  },
  'account of another country': {
    expected: ['BANK_ACCOUNT_CHANGED', 'BANK_COUNTRY_MISMATCH'],
    plant: (bill, { party, random }) =>
      withSupplier(bill, { bank_account: { iban: validIban(party.country === 'NL' ? 'FR' : 'NL', random) } }),
  },
  'account of another supplier': {
    expected: ['BANK_ACCOUNT_SHARED', 'BANK_ACCOUNT_CHANGED'],
    plant: (bill, { other }) => withSupplier(bill, { bank_account: { iban: other.iban } }),
  },
  'account with wrong check digits': {
    expected: ['BANK_ACCOUNT_INVALID'],
    plant: (bill, { party }) =>
      withSupplier(bill, {
        bank_account: { iban: party.iban.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)) },
      }),
  },
  'tax id with wrong check digit': {
    expected: ['SUPPLIER_TAX_ID_INVALID', 'TAX_WITHOUT_REGISTRATION'],
    plant: (bill, { party }) => withSupplier(bill, { tax_id: wrongTaxId(party) }),
  },
  'another tax id under the same name': {
    expected: ['SUPPLIER_TAX_ID_CHANGED'],
    plant: (bill, { party, random }) => withSupplier(bill, { tax_id: validTaxId(party.country, random) }),
  },
  'look-alike of an established supplier': {
    expected: ['SUPPLIER_LOOKALIKE_NAME'],
    plant: (bill, { party, random }) =>
      withInvoice(
        withSupplier(bill, {
          // Doubles the last letter of the third word of the supplier's name, which names the trade. The other words
          // are too short: one additional letter does not make them different enough.
          name: party.name.replace(/^(\S+ \S+ \S+?)(.)(?= )/, '$1$2$2'),
          tax_id: validTaxId(party.country, random),
          bank_account: { iban: validIban(party.country, random) },
        }),
        { invoice_number: `X-${random.integer(10_000, 99_999)}` },
      ),
  },
  'twelve times the usual amount': {
    expected: ['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT'],
    plant: (bill, { party }) =>
      withGross(bill, cents(Math.round(Number(bill.invoice.gross_amount) * 1_200) + 37_137), party.vatPercent),
  },
  'totals that do not add up': {
    expected: ['TAX_ARITHMETIC_MISMATCH'],
    plant: (bill) =>
      withInvoice(bill, { gross_amount: microToDecimal(toMicro(bill.invoice.gross_amount) + 12_340_000n) }),
  },
  'tax above every legal rate': {
    expected: ['TAX_RATE_IMPLAUSIBLE'],
    plant: (bill) => {
      const gross = toMicro(bill.invoice.gross_amount);
      const net = ((gross * 100n) / 135n / 10_000n) * 10_000n;
      return withInvoice(bill, { net_amount: microToDecimal(net), tax_amount: microToDecimal(gross - net) });
    },
  },
  'dated in the future': {
    expected: ['ISSUE_DATE_FUTURE'],
    plant: (bill) => withInvoice(bill, { issue_date: addDays(bill.arrival, 40), due_date: addDays(bill.arrival, 70) }),
  },
  'dated years ago': {
    expected: ['ISSUE_DATE_STALE'],
    plant: (bill) =>
      withInvoice(bill, { issue_date: addDays(bill.arrival, -800), due_date: addDays(bill.arrival, -770) }),
  },
  'due before it was issued': {
    expected: ['DUE_DATE_BEFORE_ISSUE'],
    plant: (bill) => withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, -5) }),
  },
  'currency never used before': {
    expected: ['CURRENCY_CHANGED'],
    plant: (bill) =>
      withInvoice(bill, { currency: 'JPY', net_amount: '81000', tax_amount: '9000', gross_amount: '90000' }),
  },
  'addressed to somebody else': {
    expected: ['BUYER_MISMATCH'],
    plant: (bill, { random }) =>
      withInvoice(bill, { buyer: { name: 'Other Holding', tax_id: validTaxId('DE', random) } }),
  },
  'account one digit off': {
    expected: ['BANK_ACCOUNT_NEAR_MATCH', 'BANK_ACCOUNT_INVALID'],
    plant: (bill, { party }) => withSupplier(bill, { bank_account: { iban: oneDigitOff(party.iban) } }),
  },
  'another name on the tax id': {
    expected: ['SUPPLIER_NAME_MISMATCH'],
    plant: (bill) => withSupplier(bill, { name: 'Zyqox Vuhj' }),
  },
  'tax without a tax id': {
    expected: ['TAX_WITHOUT_REGISTRATION'],
    plant: (bill, { party }) => withGross(withSupplier(bill, { tax_id: undefined }), '5152.37', party.vatPercent),
  },
  'tax of another sign': {
    expected: ['TAX_RATE_IMPLAUSIBLE'],
    plant: (bill) => {
      const { tax_amount = '0', gross_amount } = bill.invoice;
      return withInvoice(bill, {
        net_amount: microToDecimal(toMicro(gross_amount) + toMicro(tax_amount)),
        tax_amount: `-${tax_amount}`,
      });
    },
  },
  'another rate than always': {
    expected: ['TAX_RATE_UNUSUAL'],
    plant: (bill, { party }) => withGross(bill, bill.invoice.gross_amount, party.vatPercent - 6),
  },
  'due at once': {
    expected: ['PAYMENT_TERMS_CHANGED'],
    plant: (bill) => withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, 1) }),
  },
  'back after a long time': {
    expected: ['SUPPLIER_DORMANT_REACTIVATED'],
    plant: (bill) => ({
      ...withInvoice(bill, {
        issue_date: addDays(bill.invoice.issue_date, 500),
        due_date: addDays(bill.invoice.issue_date, 530),
      }),
      arrival: addDays(bill.arrival, 500),
    }),
  },
  'a lot from a new supplier': {
    expected: ['SUPPLIER_NEW_HIGH_VALUE'],
    plant: (bill, { party, random }) =>
      withGross(
        withSupplier(bill, {
          name: `Zyqox Vuhj ${random.integer(100, 999)}`,
          tax_id: validTaxId(party.country, random),
          bank_account: { iban: validIban(party.country, random) },
        }),
        '96152.37',
        party.vatPercent,
      ),
  },
  'addressed to another name': {
    expected: ['BUYER_NAME_MISMATCH'],
    plant: (bill) => withInvoice(bill, { buyer: { name: 'Zyqox Vuhj' } }),
  },
  'currency of another country': {
    expected: ['CURRENCY_UNUSUAL_FOR_COUNTRY'],
    plant: (bill) => withInvoice(bill, { currency: 'THB' }),
  },
  'nothing to pay': {
    expected: ['AMOUNT_ZERO'],
    plant: (bill) => withInvoice(bill, { gross_amount: '0.00', net_amount: '0.00', tax_amount: '0.00' }),
  },
};

/** Returns the supplier's tax id with one digit changed so that the check digit is wrong. */
function wrongTaxId({ taxId, country }: Party): string {
  for (let step = 1; step < 10; step++) {
    const changed = taxId.replace(/\d/, (digit) => String((Number(digit) + step) % 10));
    if (taxIdValidity(changed.slice(2), country) === 'WRONG_CHECK_DIGIT') return changed;
  }
  throw new Error(`every change of ${taxId} is valid`);
}

/**
 * Returns a bank account with one digit of its number changed and with matching check digits. In countries with
 * national check digits, the account is invalid.
 */
function oneDigitOff(iban: string): string {
  const changes = Array.from({ length: iban.length - 9 }, (_, index) => iban.length - 1 - index).flatMap((place) =>
    Array.from({ length: 9 }, (_, step) => {
      const digit = String((Number(iban[place]) + step + 1) % 10);
      const bban = iban.slice(4, place) + digit + iban.slice(place + 1);
      return composeIBAN({ countryCode: iban.slice(0, 2), bban }) ?? iban;
    }),
  );
  return changes.find((changed) => readBankAccount({ iban: changed }).problems.length === 0) ?? changes[0] ?? iban;
}
