// Creates the lines of payment runs for stored invoices: correct lines (clean), and lines with deliberate errors that
// the product should find.
import type { RunLine } from '@invoicecontrol/payment-files/testing/payment-run';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { Random } from '../detection/random.js';

/** A stored invoice with its decision and its labels. */
export interface StoredBill {
  readonly invoice: CanonicalInvoice;
  readonly decision: string;
  readonly claim: string;
  /** True if the generator of the history gave the invoice a fault, or created it as a copy of another invoice. */
  readonly isPlanted: boolean;
  readonly isCopy: boolean;
}

export const cleanKinds = [
  'in full',
  'part payment',
  'several invoices',
  'netted credit note',
  'discount of 2 to 3 %',
  'withheld tax',
  'less by up to 0.05',
] as const;
export const plantedKinds = [
  'exchanged account',
  'paid twice in the run',
  'bill that is held',
  'copy of a bill in the run',
  'paid by an earlier run',
  'higher by 1.00 or more',
] as const;
export type LineKind = (typeof cleanKinds)[number] | (typeof plantedKinds)[number];

/** A line of a generated payment run, with the change that was made to it. */
export interface LabelledLine extends RunLine {
  readonly kind: LineKind;
}

export interface LabelledRuns {
  /** Payments of earlier payment runs. The benchmark downloads these payments before it checks the measured run. */
  readonly before: readonly RunLine[];
  readonly lines: readonly LabelledLine[];
}

const CENT = 10_000n;
const UNIT = 1_000_000n;
/**
 * Share of the lines of a payment run that have one kind of deliberate error, for each kind. All other lines are
 * correct.
 */
const PLANTED_SHARE = 0.07;
const INVOICES_PER_LINE_MAX = 4;
/** Account of a person who is paid in place of the supplier. */
const forgedAccounts = [
  'LT601010012345678901',
  'DE02120300000000202051',
  'ES9121000418450200051332',
  'BE68539007547034',
];

/**
 * Returns a payment run with about the given number of lines, in a random order, except that each copied line follows
 * the line that it repeats.
 */
export function labelledRun(stored: readonly StoredBill[], count: number, random: Random): LabelledRuns {
  const isPayable = ({ invoice }: StoredBill): boolean =>
    toMicro(invoice.gross_amount) > 20n * UNIT && ibanOf(invoice) !== '' && /\d/.test(invoice.invoice_number);
  const clean = shuffled(
    stored.filter((bill) => bill.decision === 'PASS' && !bill.isPlanted && !bill.isCopy && isPayable(bill)),
    random,
  );
  const held = shuffled(
    stored.filter((bill) => bill.decision !== 'PASS' && !bill.isCopy && isPayable(bill)),
    random,
  );
  const copies = new Map<string, StoredBill>();
  // If the check of invoices let a copy of a bill pass, the payment run is not to blame. `npm run bench:detection`
  // measures such errors.
  for (const bill of stored)
    if (bill.isCopy && bill.decision !== 'PASS' && isPayable(bill)) copies.set(bill.claim, bill);
  const credits = stored.filter(({ invoice, decision }) => decision === 'PASS' && toMicro(invoice.gross_amount) < 0n);
  // If the bills of every month show the same contract number, the number does not tell which bill a payment pays. Such
  // bills are used only in payment lines without errors. The benchmark pays a held bill as a deliberate error only if
  // no other bill with the same number or for the same supply may be paid.
  const numberOf = ({ invoice }: StoredBill): string => `${ibanOf(invoice)}|${invoice.invoice_number}`;
  const sharing = new Map<string, StoredBill[]>();
  for (const bill of stored) sharing.set(numberOf(bill), [...(sharing.get(numberOf(bill)) ?? []), bill]);
  const isUnique = (bill: StoredBill): boolean =>
    (sharing.get(numberOf(bill)) ?? []).every((other) => other === bill || other.claim === bill.claim);
  const passedClaims = new Set(stored.flatMap(({ decision, claim }) => (decision === 'PASS' ? [claim] : [])));
  const used = new Set<StoredBill>();
  const takeIfAny = (from: readonly StoredBill[], test: (bill: StoredBill) => boolean): StoredBill | undefined => {
    const found = from.find((bill) => !used.has(bill) && test(bill));
    if (found !== undefined) used.add(found);
    return found;
  };
  const take = (from: readonly StoredBill[], test: (bill: StoredBill) => boolean = () => true): StoredBill => {
    const found = takeIfAny(from, test);
    if (found === undefined)
      throw new Error('The history has too few bills for a run of this size. Choose a smaller one.');
    return found;
  };
  const before: RunLine[] = [];
  const lines: LabelledLine[] = [];
  const add = (
    kind: LineKind,
    bills: readonly StoredBill[],
    amountMicro: bigint,
    changes: Partial<RunLine> = {},
  ): void => {
    lines.push({ ...paymentOf(bills, amountMicro, random), ...changes, kind });
  };
  const gross = ({ invoice }: StoredBill): bigint => toMicro(invoice.gross_amount);
  const each = Math.floor(count * PLANTED_SHARE);
  for (let index = 0; index < each; index += 1) {
    const exchanged = take(clean, isUnique);
    const account = random.pick(forgedAccounts.filter((one) => one !== ibanOf(exchanged.invoice)));
    add('exchanged account', [exchanged], gross(exchanged), { account });
    const twice = take(clean, isUnique);
    add('in full', [twice], gross(twice));
    add('paid twice in the run', [twice], gross(twice));
    const bad = takeIfAny(
      held,
      (bill) =>
        !passedClaims.has(bill.claim) &&
        (sharing.get(numberOf(bill)) ?? []).every(({ decision }) => decision !== 'PASS'),
    );
    if (bad !== undefined) add('bill that is held', [bad], gross(bad));
    const paid = take(clean, isUnique);
    before.push(paymentOf([paid], gross(paid), random));
    add('paid by an earlier run', [paid], gross(paid));
    const high = take(clean, isUnique);
    const excess = random.chance(0.5) ? UNIT : BigInt(random.integer(100, 90_000)) * CENT;
    add('higher by 1.00 or more', [high], gross(high) + excess);
    const original = takeIfAny(clean, (bill) => copies.has(bill.claim) && isUnique(bill));
    const copy = original === undefined ? undefined : copies.get(original.claim);
    if (original !== undefined && copy !== undefined) {
      add('in full', [original], gross(original));
      add('copy of a bill in the run', [copy], gross(copy));
    }
  }
  for (const credit of shuffled(credits, random).slice(0, each)) {
    const own = takeIfAny(
      clean,
      (bill) =>
        bill.invoice.supplier.name === credit.invoice.supplier.name &&
        bill.invoice.currency === credit.invoice.currency &&
        gross(bill) + gross(credit) > UNIT,
    );
    if (own !== undefined) add('netted credit note', [own, credit], gross(own) + gross(credit));
  }
  for (let turn = 0; lines.length < count; turn += 1) {
    const bill = take(clean);
    const kind = cleanKinds[turn % cleanKinds.length] ?? 'in full';
    switch (kind) {
      case 'several invoices': {
        const wanted = random.integer(1, INVOICES_PER_LINE_MAX - 1);
        const others = clean
          .filter(
            (other) =>
              !used.has(other) &&
              other.invoice.supplier.name === bill.invoice.supplier.name &&
              other.invoice.currency === bill.invoice.currency &&
              ibanOf(other.invoice) === ibanOf(bill.invoice),
          )
          .slice(0, wanted);
        for (const other of others) used.add(other);
        const bills = [...new Map([bill, ...others].map((one) => [one.invoice.invoice_number, one])).values()];
        add(
          bills.length > 1 ? kind : 'in full',
          bills,
          bills.reduce((sum, one) => sum + gross(one), 0n),
        );
        break;
      }
      case 'part payment':
        add(kind, [bill], cents((gross(bill) * BigInt(random.integer(20, 80))) / 100n));
        break;
      case 'discount of 2 to 3 %':
        add(kind, [bill], cents((gross(bill) * BigInt(random.pick([98, 97]))) / 100n));
        break;
      case 'withheld tax':
        add(kind, [bill], cents((gross(bill) * BigInt(random.pick([95, 85, 80, 70]))) / 100n));
        break;
      case 'less by up to 0.05':
        add(kind, [bill], gross(bill) - BigInt(random.integer(1, 5)) * CENT);
        break;
      case 'in full':
      case 'netted credit note':
        add('in full', [bill], gross(bill));
    }
  }
  return { before, lines };
}

