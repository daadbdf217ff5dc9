import type { BillState } from '@invoicecontrol/books/records';
import { creditKeys, paidBillKeys, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { KnownSupplier } from '@invoicecontrol/engine/facts/supplier';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Pace } from '@invoicecontrol/runtime/pace';
import { maskedOfKey } from '@invoicecontrol/values/bank-account';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { parseTaxId } from '@invoicecontrol/values/tax-id';
import { PASSING_ACCOUNT_DAYS } from '../../books/domain/vendor-accounts.js';
import type { LoadErpRecords } from '../../books/application/load-erp-records.js';
import type { MasterVendorRecord } from '../../books/domain/erp-facts.js';
import type { BankLinkStore, PaidSupplier, SupplierStore } from '../../records/application/counted-records.js';
import type { FindingStore } from '../../records/application/finding-store.js';
import { recordsLeftOut } from '../../telemetry.js';
import { namesInvoice } from '../domain/join.js';
import type { LineFacts } from '../domain/join.js';
import { RECEIVED_CREDIT_DAYS_MAX, RECEIVED_CREDITS_PER_SUPPLIER_MAX } from '../domain/payable.js';
import type { Payable, PayableAccount, ReceivedCredit } from '../domain/payable.js';
import { paidFor } from '../domain/paid.js';
import type { PaidByRun } from '../domain/paid.js';
import { comparedAmount } from '../domain/payment-line.js';
import type { PaymentLine } from '../domain/payment-line.js';
import { referencesOf, taxIdsOf } from '../domain/references.js';
import type { LineReferences } from '../domain/references.js';
import { hasBit, isPaid, isRejected } from '../domain/run.js';
import type { BookedPayment } from '../domain/booked.js';
import type { PayableRecord, PayableStore } from './payable-store.js';
import type { PaymentRunStore } from './payment-run-store.js';

/**
 * Maximum number of keys of known suppliers that are combined with the numbers in one payment line to search for bills.
 */
const SUPPLIER_KEYS_MAX = 12;
/**
 * Maximum number of days between the issue date of a bill and the execution date of a payment for which the bill is
 * found by its amount, if the payment states no invoice number.
 */
const AMOUNT_SEARCH_DAYS = 400;
/** Maximum number of severe findings about ERP records that one check reads, to find those about the paid bills. */
const BOOK_FINDINGS_MAX = 5_000;
/** States of a credit note in an ERP in which its amount is not used up yet. */
const OPEN_STATES: ReadonlySet<BillState> = new Set(['DRAFT', 'IN_APPROVAL', 'OPEN', 'PARTIALLY_PAID']);
const DAY_MS = 86_400_000;

interface Deps {
  readonly payables: PayableStore;
  readonly runs: Pick<PaymentRunStore, 'linesOfInvoices' | 'givenLines' | 'outcomes' | 'payeeChecks'>;
  readonly suppliers: Pick<SupplierStore, 'identitiesByKeys' | 'paidSuppliers'>;
  readonly bankLinks: Pick<BankLinkStore, 'findMany'>;
  readonly findings: Pick<FindingStore, 'severeOfBills'>;
  readonly loadErpRecords: LoadErpRecords;
  readonly logger: Logger;
}

export interface LoadedLines {
  readonly facts: readonly LineFacts[];
  /**
   * Invoice numbers and other references of each payment line, in the order of the lines. They are derived from the
   * line and are not stored.
   */
  readonly references: readonly LineReferences[];
  /** Numbers of the credit notes that no payment has used yet, by supplier. */
  readonly openCredits: Readonly<Record<string, readonly string[]>>;
}

/** The payment run for whose lines the facts are loaded. */
export interface LoadedRun {
  readonly organizationId: string;
  /** Id of the payment run. The lines of this payment run do not count as earlier payments. */
  readonly runId: string;
  readonly now: Date;
  /** Invoices that people named when they released payment lines, by line id. */
  readonly namedIds: ReadonlyMap<string, readonly string[]>;
}

/** Loads for all lines of a payment run the bills that the lines may pay, and the facts about these bills. */
export type LoadLineFacts = (run: LoadedRun, lines: readonly PaymentLine[], pace: Pace) => Promise<LoadedLines>;

