import { invalidField } from '@invoicecontrol/errors';
import { invoiceCurrency, UNKNOWN_CURRENCY } from '@invoicecontrol/values/currency';
import { isDecimalAmount, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import { catalogue, severities } from '@invoicecontrol/engine/explanation/catalogue';
import type { Family, FindingType, Severity } from '@invoicecontrol/engine/explanation/catalogue';
import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/**
 * Conditions of a routing rule. All stated conditions must be met, and an empty list means that there is no such
 * condition.
 */
export interface RoutingMatch {
  readonly types: readonly FindingType[];
  readonly families: readonly Family[];
  readonly severities: readonly Severity[];
  readonly companyIds: readonly string[];
  /**
   * Ids of suppliers that existed when the routing rule was written. No new findings are raised about a deleted
   * supplier.
   */
  readonly supplierIds: readonly string[];
  /** Minimum absolute gross amount of the invoice that a routing rule matches, in `currency`. */
  readonly minAmount?: DecimalAmount;
  /** Currency of the minimum amount of a routing rule or, if there is none, of the invoice. */
  readonly currency?: string;
}

/** Ids in a routing rule that exist in its organization. */
export interface KnownIds {
  readonly companyIds: readonly string[];
  readonly supplierIds: readonly string[];
}

/** A routing rule, which assigns new findings. The matching rule with the lowest position applies. */
export interface RoutingRule {
  readonly ruleId: string;
  readonly name: string;
  readonly position: number;
  readonly enabled: boolean;
  readonly match: RoutingMatch;
  /** User id of the member to whom the routing rule assigns findings. */
  readonly assignTo: string;
  readonly createdAt: Date;
}

export const RULES_PER_ORGANIZATION_MAX = 200;
/** Maximum number of entries in each list that a condition of a routing rule has. */
export const MATCH_ENTRIES_MAX = 100;

/** Compares routing rules by position. Rules with the same position are ordered by id, oldest first. */
export function compareRules(left: RoutingRule, right: RoutingRule): number {
  return left.position - right.position || compareText(left.ruleId, right.ruleId);
}

/** A routing rule as sent by a caller, with names that are not validated yet. */
export interface RoutingRuleInput {
  readonly name: string;
  readonly position: number;
  readonly enabled: boolean;
  readonly match: RoutingMatchInput;
  readonly assignTo: string;
}

export interface RoutingMatchInput {
  readonly types: readonly string[];
  readonly families: readonly string[];
  readonly severities: readonly string[];
  readonly companyIds: readonly string[];
  readonly supplierIds: readonly string[];
  readonly minAmount?: string | undefined;
  readonly currency?: string | undefined;
}

const NAME_LENGTH_MAX = 200;
const POSITION_MAX = 1_000_000;

/**
 * Validates the conditions and the assignee of a routing rule.
 * @throws DomainError invalid, which names the field and says what to change
 */
export function readRule(
  { name, position, enabled, match, assignTo }: RoutingRuleInput,
  known: KnownIds,
): Omit<RoutingRule, 'ruleId' | 'createdAt'> {
  const trimmed = name.trim();
  if (!hasVisibleText(trimmed)) throw invalidField('name', 'must not be empty or invisible.');
  if (isLongerThan(trimmed, NAME_LENGTH_MAX)) {
    throw invalidField('name', `must have at most ${NAME_LENGTH_MAX} characters.`);
  }
  const fault = faultOfLine(trimmed);
  if (fault !== undefined) throw invalidField('name', fault);
  if (!Number.isInteger(position) || position < 0 || position > POSITION_MAX) {
    throw invalidField('position', `must be a whole number from 0 to ${POSITION_MAX}.`);
  }
  return { name: trimmed, position, enabled, match: readMatch(match, known), assignTo };
}

function readMatch(match: RoutingMatchInput, { companyIds, supplierIds }: KnownIds): RoutingMatch {
  const { minAmount, currency } = match;
  if (currency !== undefined) requireMatchableCurrency(currency);
  if (minAmount !== undefined) {
    if (!isDecimalAmount(minAmount) || minAmount.startsWith('-')) {
      throw invalidField('match.min_amount', 'must be a decimal amount such as "1000.00", not below zero.');
    }
    if (currency === undefined) throw invalidField('match.currency', 'must be sent together with min_amount.');
  }
  return {
    types: entries('match.types', match.types, findingTypes, 'is not a known finding type'),
    families: entries('match.families', match.families, families, 'is not a known finding family'),
    severities: entries('match.severities', match.severities, severities, 'is not a known severity'),
    companyIds: entries('match.company_ids', match.companyIds, companyIds, 'is not a company of this organization'),
    supplierIds: entries(
      'match.supplier_ids',
      match.supplierIds,
      supplierIds,
      'is not a supplier of this organization; findings show the id of their supplier as supplierId',
    ),
    ...(minAmount === undefined ? {} : { minAmount }),
    ...(currency === undefined ? {} : { currency }),
  };
}

/**
 * Checks the currency of a routing rule.
 * @throws DomainError invalid for a currency that no invoice can have
 */
function requireMatchableCurrency(currency: string): void {
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw invalidField('match.currency', 'must be a currency code of three capital letters, such as EUR.');
  }
  if (currency === UNKNOWN_CURRENCY) {
    throw invalidField(
      'match.currency',
      `can never match: ${currency} means that the currency could not be read. Use the finding type CURRENCY_UNKNOWN instead.`,
    );
  }
  // The currency of a routing rule is read without an issue date, because rows of a history scan may be older than the
  // withdrawal of their currency.
  const read = invoiceCurrency(currency, undefined);
  if ('refusal' in read) throw invalidField('match.currency', `can never match: ${read.refusal}`);
}

