import { pick } from '../explanation/evidence.js';
import { subject } from '../explanation/subject.js';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMicro, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { OrderTotals } from '../facts/erp-facts.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import { limitsIn, moneyText, valueEvidence } from '../explanation/money.js';
import { LIMIT_CURRENCY, inInvoiceCurrency, valueOf } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import { counted, listed } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { ErpParameters } from '../policy/erp.js';
import { isVirtualAccount } from '../supplier/habits.js';
import { companyOf } from '../facts/companies.js';

/** Compares the invoice with the records in its company's ERP (detection reference, sections 7.2, 7.3 and 7.5). */
export function detectErp(facts: Facts, policy: Policy): RaisedFinding[] {
  return [
    ...masterMismatch(facts, policy),
    ...ownAccount(facts, policy.erp),
    ...notInMaster(facts, policy.erp),
    ...overbilled(facts, policy.erp),
  ];
}

/**
 * Reports a bank account that differs from the verified vendor master. The account must be confirmed by a call before
 * payment.
 */
function masterMismatch(facts: Facts, { erp, bank }: Policy): RaisedFinding[] {
  const { invoice, supplier, vendorMaster } = facts;
  const vendor = vendorMaster?.vendor;
  if (vendorMaster === undefined || vendor === undefined || vendor === null || vendor.isOneTime) return [];
  const { bankKey, bankMasked } = invoice;
  if (bankKey === undefined || vendor.accounts.length === 0) return [];
  if (vendor.accounts.some(({ key }) => key === bankKey)) return [];
  const isStale = vendorMaster.ageHours > erp.masterFreshHours;
  const isVirtual = isVirtualAccount(facts, bank);
  const masterAccounts = vendor.accounts.map(({ masked }) => masked);
  return [
    {
      type: 'BANK_ACCOUNT_MASTER_MISMATCH',
      ...(isStale || isVirtual ? erp.levels.masterMismatchDoubtful : erp.levels.masterMismatch),
      summary: `${invoice.supplierName} asks for payment to ${bankMasked ?? ''}, which is not in the vendor master; the vendor master has ${listed(masterAccounts)}.`,
      about: [subject.supplier(supplier.supplierId), subject.account(bankKey)],
      parameters: pick(erp, 'masterFreshHours'),
      observed: { masterAccounts: masterAccounts.length, ageHours: vendorMaster.ageHours },
      explanation: [
        `Vendor ${vendor.name} has ${counted(masterAccounts.length, 'account')} in the vendor master. The account on the invoice is not one of them.`,
        ...(isStale
          ? [
              `The vendor master was last imported ${counted(vendorMaster.ageHours, 'hour')} ago and may have changed since.`,
            ]
          : []),
        ...(isVirtual ? ['The supplier uses many accounts at one bank in turn.'] : []),
      ],
      extra: {
        account: bankMasked ?? null,
        masterAccounts,
        erpVendorId: vendor.erpVendorId,
        syncedAt: vendorMaster.syncedAt,
      },
    },
  ];
}

/**
 * Reports an invoice whose payment would go to an account of the organization itself. Payments between companies of the
 * organization are allowed.
 */
function ownAccount(
  { invoice, supplier, ownAccount: own, companies }: Facts,
  { levels }: ErpParameters,
): RaisedFinding[] {
  if (own === undefined || invoice.bankKey === undefined) return [];
  if (companyOf(invoice, companies ?? [])?.companyId === own.companyId) return [];
  return [
    {
      type: 'BANK_ACCOUNT_OWN',
      ...levels.ownAccount,
      summary: `${invoice.supplierName} asks for payment to ${invoice.bankMasked ?? ''}, an account of your own company ${own.name}.`,
      about: [subject.supplier(supplier.supplierId), subject.account(invoice.bankKey)],
      observed: { account: invoice.bankMasked ?? null },
      explanation: [`The account belongs to ${own.name}, a company of this organization.`],
      extra: { account: invoice.bankMasked ?? null, companyId: own.companyId },
    },
  ];
}

/**
 * Reports a supplier that is missing from the vendor master. A stale vendor list is skipped, because it cannot show
 * that a vendor is missing.
 */