export const loadLineFacts =
  (deps: Deps): LoadLineFacts =>
  async (run, lines, pace) => {
    const { organizationId, namedIds } = run;
    const searches = await searchesFor(deps, organizationId, lines, pace);
    const bills: KnownBills = {
      idsByKey: new Map(),
      payables: new Map(),
      receivedCredits: new Map(),
      openCredits: new Map(),
    };
    await addBills(
      deps,
      run,
      bills,
      { keys: searches.map(({ keys }) => keys), ids: [...namedIds.values()].flat() },
      pace,
    );
    const keysOfAmounts: (readonly string[])[] = [];
    for (const [index, line] of lines.entries()) {
      const { references, keys, ...search } = searches[index] as LineSearch;
      const own = namedIds.get(line.lineId) ?? [];
      // Payments that name an invoice number find their bill by this number. Only for the other payments, bills are
      // searched for by amount, because this search needs the most keys.
      if (!namesInvoice({ line, payables: payablesOf(bills, keys, own), namedIds: own }, references)) {
        const ofAmount = amountKeys(line, search);
        keysOfAmounts.push(ofAmount);
        keys.push(...ofAmount);
      }
      await pace();
    }
    await addBills(deps, run, bills, { keys: keysOfAmounts, ids: [] }, pace);
    const accountKeys = distinct(lines.flatMap(({ creditorAccount }) => creditorAccount?.key ?? []));
    const [links, checks] = await Promise.all([
      deps.bankLinks.findMany(organizationId, accountKeys),
      deps.runs.payeeChecks(organizationId, accountKeys),
    ]);
    const facts: LineFacts[] = [];
    for (const [index, line] of lines.entries()) {
      const own = namedIds.get(line.lineId) ?? [];
      const payables = payablesOf(bills, searches[index]?.keys ?? [], own);
      const accountKey = line.creditorAccount?.key;
      const fraud = accountKey === undefined ? undefined : links.get(accountKey)?.link.fraud;
      const payeeCheck = accountKey === undefined ? undefined : checks.get(accountKey);
      const receivedCredits = distinct(payables.flatMap(({ supplierId }) => supplierId ?? [])).flatMap(
        (supplierId) => bills.receivedCredits.get(supplierId) ?? [],
      );
      facts.push({
        line,
        payables,
        ...(receivedCredits.length === 0 ? {} : { receivedCredits }),
        ...(own.length === 0 ? {} : { namedIds: own }),
        ...(fraud === undefined ? {} : { confirmedFraud: fraud }),
        ...(payeeCheck === undefined ? {} : { payeeCheck }),
      });
      await pace();
    }
    return {
      facts,
      references: searches.map(({ references }) => references),
      openCredits: Object.fromEntries([...bills.openCredits].map(([id, numbers]) => [id, [...numbers].sort()])),
    };
  };

/** The bills that payments of a payment run may pay, with facts about these bills. */
interface KnownBills {
  /** Ids of the bills and of the received invoices that they book, by lookup key. */
  readonly idsByKey: Map<string, string[]>;
  readonly payables: Map<string, Payable>;
  /** Received credit notes that no payment is known to have used, by the supplier that issued them. */
  readonly receivedCredits: Map<string, readonly ReceivedCredit[]>;
  /** Numbers of credit notes of the ERP that no payment has used, by supplier. */
  readonly openCredits: Map<string, Set<string>>;
}

/** Reads the bills with the given lookup keys or ids, and adds those that are not yet in `bills`. */
async function addBills(
  deps: Deps,
  run: LoadedRun,
  bills: KnownBills,
  { keys: keysOfLines, ids }: { readonly keys: readonly (readonly string[])[]; readonly ids: readonly string[] },
  pace: Pace,
): Promise<void> {
  const { organizationId } = run;
  const keys = new Set<string>();
  for (const some of keysOfLines) {
    for (const key of some) keys.add(key);
    await pace();
  }
  if (keys.size === 0 && ids.length === 0) return;
  const [found, named] = await Promise.all([
    deps.payables.byKeys(organizationId, [...keys]),
    deps.payables.byIds(organizationId, distinct(ids)),
  ]);
  // The decision about the received invoice counts for a payment, even if the payment shares a key only with the ERP
  // bill that books the invoice.
  const received = await deps.payables.byIds(
    organizationId,
    distinct([...found, ...named].flatMap(({ match }) => match.bookedInvoiceId ?? [])),
  );
  const records = new Map<string, PayableRecord>();
  for (const record of [...found, ...named, ...received]) {
    const { invoiceId, match } = record;
    if (records.has(invoiceId)) continue;
    records.set(invoiceId, record);
    for (const key of match.keys) {
      if (!keys.has(key)) continue;
      addTo(bills.idsByKey, key, invoiceId);
      if (match.bookedInvoiceId !== undefined) addTo(bills.idsByKey, key, match.bookedInvoiceId);
    }
    await pace();
  }
  const unknown = [...records.values()].filter(({ invoiceId }) => !bills.payables.has(invoiceId));
  if (unknown.length > 0) await enrich(deps, run, bills, unknown, pace);
}

