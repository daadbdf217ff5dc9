import { pick } from '../explanation/evidence.js';
import { accountsOf, subject } from '../explanation/subject.js';
import { bankCodeOfKey, readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccountProblem } from '@invoicecontrol/values/bank-account';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import { LIMIT_CURRENCY, valueOf } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import { isNewOn, othersOn } from '../facts/links.js';
import type { LinkedSupplier } from '../facts/links.js';
import { haveOtherLegalForms, readName } from '../normalisation/name-key.js';
import { isAdjacentSwap, jaroWinkler } from '../normalisation/similarity.js';
import { genericNameWords } from '../data/generic-name-words.js';
import { countryWords } from '../data/neutral-name-words.js';
import { limitsIn, valueEvidence } from '../explanation/money.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import { countryName } from '../explanation/country.js';
import { counted, grouped, listed, sentenceStart } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { BankParameters } from '../policy/bank-accounts.js';
import type { Level } from '../policy/level.js';
import { compareText } from '../facts/record-order.js';
import { taxText } from '../supplier/identity.js';
import { abroadReason } from '../supplier/foreign-country.js';
import { isEstablished } from '../supplier/established-use.js';
import { answeredUses, isLongInUse, isTrustedFor } from '../supplier/profile.js';
import type { AccountUse, EarningUse } from '../facts/supplier.js';
import type { NormalisedInvoice } from '../facts/invoice.js';
import { usualAmountStatistics, isVirtualAccount, shortenedTerms, statedTaxCountry } from '../supplier/habits.js';
import { isTampered } from './tampering.js';

/** Number of digits in a UK sort code. UK accounts are compared as the sort code followed by the account number. */
const SORT_CODE_LENGTH = 6;

/** Checks the bank account to which an invoice would be paid (family BANK; detection reference, section 7.2). */
export function detectBankAccounts(facts: Facts, policy: Policy): RaisedFinding[] {
  const { bankKey, bankMasked } = facts.invoice;
  if (bankKey === undefined || bankMasked === undefined) {
    return [
      ...(facts.document?.invalidIban === undefined
        ? missingAccount(facts, policy.bank)
        : unreadable(facts, facts.document.invalidIban, policy.bank)),
      ...payeeDiffers(facts, undefined, policy.bank),
    ];
  }
  const account: StatedAccount = {
    key: bankKey,
    masked: bankMasked,
    isValid: facts.invoice.bankProblems.length === 0,
    use: facts.supplier.profile.accounts.find((use) => use.key === bankKey),
    others: facts.supplier.profile.accounts.filter((use) => use.key !== bankKey && !isInvalidKey(use.key)),
  };
  const near = account.use === undefined ? nearestAccount(account, policy.bank) : undefined;
  return [
    ...blocklisted(facts, account, policy.bank),
    ...changed(facts, account, near, policy),
    ...nearMatch(facts, account, near, policy.bank),
    ...reverted(facts, account, policy.bank),
    ...shared(facts, account, policy),
    ...invalid(facts, account, policy.bank),
    ...countryMismatch(facts, account, policy.bank),
    ...payeeDiffers(facts, account, policy.bank),
    ...firstUse(facts, account, policy),
  ];
}

/** The account on the checked invoice, with the supplier's earlier use of it and the supplier's other accounts. */
interface StatedAccount {
  readonly key: string;
  readonly masked: string;
  readonly isValid: boolean;
  /** Earlier use of the account. Absent if the supplier has never used the account before. */
  readonly use: AccountUse | undefined;
  /** Valid bank accounts that the supplier has used, other than the account on the invoice. */
  readonly others: readonly AccountUse[];
}

function blocklisted(facts: Facts, account: StatedAccount, { levels }: BankParameters): RaisedFinding[] {
  const fraud = facts.bankLink?.fraud;
  if (fraud === undefined) return [];
  const date = fraud.confirmedAt.slice(0, 10);
  return [
    {
      type: 'BANK_ACCOUNT_BLOCKLISTED',
      ...levels.blocklisted,
      summary: `Account ${account.masked} was confirmed as fraudulent on ${date}.`,
      actionValues: { date },
      about: [subject.account(account.key)],
      explanation: [`A reviewer confirmed fraud on account ${account.masked} on ${date}.`],
      extra: { account: account.masked, reviewId: fraud.reviewId, confirmedAt: fraud.confirmedAt },
    },
  ];
}

