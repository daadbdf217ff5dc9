import type { Decimal } from 'decimal.js';
import type { Element } from '../element.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { toText } from '../decimal.js';
import type { FailedRule } from '../validation.js';

/** The sets of validation rules for e-invoices in documents reference, section 9.2. */
export type RuleSet = 'EN16931' | 'PEPPOL' | 'XRECHNUNG';

/** Place in the electronic invoice where a validation rule is broken. */
export interface Failure {
  readonly at: Element;
  /** Sentence that describes the fault and its correction, for the author of the invoice. */
  readonly message: string;
  readonly expected: string | null;
  readonly actual: string | null;
}

export interface Rule {
  readonly id: string;
  readonly flag: FailedRule['flag'];
  readonly sets: readonly RuleSet[];
  test(model: InvoiceModel): Iterable<Failure>;
}

export function failure(at: Element, message: string): Failure {
  return { at, message, expected: null, actual: null };
}

export function mismatch(
  at: Element,
  message: string,
  expected: Decimal | undefined,
  actual: Decimal | undefined,
): Failure {
  return { at, message, expected: toText(expected), actual: toText(actual) };
}

/**
 * Returns all groups of an e-invoice at the end of a path such as BG-25, BG-27, or the invoice itself for an empty
 * path.
 */
export function groupsAt(invoice: Group, path: readonly string[]): readonly Group[] {
  return path.reduce<readonly Group[]>((groups, code) => groups.flatMap((group) => group.groups(code)), [invoice]);
}

/** Declares a validation rule that is checked for each group of the invoice at a path. */
export function eachGroup(
  id: string,
  path: readonly string[],
  test: (group: Group, model: InvoiceModel) => Failure | undefined,
  sets: readonly RuleSet[] = ['EN16931'],
  flag: FailedRule['flag'] = 'FATAL',
): Rule {
  return {
    id,
    flag,
    sets,
    test: (model) =>
      groupsAt(model.invoice, path).flatMap((group) => {
        const failed = test(group, model);
        return failed === undefined ? [] : [failed];
      }),
  };
}
