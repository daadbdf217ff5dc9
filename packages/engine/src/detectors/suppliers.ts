import { pick } from '../explanation/evidence.js';
import { accountsOf, subject } from '../explanation/subject.js';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { RaisedFinding } from '../explanation/evidence.js';
import { valueOf } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import type { RelatedSupplier } from '../facts/supplier.js';
import { isTied } from '../facts/links.js';
import { haveOtherLegalForms } from '../normalisation/name-key.js';
import { amountText } from '../matching/comparison-row.js';
import { isEarlier } from '../matching/pair-score.js';
import { limitsIn, moneyIn, moneyText, valueEvidence } from '../explanation/money.js';
import { countryName } from '../explanation/country.js';
import { counted, grouped, listed, sentenceStart } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { SupplierParameters } from '../policy/suppliers.js';
import { haveConflictingTaxIds, haveSameTaxId, taxText } from '../supplier/identity.js';
import { abroadReason } from '../supplier/foreign-country.js';
import { isOwnTaxId } from '../supplier/late-tax-ids.js';
import { likenessToSupplier } from '../supplier/lookalike.js';
import type { Likeness } from '../supplier/lookalike.js';
import { isLikeName } from '../supplier/name-likeness.js';
import { isAskedInScan, isKnownAccount, isRound, undoubtedInvoices } from '../supplier/profile.js';
import { isOtherAccount, statedTaxCountry } from '../supplier/habits.js';
import { differences, median } from '../supplier/statistics.js';
import { compareRelated } from '../supplier/related.js';
import { registrationText, taxIdFault } from '../supplier/tax-registration.js';
import { companyOf } from '../facts/companies.js';

/** Checks the identity of the supplier (family SUP; detection reference, section 7.3). */
export function detectSuppliers(facts: Facts, policy: Policy): RaisedFinding[] {
  const parameters = policy.suppliers;
  return [
    ...imitatedName(facts, parameters),
    ...taxIdChanged(facts, parameters),
    ...taxIdFirstUse(facts, parameters),
    ...nameMismatch(facts, parameters),
    ...taxIdInvalid(facts, parameters),
    ...taxIdMissing(facts, parameters),
    ...newSupplier(facts, parameters),
    ...newHighValue(facts, policy),
    ...dormantReactivated(facts, parameters),
    ...ownCompany(facts, parameters),
  ];
}

/**
 * Reports that a supplier imitates another supplier's name. An identical name is stronger evidence than a similar name.
 */
function imitatedName(facts: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const same = sameName(facts, parameters);
  return same.length > 0 ? same : lookalikeName(facts, parameters);
}

/**
 * Reports a supplier that uses exactly the name of an established supplier and requests payment to a bank account that
 * the established supplier is not known to use. Bills that are waiting for a review do not establish a supplier. The
 * tax id on the invoice is ignored, valid or not, because an impostor can choose it. A real supplier that uses several
 * tax ids is hardly ever reported, because it usually keeps its account.
 */
