import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { readKsefNumber, readStatedKsefNumber } from '@invoicecontrol/values/ksef-number';
import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import { addPolishWorkingDays } from '../data/polish-working-days.js';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import { shownText } from '../explanation/evidence.js';
import { counted, listed } from '../explanation/phrases.js';
import { accountsOf, pairKey, subject } from '../explanation/subject.js';
import type { Facts } from '../facts/facts.js';
import type { InboxFacts } from '../facts/inbox-facts.js';
import type { Candidate } from '../facts/invoice.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import { namesKsefInvoice } from '../matching/ksef-copies.js';
import { numberRelation } from '../matching/number-relation.js';
import { isEarlier, isLive } from '../matching/pair-score.js';
import { isSameSupplier } from '../matching/supplier-relation.js';
import type { KsefParameters } from '../policy/ksef.js';
import type { Policy } from '../policy/policy.js';
import { statedTaxCountry } from '../supplier/habits.js';
import { isLikeName } from '../supplier/name-likeness.js';
import { isTrusted } from '../supplier/profile.js';
import { taxRegistration } from '../supplier/tax-registration.js';

const DAY_MS = 86_400_000;
/** Pattern for a Polish tax id without its country. */
const NIP = /^\d{10}$/;
const SAME_NUMBER: readonly string[] = ['IDENT', 'FORMAT', 'OCR'];

/**
 * Compares documents with the KSeF invoices that they claim to show, and reports invoices that should have been
 * received through KSeF.
 */
export function detectKsef(facts: Facts, policy: Policy): RaisedFinding[] {
  return [...contentDiffers(facts, policy), ...invoiceMissing(facts, policy)];
}

/**
 * A field that differs between a document and its KSeF invoice, or between a document and its own KSeF number or code.
 */
interface Difference {
  readonly field: 'bank account' | 'amount' | 'invoice number' | 'seller' | 'issue date' | 'KSeF number' | 'file';
  readonly document: string;
  readonly ksef: string;
  /**
   * Values of the differing invoice field for the evidence of the finding. Present only if the sentences of the finding
   * write them differently.
   */
  readonly evidence?: { readonly [name: string]: EvidenceValue };
  /** True if both records state a bank account and the accounts differ. */
  readonly isAccount?: true;
}

interface Differing {
  readonly document: Candidate;
  /** The KSeF invoice from which the document differs, or null if the document contradicts itself. */
  readonly registered: Candidate | null;
  readonly differences: readonly Difference[];
}

/**
 * Reports a document that differs from its KSeF invoice. The finding is raised on the later of the two records. It
 * names the bank account stated on the document, because that account is the doubtful account.
 */
function contentDiffers(facts: Facts, policy: Policy): RaisedFinding[] {
  const { invoice, candidates } = facts;
  const compared = (document: Candidate, registered: Candidate): Differing => ({
    document,
    registered,
    differences: differencesOf(document, registered, policy),
  });
  const pairs = candidates
    // An invoice stays registered in KSeF, whatever the status of its stored record is.
    .filter((other) => isEarlier(facts, other) && (isLive(other) || other.source === 'KSEF'))
    .flatMap((other): Differing[] => {
      if (namesKsefInvoice(invoice, other)) return [compared(invoice, other)];
      return namesKsefInvoice(other, invoice) ? [compared(other, invoice)] : [];
    });
  const own = { document: invoice, registered: null, differences: contradictionsOf(invoice) };
  const differing = [...pairs, own].filter(({ differences }) => differences.length > 0);
  const [first] = differing.toSorted(
    (left, right) =>
      Number(hasOtherAccount(right)) - Number(hasOtherAccount(left)) ||
      Number(right.registered !== null) - Number(left.registered !== null),
  );
  if (first === undefined) return [];
  const { levels, shownMax } = policy.ksef;
  const { document, registered } = first;
  const fields = [...new Set(first.differences.map(({ field }) => field))];
  const others = pairs
    .filter(({ differences }) => differences.length > 0)
    .map((pair) => (pair.document === invoice ? pair.registered : pair.document));
  const ksefNumber = registered?.externalId ?? document.ksefReference?.number;
  return [
    {
      type: 'KSEF_CONTENT_DIFFERS',
      ...(hasOtherAccount(first) ? levels.accountDiffers : levels.contentDiffers),
      summary: differenceSummary(invoice, first),
      actionValues: { field: listed(fields) },
      about: [
        document.invoiceId,
        ...(registered === null ? [] : [pairKey(document.invoiceId, registered.invoiceId)]),
        ...fields,
      ],
      alsoAbout: accountsOf(document),
      observed: { differences: first.differences.length, documents: differing.length },
      explanation: first.differences.map((difference) => differenceSentence(first, difference)),
      extra: {
        ksefNumber: ksefNumber ?? null,
        ksefInvoiceId: registered?.invoiceId ?? null,
        documentInvoiceId: document.invoiceId,
        differences: first.differences.slice(0, shownMax).map(({ field, document: documentValue, ksef, evidence }) => ({
          field,
          documentValue,
          ksefValue: ksef,
          ...evidence,
        })),
      },
      relatedInvoiceIds: others.slice(0, shownMax).flatMap((other) => other?.invoiceId ?? []),
    },
  ];
}