/**
 * Returns the payment line for some bills. Its name and texts have different forms, as in the files of different
 * payment programs.
 */
function paymentOf(bills: readonly StoredBill[], amountMicro: bigint, random: Random): RunLine {
  const [first] = bills;
  if (first === undefined) throw new RangeError('A payment pays at least one bill.');
  const { supplier, currency } = first.invoice;
  const numbers = bills.map(({ invoice }) => invoice.invoice_number);
  return {
    amount: microToDecimal(amountMicro),
    currency,
    name: random.chance(0.25) ? upperCase(supplier.name).slice(0, 70) : supplier.name.slice(0, 70),
    account: ibanOf(first.invoice),
    texts: random.chance(0.3) && numbers.length > 1 ? numbers : [textOf(numbers, first, random)],
  };
}

function textOf(numbers: readonly string[], { invoice }: StoredBill, random: Random): string {
  const day = invoice.issue_date.split('-').toReversed().join('.');
  const text = random.pick([
    numbers.join(' '),
    `Rechnung ${numbers.join(', ')}`,
    `Rechnung ${numbers.join(', ')} vom ${day}`,
    `INV ${numbers.join(' / ')}`,
    `Kd.-Nr. 40718 Rg. ${numbers.join('; ')}`,
  ]);
  return text.length <= 140 ? text : numbers.join(' ').slice(0, 140);
}

function upperCase(name: string): string {
  return name.toUpperCase().replaceAll('Ä', 'AE').replaceAll('Ö', 'OE').replaceAll('Ü', 'UE');
}

/** Returns the IBAN of an invoice, or an empty text if the invoice states no IBAN of a valid form. */
function ibanOf({ supplier: { bank_account: account } }: CanonicalInvoice): string {
  const iban = account?.iban?.replace(/\s/g, '').toUpperCase() ?? '';
  return /^[A-Z]{2}\d{2}[0-9A-Z]{11,30}$/.test(iban) ? iban : '';
}

function cents(micro: bigint): bigint {
  return (micro / CENT) * CENT;
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = random.integer(0, index);
    [copy[index], copy[other]] = [copy[other] as T, copy[index] as T];
  }
  return copy;
}