function sameName(facts: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier, namesakes } = facts;
  const { bankKey, bankMasked } = invoice;
  const { lookalikeInvoicesMin, levels } = parameters;
  const own = undoubtedInvoices(supplier.profile);
  if (bankKey === undefined || own >= lookalikeInvoicesMin) return [];
  const use = supplier.profile.accounts.find(({ key }) => key === bankKey);
  if (use?.trust === 'REVIEWED' || use?.trust === 'ERP') return [];
  // The sender chooses the date on a bill. A supplier that has sent only doubtful bills therefore never counts as the
  // older of two suppliers with the same name.
  const ownFirstDay = (own > 0 ? supplier.profile.firstDay : null) ?? Number.POSITIVE_INFINITY;
  const established = (namesakes ?? [])
    .filter(({ invoices, firstDay = 0 }) => invoices >= lookalikeInvoicesMin && firstDay <= ownFirstDay)
    .sort(compareRelated);
  const [known] = established;
  if (known === undefined || established.some((other) => usesAccount(facts, other))) return [];
  const [knownTaxId, taxId] = [taxText(known), taxText(invoice)];
  const usage = isTied(facts.bankLink, known.supplierId)
    ? `has stated only on invoices that wait for a review, and on none of ${counted(known.invoices, 'other')}`
    : `never stated on ${counted(known.invoices, 'invoice')}`;
  const wasAsked = isAskedInScan(invoice, supplier.profile) && supplier.profile.count >= lookalikeInvoicesMin;
  return [
    {
      type: 'SUPPLIER_LOOKALIKE_NAME',
      ...(wasAsked ? levels.lookalikeAsked : levels.lookalikeConflicting),
      summary: `${invoice.supplierName} ${stating(taxId)} asks for payment to ${bankMasked ?? ''}, an account that ${known.name} ${stating(knownTaxId)} ${usage}.`,
      actionValues: { name: known.name },
      about: [subject.supplier(supplier.supplierId), subject.supplier(known.supplierId)],
      alsoAbout: accountsOf(invoice),
      parameters: { lookalikeInvoicesMin },
      observed: { name: invoice.supplierName, establishedName: known.name, establishedInvoices: known.invoices },
      explanation: [
        `${counted(known.invoices, 'earlier invoice')} under the same name belong${known.invoices === 1 ? 's' : ''} to a supplier ${stating(knownTaxId)}.`,
        supplier.profile.count === 0
          ? `This is the first invoice under that name ${stating(taxId)}.`
          : own === 0
            ? `No earlier invoice under that name ${stating(taxId)} was free of such findings or was accepted by a reviewer.`
            : `The invoice is one of the first under that name ${stating(taxId)}.`,
        `No supplier with that name and at least ${counted(lookalikeInvoicesMin, 'invoice')} has used account ${bankMasked ?? ''}.`,
      ],
      extra: {
        lookalikeOf: { supplierId: known.supplierId, name: known.name },
        likeness: 'SAME_NAME',
        edits: 0,
        establishedInvoices: known.invoices,
        account: bankMasked ?? null,
        taxId: taxId === '' ? null : taxId,
        establishedTaxId: knownTaxId === '' ? null : knownTaxId,
      },
    },
  ];
}

function stating(taxId: string): string {
  return taxId === '' ? 'without a tax id' : `with tax id ${taxId}`;
}

/**
 * Reports an invoice under a name that is nearly the name of an established supplier, as an impostor would choose it.
 * Further invoices under this name are reported too, until the first one is reviewed. A name similar to that of a
 * doubtful supplier is doubtful too, because an impostor can change a name in steps.
 */
