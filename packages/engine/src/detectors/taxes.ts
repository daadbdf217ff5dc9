import { subject } from '../explanation/subject.js';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import { buyerOf } from '../facts/buyer.js';
import { europeanUnion } from '../data/european-union.js';
import { ALWAYS, highestVatRate, standardVatRate } from '../data/vat-rates.js';
import type { VatRate } from '../data/vat-rates.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import { inInvoiceCurrency } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import type { NormalisedInvoice } from '../facts/invoice.js';
import { countryName } from '../explanation/country.js';
import { limitsIn, moneyText } from '../explanation/money.js';
import { grouped, listed } from '../explanation/phrases.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import type { Policy } from '../policy/policy.js';
import type { SimplifiedInvoiceLimit, StatutoryAmount, StatutoryShare, TaxParameters } from '../policy/taxes.js';
import { rateBasisPoints } from '../supplier/profile.js';
import { median } from '../supplier/statistics.js';
import { registrationText, taxIdFault, taxRegistration } from '../supplier/tax-registration.js';

/**
 * Checks whether net, tax and gross are consistent and whether the tax may be charged (family TAX; detection reference,
 * section 7.4).
 */
export function detectTaxes(facts: Facts, policy: Policy): RaisedFinding[] {
  const amounts = taxedAmounts(facts.invoice);
  if (amounts === undefined) return [];
  const { taxes } = policy;
  const implausible = rateImplausible(facts, amounts, taxes);
  return [
    ...arithmetic(facts, amounts, taxes),
    ...implausible,
    ...(implausible.length === 0 ? rateUnusual(facts, amounts, taxes) : []),
    ...withoutRegistration(facts, amounts, taxes),
    ...crossBorder(facts, amounts, taxes),
  ];
}

/** Net, tax and gross amounts in minor units. Net is absent if only the tax is stated. */
interface TaxedAmounts {
  readonly net: bigint | undefined;
  readonly tax: bigint;
  readonly gross: bigint;
  /** Tax as a share of the net amount in basis points. Absent if net is missing or zero. */
  readonly rate: number | undefined;
  /** Number of decimal places that the currency of the invoice has. */
  readonly exponent: number;
}

function taxedAmounts({ netMinor, taxMinor, amountMinor, currency }: NormalisedInvoice): TaxedAmounts | undefined {
  if (taxMinor === undefined) return undefined;
  const net = netMinor === undefined ? undefined : BigInt(netMinor);
  const tax = BigInt(taxMinor);
  return {
    net,
    tax,
    gross: BigInt(amountMinor),
    rate: net === undefined ? undefined : rateBasisPoints(net, tax),
    exponent: minorUnitsOf(currency),
  };
}

/** Returns the maximum difference between invoice totals, in minor units, that rounding can explain. */
function toleranceOf({ exponent }: TaxedAmounts, { toleranceMinor, toleranceMinorWhole }: TaxParameters): bigint {
  return BigInt(exponent === 0 ? toleranceMinorWhole : toleranceMinor);
}

