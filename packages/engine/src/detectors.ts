import { detectAmounts } from './detectors/amounts.js';
import { detectBankAccounts } from './detectors/bank-accounts.js';
import { detectBuyers } from './detectors/buyers.js';
import { detectCurrencies } from './detectors/currencies.js';
import { detectDates } from './detectors/dates.js';
import { detectDocuments } from './detectors/documents.js';
import { detectDuplicates } from './detectors/duplicates.js';
import { detectErp } from './detectors/erp.js';
import { detectNumbers } from './detectors/numbers.js';
import { detectOrders } from './detectors/orders.js';
import { detectSuppliers } from './detectors/suppliers.js';
import { detectTaxes } from './detectors/taxes.js';
import type { RaisedFinding } from './explanation/evidence.js';
import type { Facts } from './facts/facts.js';
import type { Policy } from './policy/policy.js';

/** Reads facts, raises findings and knows no other detector. */
type Detector = (facts: Facts, policy: Policy) => RaisedFinding[];

/** What the engine looks for in one invoice. A new detector joins by one line (docs/guides/adding-a-finding-family.md). */
export const detectors: readonly { readonly detect: Detector; readonly policy: keyof Policy }[] = [
  { detect: detectDuplicates, policy: 'duplicates' },
  { detect: detectBankAccounts, policy: 'bank' },
  { detect: detectAmounts, policy: 'amounts' },
  { detect: detectTaxes, policy: 'taxes' },
  { detect: detectDates, policy: 'dates' },
  { detect: detectCurrencies, policy: 'currencies' },
  { detect: detectBuyers, policy: 'buyers' },
  { detect: detectSuppliers, policy: 'suppliers' },
  { detect: detectNumbers, policy: 'numbers' },
  { detect: detectOrders, policy: 'orders' },
  { detect: detectErp, policy: 'erp' },
  { detect: detectDocuments, policy: 'documents' },
];