function lookalikeName(facts: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier, lookalikes } = facts;
  if (undoubtedInvoices(supplier.profile) > 0) return [];
  // A doubtful supplier that imitates an established one does not make other suppliers with the established name
  // doubtful.
  const isEstablishedName = (facts.namesakes ?? []).some(({ invoices }) => invoices >= parameters.lookalikeInvoicesMin);
  const [imitated] = (lookalikes ?? [])
    .flatMap((other) => {
      const likeness = likenessToSupplier(invoice, other);
      const isOtherAccount = invoice.bankKey !== undefined && !usesAccount(facts, other);
      const isCandidate =
        other.supplierId !== supplier.supplierId &&
        (other.invoices >= parameters.lookalikeInvoicesMin ||
          (isInDoubt(other) && !isWeak(likeness) && !isEstablishedName)) &&
        !haveSameTaxId(other, invoice) &&
        // Companies of one group also have similar names, so such a name is reported only together with a different
        // bank account.
        (!isWeak(likeness) || isOtherAccount);
      return likeness !== undefined && isCandidate ? [{ other, likeness, isOtherAccount }] : [];
    })
    .sort((left, right) => compareRelated(left.other, right.other));
  if (imitated === undefined) return [];
  const { other, likeness, isOtherAccount } = imitated;
  const isFirst = supplier.profile.count === 0;
  const isOtherTaxId = other.taxKey !== undefined && invoice.taxKey !== undefined;
  const isSure = !isWeak(likeness) && (isOtherTaxId || isOtherAccount);
  const { levels } = parameters;
  return [
    {
      type: 'SUPPLIER_LOOKALIKE_NAME',
      ...(isAskedInScan(invoice, supplier.profile)
        ? levels.lookalikeAsked
        : isSure
          ? levels.lookalikeConflicting
          : levels.lookalike),
      summary: isInDoubt(other)
        ? `${invoice.supplierName} is ${isFirst ? 'new' : 'not confirmed yet'} and looks like ${other.name}, whose own invoices wait for a review; ${likenessText(likeness)}.`
        : `${invoice.supplierName} is ${isFirst ? 'new' : 'not confirmed yet'} and looks like ${other.name}, which has sent ${counted(other.invoices, 'invoice')}; ${likenessText(likeness)}.`,
      actionValues: { name: other.name },
      about: [subject.supplier(supplier.supplierId), subject.supplier(other.supplierId)],
      alsoAbout: accountsOf(invoice),
      parameters: {
        lookalikeInvoicesMin: parameters.lookalikeInvoicesMin,
        wordLengthMin: parameters.lookalikeWords.lengthMin,
        longWordLengthMin: parameters.lookalikeWords.longLengthMin,
      },
      observed: {
        name: invoice.supplierName,
        establishedName: other.name,
        establishedInvoices: other.invoices,
      },
      explanation: [
        isFirst
          ? `This is the first invoice from ${invoice.supplierName}.`
          : `No earlier invoice from ${invoice.supplierName} was free of such findings or was accepted by a reviewer.`,
        `The supplier name is similar to ${other.name}: ${likenessText(likeness)}.`,
        ...(isOtherTaxId ? ['The two suppliers state different tax ids.'] : []),
        ...(isOtherAccount ? [`No earlier invoice from ${other.name} states the account.`] : []),
      ],
      extra: {
        lookalikeOf: { supplierId: other.supplierId, name: other.name },
        likeness: likeness.kind,
        edits: likeness.kind === 'TYPING' ? likeness.edits : 0,
        establishedInvoices: other.invoices,
      },
    },
  ];
}

/**
 * Checks whether two supplier names are similar only in a way in which the names of unrelated firms may be similar.
 * Such a weak similarity counts only if the bank accounts differ too.
 */
function isWeak(likeness: Likeness | undefined): boolean {
  return likeness !== undefined && WEAK_LIKENESS.has(likeness.kind);
}

const WEAK_LIKENESS: ReadonlySet<Likeness['kind']> = new Set([
  'GENERIC_WORD',
  'SAME_WORDS',
  'TRADING_NAME',
  'TWO_SLIPS',
]);

function likenessText(likeness: Likeness): string {
  switch (likeness.kind) {
    case 'SPACING':
      return 'only the spaces differ';
    case 'LOOKALIKE_LETTERS':
      return 'only letters that look the same differ';
    case 'LEGAL_FORM':
      return 'only a misspelt legal form differs';
    case 'WORD_FORM':
      return 'only a plural or an abbreviation differs';
    case 'GENERIC_WORD':
      return 'only words that any name may have differ';
    case 'SAME_WORDS':
      return 'only the order of the words, words that join them or a country differ';
    case 'TRADING_NAME':
      return 'one of them is a trading name of the other';
    case 'TWO_SLIPS':
      return 'two characters differ';
    case 'TYPING':
      return likeness.edits === 1 ? 'one character of one word differs' : 'two characters of one word differ';
  }
}

/**
 * Reports a known supplier name with another valid tax id from the same country. The tax id may belong to a new legal
 * entity or to an impostor. Companies of one group are accepted: they share a name under several tax ids or state
 * different legal forms.
 */
