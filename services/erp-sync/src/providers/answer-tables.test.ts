// Compares the tables of ERP responses with the reference.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Outage } from '../domain/faults.js';
import { faultByTable } from './answers.js';
import type { AnswerRule } from './answers.js';
import { businessCentralAnswers, entraAnswers } from './business-central/answers.js';
import { odooAnswers } from './odoo/answers.js';
import { quickBooksAnswers } from './quickbooks/answers.js';
import { xeroAnswers } from './xero/answers.js';

const tables: readonly (readonly [erp: string, rules: readonly AnswerRule[], subject: string])[] = [
  ['Business Central', businessCentralAnswers, 'vendors'],
  ['Microsoft Entra', entraAnswers, 'tokens'],
  ['Odoo', odooAnswers, 'account.move'],
  ['QuickBooks Online', quickBooksAnswers, 'bills'],
  ['Xero', xeroAnswers, 'Invoices'],
];
const rows = tables.flatMap(([erp, rules, subject]) =>
  rules.map((rule) => ({ erp, rules, rule, of: rule.of?.[0] ?? subject })),
);
const lineOf = ({ erp, rule, of }: (typeof rows)[number]): string => {
  const fault = rule.fault(of);
  const codes = rule.codes.map((code) => `\`${code}\``).join(', ');
  const again = fault instanceof Outage ? 'yes' : 'no';
  return `| ${erp} | ${rule.status?.join(', ') ?? 'any'} | ${codes} | ${rule.of?.join(', ') ?? 'anything'} | ${fault.code} | ${again} |`;
};
/** Number of columns of the table of codes. Other tables of the reference have fewer columns. */
const COLUMNS = 6;
const page = readFileSync(new URL('../../../../docs/reference/erp-answers.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => tables.some(([erp]) => line.startsWith(`| ${erp} `)) && line.split('|').length === COLUMNS + 2)
  .map((line) => line.replaceAll(/ +/g, ' '));

test('the reference has the rows of the tables, in their order', () => {
  expect(page).toEqual(rows.map(lineOf));
});

describe.each(rows)('$erp $rule.status $rule.codes', ({ rules, rule, of }) => {
  const status = rule.status?.[0] ?? 200;
  test.each(rule.codes)('%s is taken for what its row says', (code) => {
    const known = code.replace('*', 'Something');
    const fault = faultByTable(rules, { status, codes: [known] }, of);
    expect([fault.code, fault.message]).toEqual([rule.fault(of).code, rule.fault(of).message]);
  });

  test('is an outage without its code, or with another one', () => {
    for (const codes of [[], ['E17']]) {
      const fault = faultByTable(rules, { status, codes }, of);
      expect(fault).toBeInstanceOf(Outage);
      expect(fault.needsAPerson).toBe(false);
    }
  });
});