/** Reports that the supplier requests payment to an account that is not trusted yet. */
function changed(facts: Facts, account: StatedAccount, near: NearAccount | undefined, policy: Policy): RaisedFinding[] {
  const { use, others } = account;
  if (others.length === 0 || (use !== undefined && isTrustedFor(facts.invoice, use, facts.supplier.profile.accounts)))
    return [];
  const parameters = policy.bank;
  const { supplier, invoice } = facts;
  const isVirtual = isVirtualAccount(facts, parameters);
  const isFactor = isFactorAccount(facts, parameters);
  const isUncompared = areUncompared(facts, others);
  const habits = { isVirtual, isFactor, isUncompared };
  const escalators = use === undefined ? escalatorsOf(facts, account, near, habits, policy) : [];
  const isUncertain = isUncertainParty(facts);
  const level = changedLevel(facts, { ...habits, isLater: use !== undefined, isUncertain, escalators }, parameters);
  const since = use === undefined ? '' : ` (first stated on ${use.firstInvoiceNumber})`;
  const earlier = others.toSorted((left, right) => right.count - left.count || compareText(left.key, right.key));
  const [main] = earlier;
  const reason = escalators[0] === undefined ? '' : `; ${escalators[0].sentence}`;
  const hidden = near?.use === main ? '' : hiddenDifference(account, main);
  return [
    {
      type: 'BANK_ACCOUNT_CHANGED',
      ...level,
      summary: `${invoice.supplierName} asks for payment to ${account.masked}${since} instead of ${main?.masked ?? ''}, the account on ${counted(main?.count ?? 0, 'earlier invoice')}${hidden}${reason}.`,
      about: [subject.supplier(supplier.supplierId), subject.account(account.key)],
      parameters: {
        establishedInvoices: parameters.establishedInvoices,
        escalatingAmountRatio: parameters.escalatingAmountRatio,
        shortenedTermsDays: policy.dates.shortenedTermsDays,
      },
      observed: {
        invoices: supplier.profile.count,
        invoicesOnOldAccount: main?.count ?? 0,
        invoicesOnThisAccount: use?.count ?? 0,
        ...amountObserved(facts, policy),
      },
      explanation: [
        `Earlier invoices of the supplier state ${counted(others.length, 'other account')}.`,
        use === undefined
          ? 'No earlier invoice of the supplier states this account.'
          : `This account has been on ${counted(use.count, 'invoice')} since ${use.firstInvoiceNumber}, and is not trusted yet.`,
        ...(isUncompared ? ['Nobody has confirmed any account of the supplier yet. Check all of them.'] : []),
        ...(isUncertain ? ['The invoice matches the supplier by name only, and the legal form is different.'] : []),
        ...(isVirtual ? ['The supplier uses many accounts at one bank in turn.'] : []),
        ...(isFactor ? ['Many suppliers are paid through this account, as is usual with a factoring company.'] : []),
        ...escalators.map(({ sentence }) => `${sentenceStart(sentence)}.`),
      ],
      extra: {
        account: account.masked,
        knownAccounts: earlier.map(accountEvidence),
        ...(main === undefined
          ? {}
          : {
              firstSeen: dateOfDayNumber(main.firstDay),
              lastSeen: dateOfDayNumber(main.lastDay),
              invoicesOnOldAccount: main.count,
            }),
        escalators: escalators.map(({ name }) => name),
        ...(use === undefined ? {} : { firstInvoiceNumber: use.firstInvoiceNumber }),
      },
    },
  ];
}

interface Escalator {
  readonly name: string;
  readonly sentence: string;
}

/**
 * Lists the additional signals because of which an invoice with a changed bank account is blocked. Signals with an
 * ordinary explanation are left out.
 */
function escalatorsOf(
  facts: Facts,
  account: StatedAccount,
  near: NearAccount | undefined,
  {
    isVirtual,
    isFactor,
    isUncompared,
  }: { readonly isVirtual: boolean; readonly isFactor: boolean; readonly isUncompared: boolean },
  policy: Policy,
): Escalator[] {
  const { invoice } = facts;
  const countries = new Set(account.others.map((use) => use.country));
  // A supplier with the same name and another tax id does not count as another supplier that uses the bank account.
  const otherName = linkedOthers(facts).find(({ nameKey }) => nameKey !== invoice.nameKey);
  const isOtherCountry =
    invoice.bankCountry !== undefined &&
    !countries.has(undefined) &&
    !countries.has(invoice.bankCountry) &&
    // An account that neither a review nor long use confirms does not show where the supplier has its bank.
    !(isUncompared && abroadReason(facts, invoice.bankCountry) === undefined);
  const found: (Escalator | undefined)[] = [
    isOtherCountry
      ? { name: 'OTHER_BANK_COUNTRY', sentence: `the new account is in ${countryName(invoice.bankCountry ?? '')}` }
      : undefined,
    otherName !== undefined && !isFactor
      ? { name: 'LINKED_TO_OTHER_SUPPLIER', sentence: `the new account is also used by ${otherName.name}` }
      : undefined,
    ...shortenedTermsSign(facts, policy),
    // A supplier with virtual accounts uses a new account on every bill, so a large amount alone never blocks.
    ...(isVirtual ? [] : unusualAmountSign(facts, policy)),
    isTampered(facts.document, policy.documents)
      ? { name: 'DOCUMENT_TAMPERED', sentence: 'the document shows signs of having been edited' }
      : undefined,
    // A supplier with virtual accounts has no single right account that a forger could imitate.
    near !== undefined && !isVirtual && near.use.count >= policy.bank.nearMatchUsesMin
      ? {
          name: 'NEAR_MATCH',
          sentence: `the new account differs from ${near.use.masked} only in ${placesText(account.key, near.positions)}`,
        }
      : undefined,
  ];
  return found.filter((escalator) => escalator !== undefined);
}