function taxIdChanged(facts: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier, namesakes } = facts;
  if (undoubtedInvoices(supplier.profile) > 0 || invoice.taxCountryPresumed === true) return [];
  if (invoice.nameKey.length < parameters.sharedNameLengthMin) return [];
  const conflicting = (namesakes ?? [])
    .filter((other) => haveConflictingTaxIds(other, invoice) && other.taxCountry === invoice.taxCountry)
    .sort(compareRelated);
  const [known] = conflicting;
  // A supplier whose tax id is doubtful does not count as a company of the group.
  const accepted = conflicting.filter((other) => other === known || doubtedInvoices(other) === 0);
  const taxIds = new Set(accepted.map((other) => other.taxKey));
  if (known === undefined || taxIds.size >= parameters.groupTaxIdsMin) return [];
  const earlierInvoices = known.invoices + doubtedInvoices(known);
  if (haveOtherLegalForms(invoice.supplierName, known.name)) return [];
  const isOtherAccount = invoice.bankKey !== undefined && !usesAccount(facts, known);
  const [oldTaxId, newTaxId] = [taxText(known), taxText(invoice)];
  return [
    {
      type: 'SUPPLIER_TAX_ID_CHANGED',
      ...(isAskedInScan(invoice, supplier.profile)
        ? parameters.levels.taxIdChangedAsked
        : isOtherAccount
          ? parameters.levels.taxIdChangedNewAccount
          : parameters.levels.taxIdChanged),
      summary: `${invoice.supplierName} states tax id ${newTaxId}; ${counted(earlierInvoices, 'earlier invoice')} under that name stated ${oldTaxId}.`,
      about: [subject.supplier(supplier.supplierId), subject.supplier(known.supplierId)],
      parameters: pick(parameters, 'sharedNameLengthMin', 'groupTaxIdsMin'),
      observed: { oldTaxId, newTaxId, earlierInvoices },
      explanation: [
        `A supplier with the name ${known.name} is known under tax id ${oldTaxId}.`,
        'Both tax ids are valid, so they belong to two different companies.',
        ...(isOtherAccount ? [`No earlier invoice from ${known.name} with that tax id states the account.`] : []),
      ],
      extra: { oldTaxId, newTaxId, knownSupplierId: known.supplierId },
    },
  ];
}

/**
 * Reports a tax id that is stated for the first time by a supplier that was known only by its name. A forger needs only
 * the name, so a new tax id together with another change must be reviewed, and is reported on every invoice until a
 * person reviews it.
 */
function taxIdFirstUse(facts: Facts, { levels }: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { profile } = supplier;
  const { taxKey } = invoice;
  if (supplier.reason !== 'NAME_KEY' || taxKey === undefined || isOwnTaxId(profile, taxKey)) return [];
  const late = profile.lateTaxIds?.find((use) => use.taxKey === taxKey);
  const signs = signsOfOtherParty(facts);
  const isUnanswered = late?.asked !== undefined && late.earning === undefined;
  if (late !== undefined && signs.length === 0 && !isUnanswered) return [];
  const wasAsked = late?.asked !== undefined && late.onlyScanId !== undefined && late.onlyScanId === invoice.scanId;
  const taxId = taxText(invoice);
  const without = profile.count - profile.taxIdCount;
  const reason = signs[0] === undefined ? '' : `; ${signs[0].sentence}`;
  return [
    {
      type: 'SUPPLIER_TAX_ID_FIRST_USE',
      ...(wasAsked
        ? levels.taxIdFirstUseAsked
        : signs.length > 0 || isUnanswered
          ? levels.taxIdFirstUseDoubtful
          : levels.taxIdFirstUse),
      summary: `${invoice.supplierName} states tax id ${taxId}; ${counted(without, 'earlier invoice')} under that name stated none${reason}.`,
      actionValues: { supplier: invoice.supplierName },
      about: [subject.supplier(supplier.supplierId), taxId],
      observed: { taxId, invoicesWithoutTaxId: without, invoicesWithTaxId: late?.count ?? 0 },
      explanation: [
        `The supplier is known by its name only: ${counted(without, 'earlier invoice')} stated no tax id.`,
        ...signs.map(({ sentence }) => `${sentenceStart(sentence)}.`),
        ...(isUnanswered ? ['Nobody has reviewed an earlier invoice with the tax id yet.'] : []),
      ],
      extra: { taxId, signs: signs.map(({ name }) => name) },
    },
  ];
}

