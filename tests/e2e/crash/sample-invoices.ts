/** What tells one sample invoice from another. */
export interface Sample {
  /** Suppliers have their own account and order. */
  readonly supplier: number;
  readonly number: string;
  readonly amount: number;
  /** Stored with the invoice as the buyer's name, so that an audit can find what was made of a request. */
  readonly sentAs: string;
}

export function sampleInvoice({ supplier, number, amount, sentAs }: Sample): Readonly<Record<string, unknown>> {
  return {
    supplier: { name: supplierNames[supplier % supplierNames.length], bank_account: { iban: germanIban(supplier) } },
    invoice_number: number,
    issue_date: '2026-03-05',
    currency: 'EUR',
    gross_amount: amount.toFixed(2),
    purchase_order_ref: `PO-${4711 + supplier}`,
    buyer: { name: sentAs },
  };
}

const supplierNames = ['Nordlicht Energie GmbH', 'Thames Paper Ltd', 'Studio Lavanda', 'Kowalski Transport'] as const;

function germanIban(account: number): string {
  const bban = `37040044${String(532_013_000 + account).padStart(10, '0')}`;
  // "DE00" in digits behind the account: the check digits make the whole congruent to 1 modulo 97.
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${bban}`;
}