function shortenedTermsSign(facts: Facts, policy: Policy): Escalator[] {
  const terms = shortenedTerms(facts, policy.dates);
  if (terms === undefined) return [];
  const { newDays, usualDays } = terms;
  const due = newDays <= 0 ? 'immediately' : `in ${counted(newDays, 'day')}`;
  return [{ name: 'TERMS_SHORTENED', sentence: `payment is due ${due} instead of in ${counted(usualDays, 'day')}` }];
}

/**
 * Returns a very high amount as an additional signal for a new bank account: at least `escalatingAmountRatio` times the
 * usual amount. This ratio is so low that it includes every amount outlier with severity MEDIUM or higher, so outliers
 * are not tested separately.
 */
function unusualAmountSign(facts: Facts, policy: Policy): Escalator[] {
  const ratio = usualAmountStatistics(facts, policy.amounts)?.ratio ?? 0;
  if (ratio < policy.bank.escalatingAmountRatio) return [];
  return [{ name: 'UNUSUAL_AMOUNT', sentence: `the amount is ${grouped(ratio)} times the usual amount` }];
}

/**
 * Checks whether a new account cannot be compared with a confirmed account of the supplier: the supplier first billed
 * without an account, and no account that it stated later is trusted yet.
 */
function areUncompared({ invoice, supplier }: Facts, accounts: readonly AccountUse[]): boolean {
  return accounts.every((use) => use.trust === 'UNVERIFIED' && !isTrustedFor(invoice, use, supplier.profile.accounts));
}

function changedLevel(
  facts: Facts,
  state: {
    isLater: boolean;
    isVirtual: boolean;
    isFactor: boolean;
    isUncertain: boolean;
    isUncompared: boolean;
    escalators: readonly Escalator[];
  },
  { levels, establishedInvoices }: BankParameters,
): Level {
  const { isUncertain, isUncompared } = state;
  if (state.escalators.length > 0)
    return isUncertain || isUncompared ? levels.changedEstablished : levels.changedEscalated;
  if (state.isVirtual) return levels.changedVirtual;
  if (state.isFactor) return levels.changedFactor;
  if (state.isLater) return levels.changedLater;
  if (isUncompared) return levels.changedUncompared;
  return facts.supplier.profile.count >= establishedInvoices ? levels.changedEstablished : levels.changedYoung;
}

/**
 * Checks whether a supplier that was found only by its name may be a different company than the one on the invoice,
 * because the legal forms of the two differ.
 */
function isUncertainParty({ invoice, supplier }: Facts): boolean {
  if (supplier.reason !== 'NAME_KEY' || supplier.name === undefined) return false;
  return haveOtherLegalForms(supplier.name, invoice.supplierName);
}

interface NearAccount {
  readonly use: AccountUse;
  readonly positions: readonly number[];
}

function nearMatch(
  facts: Facts,
  account: StatedAccount,
  near: NearAccount | undefined,
  parameters: BankParameters,
): RaisedFinding[] {
  if (near === undefined || isVirtualAccount(facts, parameters)) return [];
  return [
    {
      type: 'BANK_ACCOUNT_NEAR_MATCH',
      ...parameters.levels.nearMatch,
      summary: `Account ${account.masked} differs only in ${placesText(account.key, near.positions)} from ${near.use.masked}, which ${facts.invoice.supplierName} has used ${counted(near.use.count, 'time')}.`,
      actionValues: {
        verification: hasMasterAccounts(facts)
          ? 'take the account from the vendor master'
          : 'confirm the account by calling a known contact',
      },
      about: [subject.supplier(facts.supplier.supplierId), subject.account(account.key)],
      parameters: pick(parameters, 'nearMatchDigitsMax'),
      observed: { differingDigits: near.positions.length, invoicesOnNearest: near.use.count },
      explanation: [
        'Both accounts are at the same bank and have the same length.',
        'The two accounts were compared without the check digits, which change whenever another digit does.',
      ],
      extra: { account: account.masked, nearest: near.use.masked, differingPositions: near.positions },
    },
  ];
}

/**
 * Finds the known account at the same bank that differs least from a new account. Only accounts that differ in few
 * digits, or by two swapped neighbouring digits, are considered. Accounts that are stated on several bills are
 * preferred to others.
 */
function nearestAccount(
  account: StatedAccount,
  { nearMatchDigitsMax, nearMatchUsesMin }: BankParameters,
): NearAccount | undefined {
  const isInUse = ({ use }: NearAccount): boolean => use.count >= nearMatchUsesMin;
  const text = withoutCheckDigits(account.key);
  const near = account.others
    .filter((use) => use.trust !== 'FRAUD')
    .map((use) => ({ use, positions: differingPositions(text, withoutCheckDigits(use.key)) }))
    .filter(({ use, positions }) => {
      if (positions.length === 0) return false;
      return positions.length <= nearMatchDigitsMax || isAdjacentSwap(text, withoutCheckDigits(use.key));
    })
    .filter(({ use }) => isOfSameBank(account.key, use.key));
  return near.sort(
    (left, right) =>
      Number(isInUse(right)) - Number(isInUse(left)) ||
      left.positions.length - right.positions.length ||
      compareText(left.use.key, right.use.key),
  )[0];
}

/**
 * Checks whether two bank accounts belong to the same bank. An invalid account has no bank code, so the invalid account
 * itself is compared with the bank code of the known account.
 */
