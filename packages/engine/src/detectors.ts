import { detectAmounts } from './detectors/amounts.js';
import { detectBankAccounts } from './detectors/bank-accounts.js';
import { detectBuyers } from './detectors/buyers.js';
import { detectCurrencies } from './detectors/currencies.js';
import { detectDates } from './detectors/dates.js';
import { detectDocuments } from './detectors/documents.js';
import { detectDuplicates } from './detectors/duplicates.js';
import { detectErp } from './detectors/erp.js';
import { detectKsef } from './detectors/ksef.js';
import { detectNumbers } from './detectors/numbers.js';
import { detectOrders } from './detectors/orders.js';
import { detectSuppliers } from './detectors/suppliers.js';
import { detectTaxes } from './detectors/taxes.js';
import type { Family } from './explanation/catalogue.js';
import type { RaisedFinding } from './explanation/evidence.js';
import type { Facts } from './facts/facts.js';
import type { Policy } from './policy/policy.js';

/**
 * A set of rules that check one invoice, with the section of the policy that configures these rules and the families of
 * the findings that they raise.
 */
export interface Detector {
  /** Name of the file in `detectors/` that contains the detector. */
  readonly file: string;
  readonly families: readonly Family[];
  readonly policy: keyof Policy;
  /** Sections of the detection reference that describe the rules of the detector. */
  readonly sections: string;
  /** Raises findings from the facts of an invoice. Detectors are independent of each other. */
  readonly detect: (facts: Facts, policy: Policy) => RaisedFinding[];
}

/**
 * Index of the detectors that the engine runs. The table in the README is generated from it. A new detector is one line
 * in this table (docs/guides/adding-a-finding-family.md). Findings about scans and ERP records as a whole are raised in
 * run-engine.ts.
 */
export const detectors: readonly Detector[] = [
  { file: 'duplicates', families: ['DUP'], policy: 'duplicates', sections: '5, 7.1', detect: detectDuplicates },
  { file: 'bank-accounts', families: ['BANK'], policy: 'bank', sections: '7.2', detect: detectBankAccounts },
  { file: 'amounts', families: ['AMT'], policy: 'amounts', sections: '7.4', detect: detectAmounts },
  { file: 'taxes', families: ['TAX'], policy: 'taxes', sections: '7.4', detect: detectTaxes },
  { file: 'dates', families: ['DATE'], policy: 'dates', sections: '7.5', detect: detectDates },
  { file: 'currencies', families: ['CUR'], policy: 'currencies', sections: '7.5', detect: detectCurrencies },
  { file: 'buyers', families: ['BUY'], policy: 'buyers', sections: '7.5', detect: detectBuyers },
  { file: 'suppliers', families: ['SUP'], policy: 'suppliers', sections: '7.3', detect: detectSuppliers },
  { file: 'numbers', families: ['NUM'], policy: 'numbers', sections: '7.5', detect: detectNumbers },
  { file: 'orders', families: ['PO'], policy: 'orders', sections: '7.5', detect: detectOrders },
  { file: 'erp', families: ['BANK', 'SUP', 'PO'], policy: 'erp', sections: '7.2, 7.3, 7.5', detect: detectErp },
  { file: 'documents', families: ['DOC'], policy: 'documents', sections: '7.6', detect: detectDocuments },
  { file: 'ksef', families: ['DOC'], policy: 'ksef', sections: '7.7', detect: detectKsef },
];
