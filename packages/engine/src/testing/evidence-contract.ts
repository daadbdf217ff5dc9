import { minorUnitsOf } from '@invoicecontrol/values/currency';
import type { Evidence, EvidenceValue, Finding } from '../explanation/evidence.js';
import { commonMembers, evidenceMembers, objectOf } from '../explanation/evidence-members.js';
import type { MemberSchema } from '../explanation/evidence-members.js';
import { wordingFaults } from './wording-contract.js';

/** Members of a finding's evidence that contain money, including both sides of a comparison of amounts. */
const MONEY_MEMBERS: ReadonlySet<string> = new Set(
  (
    'amount amountAtRisk grossAmount netAmount taxAmount oldAmount newAmount matchedAmount ' +
    'expectedGross value sum whole median limit p95 threshold difference tolerance orderTotal billed ' +
    'excess paid due outlierValueMin fewAmountsValueMin highRiseValueMin climbValueMin surgeValueMin roundValueMin consecutiveSumMin newSupplierHighValue notInMasterHighValue ' +
    'overbilledTolerance overpaidTolerance smallDifference splitTolerance simplifiedInvoiceLimit'
  ).split(' '),
);
/** Members that quote texts of an invoice or a document. */
const QUOTED_MEMBERS: ReadonlySet<string> = new Set(
  (
    'left right invoiceNumber supplierName purchaseOrderRef externalId order name searchedKeys ' +
    'machineValue visibleValue xmlValue documentValue ksefValue expected actual taxId explanation key pattern usualPattern'
  ).split(' '),
);
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const MONEY_TEXT = /^[A-Z]{3} -?\d+(?:\.\d+)?$|^-?\d+(?:\.\d+)? [A-Z]{3}$/;

/**
 * Lists faults of the amounts in the evidence of a finding (detection reference, section 8): each amount must be a
 * decimal string with the decimals of its currency, and the currency must be stated next to it.
 */
export function evidenceFaults({ type, evidence }: Pick<Finding, 'type' | 'evidence'>): string[] {
  return faultsIn(evidence).map((fault) => `${type}: ${fault}`);
}

/** Checks the evidence and the sentences of findings in tests. @throws Error that names every fault */
export function requireEvidenceContract(findings: readonly Finding[]): void {
  const faults = findings.flatMap((finding) => [
    ...evidenceFaults(finding),
    ...memberFaults(finding),
    ...wordingFaults(finding),
  ]);
  if (faults.length > 0) throw new Error(`Evidence breaks its contract:\n${faults.join('\n')}`);
}

/**
 * Lists members of the evidence that are missing, that have another type than declared, or that are not declared for
 * the finding type.
 */
export function memberFaults({ type, evidence }: Pick<Finding, 'type' | 'evidence'>): string[] {
  const schema = { type: 'object', ...objectOf({ ...commonMembers, ...evidenceMembers[type] }) };
  return faultsAgainst(schema, evidence, 'evidence').map((fault) => `${type}: ${fault}`);
}

function faultsAgainst(schema: MemberSchema, value: EvidenceValue | undefined, path: string): string[] {
  const { items, properties, required = [] } = schema;
  if (!typesOf(value).some((type) => [schema.type].flat().includes(type))) {
    return [`${path} is ${JSON.stringify(value)}, but should be ${String(schema.type)}`];
  }
  if (Array.isArray(value) && items !== undefined) {
    return (value as EvidenceValue[]).flatMap((entry, index) => faultsAgainst(items, entry, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || properties === undefined) return [];
  const members = Object.entries(value as Record<string, EvidenceValue>);
  const present = new Set(members.map(([name]) => name));
  return [
    ...required.filter((name) => !present.has(name)).map((name) => `${path}.${name} is missing`),
    ...members.flatMap(([name, member]) => {
      const declared = properties[name];
      const here = `${path}.${name}`;
      return declared === undefined ? [`${here} is not declared`] : faultsAgainst(declared, member, here);
    }),
  ];
}

/** Returns the JSON Schema types of a value in the evidence of a finding. */
function typesOf(value: EvidenceValue | undefined): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

type Members = Evidence | { readonly [name: string]: EvidenceValue };

function faultsIn(members: Members, path = ''): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const here = `${path}${name}`;
    if (typeof value === 'object' && value !== null) return faultsBelow(value, here, name);
    if (isMoney(members, name)) return moneyFaults(here, value, currencyOf(members, name));
    if (name.endsWith('Minor')) return [`${here} is in minor units`];
    return typeof value === 'string' ? textFaults(here, name, value) : [];
  });
}

function faultsBelow(value: EvidenceValue & object, path: string, name: string): string[] {
  if (!Array.isArray(value)) return faultsIn(value as Members, `${path}.`);
  return (value as EvidenceValue[]).flatMap((entry, index) => {
    const here = `${path}[${index}]`;
    if (typeof entry === 'string') return textFaults(here, name, entry);
    return typeof entry === 'object' && entry !== null ? faultsBelow(entry, here, name) : [];
  });
}

function isMoney(members: Members, name: string): boolean {
  if (name === 'left' || name === 'right') {
    return (members['field'] === 'amount' || members['field'] === 'credit') && members[name] !== null;
  }
  // In evidence, a `value` that is a JavaScript number belongs to a series of invoice numbers and is not an amount.
  const isOfSeries = name === 'value' && typeof members[name] === 'number';
  return MONEY_MEMBERS.has(name) && members[name] !== null && !isOfSeries;
}

function currencyOf(members: Members, name: string): EvidenceValue | undefined {
  return members[`${name}Currency`] ?? members['currency'];
}

function moneyFaults(path: string, value: EvidenceValue, currency: EvidenceValue | undefined): string[] {
  const shown = JSON.stringify(value);
  if (typeof value !== 'string' || !DECIMAL.test(value)) return [`${path} is no decimal string: ${shown}`];
  if (typeof currency !== 'string') return [`${path} has no currency next to it: ${shown}`];
  const decimals = value.split('.')[1]?.length ?? 0;
  return decimals === minorUnitsOf(currency) ? [] : [`${path} has not the decimals of ${currency}: ${shown}`];
}

function textFaults(path: string, name: string, value: string): string[] {
  if (QUOTED_MEMBERS.has(name) || name.endsWith('InvoiceNumber')) return [];
  if (MONEY_TEXT.test(value)) return [`${path} is money with its currency in one text: ${JSON.stringify(value)}`];
  return DECIMAL.test(value) && value.includes('.') ? [`${path} is a decimal, but not known as money: ${value}`] : [];
}