function isOfSameBank(key: string, knownKey: string): boolean {
  const known = bankCodeOfKey(knownKey);
  if (!isInvalidKey(key)) return bankCodeOfKey(key) === known;
  const text = withoutCheckDigits(key);
  return text.length === withoutCheckDigits(knownKey).length && text.startsWith(known);
}

/** Checks whether a bank account key belongs to an invalid account (packages/values, bank-account). */
function isInvalidKey(key: string): boolean {
  return key.startsWith('X:');
}

/**
 * Returns the country and the national account number of an IBAN, or the sort code and account number of a UK account.
 */
function withoutCheckDigits(key: string): string {
  const text = isInvalidKey(key) ? key.slice(2) : key;
  return text.startsWith('GB:') ? text : text.slice(0, 2) + text.slice(4);
}

/**
 * Returns the differing positions, counted from 1 in the IBAN or in the sort code with account number. Empty if the
 * lengths differ.
 */
function differingPositions(left: string, right: string): number[] {
  if (left.length !== right.length) return [];
  const before = left.startsWith('GB:') ? -2 : 3;
  return [...left].flatMap((character, index) => (character === right[index] ? [] : [index + before]));
}

/**
 * Reports that a supplier states its old bank account again after a few bills with another account. Internal fraud
 * follows this pattern.
 */
function reverted(facts: Facts, account: StatedAccount, parameters: BankParameters): RaisedFinding[] {
  const { use, others } = account;
  if (use === undefined || use.count < parameters.revertedInvoicesMin) return [];
  if (use.lastDay - use.firstDay < parameters.revertedDaysMin) return [];
  return others
    .filter(
      (between) =>
        between.firstDay >= use.lastDay &&
        between.lastDay <= facts.invoice.issueDay &&
        between.count <= parameters.intermediateInvoicesMax &&
        between.lastDay - between.firstDay <= parameters.intermediateDaysMax &&
        between.trust !== 'ERP' &&
        between.trust !== 'REVIEWED',
    )
    .map((between) => ({ between, isPaid: facts.paidAccounts?.includes(between.key) }))
    .map(({ between, isPaid }) => ({
      type: 'BANK_ACCOUNT_REVERTED' as const,
      ...(isPaid === true ? parameters.levels.revertedPaid : parameters.levels.reverted),
      summary: `${facts.invoice.supplierName} returns to ${account.masked} after ${counted(between.count, 'invoice')} with ${between.masked}${hiddenDifference(account, between)}.`,
      about: [subject.supplier(facts.supplier.supplierId), subject.account(between.key)],
      parameters: pick(
        parameters,
        'revertedInvoicesMin',
        'revertedDaysMin',
        'intermediateInvoicesMax',
        'intermediateDaysMax',
      ),
      observed: { invoicesBefore: use.count, invoicesBetween: between.count },
      explanation: [
        `${counted(use.count, 'invoice')} stated ${account.masked} until ${dateOfDayNumber(use.lastDay)}.`,
        `${between.firstDay === between.lastDay ? `On ${dateOfDayNumber(between.firstDay)}` : `From ${dateOfDayNumber(between.firstDay)} to ${dateOfDayNumber(between.lastDay)}`} another account was used, and now the first one is used again.`,
        ...(isPaid === true ? [`A payment was made to ${between.masked}.`] : []),
      ],
      extra: {
        sequence: [
          accountEvidence(use),
          accountEvidence(between),
          { account: account.masked, firstSeen: facts.invoice.issueDate },
        ],
        paidOnB: isPaid ?? null,
      },
    }));
}

/**
 * Reports a bank account that several suppliers use. The finding is raised on the first invoice on which the supplier
 * states this account. Later invoices are reported as long as all of the supplier's bills with the account are waiting
 * for a review. If one history scan imported all these bills, only its first row is reported.
 */