/**
 * Returns the bills of a payment, sorted by id: the bills that have one of the keys, and the bills that a person named.
 */
function payablesOf({ idsByKey, payables }: KnownBills, keys: readonly string[], named: readonly string[]): Payable[] {
  const ids = distinct([...named, ...keys.flatMap((key) => idsByKey.get(key) ?? [])]).sort();
  return ids.flatMap((id) => payables.get(id) ?? []);
}

/** The values that are used to search for the bills that a payment line may pay. */
interface LineSearch {
  readonly references: LineReferences;
  /** Keys of the bills that the payment line names, or of the bills with its amount if the line names none. */
  readonly keys: string[];
  /** Keys of the supplier that the payment line pays. */
  readonly supplierKeys: readonly string[];
  readonly amountMinor: string;
  readonly currency: string;
}

async function searchesFor(
  { suppliers }: Deps,
  organizationId: string,
  lines: readonly PaymentLine[],
  pace: Pace,
): Promise<readonly LineSearch[]> {
  const ownKeys: (readonly string[])[] = [];
  for (const line of lines) {
    ownKeys.push(payeeKeys(line));
    await pace();
  }
  const identities = await suppliers.identitiesByKeys(organizationId, distinct(ownKeys.flat()));
  const byKey = new Map<string, KnownSupplier[]>();
  for (const identity of identities) {
    for (const key of identity.keys) addTo(byKey, key, identity);
  }
  const searches: LineSearch[] = [];
  for (const [index, line] of lines.entries()) {
    const own = ownKeys[index] ?? [];
    const supplierKeys = distinct([
      ...own,
      ...own.flatMap((key) => (byKey.get(key) ?? []).flatMap(({ keys }) => keys)),
    ]).slice(0, SUPPLIER_KEYS_MAX);
    const { amount, currency } = comparedAmount(line);
    const amountMinor = String(toMinorUnits(amount, minorUnitsOf(currency)));
    const references = referencesOf(line);
    const numbers = references.numbers.map(({ number }) => number);
    const { ksefNumbers } = references;
    const keys = paidBillKeys({ supplierKeys, numbers, ksefNumbers, amountMinor, currency });
    searches.push({ references, keys, supplierKeys, amountMinor, currency });
    await pace();
  }
  return searches;
}

/**
 * Returns the keys by which bills are found that the paid supplier issued before the payment and that have the amount
 * of the payment line.
 */
function amountKeys(
  { executionDate }: PaymentLine,
  { supplierKeys, ...amount }: Pick<LineSearch, 'supplierKeys' | 'amountMinor' | 'currency'>,
): string[] {
  if (executionDate === undefined) return [];
  const day = dayNumber(executionDate);
  return creditKeys(supplierKeys, amount, { from: day - AMOUNT_SEARCH_DAYS, to: day });
}

/**
 * Returns the keys that find the supplier that a payment line pays. They are built from the account, the tax ids and
 * the name in the line.
 */
function payeeKeys(line: PaymentLine): string[] {
  const { creditorName, creditorAccount } = line;
  const { key: nameKey, fold: nameFold } = creditorName === undefined ? { key: '' } : readName(creditorName);
  const named: Pick<Candidate, 'bankKey' | 'nameKey' | 'nameFold'> = {
    nameKey,
    ...(nameFold === undefined ? {} : { nameFold }),
    ...(creditorAccount === undefined ? {} : { bankKey: creditorAccount.key }),
  };
  const taxKeys = taxIdsOf(line).flatMap((text) => parseTaxId(text)?.body ?? []);
  return [...supplierKeysOf(named), ...taxKeys.map((taxKey) => `t:${taxKey}`)];
}