/** Reports that net and tax do not add up to the gross amount. */
function arithmetic(facts: Facts, amounts: TaxedAmounts, parameters: TaxParameters): RaisedFinding[] {
  const { net, tax, gross } = amounts;
  if (net === undefined) return [];
  const expected = net + tax;
  const difference = gross - expected;
  const size = magnitude(difference);
  const { invoice } = facts;
  if (size <= toleranceOf(amounts, parameters)) return [];
  if (isCashRounding(invoice, amounts, size, parameters)) return [];
  if (isWithholding(facts, amounts, difference, parameters)) return [];
  const charges = statutoryChargesIn(facts, amounts, difference, parameters);
  if (charges.length > 0 && charges.every(({ kind }) => kind === 'AMOUNT')) return [];
  const { levels, smallBasisPoints, overbilledBasisPoints } = parameters;
  const smallDifference = inInvoiceCurrency(facts, parameters.smallDifference) ?? parameters.smallDifference;
  const share = size * 10_000n;
  const isSmall =
    size <= toMinorUnits(smallDifference, amounts.exponent) && share <= magnitude(gross) * BigInt(smallBasisPoints);
  const isOverbilled = difference > 0n && share >= magnitude(gross) * BigInt(overbilledBasisPoints);
  const inCurrency = (minor: bigint): string => amountOf({ currency: invoice.currency, amountMinor: String(minor) });
  const money = (minor: bigint): string => moneyText(inCurrency(minor), invoice.currency);
  return [
    {
      type: 'TAX_ARITHMETIC_MISMATCH',
      ...(isSmall
        ? levels.arithmeticSmall
        : charges.length > 0
          ? levels.arithmeticStatutory
          : isOverbilled
            ? levels.arithmeticOverbilled
            : levels.arithmetic),
      summary: `Net ${money(net)} plus tax ${money(tax)} is ${money(expected)}, but the gross amount of ${invoice.invoiceNumber} is ${amountText(invoice)}.`,
      about: [invoice.invoiceId],
      parameters: {
        tolerance: inCurrency(toleranceOf(amounts, parameters)),
        ...limitsIn(invoice.currency, { smallDifference }),
        smallBasisPoints,
        overbilledBasisPoints,
      },
      observed: {
        netAmount: inCurrency(net),
        taxAmount: inCurrency(tax),
        grossAmount: inCurrency(gross),
        difference: inCurrency(difference),
        currency: invoice.currency,
      },
      explanation: [
        `The gross amount is ${money(size)} ${difference > 0n ? 'more' : 'less'} than net and tax together.`,
        ...(charges.length === 0
          ? []
          : [`The difference is as high as ${listed(charges.map(({ name }) => `the ${name}`))}.`]),
      ],
      extra: { difference: inCurrency(difference), expectedGross: inCurrency(expected), currency: invoice.currency },
    },
  ];
}

/**
 * Checks whether the difference between invoice totals is cash rounding: totals are rounded to the smallest coin, which
 * is larger than the smallest unit of the currency.
 */
function isCashRounding(
  { currency }: NormalisedInvoice,
  amounts: TaxedAmounts,
  size: bigint,
  parameters: TaxParameters,
): boolean {
  const step = parameters.cashRoundingSteps[currency];
  if (step === undefined) return false;
  const coin = toMinorUnits(step, amounts.exponent);
  return amounts.gross % coin === 0n && size * 2n <= coin + toleranceOf(amounts, parameters) * 2n;
}

/**
 * Checks whether the difference between invoice totals is withholding tax. In some countries the buyer keeps part of
 * the net amount for the tax office, and the total is reduced by it.
 */
function isWithholding(facts: Facts, amounts: TaxedAmounts, difference: bigint, parameters: TaxParameters): boolean {
  const { net = 0n } = amounts;
  if (difference > 0n === net > 0n) return false;
  const rates = withholdingCountries(facts, parameters).flatMap(
    (country) => parameters.withholdingBasisPoints[country] ?? [],
  );
  return rates.some((rate) => {
    const withheld = (magnitude(net) * BigInt(rate)) / 10_000n;
    return magnitude(magnitude(difference) - withheld) <= toleranceOf(amounts, parameters);
  });
}

interface StatutoryCharge {
  readonly kind: 'AMOUNT' | 'SHARE';
  readonly name: string;
  /** Amount of a statutory charge such as stamp duty, in minor units. */
  readonly minor: bigint;
}

/**
 * Returns the statutory charges of the supplier's country that explain by how much the gross amount exceeds net and
 * tax: one charge, or a fixed charge together with a proportional charge. Empty if the country is unknown.
 */
function statutoryChargesIn(
  facts: Facts,
  amounts: TaxedAmounts,
  difference: bigint,
  parameters: TaxParameters,
): readonly StatutoryCharge[] {
  const { net = 0n } = amounts;
  const country = taxRegistration(facts)?.country;
  if (country === undefined || difference > 0n !== net > 0n) return [];
  const explains = (sum: bigint): boolean => magnitude(magnitude(difference) - sum) <= toleranceOf(amounts, parameters);
  const fixed = fixedCharges(facts, amounts, parameters.statutoryAmounts[country]);
  const shares = shareCharges(amounts, parameters.statutoryShares[country]);
  const alone = [...fixed, ...shares].find(({ minor }) => explains(minor));
  if (alone !== undefined) return [alone];
  const pairs = fixed.flatMap((one) => shares.map((other) => [one, other] as const));
  return pairs.find(([one, other]) => explains(one.minor + other.minor)) ?? [];
}