function shared(facts: Facts, account: StatedAccount, policy: Policy): RaisedFinding[] {
  const others = linkedOthers(facts);
  const { invoice, supplier } = facts;
  const isFirst = isNewOn(facts.bankLink, supplier.supplierId, invoice);
  const isOpen = account.use === undefined || answeredUses(invoice, account.use) === 0;
  if (!account.isValid || others.length === 0 || !(isFirst || isOpen)) return [];
  const parameters = policy.bank;
  const isPlausible = others.every(
    (other) =>
      other.taxKey === undefined ||
      invoice.taxKey === undefined ||
      jaroWinkler(other.nameKey, invoice.nameKey) >= policy.duplicates.similarNameMin,
  );
  const isFactor = isFactorAccount(facts, parameters);
  // One company may have several tax ids and a single bank account, so such suppliers are not reported.
  const isOneName = others.every((other) => other.nameKey === invoice.nameKey);
  const isGroup = isOwnGroup(facts, others, parameters);
  const level = isOneName
    ? parameters.levels.sharedOneName
    : isFactor
      ? parameters.levels.sharedFactor
      : isGroup
        ? parameters.levels.sharedGroup
        : isPlausible
          ? parameters.levels.sharedPlausible
          : isFirst
            ? parameters.levels.shared
            : parameters.levels.sharedLater;
  const [first] = others;
  const payee = isOneName ? `${invoice.supplierName} with tax id ${taxText(invoice)}` : invoice.supplierName;
  const holder = isOneName ? `${first?.name ?? ''} with tax id ${taxText(first ?? {})}` : (first?.name ?? '');
  const firstDay = Math.min(...others.map((other) => other.firstDay));
  return [
    {
      type: 'BANK_ACCOUNT_SHARED',
      ...level,
      summary: `${payee} asks for payment to ${account.masked}, an account that ${others.length > 1 ? `${holder} and ${counted(others.length - 1, 'more supplier')} also use` : `${holder} also uses`}.`,
      about: [subject.supplier(supplier.supplierId), subject.account(account.key)],
      parameters: pick(parameters, 'factorSuppliersMin'),
      observed: { otherSuppliers: others.length },
      explanation: [
        isOneName
          ? 'Invoices under this name but with different tax ids state the account. One company may have several tax ids.'
          : 'Suppliers with different names or tax ids ask for payment to this account.',
        ...(isFactor ? ['So many suppliers use the account that it may belong to a factoring company.'] : []),
        ...(isGroup && !isOneName
          ? ['The names begin with the same word, and the other supplier has used the account for a long time.']
          : []),
        ...(isFirst ? [] : ['No earlier invoice of the supplier with this account was accepted by a reviewer.']),
      ],
      extra: {
        account: account.masked,
        otherSuppliers: others.map((other) => ({
          supplierId: other.supplierId,
          name: other.name,
          invoices: other.count,
          firstSeen: dateOfDayNumber(other.firstDay),
          lastSeen: dateOfDayNumber(other.lastDay),
        })),
        firstLinkedAt: dateOfDayNumber(firstDay),
      },
    },
  ];
}

function invalid(
  facts: Facts,
  account: StatedAccount,
  { levels, invalidRepeatedMin }: BankParameters,
): RaisedFinding[] {
  if (account.isValid) return [];
  const { invoice } = facts;
  const isRepeated = (account.use?.count ?? 0) >= invalidRepeatedMin;
  const isRead = invoice.source === 'UPLOAD';
  const level = isRepeated ? levels.invalidRepeated : isRead ? levels.invalidFromScan : levels.invalid;
  return [
    {
      type: 'BANK_ACCOUNT_INVALID',
      ...level,
      summary: `Account ${account.masked} of ${invoice.supplierName} is not valid: ${listed(invoice.bankProblems.map((problem) => problemTexts[problem]))}.`,
      about: [subject.supplier(facts.supplier.supplierId), subject.account(account.key)],
      parameters: { invalidRepeatedMin },
      observed: { earlierUses: account.use?.count ?? 0 },
      explanation: [
        ...invoice.bankProblems.map((problem) => `${sentenceStart(problemTexts[problem])}.`),
        ...(isRepeated ? ['The supplier has stated the same account several times before.'] : []),
        ...(isRead ? ['The account was read from a document, so single characters may be wrong.'] : []),
      ],
      extra: {
        account: account.masked,
        reasonCodes: invoice.bankProblems,
        ...(isRead ? { suspectCharacters: suspectCharacters(account.key) } : {}),
      },
    },
  ];
}

/** Reports text in a document that looks like an IBAN but is invalid. In this case, the invoice has no account. */
function unreadable(facts: Facts, printed: string, { levels }: BankParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { key, masked, problems } = readBankAccount({ iban: printed });
  if (problems.length === 0) return [];
  return [
    {
      type: 'BANK_ACCOUNT_INVALID',
      ...levels.invalidFromScan,
      summary: `Account ${masked} of ${invoice.supplierName} is not valid: ${listed(problems.map((problem) => problemTexts[problem]))}.`,
      about: [subject.supplier(supplier.supplierId), subject.account(key)],
      explanation: [
        ...problems.map((problem) => `${sentenceStart(problemTexts[problem])}.`),
        'The account is not stored with the invoice.',
        'The account was read from a document, so single characters may be wrong.',
      ],
      extra: { account: masked, reasonCodes: problems, suspectCharacters: suspectCharacters(key) },
    },
  ];
}

/**
 * Reports that the bank is in a different country from the supplier's tax registration. A presumed country is not used
 * as evidence.
 */
