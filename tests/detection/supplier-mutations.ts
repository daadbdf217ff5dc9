import { companies, inUkForm, withSupplier } from './bill.js';
import type { Change } from './mutation.js';
import { validTaxId } from './parties.js';

/** Mutations that spell or record the supplier of a bill differently, or address the bill to another company. */
export const supplierMutations = {
  'tax id left out': (bill) => withSupplier(bill, { tax_id: undefined }),
  'account left out': (bill) => withSupplier(bill, { bank_account: undefined }),
  'legal form left out, no tax id': (bill) =>
    withSupplier(bill, { tax_id: undefined, name: bill.invoice.supplier.name.split(' ').slice(0, 3).join(' ') }),
  'umlauts written out, no tax id': (bill) =>
    /[äöüÄÖÜß]/.test(bill.invoice.supplier.name)
      ? withSupplier(bill, { tax_id: undefined, name: spelledOut(bill.invoice.supplier.name) })
      : undefined,
  'misspelled name, no tax id': (bill) =>
    withSupplier(bill, { tax_id: undefined, name: bill.invoice.supplier.name.replace(/^(..)(.)/, '$1$2$2') }),
  'words of the name in another order, no tax id': (bill) =>
    withSupplier(bill, {
      tax_id: undefined,
      name: bill.invoice.supplier.name.replace(/^(\S+ \S+) (\S+)/, '$2 $1'),
    }),
  'under another supplier record with the same account': (bill, party, random) =>
    withSupplier(bill, {
      tax_id: validTaxId(party.country, random),
      name: `${party.name.split(' ')[0] ?? ''} Services`,
    }),
  'another trade name, same tax id': (bill, party, random) =>
    withSupplier(bill, {
      name: `${random.pick(['Nova', 'Orbis', 'Delta'])} ${party.name.split(' ').slice(2).join(' ')}`,
    }),
  'tax id without its country': (bill, { taxId }) => withSupplier(bill, { tax_id: taxId.slice(2) }),
  'wrong digit in the tax id': (bill, { taxId }) =>
    withSupplier(bill, {
      tax_id: taxId.replace(/\d(?=\d{3})/, (digit) => String((Number(digit) + 1) % 10)),
    }),
  'UK account in its other form': (bill, { country }) => (country === 'GB' ? inUkForm(bill) : undefined),
  'to another company': (bill) => ({ ...bill, companyId: companies.second }),
} as const satisfies Record<string, Change>;

function spelledOut(name: string): string {
  const letters: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss' };
  return name.replaceAll(/[äöüÄÖÜß]/g, (letter) => letters[letter] ?? letter);
}