/** Adds bills of a payment run to the known bills, with facts about their suppliers, vendors and payments. */
async function enrich(
  deps: Deps,
  run: LoadedRun,
  bills: KnownBills,
  records: readonly PayableRecord[],
  pace: Pace,
): Promise<void> {
  const { organizationId } = run;
  const { payables, suppliers, findings, loadErpRecords, logger } = deps;
  const supplierIds = distinct(records.flatMap(({ match }) => match.supplierId ?? []));
  const fromDay = dayNumber(run.now.toISOString().slice(0, 10)) - RECEIVED_CREDIT_DAYS_MAX;
  const received = records.filter(({ source }) => source !== 'ERP').map(({ invoiceId }) => invoiceId);
  const [booking, notes] = await Promise.all([
    payables.billsThatBook(organizationId, received),
    payables.creditsOf(organizationId, supplierIds, fromDay),
  ]);
  const billsByInvoice = new Map(booking.flatMap((bill) => [[bill.match.bookedInvoiceId ?? '', bill] as const]));
  const erpBills = [...records.filter(({ source }) => source === 'ERP'), ...booking];
  const billIds = distinct(erpBills.map(({ invoiceId }) => invoiceId));
  const noteIds = notes.map(({ invoiceId }) => invoiceId);
  const vendorIds = distinct(erpBills.flatMap(({ erp }) => erp?.vendorId ?? []));
  const [booked, given, known, erp, severe, credits] = await Promise.all([
    payables.paymentsOf(organizationId, billIds),
    givenFor(deps, run, distinct([...records.map(({ invoiceId }) => invoiceId), ...noteIds, ...billIds])),
    suppliers.paidSuppliers(organizationId, supplierIds),
    loadErpRecords(
      organizationId,
      records.map(({ match: { poKey: _, ...part } }) => part),
    ),
    erpBills.length === 0
      ? new Map<string, readonly string[]>()
      : findings.severeOfBills(organizationId, BOOK_FINDINGS_MAX),
    payables.openCreditsOf(organizationId, vendorIds),
  ]);
  if (severe.size >= BOOK_FINDINGS_MAX) recordsLeftOut(logger, 'FINDINGS', { organizationId, number: severe.size });
  const paidBy = byInvoice(booked);
  const vendorById = new Map(erp.vendors.map((vendor) => [vendor.id, vendor]));
  const vendorsByKey = new Map<string, MasterVendorRecord[]>();
  for (const vendor of erp.vendors) {
    for (const key of vendorKeys(vendor)) addTo(vendorsByKey, key, vendor);
  }
  for (const record of records) {
    const bill = record.source === 'ERP' ? record : billsByInvoice.get(record.invoiceId);
    const vendors = new Set(
      [
        ...(bill?.erp === undefined ? [] : [vendorById.get(bill.erp.vendorId)]),
        ...supplierKeysOf({
          nameKey: record.match.nameKey,
          ...(record.match.taxKey === undefined ? {} : { taxKey: record.match.taxKey }),
        })
          .flatMap((key) => vendorsByKey.get(key) ?? [])
          .filter((vendor) => vendor.companyId === record.companyId),
      ].filter((vendor) => vendor !== undefined),
    );
    const { supplierId } = record.match;
    bills.payables.set(
      record.invoiceId,
      payableOf(record, {
        bill,
        supplier: supplierId === null ? undefined : known.get(supplierId),
        vendors: [...vendors],
        payments: bill === undefined ? [] : (paidBy.get(bill.invoiceId) ?? []),
        given: [
          ...(given.get(record.invoiceId) ?? []),
          ...(bill === undefined || bill === record ? [] : (given.get(bill.invoiceId) ?? [])),
        ],
        severe: bill === undefined ? [] : (severe.get(bill.invoiceId) ?? []),
        now: run.now,
      }),
    );
    await pace();
  }
  for (const [supplierId, received] of unusedBySupplier(notes, given)) bills.receivedCredits.set(supplierId, received);
  for (const { match } of credits) {
    if (match.supplierId === null) continue;
    const numbers = bills.openCredits.get(match.supplierId) ?? new Set();
    bills.openCredits.set(match.supplierId, numbers.add(match.invoiceNumber));
  }
}

interface KnownAbout {
  readonly bill: PayableRecord | undefined;
  readonly supplier: PaidSupplier | undefined;
  readonly vendors: readonly MasterVendorRecord[];
  readonly payments: readonly BookedPayment[];
  readonly given: readonly PaidByRun[];
  readonly severe: readonly string[];
  readonly now: Date;
}

