import { locationOf } from '../element.js';
import type { InvoiceModel } from '../invoice-model.js';
import type { FailedRule } from '../validation.js';
import { arithmeticRules } from './arithmetic.js';
import { codeListRules } from './code-lists.js';
import { peppolRules } from './peppol.js';
import { presenceRules } from './presence.js';
import type { Rule, RuleSet } from './rule.js';
import { valueRules } from './values.js';
import { vatCategoryRules } from './vat-categories.js';
import { xrechnungRules } from './xrechnung.js';

/** All validation rules for electronic invoices, grouped by family. */
export const ruleTable: readonly Rule[] = [
  ...presenceRules,
  ...valueRules,
  ...arithmeticRules,
  ...vatCategoryRules,
  ...codeListRules,
  ...peppolRules,
  ...xrechnungRules,
];

/**
 * Checks an invoice against the validation rules of the sets that `selects` accepts. The result has one entry for each
 * broken rule and location, in an order that does not depend on the document.
 */
export function runRules(
  model: InvoiceModel,
  sets: readonly RuleSet[],
  selects: (rule: { readonly id: string }) => boolean = () => true,
): readonly FailedRule[] {
  const failed = new Map<string, FailedRule>();
  for (const rule of ruleTable) {
    if (!rule.sets.some((set) => sets.includes(set)) || !selects(rule)) continue;
    for (const { at, message, expected, actual } of rule.test(model)) {
      const location = locationOf(at);
      const key = `${rule.id} ${location}`;
      if (!failed.has(key)) failed.set(key, { id: rule.id, flag: rule.flag, message, location, expected, actual });
    }
  }
  return [...failed.values()];
}