function fixedCharges(
  { invoice }: Facts,
  { net = 0n, tax, exponent }: TaxedAmounts,
  charges: readonly StatutoryAmount[] = [],
): StatutoryCharge[] {
  return charges
    .filter(
      ({ currency, netAbove }) =>
        currency === invoice.currency && tax === 0n && magnitude(net) > toMinorUnits(netAbove, exponent),
    )
    .map(({ name, amount }) => ({ kind: 'AMOUNT', name, minor: toMinorUnits(amount, exponent) }));
}

function shareCharges({ net = 0n, tax }: TaxedAmounts, charges: readonly StatutoryShare[] = []): StatutoryCharge[] {
  return charges
    .filter(({ withoutTax }) => !withoutTax || tax === 0n)
    .flatMap(({ name, of, basisPoints }) => {
      const base = magnitude(of === 'NET' ? net : net + tax);
      return basisPoints.map((points) => ({
        kind: 'SHARE' as const,
        name,
        minor: (base * BigInt(points) + 5_000n) / 10_000n,
      }));
    });
}

/**
 * Returns the supplier's country. If it is unknown, returns the countries with withholding tax that fit the bank
 * account or the tax id. A wrong country does no harm, because withholding tax only reduces the amount to be paid.
 */
function withholdingCountries(facts: Facts, { withholdingBasisPoints }: TaxParameters): readonly string[] {
  const registration = taxRegistration(facts);
  if (registration !== undefined) return [registration.country];
  const { bankCountry, taxKey } = facts.invoice;
  return Object.keys(withholdingBasisPoints).filter(
    (country) => country === bankCountry || (taxKey !== undefined && taxIdValidity(taxKey, country) === 'VALID'),
  );
}

/**
 * Reports more tax than any legal rate in the supplier's country allows, or tax with another sign than the net amount.
 * Each row of a VAT breakdown is checked for itself: a deposit that is paid back without tax, for example, makes the tax
 * a larger share of the net amount than any rate.
 */
function rateImplausible(facts: Facts, amounts: TaxedAmounts, parameters: TaxParameters): RaisedFinding[] {
  for (const part of taxedParts(facts, amounts, parameters)) {
    const found = partImplausible(facts, part, parameters);
    if (found !== undefined) return [found];
  }
  return [];
}

/** Net amount and tax of the whole invoice, or of one row of its VAT breakdown. */
interface TaxedPart extends TaxedAmounts {
  readonly isRow: boolean;
}

/** Returns the rows of the VAT breakdown. If there is none that adds up to the invoice, returns the whole invoice. */
function taxedParts({ document }: Facts, amounts: TaxedAmounts, parameters: TaxParameters): readonly TaxedPart[] {
  const whole: readonly TaxedPart[] = [{ ...amounts, isRow: false }];
  const { exponent } = amounts;
  const rows = (document?.taxBreakdown ?? []).map((row): TaxedPart => {
    const [net, tax] = [toMinorUnits(row.base, exponent), toMinorUnits(row.tax, exponent)];
    return { net, tax, gross: net + tax, rate: rateBasisPoints(net, tax), exponent, isRow: true };
  });
  if (rows.length === 0 || rows.some(({ rate, tax }) => rate === undefined && tax !== 0n)) return whole;
  const sumOf = (part: 'net' | 'tax'): bigint => rows.reduce((sum, row) => sum + (row[part] ?? 0n), 0n);
  const tolerance = toleranceOf(amounts, parameters);
  const addsUp = (sign: bigint): boolean =>
    magnitude(sign * sumOf('net') - (amounts.net ?? 0n)) <= tolerance &&
    magnitude(sign * sumOf('tax') - amounts.tax) <= tolerance;
  // A credit note states positive amounts, which are negative in the facts.
  return addsUp(1n) || addsUp(-1n) ? rows : whole;
}

