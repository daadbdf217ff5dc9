import { pick } from '../explanation/evidence.js';
import { subject } from '../explanation/subject.js';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { RaisedFinding } from '../explanation/evidence.js';
import type { Facts } from '../facts/facts.js';
import { isNewOn, isTied, othersOn } from '../facts/links.js';
import type { OrderUse } from '../facts/links.js';
import { readName } from '../normalisation/name-key.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import { counted, grouped } from '../explanation/phrases.js';
import { digitCount } from '../normalisation/invoice-number.js';
import type { Policy } from '../policy/policy.js';
import type { OrderParameters } from '../policy/orders.js';
import { differences } from '../supplier/statistics.js';
import { taxText } from '../supplier/identity.js';

/**
 * Checks the purchase order of an invoice by comparing earlier invoices for the order (family PO; detection reference,
 * section 7.5).
 */
export function detectOrders(facts: Facts, policy: Policy): RaisedFinding[] {
  const parameters = policy.orders;
  // A credit note refunds an order that was billed earlier, so credit notes are not checked.
  if (facts.invoice.amountMinor.startsWith('-')) return [];
  return [
    ...missing(facts, parameters),
    ...supplierMismatch(facts, parameters),
    ...repeatedAmount(facts, parameters, policy.amounts.recurringGapsDays),
  ];
}

function missing({ invoice, supplier }: Facts, parameters: OrderParameters): RaisedFinding[] {
  const { count, poCount } = supplier.profile;
  if (invoice.poKey !== undefined || parameters.exemptSuppliers.includes(supplier.supplierId)) return [];
  const isRequired = parameters.requiredByCompanies.includes(invoice.companyId);
  const isUsual = count >= parameters.usedInvoicesMin && poCount >= count * parameters.usedShareMin;
  if (!isRequired && !isUsual) return [];
  const share = count === 0 ? 0 : Math.floor((poCount * 100) / count);
  const stated = invoice.purchaseOrderRef === undefined ? '' : `; "${invoice.purchaseOrderRef}" is not an order number`;
  return [
    {
      type: 'PO_MISSING',
      ...(isRequired ? parameters.levels.missingRequired : parameters.levels.missing),
      summary: isRequired
        ? `${invoice.invoiceNumber} states no purchase order, which the company requires${stated}.`
        : `${invoice.invoiceNumber} states no purchase order, but ${grouped(poCount)} of ${counted(count, 'earlier invoice')} from ${invoice.supplierName} did${stated}.`,
      about: [subject.supplier(supplier.supplierId)],
      parameters: {
        poRequired: isRequired,
        usedInvoicesMin: parameters.usedInvoicesMin,
        usedShareMin: parameters.usedShareMin,
      },
      observed: { invoices: count, withOrder: poCount },
      explanation: [
        ...(isRequired ? ['The company accepts no invoice without a purchase order.'] : []),
        ...(count === 0
          ? []
          : [`${grouped(poCount)} of ${counted(count, 'earlier invoice')} of the supplier stated a purchase order.`]),
      ],
      extra: { poShare: share / 100, reference: invoice.purchaseOrderRef ?? null },
    },
  ];
}

/**
 * Reports a purchase order that belongs to another supplier, according to the ERP or because another supplier has
 * billed it. The finding is raised on the invoice that links the supplier to the order. Each company has its own order
 * numbers, so equal numbers in different companies are different orders.
 */
