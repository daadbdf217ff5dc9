import type { Company } from '../facts/companies.js';
import type { TaxId } from '@invoicecontrol/values/tax-id';
import { buyerOf } from '../facts/buyer.js';
import { departmentWords } from '../data/department-words.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import type { Facts } from '../facts/facts.js';
import { readName } from '../normalisation/name-key.js';
import type { NameKeys } from '../normalisation/name-key.js';
import { jaroWinkler } from '../normalisation/similarity.js';
import type { Policy } from '../policy/policy.js';
import type { BuyerParameters } from '../policy/buyers.js';
import { isLikeName } from '../supplier/name-likeness.js';
import { nameLikeness } from '../policy/suppliers.js';
import { taxIdOfCompany } from '../facts/companies.js';

/**
 * Checks whether the invoice is addressed to the organization (family BUY; detection reference, section 7.5). These
 * checks are skipped if none of the organization's companies has a tax id.
 */
export function detectBuyers(facts: Facts, { buyers }: Policy): RaisedFinding[] {
  const companies = facts.companies ?? [];
  if (!companies.some((company) => taxIdOfCompany(company) !== undefined)) return [];
  const { taxId, company } = buyerOf(facts);
  return taxId === undefined
    ? nameMismatch(facts, companies, buyers)
    : taxIdMismatch(facts, { taxId, company, companies }, buyers);
}

interface Addressed {
  readonly taxId: TaxId;
  readonly company: Company | undefined;
  readonly companies: readonly Company[];
}

function taxIdMismatch(
  { invoice }: Facts,
  { taxId, company, companies }: Addressed,
  parameters: BuyerParameters,
): RaisedFinding[] {
  const own = company === undefined ? undefined : taxIdOfCompany(company);
  if (own !== undefined && isSameRegistration(own, taxId, parameters)) return [];
  const isOwnName =
    company !== undefined &&
    invoice.buyerName !== undefined &&
    isSameParty(readName(invoice.buyerName), readName(company.name), parameters);
  const sister = companies.find((other) => {
    const taxIdOfOther = taxIdOfCompany(other);
    return taxIdOfOther !== undefined && isSameRegistration(taxIdOfOther, taxId, parameters);
  });
  // Companies of one group have similar names, so only a tax id identifies one of them.
  const isOwnNameAlone = isOwnName && sister === undefined;
  if (own === undefined && isOwnNameAlone) return [];
  const isUncertain = own === undefined || isOwnNameAlone;
  const buyerTaxId = textOf(taxId);
  const companyTaxId = own === undefined ? null : textOf(own);
  return [
    {
      type: 'BUYER_MISMATCH',
      ...(isUncertain ? parameters.levels.mismatchUncertain : parameters.levels.mismatch),
      summary: `${invoice.invoiceNumber} is addressed to ${
        sister === undefined
          ? `${invoice.buyerName === undefined ? '' : `${invoice.buyerName} with `}tax id ${buyerTaxId}, ${
              companyTaxId === null || isOwnNameAlone
                ? 'which no company of this organization has'
                : `not to ${company?.name ?? ''} (${companyTaxId})`
            }`
          : `${sister.name} (${buyerTaxId})`
      }.`,
      about: [invoice.companyId, buyerTaxId],
      parameters: { embeddedTaxIdLengthMin: parameters.embeddedTaxIdLengthMin },
      observed: { buyerTaxId, companyTaxId },
      explanation: [
        company === undefined
          ? `The tax id of the buyer is ${buyerTaxId}.`
          : `The invoice was received for ${company.name}${companyTaxId === null ? ', whose tax id is not known' : ` with tax id ${companyTaxId}`}.`,
        ...(sister === undefined ? ['No company of the organization has the tax id of the buyer.'] : []),
        ...(isOwnNameAlone ? ['The name of the buyer is correct; the tax id may be that of its group.'] : []),
      ],
      extra: { buyerTaxId, companyTaxId, buyerName: invoice.buyerName ?? null },
    },
  ];
}

function nameMismatch({ invoice }: Facts, companies: readonly Company[], parameters: BuyerParameters): RaisedFinding[] {
  if (invoice.buyerName === undefined) return [];
  const buyer = readName(invoice.buyerName);
  if (buyer.key === '' || buyer.key.split(' ').every((word) => departmentWords.has(word))) return [];
  const known = companies.flatMap(({ name }) => formsOf(readName(name)));
  if (formsOf(buyer).some((form) => isLikeName(known, form))) return [];
  return [
    {
      type: 'BUYER_NAME_MISMATCH',
      ...parameters.levels.nameMismatch,
      summary: `${invoice.invoiceNumber} is addressed to ${invoice.buyerName}, which matches no company of this organization.`,
      about: [buyer.key],
      parameters: nameLikeness,
      observed: { buyerName: invoice.buyerName, companies: companies.length },
      explanation: [
        'The invoice states no tax id for the buyer.',
        'The name of the buyer has no word in common with the name of any company.',
      ],
      extra: { buyerName: invoice.buyerName },
    },
  ];
}

/**
 * Checks whether two tax ids are equal or one contains the other. In many countries the tax id contains the number in
 * the business register (French SIREN, Swedish organisation number), and invoices state either of the two.
 */
function isSameRegistration(left: TaxId, right: TaxId, { embeddedTaxIdLengthMin }: BuyerParameters): boolean {
  if (left.country !== undefined && right.country !== undefined && left.country !== right.country) return false;
  if (left.body === right.body) return true;
  const [shorter, longer] = left.body.length < right.body.length ? [left.body, right.body] : [right.body, left.body];
  if (shorter.length < embeddedTaxIdLengthMin) return false;
  return longer.startsWith(shorter) || longer.endsWith(shorter);
}

function isSameParty(left: NameKeys, right: NameKeys, { sameNameMin }: BuyerParameters): boolean {
  return formsOf(left).some((form) => formsOf(right).some((other) => jaroWinkler(form, other) >= sameNameMin));
}

function formsOf({ key, fold }: NameKeys): string[] {
  return fold === undefined ? [key] : [key, fold];
}

function textOf({ body, country = '' }: TaxId): string {
  return `${country}${body}`;
}