const findingTypes = Object.keys(catalogue) as FindingType[];
const families: readonly Family[] = Object.values(catalogue).map(({ family }) => family);

function entries<T extends string>(
  path: string,
  given: readonly string[],
  known: readonly T[],
  fault: string,
): readonly T[] {
  if (given.length > MATCH_ENTRIES_MAX) throw invalidField(path, `may have at most ${MATCH_ENTRIES_MAX} entries.`);
  const index = given.findIndex((entry) => !(known as readonly string[]).includes(entry));
  if (index >= 0) throw invalidField(`${path}[${index}]`, `${fault}.`);
  return [...new Set(given)] as T[];
}

/**
 * Returns the routing rule that matches a new finding, if any.
 * @param rules the routing rules, in the order of `compareRules`
 */
export function ruleFor(
  rules: readonly RoutingRule[],
  finding: Pick<Finding, 'type' | 'family' | 'severity'>,
  facts: Facts,
): RoutingRule | undefined {
  return rules.find(({ enabled, match }) => enabled && takes(match, finding, facts));
}

/**
 * Returns the routing rule for a new finding about a whole history scan or about ERP records. Such a finding has
 * neither a supplier nor an amount.
 */
export function ruleForScan(
  rules: readonly RoutingRule[],
  finding: Pick<Finding, 'type' | 'family' | 'severity'>,
  companyId: string,
): RoutingRule | undefined {
  return rules.find(({ enabled, match }) => {
    const asksForInvoice =
      match.supplierIds.length > 0 || match.minAmount !== undefined || match.currency !== undefined;
    return enabled && !asksForInvoice && takesKind(match, finding, companyId);
  });
}

function takes(match: RoutingMatch, finding: Pick<Finding, 'type' | 'family' | 'severity'>, facts: Facts): boolean {
  return (
    takesKind(match, finding, facts.invoice.companyId) &&
    allows(match.supplierIds, facts.supplier.supplierId) &&
    isLargeEnough(match, facts)
  );
}

function takesKind(
  match: RoutingMatch,
  finding: Pick<Finding, 'type' | 'family' | 'severity'>,
  companyId: string,
): boolean {
  return (
    allows(match.types, finding.type) &&
    allows(match.families, finding.family) &&
    allows(match.severities, finding.severity) &&
    allows(match.companyIds, companyId)
  );
}

function allows<T>(wanted: readonly T[], value: T): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

/**
 * An amount in another currency is converted to the base currency if the minimum amount of the routing rule is in the
 * base currency.
 */
function isLargeEnough({ minAmount, currency }: RoutingMatch, { invoice, base }: Facts): boolean {
  if (minAmount === undefined) return currency === undefined || currency === invoice.currency;
  const amount =
    invoice.currency === currency ? invoice.grossAmount : base?.currency === currency ? base?.amount : undefined;
  return amount !== undefined && magnitude(amount) >= magnitude(minAmount);
}

function magnitude(amount: DecimalAmount): bigint {
  const micro = toMicro(amount);
  return micro < 0n ? -micro : micro;
}