function countryMismatch(facts: Facts, account: StatedAccount, parameters: BankParameters): RaisedFinding[] {
  const { invoice } = facts;
  const { bankCountry } = invoice;
  const taxCountry = statedTaxCountry(invoice);
  if (!account.isValid || bankCountry === undefined || taxCountry === undefined) return [];
  if (bankCountry === taxCountry) return [];
  // All bills that state the account and the name of the supplier count as the supplier's use of the account, whatever
  // tax ids they state, because a supplier with several tax ids may use one account.
  const ownUses = account.use === undefined ? 0 : answeredUses(invoice, account.use);
  const uses = Math.max(ownUses, usesUnderName(facts));
  if (account.use?.trust === 'REVIEWED' || account.use?.trust === 'ERP') return [];
  if (uses >= parameters.countryAcceptedAfter) return [];
  const isInArea = parameters.economicAreaCountries.includes(bankCountry);
  // Foreign bank accounts are common within the European payment area, so long use of an account is sufficient there.
  // For an account outside the area, a reviewer must decide.
  if (isInArea && account.use !== undefined && isLongInUse(account.use)) return [];
  const isTolerated =
    parameters.toleratedAccountCountries.includes(bankCountry) && parameters.economicAreaCountries.includes(taxCountry);
  const level = isTolerated
    ? parameters.levels.countryMismatchTolerated
    : isInArea
      ? parameters.levels.countryMismatch
      : parameters.levels.countryMismatchOutside;
  return [
    {
      type: 'BANK_COUNTRY_MISMATCH',
      ...level,
      summary: `${invoice.supplierName} is registered for tax in ${countryName(taxCountry)}, but its account ${account.masked} is in ${countryName(bankCountry)}.`,
      actionValues: { country: countryName(bankCountry) },
      about: [subject.supplier(facts.supplier.supplierId), subject.account(account.key)],
      parameters: pick(parameters, 'countryAcceptedAfter'),
      observed: { earlierUses: uses },
      explanation: [
        `Tax id ${taxText(invoice)} is from ${countryName(taxCountry)}; the account is held in ${countryName(bankCountry)}.`,
        ...(isTolerated
          ? [
              `Electronic money institutions in ${countryName(bankCountry)} open accounts for companies across the European Economic Area.`,
            ]
          : []),
        ...(isInArea
          ? []
          : [
              `${sentenceStart(countryName(bankCountry))} is outside the European Economic Area, the United Kingdom and Switzerland.`,
            ]),
      ],
      extra: { account: account.masked, ibanCountry: bankCountry, taxCountry },
    },
  ];
}

/**
 * Reports the first bank account that a supplier states. If earlier invoices stated no account, the account is not
 * trusted yet, and the severity is higher if there are further signs of a diverted payment. Such a finding is raised on
 * every invoice until a person reviews it, because nothing else would stop the next invoice. For the rows of one
 * history scan it is raised once.
 */
function firstUse(facts: Facts, account: StatedAccount, policy: Policy): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { use } = account;
  const { levels, newSupplierHighValue } = policy.bank;
  if (account.others.length > 0 || !account.isValid) return [];
  if (linkedOthers(facts).length > 0 || facts.bankLink?.fraud !== undefined) return [];
  // Most invoices state an account that need not be reported, so the remaining checks are skipped.
  if (use !== undefined && isAnswered(facts, use)) return [];
  const isLater = supplier.profile.count > 0;
  const signs = isLater ? signsOfDiversion(facts, policy) : [];
  const isUnanswered = use !== undefined && answeredUses(invoice, use) === 0;
  if (use !== undefined && signs.length === 0 && !isUnanswered) return [];
  const { value, noRate } = valueOf(facts);
  const isHigh = !noRate && toMicro(value) >= toMicro(newSupplierHighValue);
  const level = !isLater
    ? isHigh
      ? levels.firstUseHighValue
      : levels.firstUse
    : signs.length > 0 || isUnanswered
      ? levels.firstUseLaterDoubtful
      : levels.firstUseLater;
  const since = use === undefined ? 'for the first time' : `, first stated on ${use.firstInvoiceNumber}`;
  const reason = signs[0] === undefined ? '' : `; ${signs[0].sentence}`;
  const earlier = supplier.profile.bankCount > (use?.count ?? 0) ? 'no valid account' : 'no account';
  return [
    {
      type: 'BANK_ACCOUNT_FIRST_USE',
      ...level,
      summary: `${invoice.supplierName} asks for payment to ${account.masked}${use === undefined ? ' ' : ''}${since} (${amountText(invoice)})${reason}.`,
      about: [subject.supplier(supplier.supplierId), subject.account(account.key)],
      parameters: {
        ...limitsIn(LIMIT_CURRENCY, { newSupplierHighValue }),
        ...pick(policy.bank, 'escalatingAmountRatio'),
      },
      observed: {
        ...valueEvidence(facts),
        earlierInvoices: supplier.profile.count,
        ...(isLater ? amountObserved(facts, policy) : {}),
      },
      explanation: [
        isLater ? `Earlier invoices of the supplier stated ${earlier}.` : 'This is the first invoice of the supplier.',
        ...signs.map(({ sentence }) => `${sentenceStart(sentence)}.`),
        ...(isUnanswered ? ['Nobody has reviewed an earlier invoice with the account yet.'] : []),
      ],
      extra: {
        account: account.masked,
        accountCountry: invoice.bankCountry ?? null,
        signs: signs.map(({ name }) => name),
      },
    },
  ];
}

/**
 * Reports that a document asks to pay another party than the supplier. A payee whose account is trusted for the
 * supplier counts as accepted.
 */