function partImplausible(facts: Facts, part: TaxedPart, parameters: TaxParameters): RaisedFinding | undefined {
  const { invoice } = facts;
  const { net, tax, rate, isRow } = part;
  if (net === undefined || rate === undefined || tax === 0n) return undefined;
  const money = (minor: bigint): string =>
    moneyText(amountOf({ currency: invoice.currency, amountMinor: String(minor) }), invoice.currency);
  const source = isRow ? ['The VAT breakdown of the document states this tax.'] : [];
  const registration = taxRegistration(facts);
  const legal = highestRate(facts, registration?.country);
  if (tax > 0n !== net > 0n) {
    return {
      ...implausibleRate(invoice, parameters),
      ...parameters.levels.signMismatch,
      summary: isRow
        ? `${invoice.invoiceNumber} charges tax of ${money(tax)} on ${money(net)}, which have opposite signs.`
        : `The tax and the net amount of ${invoice.invoiceNumber} have opposite signs.`,
      actionValues: { fault: 'the tax and the net amount have opposite signs' },
      observed: { rate: percent(rate) },
      explanation: ['Either the tax or the net amount is negative, but not both.', ...source],
      extra: { rate: percent(rate), ...rateEvidence(legal?.rate) },
    };
  }
  if (legal === undefined) return undefined;
  const { basisPoints } = legal.rate;
  const highest = BigInt(basisPoints);
  const isAbove = magnitude(tax) * 10_000n > magnitude(net) * (highest + BigInt(parameters.rateExcessBasisPoints));
  // Rounding to the cent distorts the tax rate of small amounts, so an excess of a few cents is tolerated.
  const excess = magnitude(tax) - (magnitude(net) * highest) / 10_000n;
  if (!isAbove || excess <= toleranceOf(part, parameters)) return undefined;
  return {
    ...implausibleRate(invoice, parameters),
    ...parameters.levels.rateImplausible,
    summary: `${invoice.invoiceNumber} charges ${grouped(percent(rate))}% tax${isRow ? ` on ${money(net)}` : ''}; the highest rate in ${registration === undefined ? 'any country' : countryName(legal.country)} is ${percent(basisPoints)}%.`,
    actionValues: { fault: 'the tax is higher than the legal rate' },
    observed: { rate: percent(rate), maxRate: percent(basisPoints) },
    explanation: [
      registration === undefined ? 'The country of the supplier is not known.' : registrationText(registration),
      registration === undefined
        ? `On ${invoice.issueDate} no standard rate was higher than the ${percent(basisPoints)}% in ${countryName(legal.country)}.`
        : `On ${invoice.issueDate} no rate in ${countryName(legal.country)} was higher than ${percent(basisPoints)}%.`,
      ...(isRow ? source : ['Reduced rates, or several rates on one invoice, would give a lower rate.']),
    ],
    extra: { rate: percent(rate), ...rateEvidence(legal.rate) },
  };
}

/**
 * Returns the highest rate that the supplier may charge in its country, or in any country if its country is unknown.
 */
function highestRate(
  facts: Facts,
  country: string | undefined,
): { readonly country: string; readonly rate: VatRate } | undefined {
  const { invoice } = facts;
  if (country === undefined) return isOutsideVat(facts) ? undefined : highestVatRate(invoice.issueDate);
  const rate = standardVatRate(country, invoice.issueDate);
  return rate === undefined ? undefined : { country, rate };
}

function implausibleRate({ invoiceId }: NormalisedInvoice, { rateExcessBasisPoints }: TaxParameters) {
  return {
    type: 'TAX_RATE_IMPLAUSIBLE',
    about: [invoiceId],
    parameters: { rateExcessBasisPoints },
  } as const;
}

function rateEvidence(legal: VatRate | undefined): { maxRate: number | null; validFrom: string | null } {
  if (legal === undefined) return { maxRate: null, validFrom: null };
  return { maxRate: percent(legal.basisPoints), validFrom: legal.from === ALWAYS ? null : legal.from };
}