/** Lists further differences between an invoice and a supplier that is known only by its name. */
function signsOfOtherParty(facts: Facts): { readonly name: string; readonly sentence: string }[] {
  const { invoice, supplier } = facts;
  const { accounts, lateTaxIds = [] } = supplier.profile;
  const taxCountry = statedTaxCountry(invoice);
  const abroad = taxCountry === undefined ? undefined : abroadReason(facts, taxCountry);
  const other = lateTaxIds.find(({ taxKey }) => taxKey !== invoice.taxKey);
  const isNewAccount = invoice.bankKey !== undefined && !isKnownAccount(supplier.profile, invoice.bankKey);
  return [
    ...(other === undefined
      ? []
      : [{ name: 'OTHER_TAX_ID', sentence: `${other.firstInvoiceNumber} stated ${other.taxKey}` }]),
    ...(abroad === undefined || taxCountry === undefined
      ? []
      : [{ name: 'OTHER_COUNTRY', sentence: `the tax id is from ${countryName(taxCountry)}, but ${abroad}` }]),
    ...(supplier.name !== undefined && haveOtherLegalForms(supplier.name, invoice.supplierName)
      ? [{ name: 'OTHER_LEGAL_FORM', sentence: `earlier invoices were from ${supplier.name}` }]
      : []),
    ...(isNewAccount
      ? [
          {
            name: 'NEW_ACCOUNT',
            sentence: `account ${invoice.bankMasked ?? ''} is ${accounts.length === 0 ? 'the first that it states' : 'another one than before'}`,
          },
        ]
      : []),
  ];
}

/**
 * Reports a known tax id under an unknown name, because the invoice may be from another company. Reviews add names to
 * the supplier.
 */
function nameMismatch({ invoice, supplier }: Facts, { levels, nameLikeness }: SupplierParameters): RaisedFinding[] {
  const { names } = supplier.profile;
  if (supplier.reason !== 'TAX_KEY' || invoice.nameKey === '' || names.length === 0) return [];
  if (isLikeName(names, invoice.nameKey)) return [];
  const knownName = supplier.name ?? names[0] ?? '';
  return [
    {
      type: 'SUPPLIER_NAME_MISMATCH',
      ...levels.nameMismatch,
      summary: `${invoice.supplierName} states tax id ${taxText(invoice)}, which earlier invoices stated for ${knownName}.`,
      about: [subject.supplier(supplier.supplierId), invoice.nameKey],
      parameters: { ...nameLikeness },
      observed: { name: invoice.supplierName, knownNames: names.length },
      explanation: [
        `Tax id ${taxText(invoice)} was stated on ${counted(supplier.profile.count, 'earlier invoice')}.`,
        'The name is not similar to the names on those invoices and has no word in common with them.',
      ],
      extra: { knownNames: names, taxId: taxText(invoice) },
    },
  ];
}

/**
 * Reports a tax id that is impossible in its country. If the tax id has no country prefix, the supplier's country is
 * used, if it is known.
 */
