import type { PaymentRun } from '../../client.js';
import { formatMoney } from '../../format/money.js';

/** The sums of the payment lines with one verdict, one for each currency. */
export function Sums({ of: { sums } }: { readonly of: PaymentRun['pay'] }) {
  return sums.map(({ currency, amount }) => <div key={currency}>{formatMoney(amount, currency)}</div>);
}
