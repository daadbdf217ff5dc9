import { pick } from '../explanation/evidence.js';
import { subject } from '../explanation/subject.js';
import { UNKNOWN_CURRENCY } from '@invoicecontrol/values/currency';
import { buyerOf } from '../facts/buyer.js';
import { isLegalTender } from '../data/country-currencies.js';
import { isSuccessor } from '../data/successor-currencies.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import { valueOf } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import { countryName } from '../explanation/country.js';
import { counted, listed } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { CurrencyParameters } from '../policy/currencies.js';
import { compareText } from '../facts/record-order.js';
import { statedTaxCountry } from '../supplier/habits.js';

/** Checks whether the currency is known and usual for the supplier (family CUR; detection reference, section 7.5). */
export function detectCurrencies(facts: Facts, { currencies }: Policy): RaisedFinding[] {
  if (facts.invoice.currency === UNKNOWN_CURRENCY) return unknown(facts, currencies);
  return [...changed(facts, currencies), ...withoutRate(facts, currencies), ...unusualForCountry(facts, currencies)];
}

function unknown(facts: Facts, { levels }: CurrencyParameters): RaisedFinding[] {
  const { invoice, document } = facts;
  const used = usedCurrencies(facts).map(({ currency }) => currency);
  const printed = document?.currencyCandidates ?? [];
  // Possible meanings of a currency sign, with the supplier's own currencies first. If the document has no sign, these
  // are the currencies in which the supplier has billed.
  const candidates =
    printed.length === 0
      ? used
      : [...used.filter((code) => printed.includes(code)), ...printed.filter((code) => !used.includes(code))];
  return [
    {
      type: 'CURRENCY_UNKNOWN',
      ...levels.unknown,
      summary: `The currency of ${invoice.invoiceNumber} from ${invoice.supplierName} could not be read.`,
      about: [invoice.invoiceId],
      observed: { currency: invoice.currency },
      explanation: [
        'The document states no currency, or several.',
        ...(printed.length === 0 ? [] : [`The currency sign on it may mean ${listed(printed, 'or')}.`]),
        ...(used.length === 0 ? [] : [`The supplier has billed in ${listed(used)} before.`]),
      ],
      extra: { candidates },
    },
  ];
}

/**
 * Reports a currency in which the supplier has not billed before. For suppliers that bill in several currencies, a new
 * currency is less significant.
 */
function changed(facts: Facts, parameters: CurrencyParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  if (supplier.profile.count < parameters.changedHistoryMin) return [];
  if (Object.hasOwn(supplier.profile.currencies, invoice.currency)) return [];
  const used = usedCurrencies(facts);
  const [usual] = used;
  if (usual === undefined) return [];
  // A new currency is not reported if it has replaced an earlier currency of the supplier, such as the euro in a
  // country that has adopted it.
  if (used.some(({ currency }) => isSuccessor(invoice.currency, currency, invoice.issueDate))) return [];
  const inRegularUse = used.filter(({ count }) => count >= parameters.multiCurrencyUsesMin);
  const isMultiCurrency = inRegularUse.length >= parameters.multiCurrencyMin;
  return [
    {
      type: 'CURRENCY_CHANGED',
      ...(isMultiCurrency ? parameters.levels.changedMultiCurrency : parameters.levels.changed),
      summary: `${invoice.supplierName} bills ${amountText(invoice)}, but has always billed in ${listed(
        used.map(({ currency }) => currency),
        'or',
      )} before.`,
      about: [subject.supplier(supplier.supplierId), invoice.currency],
      parameters: pick(parameters, 'changedHistoryMin', 'multiCurrencyMin', 'multiCurrencyUsesMin'),
      observed: { invoices: supplier.profile.count, invoicesInUsual: usual.count },
      explanation: [
        `${counted(usual.count, 'earlier invoice')} ${usual.count === 1 ? 'is' : 'are'} in ${usual.currency}; none is in ${invoice.currency}.`,
        ...(isMultiCurrency ? ['The supplier uses several currencies.'] : []),
      ],
      extra: { usual: usual.currency, new: invoice.currency },
    },
  ];
}

/**
 * Reports an amount that cannot be compared with the limits of the policy, because no exchange rate exists. Later
 * invoices in the currency are compared with the supplier's own amounts.
 */
function withoutRate(facts: Facts, { levels }: CurrencyParameters): RaisedFinding[] {
  const { invoice, supplier, base } = facts;
  if (!valueOf(facts).noRate || base?.currency === invoice.currency) return [];
  if (Object.hasOwn(supplier.profile.currencies, invoice.currency)) return [];
  return [
    {
      type: 'CURRENCY_WITHOUT_RATE',
      ...levels.withoutRate,
      summary: `${invoice.supplierName} bills ${amountText(invoice)}. There is no exchange rate for ${invoice.currency}, so the amount was not compared with the value limits.`,
      about: [subject.supplier(supplier.supplierId), invoice.currency],
      observed: { currency: invoice.currency, grossAmount: amountOf(invoice) },
      explanation: [
        `There is no exchange rate between ${invoice.currency} and EUR for ${invoice.issueDate}.`,
        'Rules with a limit in EUR were not applied.',
      ],
    },
  ];
}

function unusualForCountry(facts: Facts, parameters: CurrencyParameters): RaisedFinding[] {
  const { invoice, supplier, base } = facts;
  const { currency, taxCountry, bankCountry } = invoice;
  const country = taxCountry ?? bankCountry;
  if (country === undefined || parameters.worldCurrencies.includes(currency)) return [];
  if ((supplier.profile.currencies[currency] ?? 0) >= parameters.unusualAcceptedAfter) return [];
  // The base currency is always usual, even if the buyer's country is unknown.
  if (currency === base?.currency) return [];
  const { country: buyerCountry } = buyerOf(facts);
  const countries = [taxCountry, bankCountry, buyerCountry].filter((known) => known !== undefined);
  if (countries.some((known) => isLegalTender(currency, known))) return [];
  const stated = statedTaxCountry(invoice);
  const from =
    stated === undefined ? `with an account in ${countryName(bankCountry ?? '')}` : `from ${countryName(stated)}`;
  return [
    {
      type: 'CURRENCY_UNUSUAL_FOR_COUNTRY',
      ...parameters.levels.unusual,
      summary: `${invoice.supplierName} ${from} bills ${amountText(invoice)}, in the currency of another country.`,
      about: [subject.supplier(supplier.supplierId), currency],
      parameters: pick(parameters, 'worldCurrencies', 'unusualAcceptedAfter'),
      observed: { currency, earlierUses: supplier.profile.currencies[currency] ?? 0 },
      explanation: [`${currency} is not the currency of ${listed([...new Set(countries)].map(countryName), 'or')}.`],
      extra: { country },
    },
  ];
}

/** Lists the currencies of the supplier's earlier invoices, most frequent first. */
function usedCurrencies({ supplier }: Facts): { readonly currency: string; readonly count: number }[] {
  return Object.entries(supplier.profile.currencies)
    .map(([currency, count]) => ({ currency, count }))
    .filter(({ currency }) => currency !== UNKNOWN_CURRENCY)
    .sort((left, right) => right.count - left.count || compareText(left.currency, right.currency));
}