function hasOtherAccount({ differences }: Pick<Differing, 'differences'>): boolean {
  return differences.some(({ isAccount }) => isAccount === true);
}

function differenceSummary(invoice: Candidate, { document, registered, differences }: Differing): string {
  const [first] = differences;
  if (first === undefined) return '';
  const others = differences.length === 1 ? '' : `, and in ${counted(differences.length - 1, 'other field')}`;
  const number = shownText(invoice.invoiceNumber);
  if (registered === null)
    return `${number} contradicts its own reference to KSeF in the ${first.field}: the document states ${first.document}, the reference ${first.ksef}${others}.`;
  return document === invoice
    ? `${number} differs from the invoice in KSeF that it names in the ${first.field}: the document states ${first.document}, KSeF ${first.ksef}${others}.`
    : `An earlier document, ${shownText(document.invoiceNumber)}, names ${number} from KSeF and differs from it in the ${first.field}: the document states ${first.document}, KSeF ${first.ksef}${others}.`;
}

function differenceSentence({ registered }: Differing, { field, document, ksef }: Difference): string {
  return registered === null
    ? `The document states ${document} as the ${field}, and its KSeF number or QR code states ${ksef}.`
    : `The document states ${document} as the ${field}, and the invoice from KSeF states ${ksef}.`;
}

function differencesOf(document: Candidate, registered: Candidate, { duplicates }: Policy): Difference[] {
  const found: Difference[] = [];
  const accounts = accountKeysOf(registered);
  if (document.bankKey !== undefined && !accounts.includes(document.bankKey))
    found.push({
      field: 'bank account',
      document: accountText(document),
      ksef: registeredAccountText(document, registered),
      ...(accounts.length === 0 ? {} : { isAccount: true as const }),
    });
  if (document.currency !== registered.currency || document.amountMinor !== registered.amountMinor)
    found.push({
      field: 'amount',
      document: amountText(document),
      ksef: amountText(registered),
      evidence: {
        documentValue: amountOf(document),
        documentValueCurrency: document.currency,
        ksefValue: amountOf(registered),
        ksefValueCurrency: registered.currency,
      },
    });
  const relation = numberRelation(document, registered, { amountAndDate: false, amountAndDays: false }, duplicates);
  // A bill that states the KSeF number as its invoice number names the right invoice.
  const isNamed = readStatedKsefNumber(document.invoiceNumber) === registered.externalId;
  if (!SAME_NUMBER.includes(relation) && !isNamed)
    found.push({
      field: 'invoice number',
      document: shownText(document.invoiceNumber),
      ksef: shownText(registered.invoiceNumber),
    });
  if (!isSameSeller(document, registered))
    found.push({ field: 'seller', document: sellerText(document), ksef: sellerText(registered) });
  const { number, code } = document.ksefReference ?? {};
  if (number !== undefined && number !== registered.externalId)
    found.push({ field: 'KSeF number', document: number, ksef: registered.externalId ?? 'none' });
  if (code !== undefined && code.sha256 !== registered.documentSha256)
    found.push({ field: 'file', document: code.sha256, ksef: registered.documentSha256 ?? 'none' });
  return found;
}

function accountKeysOf({ bankKey, otherBankKeys = [] }: Candidate): string[] {
  return [...(bankKey === undefined ? [] : [bankKey]), ...otherBankKeys];
}