/** Reports a different tax rate on an invoice from a supplier that has always charged the same tax rate. */
function rateUnusual(facts: Facts, { rate }: TaxedAmounts, parameters: TaxParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const rates = supplier.profile.taxRates;
  if (rate === undefined || rates.length < parameters.rateHistoryMin) return [];
  const usual = Math.round(median(rates.map(({ value }) => value)));
  if (Math.abs(rate - usual) <= parameters.rateUnusualBasisPoints) return [];
  const isNear = (left: number, right: number): boolean => Math.abs(left - right) <= parameters.rateConstantBasisPoints;
  const constant = rates.filter(({ value }) => isNear(value, usual)).length;
  if (constant < rates.length * parameters.rateConstantShareMin) return [];
  const country = taxRegistration(facts)?.country;
  const legal = country === undefined ? undefined : standardVatRate(country, invoice.issueDate);
  const before = country === undefined || legal === undefined ? undefined : standardRateBefore(country, legal);
  // The supplier changed its tax rate only because the legal rate changed, so this is not reported.
  if (legal !== undefined && before !== undefined && isNear(rate, legal.basisPoints) && isNear(usual, before))
    return [];
  return [
    {
      type: 'TAX_RATE_UNUSUAL',
      ...parameters.levels.rateUnusual,
      summary: `${invoice.supplierName} charges ${grouped(percent(rate))}% tax, but has ${constant === rates.length ? 'always' : 'nearly always'} charged ${percent(usual)}% before.`,
      about: [subject.supplier(supplier.supplierId), String(Math.round(rate / 100))],
      parameters: {
        rateHistoryMin: parameters.rateHistoryMin,
        rateConstantBasisPoints: parameters.rateConstantBasisPoints,
        rateConstantShareMin: parameters.rateConstantShareMin,
        rateUnusualBasisPoints: parameters.rateUnusualBasisPoints,
      },
      observed: { rate: percent(rate), usualRate: percent(usual), invoices: rates.length, invoicesAtUsual: constant },
      explanation: [
        `${constant} of the last ${rates.length} invoices of the supplier were taxed at ${percent(usual)}%.`,
      ],
      extra: { usualRate: percent(usual), rate: percent(rate) },
    },
  ];
}

/** Returns the standard VAT rate that applied in a country before the given VAT rate. */
function standardRateBefore(country: string, { from }: VatRate): number | undefined {
  return from === ALWAYS ? undefined : standardVatRate(country, addDays(from, -1))?.basisPoints;
}

/**
 * Reports tax that is charged without a valid registration. The severity is lower on the supplier's later invoices.
 * Invoices that may be simplified are skipped. A missing tax id on an invoice without tax is reported by the family
 * SUP.
 */
function withoutRegistration(facts: Facts, { net, tax }: TaxedAmounts, parameters: TaxParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const isPlaceholder = invoice.hasPlaceholderTaxId === true;
  const isInvalid = isPlaceholder || taxIdFault(facts) !== undefined;
  if (tax <= 0n || (invoice.taxKey !== undefined && !isInvalid)) return [];
  if (!isInvalid && isOutsideVat(facts)) return [];
  const limit = simplifiedInvoiceLimit(facts, parameters);
  if (limit !== undefined && BigInt(invoice.amountMinor) <= limit.minor) return [];
  const isLater = wasWithoutRegistration(facts, limit, net === undefined);
  const fault = isPlaceholder
    ? 'states a placeholder as its tax id'
    : isInvalid
      ? 'its tax id is not valid'
      : 'states no tax id';
  const taxAmount = amountOf({ currency: invoice.currency, amountMinor: String(tax) });
  return [
    {
      type: 'TAX_WITHOUT_REGISTRATION',
      ...(isLater ? parameters.levels.withoutRegistrationAgain : parameters.levels.withoutRegistration),
      summary: `${invoice.supplierName} charges ${moneyText(taxAmount, invoice.currency)} tax, but ${fault}.`,
      about: [subject.supplier(supplier.supplierId), invoice.taxKey ?? ''],
      parameters: limit === undefined ? {} : limitsIn(limit.currency, { simplifiedInvoiceLimit: limit.amount }),
      observed: { taxAmount, currency: invoice.currency, taxId: isInvalid ? 'INVALID' : 'MISSING', isLater },
      explanation: [
        `The invoice charges ${moneyText(taxAmount, invoice.currency)} tax.`,
        isPlaceholder
          ? 'The stated tax id is a placeholder, which identifies no supplier.'
          : isInvalid
            ? 'The tax id of the supplier fails the check for its country.'
            : 'The invoice states no tax id for the supplier.',
        ...(isLater ? ['An earlier invoice of the supplier also charged tax without a valid tax id.'] : []),
      ],
    },
  ];
}