function payableOf(record: PayableRecord, about: KnownAbout): Payable {
  const { invoiceId, companyId, source, match, verdict } = record;
  const { bill, supplier, vendors, payments, given, severe } = about;
  const { paidMinor, payments: earlier } = paidFor(paidInErp(bill, payments), given);
  const { accounts, newVendorAccounts } = accountsOf(record, about);
  const ksefNumber = source === 'KSEF' ? match.externalId : match.ksefReference?.number;
  return {
    invoiceId,
    ...(bill === undefined || bill === record ? {} : { bookedAs: bill.invoiceId }),
    invoiceNumber: match.invoiceNumber,
    number: match.number,
    source,
    status: match.status,
    receivedAtMs: match.receivedAtMs,
    companyId,
    supplierId: match.supplierId,
    supplierName: match.supplierName,
    nameKeys: distinct([
      match.nameKey,
      ...(match.nameFold === undefined ? [] : [match.nameFold]),
      ...(supplier === undefined ? [] : [supplier.nameKey, ...supplier.names]),
      ...vendors.map(({ nameKey }) => nameKey),
    ]).filter((key) => key !== ''),
    ...(match.taxKey === undefined ? {} : { taxKey: match.taxKey }),
    ...(match.taxCountry === undefined ? {} : { taxCountry: match.taxCountry }),
    currency: match.currency,
    amountMinor: match.amountMinor,
    issueDay: match.issueDay,
    ...(record.dueDate === undefined ? {} : { dueDate: record.dueDate }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(verdict !== undefined || severe.length === 0 ? {} : { openFindingIds: severe }),
    ...(ksefNumber === undefined ? {} : { ksefNumber }),
    accounts,
    ...(newVendorAccounts.length === 0 ? {} : { newVendorAccounts }),
    paidMinor: String(paidMinor),
    payments: earlier,
  };
}

function paidInErp(bill: PayableRecord | undefined, payments: readonly BookedPayment[]) {
  if (bill?.erp === undefined) return { statedMinor: undefined, payments: [] };
  const { currency, amountMinor } = bill.match;
  const stated = bill.erp.paidAmount;
  const alone = payments.filter((payment) => payment.invoiceIds.length === 1 && payment.currency === currency);
  const magnitude = BigInt(amountMinor.replace('-', ''));
  return {
    statedMinor:
      bill.erp.state === 'PAID'
        ? magnitude
        : stated === undefined
          ? undefined
          : toMinorUnits(stated.replace('-', ''), minorUnitsOf(currency)),
    payments: alone.map((payment) => ({
      id: payment.paymentId,
      amountMinor: BigInt(payment.amountMinor),
      on: payment.date,
    })),
  };
}

/**
 * Returns the bank accounts to which a bill may be paid: accounts that the bill states, accounts that long use or a
 * review has confirmed for the supplier, and accounts in the vendor master. Fraudsters ask companies to add their
 * accounts to the vendor master. If the bill states an account, an account that was added to the vendor master after
 * the first import therefore does not count. For other bills, such an account counts only if it was added long enough
 * ago.
 */
function accountsOf(
  { source, match }: PayableRecord,
  { supplier, vendors, now }: KnownAbout,
): {
  readonly accounts: readonly PayableAccount[];
  readonly newVendorAccounts: NonNullable<Payable['newVendorAccounts']>;
} {
  const accounts = new Map<string, PayableAccount>();
  const add = (account: PayableAccount): void => {
    if (!accounts.has(account.key)) accounts.set(account.key, account);
  };
  const isStated = source !== 'ERP' && match.bankKey !== undefined;
  if (isStated && match.bankKey !== undefined) {
    add({ key: match.bankKey, masked: match.bankMasked ?? '', from: 'INVOICE' });
    for (const key of match.otherBankKeys ?? []) add({ key, masked: maskedOfKey(key), from: 'INVOICE' });
  }
  for (const { key, masked, trust } of supplier?.accounts ?? []) {
    if (trust === 'SEEN' || trust === 'REVIEWED') add({ key, masked, from: 'SUPPLIER' });
  }
  const settledBefore = new Date(now.getTime() - PASSING_ACCOUNT_DAYS * DAY_MS);
  const recent: { key: string; masked: string; since: string }[] = [];
  for (const { key, masked, from, to } of vendors.flatMap(({ accountHistory }) => accountHistory)) {
    if (to !== undefined) continue;
    if (from === undefined || (!isStated && from <= settledBefore)) add({ key, masked, from: 'VENDOR' });
    else recent.push({ key, masked, since: from.toISOString().slice(0, 10) });
  }
  return { accounts: [...accounts.values()], newVendorAccounts: recent.filter(({ key }) => !accounts.has(key)) };
}

/**
 * Returns the lines of other payment runs that pay the given invoices and were given to the bank, without the lines
 * that the bank refused.
 */
async function givenFor(
  { runs }: Deps,
  { organizationId, runId }: LoadedRun,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PaidByRun[]>> {
  const lines = (await runs.linesOfInvoices(organizationId, invoiceIds)).filter((line) => line.runId !== runId);
  const runIds = distinct(lines.map((line) => line.runId));
  const given = await runs.givenLines(organizationId, runIds);
  const outcomes = new Map(
    await Promise.all(runIds.map(async (id) => [id, await runs.outcomes(organizationId, id)] as const)),
  );
  // The ids of the checks of a payment run begin with the time, so sorting them by id sorts them by time.
  const newest = new Map<string, string>();
  for (const { runId: id, position, checkId } of lines) {
    const line = `${id}|${position}`;
    if (checkId > (newest.get(line) ?? '')) newest.set(line, checkId);
  }
  const paid = new Map<string, PaidByRun[]>();
  for (const line of lines) {
    const outcome = outcomes.get(line.runId)?.get(line.position);
    const downloads = (given.get(line.runId) ?? []).filter(({ lines: bits }) => hasBit(bits, line.position));
    // If a download gave out a payment line, the line counts as a payment of the invoices that were assigned to it in
    // the check of that download. If no download gave it out but the bank reported its payment, the invoices of the
    // last check count.
    const at = downloads.find(({ checkId }) => checkId === line.checkId)?.at;
    const reportedAt =
      downloads.length === 0 && isPaid(outcome) && newest.get(`${line.runId}|${line.position}`) === line.checkId
        ? outcome?.reportedAt
        : undefined;
    const on = at ?? reportedAt;
    if (on === undefined || isRejected(outcome)) continue;
    const payment = {
      runId: line.runId,
      lineId: line.lineId,
      amountMinor: BigInt(line.amountMinor),
      on: on.toISOString().slice(0, 10),
    };
    addTo(paid, line.invoiceId, payment);
  }
  return paid;
}

function byInvoice(payments: readonly BookedPayment[]): ReadonlyMap<string, readonly BookedPayment[]> {
  const found = new Map<string, BookedPayment[]>();
  for (const payment of payments) {
    for (const id of payment.invoiceIds) addTo(found, id, payment);
  }
  return found;
}

/**
 * Returns the newest received credit notes that are not used up, by supplier. A credit note is used up if a line of a
 * payment run that was given to the bank has used it, or if its entry in the ERP is no longer open. Payments in ERPs do
 * not show this, because they name bills and no credit notes.
 */
function unusedBySupplier(
  notes: readonly PayableRecord[],
  given: ReadonlyMap<string, readonly PaidByRun[]>,
): ReadonlyMap<string, readonly ReceivedCredit[]> {
  const isUsed = ({ invoiceId, erp }: PayableRecord): boolean =>
    (given.get(invoiceId) ?? []).some(({ amountMinor }) => amountMinor !== 0n) ||
    (erp !== undefined && !OPEN_STATES.has(erp.state));
  const used = new Set(notes.filter(isUsed).map(identityOf));
  const found = new Map<string, ReceivedCredit[]>();
  for (const note of notes.toSorted(compareNotes)) {
    const { invoiceId, companyId, source, match } = note;
    const { supplierId, invoiceNumber, currency } = match;
    if (supplierId === null || source === 'ERP' || used.has(identityOf(note))) continue;
    addTo(found, supplierId, { invoiceId, invoiceNumber, supplierId, companyId, currency });
  }
  return new Map([...found].map(([id, credits]) => [id, credits.slice(-RECEIVED_CREDITS_PER_SUPPLIER_MAX)]));
}

/** Returns the key that a received credit note and its entry in the ERP share. */
function identityOf({ companyId, match: { supplierId, currency, number } }: PayableRecord): string {
  return `${companyId}|${supplierId}|${currency}|${number.o1}`;
}

function compareNotes(
  { match: left, invoiceId }: PayableRecord,
  { match: right, invoiceId: other }: PayableRecord,
): number {
  return left.issueDay - right.issueDay || compareText(invoiceId, other);
}

function vendorKeys({ nameKey, taxKey }: MasterVendorRecord): readonly string[] {
  return supplierKeysOf({ nameKey, ...(taxKey === undefined ? {} : { taxKey }) });
}

/** Adds a value to the list of values for a key in a map of payment facts. */
function addTo<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