function taxIdInvalid(facts: Facts, { levels }: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const fault = taxIdFault(facts);
  if (fault === undefined) return [];
  const { country, reason } = fault;
  const isChecksum = reason === 'WRONG_CHECK_DIGIT';
  // A tax id that consists only of zeros has no lookup key, so the finding names only its country.
  const stated = invoice.taxKey === undefined ? country : taxText(invoice);
  const named = invoice.taxKey === undefined ? 'The tax id' : `Tax id ${stated}`;
  return [
    {
      type: 'SUPPLIER_TAX_ID_INVALID',
      ...(isChecksum ? levels.taxIdInvalid : levels.taxIdInvalidFormat),
      summary: isChecksum
        ? `${named} of ${invoice.supplierName} is not valid in ${countryName(country)}: the check digits are wrong.`
        : `${named} of ${invoice.supplierName} does not have the format of a tax id from ${countryName(country)}.`,
      about: [subject.supplier(supplier.supplierId), stated],
      observed: { taxId: stated },
      explanation: [
        registrationText(fault),
        isChecksum
          ? `By the rules of ${countryName(country)}, the check digits would be different.`
          : 'The length or the position of the letters does not fit that country.',
        ...(invoice.source === 'UPLOAD'
          ? ['The tax id was read from a document, so single characters may be wrong.']
          : []),
      ],
      extra: { country, reason },
    },
  ];
}

/**
 * Reports a missing tax id if the supplier used to state one. Tax that is charged without a tax id is reported by the
 * finding TAX_WITHOUT_REGISTRATION.
 */
function taxIdMissing({ invoice, supplier }: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const { count, taxIdCount } = supplier.profile;
  if (invoice.taxKey !== undefined || invoice.taxValidity !== undefined) return [];
  const stated = invoice.hasPlaceholderTaxId === true ? 'states a placeholder as its tax id' : 'states no tax id';
  if (invoice.taxMinor !== undefined && BigInt(invoice.taxMinor) > 0n) return [];
  if (count < parameters.taxIdInvoicesMin || taxIdCount < count * parameters.taxIdShareMin) return [];
  const share = Math.floor((taxIdCount * 100) / count);
  return [
    {
      type: 'SUPPLIER_TAX_ID_MISSING',
      ...parameters.levels.taxIdMissing,
      summary: `${invoice.supplierName} ${stated}, but stated one on ${grouped(taxIdCount)} of ${counted(count, 'earlier invoice')}.`,
      about: [subject.supplier(supplier.supplierId)],
      parameters: pick(parameters, 'taxIdShareMin', 'taxIdInvoicesMin'),
      observed: { invoices: count, withTaxId: taxIdCount },
      explanation: [
        `${grouped(taxIdCount)} of ${counted(count, 'earlier invoice')} stated a tax id; this one ${stated}.`,
      ],
      extra: { share: share / 100 },
    },
  ];
}

function newSupplier(facts: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  if (!isNew(facts, parameters)) return [];
  return [
    {
      type: 'SUPPLIER_NEW',
      ...parameters.levels.newSupplier,
      summary: `This is the first invoice from ${invoice.supplierName} (${amountText(invoice)}).`,
      about: [subject.supplier(supplier.supplierId)],
      observed: { earlierInvoices: 0 },
      explanation: ['There is no earlier invoice from this supplier.'],
    },
  ];
}

/**
 * Checks whether an earlier invoice of the supplier that is not part of its supplier profile had an equal or larger
 * amount. In that case, the finding about a large amount was already raised on the earlier invoice. Invoices that a
 * person confirmed as duplicates or fraud are ignored.
 */
function wasHighBefore(facts: Facts): boolean {
  const { invoice, supplier, candidates } = facts;
  return candidates.some(
    (candidate) =>
      candidate.supplierId === supplier.supplierId &&
      candidate.status === 'ANALYZED' &&
      candidate.confirmedAs === undefined &&
      isEarlier(facts, candidate) &&
      candidate.currency === invoice.currency &&
      BigInt(candidate.amountMinor) >= BigInt(invoice.amountMinor),
  );
}

/**
 * Reports a large first invoice. The severity is MEDIUM if the invoice also states no purchase order, requests payment
 * to a foreign bank account or has a round amount.
 */