/** A gross amount limit for simplified invoices, in the currency of the checked invoice. */
interface LimitInCurrency {
  readonly amount: DecimalAmount;
  readonly currency: string;
  readonly minor: bigint;
}

/**
 * Returns the maximum amount of a simplified invoice under the law of the supplier's country, or of its bank's country
 * if it states no tax id. Undefined if no exchange rate exists.
 */
function simplifiedInvoiceLimit(facts: Facts, parameters: TaxParameters): LimitInCurrency | undefined {
  const { invoice } = facts;
  const { currency } = invoice;
  const country = taxRegistration(facts)?.country ?? invoice.bankCountry ?? '';
  const inCurrency = (limit: SimplifiedInvoiceLimit): DecimalAmount | undefined =>
    inInvoiceCurrency(facts, limit.amount, limit.currency);
  const national = parameters.simplifiedInvoiceLimits[country];
  const amount = (national && inCurrency(national)) ?? inCurrency(parameters.simplifiedInvoiceLimit);
  if (amount === undefined) return undefined;
  return { amount, currency, minor: toMinorUnits(amount, minorUnitsOf(currency)) };
}

/**
 * Checks whether an earlier invoice from the supplier charged tax above the limit without a tax id or with the same
 * invalid tax id, as far as the supplier profile shows this.
 */
function wasWithoutRegistration(
  { invoice, supplier }: Facts,
  limit: LimitInCurrency | undefined,
  isTaxAlone: boolean,
): boolean {
  const { count, taxIdCount, taxRates, amounts } = supplier.profile;
  const isSameFault = invoice.taxKey === undefined ? count > taxIdCount : supplier.reason === 'TAX_KEY' && count > 0;
  // The supplier profile contains tax rates only of invoices that stated a net amount. If the checked invoice states
  // tax without a net amount, the rates in the profile are therefore not required.
  if (!isSameFault || !(isTaxAlone || taxRates.some(({ value }) => value > 0))) return false;
  return (amounts[invoice.currency] ?? []).some(({ minor }) => limit === undefined || BigInt(minor) > limit.minor);
}

/**
 * Checks whether the bank account on the invoice is in a country without value added tax, such as the United States.
 * Suppliers there have no VAT id, and an invoice with sales tax states no tax id. If the bank account shows no country,
 * the country of the buyer is used, because sales tax is charged where the buyer is.
 */
function isOutsideVat(facts: Facts): boolean {
  const { bankCountry, issueDate } = facts.invoice;
  const country = bankCountry ?? buyerOf(facts).country;
  return country !== undefined && standardVatRate(country, issueDate) === undefined;
}

/** Reports tax charged between businesses in two member states, because in this case the buyer usually owes the tax. */
function crossBorder(facts: Facts, { tax }: TaxedAmounts, parameters: TaxParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  if (tax <= 0n || invoice.buyerTaxId === undefined) return [];
  const registration = taxRegistration(facts);
  if (registration === undefined || !europeanUnion.includes(registration.country)) return [];
  const from = registration.country;
  const { taxId, country: to } = buyerOf(facts);
  if (taxId === undefined || to === undefined || from === to || !europeanUnion.includes(to)) return [];
  const taxAmount = amountOf({ currency: invoice.currency, amountMinor: String(tax) });
  return [
    {
      type: 'TAX_CROSS_BORDER_CHARGED',
      ...parameters.levels.crossBorder,
      summary: `${invoice.supplierName}, registered in ${countryName(from)}, charges ${moneyText(taxAmount, invoice.currency)} tax to a buyer in ${countryName(to)}.`,
      about: [subject.supplier(supplier.supplierId), from, to],
      observed: { taxAmount, currency: invoice.currency },
      explanation: [
        registrationText(registration),
        `The tax id of the buyer is from ${countryName(to)}; both countries are in the European Union.`,
        'Local supplies such as hotels, fuel and events are taxed where they take place.',
      ],
      extra: { countries: [from, to] },
    },
  ];
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Converts a tax rate in basis points to a percentage: 1900 becomes 19. */
function percent(basisPoints: number): number {
  return basisPoints / 100;
}
