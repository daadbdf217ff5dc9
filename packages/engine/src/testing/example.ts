import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { runEngine } from '@invoicecontrol/engine/run-engine';
import { decide } from '@invoicecontrol/engine/scoring/decision';
import { scoreFindings } from '@invoicecontrol/engine/scoring/score';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';

const invoice = {
  supplier: { name: 'Acme Supplies Ltd', tax_id: 'DE992058642' },
  invoice_number: 'KX-4821',
  issue_date: '2025-03-10',
  currency: 'EUR',
  gross_amount: '1200.00',
};

// The example takes the facts from a history in memory. A service loads the facts from its database.
const history = inMemoryHistory();
history.bill(invoice);
const facts = history.factsOf({ ...invoice, invoice_number: 'KX-4821A' });

const findings = runEngine(facts, defaultPolicy);
export const answer = {
  score: scoreFindings(findings, defaultPolicy),
  ...decide(findings, defaultPolicy),
  findings: findings.map(({ type, severity, confidence, summary }) => `${type} ${severity} ${confidence}%: ${summary}`),
};