function newHighValue(facts: Facts, { suppliers: parameters, bank }: Policy): RaisedFinding[] {
  const { invoice, supplier } = facts;
  if (!isNew(facts, parameters)) return [];
  const { value, currency, noRate } = valueOf(facts);
  const policyLimit = bank.newSupplierHighValue;
  // The finding CURRENCY_WITHOUT_RATE already reports that an amount without an exchange rate was not compared.
  if (noRate || toMicro(value) < toMicro(policyLimit) || wasHighBefore(facts)) return [];
  const highest = highestOf(facts);
  if (highest !== undefined && toMicro(highest.value) < toMicro(highest.high)) return [];
  const isHighest = highest !== undefined && isAboveLimit(highest, value, policyLimit);
  const limit = isHighest ? { amount: highest.high, currency: highest.currency } : { amount: policyLimit, currency };
  const reasons = [
    ...(invoice.poKey === undefined ? ['it states no purchase order'] : []),
    ...(isForeignBank(facts) ? [`its bank is in ${countryName(invoice.bankCountry ?? '')}`] : []),
    ...(isRound(BigInt(invoice.amountMinor), invoice.currency) ? ['the amount is round'] : []),
  ];
  const also = reasons.length === 0 ? '' : `; ${listed(reasons)}`;
  return [
    {
      type: 'SUPPLIER_NEW_HIGH_VALUE',
      ...(reasons.length > 0 ? parameters.levels.newHighValueUnsupported : parameters.levels.newHighValue),
      summary: `The first invoice from ${invoice.supplierName} is for ${highValueText(facts, limit)}${also}.`,
      about: [subject.supplier(supplier.supplierId)],
      parameters: limitsIn(currency, { newSupplierHighValue: policyLimit }),
      observed: {
        ...valueEvidence(facts),
        limit: moneyIn(limit.currency, limit.amount),
        limitCurrency: limit.currency,
      },
      explanation: [
        'There is no earlier invoice from this supplier.',
        !isHighest
          ? 'The amount reaches the limit for new suppliers.'
          : 'The amount is higher than 95 of every 100 recent amounts of this organization.',
        ...reasons.map((reason) => `${sentenceStart(reason)}.`),
      ],
      extra: highest === undefined ? { p95: null } : limitsIn(highest.currency, { p95: highest.high }),
    },
  ];
}

/**
 * Returns the amount that few invoices of the organization exceed, and the amount of the checked invoice in the same
 * currency. Undefined if there is no exchange rate.
 */
function highestOf({ highAmount, base }: Facts): HighestAmounts | undefined {
  if (highAmount === undefined || base === null) return undefined;
  return { high: highAmount, value: base.amount, currency: base.currency };
}

interface HighestAmounts {
  readonly high: DecimalAmount;
  readonly value: DecimalAmount;
  readonly currency: string;
}

/**
 * Checks whether the amount that few invoices exceed is above the limit for first invoices. Both are compared at the
 * exchange rate of the invoice.
 */
function isAboveLimit(highest: HighestAmounts, value: DecimalAmount, limit: DecimalAmount): boolean {
  return toMicro(highest.high) * toMicro(value) > toMicro(limit) * toMicro(highest.value);
}

/**
 * Describes the value of an invoice and its limit: `PLN 69,168.62 (EUR 16,358.50), which reaches the limit of EUR
 * 10,000.00 for first invoices`.
 */
function highValueText(facts: Facts, limit: { readonly amount: DecimalAmount; readonly currency: string }): string {
  const { invoice, base } = facts;
  const amount = amountText(invoice);
  const { value, currency } = valueOf(facts);
  const compared = base?.currency === limit.currency ? base : { amount: value, currency };
  const converted = compared.currency === invoice.currency ? '' : ` (${moneyText(compared.amount, compared.currency)})`;
  return `${amount}${converted}, which reaches the limit of ${moneyText(limit.amount, limit.currency)} for first invoices`;
}