function notInMaster(facts: Facts, { levels, masterFreshHours, notInMasterHighValue }: ErpParameters): RaisedFinding[] {
  const { invoice, supplier, vendorMaster } = facts;
  if (vendorMaster === undefined || vendorMaster.vendor !== null) return [];
  if (vendorMaster.ageHours > masterFreshHours) return [];
  const { value, noRate } = valueOf(facts);
  const isHigh = !noRate && toMicro(value) >= toMicro(notInMasterHighValue);
  return [
    {
      type: 'SUPPLIER_NOT_IN_MASTER',
      ...(isHigh ? levels.notInMasterHighValue : levels.notInMaster),
      summary: `${invoice.supplierName} is not in the vendor master of the company.`,
      about: [subject.supplier(supplier.supplierId), invoice.companyId],
      parameters: { ...limitsIn(LIMIT_CURRENCY, { notInMasterHighValue }), masterFreshHours },
      observed: { ...valueEvidence(facts), ageHours: vendorMaster.ageHours },
      explanation: ['No vendor of the company has the tax id, the account or the name of this supplier.'],
      extra: { syncedAt: vendorMaster.syncedAt },
    },
  ];
}

/**
 * Reports that more was billed than was ordered. Net amounts are compared if the order and the invoice both state them.
 * Otherwise gross amounts are compared.
 */
function overbilled(facts: Facts, parameters: ErpParameters): RaisedFinding[] {
  const { invoice, supplier, orderMaster } = facts;
  const { poKey, currency } = invoice;
  if (poKey === undefined || orderMaster === undefined || orderMaster.isBlanket) return [];
  if (orderMaster.currency !== currency || invoice.amountMinor.startsWith('-')) return [];
  const exponent = minorUnitsOf(currency);
  const compared: { basis: 'NET' | 'GROSS'; totals: OrderTotals; minor: bigint } | undefined =
    orderMaster.net !== undefined && invoice.netMinor !== undefined
      ? { basis: 'NET', totals: orderMaster.net, minor: BigInt(invoice.netMinor) }
      : orderMaster.gross === undefined
        ? undefined
        : { basis: 'GROSS', totals: orderMaster.gross, minor: BigInt(invoice.amountMinor) };
  if (compared === undefined) return [];
  const { basis, totals, minor } = compared;
  const ordered = toMinorUnits(totals.ordered, exponent);
  const billed = toMinorUnits(totals.billed, exponent) + minor;
  const overbilledTolerance =
    inInvoiceCurrency(facts, parameters.overbilledTolerance) ?? parameters.overbilledTolerance;
  const tolerance = toMinorUnits(overbilledTolerance, exponent);
  const isOver = billed * 100n > ordered * BigInt(100 + parameters.overbilledPercent) + tolerance * 100n;
  if (!isOver) return [];
  const isMuch = billed * 100n > ordered * BigInt(100 + parameters.overbilledMuchPercent);
  const text = (amount: bigint): string => minorToDecimal(amount, exponent);
  const money = (amount: bigint): string => moneyText(text(amount), currency);
  return [
    {
      type: 'PO_OVERBILLED',
      ...(isMuch ? parameters.levels.overbilledMuch : parameters.levels.overbilled),
      summary: `With ${invoice.invoiceNumber}, ${money(billed)} is billed against purchase order ${invoice.purchaseOrderRef ?? poKey}, which is for ${money(ordered)}.`,
      about: [subject.supplier(supplier.supplierId), subject.order(poKey), invoice.invoiceId],
      parameters: {
        ...pick(parameters, 'overbilledPercent'),
        ...limitsIn(currency, { overbilledTolerance }),
      },
      observed: { orderTotal: text(ordered), billed: text(billed), currency, basis },
      explanation: [
        `The purchase order is for ${money(ordered)} ${basis === 'NET' ? 'excluding' : 'including'} tax.`,
        `Earlier invoices for the purchase order, less credit notes, come to ${money(billed - minor)}.`,
      ],
      extra: { orderTotal: text(ordered), billed: text(billed), excess: text(billed - ordered), currency },
    },
  ];
}