function supplierMismatch(facts: Facts, parameters: OrderParameters): RaisedFinding[] {
  const { invoice, supplier, orderLink, orderMaster } = facts;
  const { poKey } = invoice;
  const owner = orderMaster?.owner;
  if (poKey === undefined || (orderLink === null && owner === undefined)) return [];
  if (!isReference(poKey, parameters)) return [];
  if (!isNewOn(orderLink, supplier.supplierId, invoice) || isCopy(facts)) return [];
  if (owner?.supplierId === supplier.supplierId) return [];
  const uses = orderLink?.uses ?? [];
  const [first] = othersOn(orderLink, supplier.supplierId, invoice).filter((other) =>
    uses.some((use) => use.supplierId === other.supplierId && isOfCompany(use, invoice.companyId)),
  );
  const other = owner ?? first;
  if (other === undefined) return [];
  const isOneName = readName(other.name).key === invoice.nameKey;
  const isOneParty = isOneName && isTied(facts.bankLink, other.supplierId);
  const biller = isOneName ? `${invoice.supplierName}${withTaxId(taxText(invoice))}` : invoice.supplierName;
  const owned = isOneName
    ? `${other.name}${withTaxId(owner === undefined ? taxText(first ?? {}) : undefined)}`
    : other.name;
  const firstUse = first === undefined ? null : dateOfDayNumber(first.firstDay);
  const reason =
    owner === undefined ? `which ${owned} has billed since ${firstUse ?? ''}` : `which was placed with ${owned}`;
  const { levels } = parameters;
  const level = owner === undefined ? levels.supplierMismatch : levels.supplierMismatchOwnerKnown;
  return [
    {
      type: 'PO_SUPPLIER_MISMATCH',
      ...(isOneParty ? levels.supplierMismatchOneParty : level),
      summary: `${biller} bills purchase order ${invoice.purchaseOrderRef ?? poKey}, ${reason}.`,
      about: [subject.supplier(supplier.supplierId), subject.order(poKey)],
      parameters: pick(parameters, 'referenceLengthMin', 'referenceDigitsMin'),
      observed: { ownerKnown: owner !== undefined, invoicesOfOther: first?.count ?? 0 },
      explanation: [
        ...(owner === undefined ? [] : [`The ERP shows ${owner.name} as the supplier of this order.`]),
        ...(first === undefined ? [] : [`${first.name} billed this order ${counted(first.count, 'time')} before.`]),
        `${invoice.supplierName} bills this order for the first time.`,
      ],
      extra: { otherSupplier: { supplierId: other.supplierId, name: other.name }, firstUse },
    },
  ];
}

function withTaxId(taxId: string | undefined): string {
  return taxId === undefined || taxId === '' ? '' : ` with tax id ${taxId}`;
}

/**
 * Reports the third bill with the same amount for one purchase order, because one delivery may have been billed twice.
 */
function repeatedAmount(
  { invoice, supplier, orderLink }: Facts,
  parameters: OrderParameters,
  recurringGapsDays: readonly { readonly min: number; readonly max: number }[],
): RaisedFinding[] {
  const { poKey } = invoice;
  if (poKey === undefined || orderLink === null || BigInt(invoice.amountMinor) === 0n) return [];
  const earlier = orderLink.uses.filter(
    (use) =>
      use.invoiceId !== invoice.invoiceId &&
      use.supplierId === supplier.supplierId &&
      isOfCompany(use, invoice.companyId) &&
      use.currency === invoice.currency &&
      use.amountMinor === invoice.amountMinor,
  );
  if (earlier.length < parameters.repeatedMin) return [];
  const days = [...earlier.map(({ day }) => day), invoice.issueDay].sort((left, right) => left - right);
  const gaps = differences(days);
  const isRecurring = gaps.every((gap) => recurringGapsDays.some(({ min, max }) => gap >= min && gap <= max));
  if (isRecurring) return [];
  return [
    {
      type: 'PO_REPEATED_AMOUNT',
      ...parameters.levels.repeatedAmount,
      summary: `${invoice.invoiceNumber} bills ${amountText(invoice)} against purchase order ${invoice.purchaseOrderRef ?? poKey}, the same amount as ${counted(earlier.length, 'earlier invoice')}.`,
      about: [subject.supplier(supplier.supplierId), subject.order(poKey), invoice.invoiceId],
      parameters: pick(parameters, 'repeatedMin'),
      observed: { earlier: earlier.length, amount: amountOf(invoice), currency: invoice.currency },
      explanation: [
        `${counted(earlier.length, 'earlier invoice')} for this order ${earlier.length === 1 ? 'has' : 'have'} the same amount.`,
        'The invoices for this order were not issued at regular intervals, as invoices for a service would be.',
      ],
      extra: { invoices: earlier.map((use) => ({ invoiceId: use.invoiceId, issueDate: dateOfDayNumber(use.day) })) },
      relatedInvoiceIds: earlier.map((use) => use.invoiceId),
    },
  ];
}

/**
 * Checks whether a string on an invoice is a reference to a purchase order. Words, initials and cost centres are
 * rejected, because unrelated suppliers share them.
 */
function isReference(poKey: string, { referenceLengthMin, referenceDigitsMin }: OrderParameters): boolean {
  return poKey.length >= referenceLengthMin && digitCount(poKey) >= referenceDigitsMin;
}

function isOfCompany({ companyId }: OrderUse, wanted: string): boolean {
  return companyId === undefined || companyId === wanted;
}

/**
 * Checks whether another supplier has billed the same amount for the same order. Such a bill is reported as a duplicate
 * instead.
 */
function isCopy({ invoice, supplier, candidates }: Facts): boolean {
  return candidates.some(
    (candidate) =>
      candidate.supplierId !== supplier.supplierId &&
      candidate.poKey === invoice.poKey &&
      candidate.currency === invoice.currency &&
      candidate.amountMinor === invoice.amountMinor,
  );
}