/**
 * Reports a supplier that bills again after a long gap. The gap is compared with the supplier's usual gaps, so that
 * yearly bills are accepted.
 */
function dormantReactivated(facts: Facts, parameters: SupplierParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { count, lastDay, days } = supplier.profile;
  if (count < parameters.dormantInvoicesMin || lastDay === null) return [];
  const gapDays = invoice.issueDay - lastDay;
  if (gapDays < parameters.dormantDaysMin) return [];
  const gaps = differences(days);
  const medianGap = gaps.length === 0 ? 0 : median(gaps);
  const limit = Math.max(parameters.dormantDaysMin, parameters.dormantGapFactor * medianGap);
  if (gapDays < limit) return [];
  const isNewAccount = isOtherAccount(facts);
  const lastInvoice = dateOfDayNumber(lastDay);
  return [
    {
      type: 'SUPPLIER_DORMANT_REACTIVATED',
      ...(isNewAccount ? parameters.levels.dormantNewAccount : parameters.levels.dormant),
      summary: `${invoice.supplierName} bills again after ${counted(gapDays, 'day')} without an invoice${isNewAccount ? ', and asks for payment to another account' : ''}.`,
      about: [subject.supplier(supplier.supplierId), lastInvoice],
      parameters: pick(parameters, 'dormantDaysMin', 'dormantGapFactor'),
      observed: { gapDays, limitDays: limit, invoices: count },
      explanation: [
        `The last of ${counted(count, 'earlier invoice')} was issued on ${lastInvoice}.`,
        `Two invoices were usually about ${counted(Math.round(medianGap), 'day')} apart.`,
        ...(isNewAccount ? ['The supplier asks for payment to an account that it has not used before.'] : []),
      ],
      extra: { gapDays, medianGap, lastInvoice },
    },
  ];
}

function ownCompany({ invoice, supplier, companies }: Facts, { levels }: SupplierParameters): RaisedFinding[] {
  const own = companyOf(invoice, companies ?? []);
  if (own === undefined) return [];
  return [
    {
      type: 'SUPPLIER_IS_OWN_COMPANY',
      ...levels.ownCompany,
      summary: `${invoice.supplierName} states tax id ${taxText(invoice)}, which is that of your own company ${own.name}.`,
      about: [subject.supplier(supplier.supplierId), own.companyId],
      observed: { taxId: taxText(invoice) },
      explanation: [`The tax id of the supplier belongs to ${own.name}, a company of this organization.`],
      extra: { companyId: own.companyId },
    },
  ];
}

/**
 * Checks whether the supplier counts as new. In an organization's first history scan every supplier is new until enough
 * rows have been checked.
 */
function isNew({ supplier, firstScanRowsBefore }: Facts, { firstScanRows }: SupplierParameters): boolean {
  return supplier.profile.count === 0 && (firstScanRowsBefore === undefined || firstScanRowsBefore >= firstScanRows);
}

/**
 * Checks whether another supplier is known to use the bank account on the invoice. Bills that are waiting for a review
 * do not count.
 */
function usesAccount({ bankLink }: Facts, other: RelatedSupplier): boolean {
  return other.knowsAccount ?? isTied(bankLink, other.supplierId);
}

/** Checks whether every invoice from the supplier has an open finding about the identity of the supplier. */
function isInDoubt(other: RelatedSupplier): boolean {
  return other.invoices === 0 && doubtedInvoices(other) > 0;
}

function doubtedInvoices({ doubtedInvoices: doubted = 0 }: RelatedSupplier): number {
  return doubted;
}

function isForeignBank({ invoice }: Facts): boolean {
  const taxCountry = statedTaxCountry(invoice);
  return invoice.bankCountry !== undefined && taxCountry !== undefined && invoice.bankCountry !== taxCountry;
}