function payeeDiffers(facts: Facts, account: StatedAccount | undefined, parameters: BankParameters): RaisedFinding[] {
  const { invoice, supplier, document } = facts;
  const payee = document?.payeeName;
  if (payee === undefined || isNameOfSupplier(facts, payee)) return [];
  if (account?.use !== undefined && isTrustedFor(invoice, account.use, supplier.profile.accounts)) return [];
  const isFactor = account !== undefined && isFactorAccount(facts, parameters);
  const where = account === undefined ? '' : ` to ${account.masked}`;
  return [
    {
      type: 'PAYEE_DIFFERS',
      ...(isFactor ? parameters.levels.payeeIsFactor : parameters.levels.payeeDiffers),
      summary: `The document of ${invoice.invoiceNumber} asks to pay ${payee}${where}, not ${invoice.supplierName}.`,
      actionValues: { payee },
      about: [subject.supplier(supplier.supplierId), readName(payee).key],
      alsoAbout: accountsOf(invoice),
      observed: { earlierUses: account?.use?.count ?? 0 },
      explanation: [
        `The payee on the document is ${payee}, and the supplier is ${invoice.supplierName}.`,
        account === undefined
          ? 'The document states no account, so the payee cannot be compared with earlier payments.'
          : 'The account is not trusted for the supplier yet.',
        ...(isFactor ? ['Many suppliers are paid through this account, as is usual with a factoring company.'] : []),
      ],
      extra: { payee, supplier: invoice.supplierName, account: account?.masked ?? null },
    },
  ];
}

/** Checks whether a name is one under which the supplier is known, in full or shortened. */
function isNameOfSupplier({ invoice, supplier }: Facts, name: string): boolean {
  const words = readName(name).key.split(' ');
  return [invoice.nameKey, ...supplier.profile.names].some((key) => {
    const known = key.split(' ');
    const [short, long] = words.length <= known.length ? [words, known] : [known, words];
    return short.every((word) => long.includes(word));
  });
}

/**
 * Checks whether the supplier's first bank account need not be reported: it is trusted, or was already reported for a
 * row of the same scan.
 */
function isAnswered({ invoice, supplier }: Facts, use: AccountUse): boolean {
  return (
    use.trust !== 'UNVERIFIED' ||
    isTrustedFor(invoice, use, supplier.profile.accounts) ||
    (use.asked !== undefined && use.onlyScanId !== undefined && use.onlyScanId === invoice.scanId)
  );
}

/** Lists the facts that make the first bank account of a known supplier doubtful. */
function signsOfDiversion(facts: Facts, policy: Policy): Escalator[] {
  const { bankCountry } = facts.invoice;
  const abroad = bankCountry === undefined ? undefined : abroadReason(facts, bankCountry);
  return [
    ...(abroad === undefined || bankCountry === undefined
      ? []
      : [{ name: 'ABROAD', sentence: `the account is in ${countryName(bankCountry)}, but ${abroad}` }]),
    ...shortenedTermsSign(facts, policy),
    ...unusualAmountSign(facts, policy),
  ];
}

/**
 * Reports a missing account if the supplier usually states one. Rows of exports that have no columns for bank accounts
 * are skipped.
 */
function missingAccount(facts: Facts, parameters: BankParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { count, bankCount } = supplier.profile;
  if (invoice.source === 'SCAN' && !facts.scanStatesAccounts) return [];
  if (count < parameters.missingInvoicesMin || bankCount < count * parameters.missingShareMin) return [];
  const share = Math.floor((bankCount * 100) / count);
  return [
    {
      type: 'BANK_ACCOUNT_MISSING',
      ...parameters.levels.missing,
      summary: `${invoice.supplierName} states no account, but stated one on ${grouped(bankCount)} of ${counted(count, 'earlier invoice')}.`,
      actionValues: {
        account: hasMasterAccounts(facts)
          ? 'the account in the vendor master'
          : 'an account that the supplier stated on earlier invoices',
      },
      about: [subject.supplier(supplier.supplierId)],
      parameters: pick(parameters, 'missingShareMin', 'missingInvoicesMin'),
      observed: { invoices: count, withAccount: bankCount },
      explanation: [
        `${grouped(bankCount)} of ${counted(count, 'earlier invoice')} stated an account; this one does not.`,
      ],
      extra: { share: share / 100 },
    },
  ];
}

/** Checks whether the company's vendor master has an account for the supplier. */
function hasMasterAccounts({ vendorMaster }: Facts): boolean {
  return (vendorMaster?.vendor?.accounts.length ?? 0) > 0;
}

/**
 * Describes the differing positions that the masks of two accounts hide: `digit 8 of the account number`, `characters 7
 * and 8 of the IBAN`.
 */
function placesText(key: string, positions: readonly number[]): string {
  if (!withoutCheckDigits(key).startsWith('GB:')) return `${places('character', positions)} of the IBAN`;
  const ofSortCode = positions.filter((position) => position <= SORT_CODE_LENGTH);
  const ofAccount = positions
    .filter((position) => position > SORT_CODE_LENGTH)
    .map((position) => position - SORT_CODE_LENGTH);
  const parts = [
    ...(ofSortCode.length === 0 ? [] : [`${places('digit', ofSortCode)} of the sort code`]),
    ...(ofAccount.length === 0 ? [] : [`${places('digit', ofAccount)} of the account number`]),
  ];
  return parts.join(' and ');
}

/** Maximum number of differing positions of two bank accounts that a sentence of a finding lists. */
const NAMED_PLACES_MAX = 4;

/**
 * Explains the difference between two bank accounts that look equal because their masks hide it. If the masks show the
 * difference, the result is empty.
 */