function registeredAccountText({ bankMasked }: Candidate, registered: Candidate): string {
  if (registered.bankMasked === undefined) return accountKeysOf(registered).length === 0 ? 'none' : 'that of a factor';
  return `${registered.bankMasked}${bankMasked === registered.bankMasked ? ' with other hidden digits' : ''}`;
}

function accountText({ bankMasked }: Candidate): string {
  return bankMasked ?? 'none';
}

/**
 * Checks whether both records may be from the same seller. A foreign tax id next to a Polish tax id does not exclude
 * this, because sellers may be registered in several countries.
 */
function isSameSeller(document: Candidate, registered: Candidate): boolean {
  const [stated, known] = [nipOf(document), nipOf(registered)];
  if (stated !== undefined && known !== undefined) return stated === known;
  return isLikeName([registered.nameKey], document.nameKey);
}

function sellerText(record: Candidate): string {
  return nipOf(record) ?? shownText(record.supplierName);
}

/** Returns the Polish tax id on a bill as ten digits, or undefined if the bill states none. */
function nipOf({ taxKey, taxCountry, taxCountryPresumed }: Candidate): string | undefined {
  if (taxKey === undefined || !NIP.test(taxKey)) return undefined;
  return taxCountry === undefined || taxCountry === 'PL' || taxCountryPresumed === true ? taxKey : undefined;
}

/** Lists contradictions between the KSeF number, the QR code and the other fields of a document. */
function contradictionsOf(document: Candidate): Difference[] {
  const { number, code } = document.ksefReference ?? {};
  const parts = number === undefined ? undefined : readKsefNumber(number);
  const nip = nipOf(document);
  const found: Difference[] = [];
  const named = [code?.sellerNip, parts?.sellerNip].filter((seller) => seller !== undefined);
  const other = named.find((seller) => seller !== (nip ?? named[0]));
  if (other !== undefined) found.push({ field: 'seller', document: nip ?? named[0] ?? '', ksef: other });
  if (code !== undefined && code.issueDate !== document.issueDate)
    found.push({ field: 'issue date', document: document.issueDate, ksef: code.issueDate });
  // KSeF does not accept an invoice before its issue date, so the date in its KSeF number cannot be earlier.
  else if (parts !== undefined && parts.receivedOn < document.issueDate)
    found.push({ field: 'issue date', document: document.issueDate, ksef: `${parts.receivedOn} at the latest` });
  return found;
}

/** Reports a bill that should have been received through KSeF but was not (KSeF reference, section 19). */
function invoiceMissing(facts: Facts, policy: Policy): RaisedFinding[] {
  const { invoice, inbox, supplier } = facts;
  if (inbox === undefined || (invoice.source !== 'API' && invoice.source !== 'UPLOAD')) return [];
  const parameters = policy.ksef;
  if (!mustComeThroughKsef(facts, parameters) || !isCompleteFor(invoice, inbox, parameters)) return [];
  if (facts.candidates.some((other) => isItsInvoiceInKsef(facts, other, policy))) return [];
  const small = smallSeller(facts, inbox, parameters);
  if (small?.isTold === true) return [];
  const isNewAccount = asksForNewAccount(facts);
  const { levels, mandatoryFrom, workingDays } = parameters;
  const number = shownText(invoice.invoiceNumber);
  const named = invoice.ksefReference?.number;
  const through = inbox.receivedThrough.slice(0, 10);
  return [
    {
      type: 'KSEF_INVOICE_MISSING',
      ...(small === undefined ? (isNewAccount ? levels.missingNewAccount : levels.missing) : levels.missingSmallSeller),
      summary:
        small === undefined
          ? `${number} from ${shownText(invoice.supplierName)} did not come through KSeF, although everything that KSeF stored for the company before ${through} was received.`
          : `${shownText(invoice.supplierName)} sent ${counted(small.invoices, 'invoice')} since ${small.since}, and none of its invoices came through KSeF.`,
      about: small === undefined ? [invoice.invoiceId] : [subject.supplier(supplier.supplierId)],
      alsoAbout: small === undefined ? [subject.supplier(supplier.supplierId)] : [],
      parameters: { mandatoryFrom, workingDays },
      observed: { inboxFrom: inbox.from, receivedThrough: inbox.receivedThrough, isNewAccount },
      explanation: [
        `The supplier states a Polish tax id and charges VAT, and the invoice is dated ${invoice.issueDate}.`,
        `Invoices of such suppliers must be issued through KSeF from ${mandatoryFrom} on.`,
        ...(named === undefined ? [] : [`The document names KSeF number ${named}, which was not received.`]),
        ...(isNewAccount ? ['The bank account of the invoice is not yet trusted for the supplier.'] : []),
        ...(small === undefined
          ? []
          : [
              'Sellers with small sales may issue invoices outside KSeF until the end of 2026, so this is reported only once.',
            ]),
      ],
      extra: { ksefNumber: named ?? null },
    },
  ];
}