function hiddenDifference(account: StatedAccount, other: AccountUse | undefined): string {
  if (other === undefined || account.masked !== other.masked) return '';
  const positions = differingPositions(withoutCheckDigits(account.key), withoutCheckDigits(other.key));
  const isNamed = positions.length > 0 && positions.length <= NAMED_PLACES_MAX;
  return `; the two accounts differ ${isNamed ? `only in ${placesText(account.key, positions)}` : 'in digits that are not shown'}`;
}

function places(noun: string, positions: readonly number[]): string {
  return `${noun}${positions.length === 1 ? '' : 's'} ${listed(positions.map(String))}`;
}

/** Lists other suppliers that use the account and have another tax id or another name. */
function linkedOthers({ bankLink, supplier, invoice }: Facts): LinkedSupplier[] {
  return othersOn(bankLink, supplier.supplierId, invoice);
}

/**
 * Counts bills with this account under exactly the supplier name on the invoice. Bills that are waiting for a review do
 * not count.
 */
function usesUnderName({ bankLink, invoice }: Facts): number {
  const named = bankLink?.suppliers.filter(({ nameKey }) => nameKey === invoice.nameKey) ?? [];
  return named.reduce((uses, linked) => {
    const isAnswered = linked.accepted === true || isLinkOfScan(linked, invoice);
    return uses + linked.count - (isAnswered ? 0 : (linked.asked?.count ?? 0));
  }, 0);
}

/**
 * Checks whether the account belongs to a factoring company: many suppliers use it, and no fraud with it was confirmed.
 * A supplier counts once a person accepted the account for it, or once bills without an open finding have arrived for
 * as long as an account needs to become trusted. A supplier also counts if all its bills with the account are rows of
 * the history scan that contains the checked row.
 */
function isFactorAccount({ bankLink, invoice }: Facts, { factorSuppliersMin }: BankParameters): boolean {
  if (bankLink === null || bankLink.fraud !== undefined) return false;
  const known = bankLink.suppliers.filter(
    (linked) => linked.accepted === true || isLinkOfScan(linked, invoice) || isEstablished(earningOf(linked)),
  );
  return known.length >= factorSuppliersMin;
}

/**
 * Returns the bills in a bank account link that count towards trust. In links that were stored before these bills were
 * counted separately, all bills count.
 */
function earningOf({ earning, asked, count, firstDay, lastDay }: LinkedSupplier): EarningUse {
  return earning ?? (asked === undefined ? { count, firstDay, lastDay } : { count: 0, firstDay, lastDay });
}

/**
 * Checks whether a new supplier uses the established account of firms whose names begin like its own, as firms of one
 * group do. In this case the money goes to the same account as before. A supplier that billed before without the
 * account does not count, because its payments could be diverted.
 */
function isOwnGroup(
  { invoice, supplier }: Facts,
  others: readonly LinkedSupplier[],
  { groupWordLengthMin }: BankParameters,
): boolean {
  const { profile } = supplier;
  const isOnlyAccount = profile.accounts.every(({ key }) => key === invoice.bankKey);
  if (!isOnlyAccount || (profile.count > 0 && profile.bankCount < profile.count)) return false;
  const [word = ''] = invoice.nameKey.split(' ');
  if (word.length < groupWordLengthMin || genericNameWords.has(word) || countryWords.has(word)) return false;
  return others.every(
    (other) => other.nameKey.split(' ')[0] === word && (other.accepted === true || isEstablished(earningOf(other))),
  );
}

function isLinkOfScan({ onlyScanId }: LinkedSupplier, { scanId }: NormalisedInvoice): boolean {
  return onlyScanId !== undefined && onlyScanId === scanId;
}

function amountObserved(facts: Facts, { amounts }: Policy): { [name: string]: EvidenceValue } {
  const statistics = usualAmountStatistics(facts, amounts);
  if (statistics === undefined) return {};
  const median = amountOf({ currency: facts.invoice.currency, amountMinor: statistics.medianMinor });
  return {
    ratio: statistics.ratio,
    z: statistics.z,
    median,
    currency: facts.invoice.currency,
    sampleSize: statistics.sampleSize,
  };
}

function accountEvidence(use: AccountUse): EvidenceValue {
  return {
    account: use.masked,
    firstSeen: dateOfDayNumber(use.firstDay),
    lastSeen: dateOfDayNumber(use.lastDay),
    invoices: use.count,
    trust: use.trust,
  };
}

const problemTexts: Readonly<Record<BankAccountProblem, string>> = {
  UNKNOWN_COUNTRY: 'the country is unknown',
  WRONG_LENGTH: 'the length is wrong',
  WRONG_STRUCTURE: 'the structure is wrong',
  WRONG_CHECK_DIGITS: 'the check digits are wrong',
  WRONG_NATIONAL_CHECK: 'the national check digits are wrong',
  WRONG_SORT_CODE: 'the sort code does not have six digits',
  WRONG_ACCOUNT_NUMBER: 'the account number does not have six to eight digits',
};

/**
 * Lists the letters at positions where an IBAN must have digits, counted from 1. They are probably misread characters.
 */
function suspectCharacters(key: string): EvidenceValue {
  const text = key.slice(2);
  return [...text].flatMap((character, index) =>
    index >= 2 && /[OQILZSGB]/.test(character) ? [{ position: index + 1, character }] : [],
  );
}