/**
 * Checks whether an invoice must be sent through KSeF: it is an invoice from a Polish supplier with VAT. Receipts,
 * tickets and tolls are paid on the spot and request no transfer.
 */
function mustComeThroughKsef(facts: Facts, { mandatoryFrom }: KsefParameters): boolean {
  const { invoice, document } = facts;
  if (invoice.issueDate < mandatoryFrom || invoice.taxMinor === undefined || BigInt(invoice.taxMinor) <= 0n)
    return false;
  if (document?.salesDocument !== undefined && invoice.bankKey === undefined) return false;
  return statesPolishTaxId(facts);
}

function statesPolishTaxId(facts: Facts): boolean {
  const { invoice } = facts;
  const stated = statedTaxCountry(invoice);
  if (stated !== undefined || invoice.taxKey === undefined) return stated === 'PL';
  if (!NIP.test(invoice.taxKey) || taxIdValidity(invoice.taxKey, 'PL') !== 'VALID') return false;
  return invoice.currency === 'PLN' || taxRegistration(facts)?.country === 'PL';
}

/**
 * Checks whether the KSeF inbox has received all invoices from the issue date to a number of working days later, not
 * counting days of announced KSeF outages.
 */
function isCompleteFor({ issueDate }: Candidate, inbox: InboxFacts, { workingDays }: KsefParameters): boolean {
  if (inbox.failure !== undefined || issueDate < inbox.from) return false;
  const lastDay = dayNumber(addPolishWorkingDays(issueDate, workingDays));
  return Date.parse(inbox.receivedThrough) >= (lastDay + 1) * DAY_MS;
}

/** Checks whether a record is the KSeF invoice that a document claims to show, even if the fields of the two differ. */
function isItsInvoiceInKsef({ invoice, supplier }: Facts, other: Candidate, { duplicates }: Policy): boolean {
  if (other.source !== 'KSEF') return false;
  if (namesKsefInvoice(invoice, other)) return true;
  const relation = numberRelation(invoice, other, { amountAndDate: false, amountAndDays: false }, duplicates);
  return SAME_NUMBER.includes(relation) && isSameSupplier(supplier.supplierId, invoice, other);
}

interface SmallSeller {
  readonly invoices: number;
  readonly since: string;
  readonly isTold: boolean;
}

/** Returns the supplier if its invoices suggest that it may issue invoices outside KSeF, and otherwise undefined. */
function smallSeller(
  { invoice, supplier: { profile }, asOf }: Facts,
  inbox: InboxFacts,
  { smallSellerInvoicesMin, smallSellersUntil, smallSellersArrivalDays, mandatoryFrom }: KsefParameters,
): SmallSeller | undefined {
  const arrivedBy = dayNumber(smallSellersUntil) + smallSellersArrivalDays;
  if (invoice.issueDate > smallSellersUntil || dayNumber(asOf) > arrivedBy) return undefined;
  if (profile.ksef?.received === true) return undefined;
  const since = inbox.from > mandatoryFrom ? inbox.from : mandatoryFrom;
  const invoices = profile.days.filter((day) => day >= dayNumber(since)).length + 1;
  if (invoices < smallSellerInvoicesMin) return undefined;
  return { invoices, since, isTold: profile.ksef?.toldOutside === true };
}

function asksForNewAccount({ invoice: { bankKey }, supplier: { profile }, vendorMaster }: Facts): boolean {
  if (bankKey === undefined) return false;
  const isInMaster = vendorMaster?.vendor?.accounts.some(({ key }) => key === bankKey) ?? false;
  return !isInMaster && !profile.accounts.some(({ key, trust }) => key === bankKey && isTrusted(trust));
}
