import { XmlElement } from 'libxml2-wasm';
import type { XmlNode } from 'libxml2-wasm';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';
import type { FieldPath, FieldReading } from '../reading.js';
import { areOneParty } from '../text/payee.js';
import { readUkAccount } from './uk-account.js';
import { readCurrency } from './currency-code.js';
import { find } from './find.js';
import { locationOf, patternOf } from './location.js';
import type { Source, Syntax } from './syntax.js';
import { negated, readAmount, readDate, readName, readReference, readTaxId, readText, sumOf } from './values.js';

export interface FieldsReading {
  readonly fields: Readonly<Partial<Record<FieldPath, FieldReading>>>;
  readonly currencyCandidates: readonly string[];
  readonly invalidIban: string | null;
  readonly payableAmount: string | null;
  readonly otherIbans?: readonly string[];
  readonly payeeName?: string;
}

interface Reader {
  readonly read: (raw: string, node: XmlNode) => { readonly value: string; readonly confidence: number } | undefined;
  /**
   * A text that cannot be read is a fault in the document. The value is not read from the next node or source instead.
   */
  readonly isStrict: boolean;
}
/** `UNREADABLE` means that the document states the value of an invoice field in a form that cannot be stored. */
type Outcome = FieldReading | 'UNREADABLE' | undefined;

/** The values of the XML invoice that were read so far. The rules for later fields may refer to earlier fields. */
interface Context {
  readonly root: XmlElement;
  readonly syntax: Syntax;
  readonly fields: Partial<Record<FieldPath, FieldReading>>;
}

/** The XPath operator that joins several paths to one expression, which selects the nodes of all these paths. */
const ALTERNATIVES = ' | ';
const RAW_LENGTH_MAX = 1_000;
/**
 * Maximum number of XML elements that state one value. An invoice format has at most 18 such elements, but a file may
 * change its namespace prefixes and thereby have more.
 */
const PLACES_MAX = 20;
/**
 * Maximum number of bank accounts of an XML invoice that are read: the format FA(3) allows 100, and 100 more of
 * factoring companies.
 */
const ACCOUNTS_MAX = 200;
/** Maximum number of amounts of an XML invoice that are examined for different currencies. */
const STATED_CURRENCIES_MAX = 5;
const CURRENCY_ATTRIBUTES_MAX = 50;

/** Reads all fields of the invoice below `root` (documents reference, section 6). */
export function readFields(root: XmlElement, syntax: Syntax): FieldsReading {
  const context: Context = { root, syntax, fields: {} };
  for (const [field, reader] of readers) store(context, field, reader);
  const currencyCandidates = storeCurrency(context);
  // The tax is chosen with the help of the stated net and gross amounts. If no gross amount is stated, it is computed
  // from the net amount and the tax.
  store(context, 'net_amount', amount);
  store(context, 'gross_amount', amount, 1);
  store(context, 'tax_amount', amount);
  store(context, 'gross_amount', amount);
  const invalidIban = storeAccount(context);
  const otherIbans = otherIbansOf(context);
  const payeeName = payeeNameOf(context);
  return {
    fields: context.fields,
    currencyCandidates,
    invalidIban,
    payableAmount: payableOf(context),
    ...(otherIbans.length === 0 ? {} : { otherIbans }),
    ...(payeeName === undefined ? {} : { payeeName }),
  };
}

function payeeNameOf(context: Context): string | undefined {
  const supplier = context.fields['supplier.name']?.value;
  for (const source of context.syntax.payee ?? []) {
    const payee = readSource(context, source, lenient(readName));
    if (payee === undefined || payee === 'UNREADABLE' || supplier === undefined) continue;
    return areOneParty(payee.value, supplier) ? undefined : payee.value;
  }
  return undefined;
}

function lenient(read: (raw: string) => string | undefined): Reader {
  return { read: certain(read), isStrict: false };
}

function certain(read: (raw: string) => string | undefined): Reader['read'] {
  return (raw) => {
    const value = read(raw);
    return value === undefined ? undefined : { value, confidence: 1 };
  };
}

const amount: Reader = { read: certain(readAmount), isStrict: true };
const date: Reader = { read: (raw, node) => readDate(raw, formatOf(node)), isStrict: true };
const readers: readonly (readonly [FieldPath, Reader])[] = [
  ['supplier.name', lenient(readName)],
  ['supplier.tax_id', lenient(readTaxId)],
  ['invoice_number', lenient(readText)],
  ['issue_date', date],
  ['due_date', date],
  ['purchase_order_ref', lenient(readReference)],
  ['buyer.name', lenient(readName)],
  ['buyer.tax_id', lenient(readTaxId)],
];

function formatOf(node: XmlNode): string | undefined {
  return node instanceof XmlElement ? node.attr('format')?.value : undefined;
}

/**
 * Reads an invoice field from its sources in the XML and stores the first value that is found.
 * @param sourcesMax number of sources to try, from the first one
 */
function store(context: Context, field: FieldPath, reader: Reader, sourcesMax = Infinity): void {
  if (context.fields[field] !== undefined) return;
  for (const source of (context.syntax.fields[field] ?? []).slice(0, sourcesMax)) {
    const outcome = readSource(context, source, reader);
    if (outcome === 'UNREADABLE') return;
    if (outcome !== undefined) {
      context.fields[field] = outcome;
      return;
    }
  }
}

function readSource(context: Context, source: Source, reader: Reader): Outcome {
  if (typeof source === 'string') return firstOf(nodesOf(context, source), reader);
  if ('join' in source) return joined(context, source, reader);
  if ('country' in source) return withCountry(context, source, reader);
  if ('series' in source) return withSeries(context, source, reader);
  if ('earliest' in source) return earliestOf(nodesOf(context, source.earliest), reader);
  if ('sum' in source) return total(context, source);
  if ('inInvoiceCurrency' in source) return taxOf(context, nodesOf(context, source.inInvoiceCurrency));
  return totalOfFields(context, source.fields);
}

/**
 * Placeholders of names and ids in an XML invoice are skipped. An amount or a date that cannot be read is not replaced
 * by a later source.
 */
function firstOf(nodes: readonly XmlNode[], { read, isStrict }: Reader): Outcome {
  for (const node of nodes) {
    const raw = node.content;
    if (raw.trim() === '') continue;
    const value = read(raw, node);
    if (value !== undefined) return fieldOf(value, raw, locationOf(node));
    if (isStrict) return 'UNREADABLE';
  }
  return undefined;
}

/** Positions in the XML are determined last, because a file may state thousands of dates. */
function earliestOf(nodes: readonly XmlNode[], { read }: Reader): Outcome {
  const readings = nodes.flatMap((node) => {
    const value = read(node.content, node);
    return value === undefined ? [] : [{ value, node }];
  });
  const [earliest] = readings.toSorted((left, right) => (left.value.value < right.value.value ? -1 : 1));
  return earliest && fieldOf(earliest.value, earliest.node.content, locationOf(earliest.node));
}

function joined(context: Context, source: { join: readonly string[]; separator: string }, reader: Reader): Outcome {
  return put(
    source.join.flatMap((path) => firstNode(context, path)),
    source.separator,
    reader,
  );
}

function withCountry(context: Context, source: { country: string; number: string }, reader: Reader): Outcome {
  const [number] = firstNode(context, source.number);
  if (number === undefined) return undefined;
  const [country] = firstNode(context, source.country);
  const repeats = country !== undefined && startsWithCountry(number.content.trim(), country.content.trim());
  return put(country === undefined || repeats ? [number] : [country, number], '', reader);
}

function withSeries(context: Context, source: { series: string; number: string }, reader: Reader): Outcome {
  const number = firstNode(context, source.number);
  return number.length === 0 ? undefined : put([...firstNode(context, source.series), ...number], '', reader);
}

function startsWithCountry(number: string, country: string): boolean {
  return number.toUpperCase().startsWith(country.toUpperCase()) && /^[0-9]/.test(number.slice(country.length));
}

function put(nodes: readonly XmlNode[], separator: string, { read }: Reader): Outcome {
  const [first] = nodes;
  if (first === undefined) return undefined;
  const raw = nodes.map((node) => node.content.trim()).join(separator);
  const value = read(raw, first);
  return value === undefined ? undefined : fieldOf(value, raw, locationsOf(nodes));
}

/** Returns the first node with text at a path in an XML invoice. */
function firstNode(context: Context, path: string): readonly XmlNode[] {
  return nodesOf(context, path)
    .filter((node) => node.content.trim() !== '')
    .slice(0, 1);
}

function total(context: Context, source: { sum: readonly string[]; minus?: readonly string[]; each?: true }): Outcome {
  const groups = source.sum.map((path) => statedNodes(context, path));
  if (source.each === true && groups.some((group) => group.length === 0)) return undefined;
  const subtracted = (source.minus ?? []).flatMap((path) => statedNodes(context, path));
  return totalOfNodes(groups.flat(), subtracted);
}

function statedNodes(context: Context, path: string): readonly XmlNode[] {
  return nodesOf(context, path).filter((node) => node.content.trim() !== '');
}

function totalOfNodes(added: readonly XmlNode[], subtracted: readonly XmlNode[] = []): Outcome {
  if (added.length === 0) return undefined;
  const terms = added.flatMap((node) => readAmount(node.content) ?? []);
  const negative = subtracted.flatMap((node) => readAmount(node.content) ?? []).map(negated);
  const isReadable = terms.length === added.length && negative.length === subtracted.length;
  const sum = isReadable ? readAmount(sumOf([...terms, ...negative])) : undefined;
  if (sum === undefined) return 'UNREADABLE';
  const raw = [added, subtracted].map((nodes) => nodes.map((node) => node.content.trim()));
  return fieldOf(
    { value: sum, confidence: 1 },
    [raw[0]?.join(' + '), ...(raw[1] ?? [])].join(' - '),
    locationsOf([...added, ...subtracted]),
  );
}

function totalOfFields(context: Context, paths: readonly FieldPath[]): Outcome {
  const terms = paths.flatMap((path) => context.fields[path] ?? []);
  if (terms.length < paths.length) return undefined;
  const value = readAmount(sumOf(terms.map((term) => term.value)));
  if (value === undefined) return 'UNREADABLE';
  const xpath = terms.map((term) => term.xpath).join(ALTERNATIVES);
  return fieldOf({ value, confidence: 1 }, terms.map((term) => term.raw).join(' + '), xpath);
}

/**
 * Returns the tax of the invoice in the currency of the invoice. Tax totals without a currency are included. Several
 * tax totals are either parts of the tax, which are added up, or repetitions of it, as in Saudi invoices. The
 * difference between the gross and the net amount shows which of the two is the case.
 */
function taxOf(context: Context, nodes: readonly XmlNode[]): Outcome {
  const currency = context.fields.currency?.value;
  const own = nodes.filter((node) => {
    const stated = node instanceof XmlElement ? node.attr('currencyID')?.value.trim().toUpperCase() : undefined;
    return stated === undefined || currency === undefined || stated === currency;
  });
  const whole = totalOfNodes(own);
  if (own.length < 2 || whole === undefined || isTaxOf(context, whole)) return whole;
  const one = own.find((node) => isTaxOf(context, { value: readAmount(node.content) ?? '' }));
  return one === undefined ? whole : totalOfNodes([one]);
}

function isTaxOf({ fields }: Context, tax: Outcome | { readonly value: string }): boolean {
  const { net_amount, gross_amount } = fields;
  if (net_amount === undefined || gross_amount === undefined) return false;
  if (tax === undefined || tax === 'UNREADABLE' || tax.value === '') return false;
  return toMicro(net_amount.value) + toMicro(tax.value) === toMicro(gross_amount.value);
}

function storeCurrency(context: Context): readonly string[] {
  const { syntax, fields } = context;
  const [node] = (syntax.fields.currency ?? []).flatMap((source) =>
    typeof source === 'string' ? firstNode(context, source) : [],
  );
  const read = readCurrency(node?.content, fields.issue_date?.value, () => statedCurrencies(context));
  if ('candidates' in read) return read.candidates;
  if (node !== undefined) {
    fields.currency = fieldOf({ value: read.code, confidence: 1 }, node.content, locationOf(node));
  }
  return [];
}

function statedCurrencies(context: Context): readonly string[] {
  const stated = nodesOf(context, './/@currencyID').slice(0, CURRENCY_ATTRIBUTES_MAX);
  return [...new Set(stated.map((attribute) => attribute.content))].slice(0, STATED_CURRENCIES_MAX);
}

/**
 * Returns the first IBAN or, if there is none, a UK bank account. Also returns a text that looks like an IBAN but is
 * invalid.
 */
function storeAccount(context: Context): string | null {
  let invalidIban: string | null = null;
  const paths = (context.syntax.fields['supplier.bank_account.iban'] ?? []).filter((path) => typeof path === 'string');
  for (const node of paths.flatMap((path) => nodesOf(context, path))) {
    const raw = node.content;
    const account = readPrintedIban(raw);
    if (account.kind === 'IBAN') {
      const reading = fieldOf({ value: account.iban, confidence: 1 }, raw, locationOf(node));
      context.fields['supplier.bank_account.iban'] = reading;
      return null;
    }
    if (account.kind === 'INVALID_IBAN') invalidIban ??= raw.trim();
  }
  if (invalidIban === null) storeUkAccount(context);
  return invalidIban;
}

/** The bank accounts in the XML other than the supplier's account, each once. */
function otherIbansOf(context: Context): string[] {
  const known = context.fields['supplier.bank_account.iban']?.value;
  const nodes = (context.syntax.accounts ?? []).flatMap((path) => nodesOf(context, path));
  const ibans = nodes.slice(0, ACCOUNTS_MAX).flatMap(({ content }) => {
    const account = readPrintedIban(content);
    return account.kind === 'IBAN' && account.iban !== known ? [account.iban] : [];
  });
  return [...new Set(ibans)];
}

function storeUkAccount(context: Context): void {
  const { ukAccount, namespaces } = context.syntax;
  if (ukAccount === undefined || !isBritish(context, ukAccount.country)) return;
  for (const means of nodesOf(context, ukAccount.accounts)) {
    const [sortCode] = find(means, ukAccount.sortCode, namespaces);
    const [number] = find(means, ukAccount.accountNumber, namespaces);
    if (sortCode === undefined || number === undefined) continue;
    const account = readUkAccount(sortCode.content, number.content);
    if (account === undefined) continue;
    context.fields['supplier.bank_account.sort_code'] = fieldOf(
      { value: account.sortCode, confidence: 1 },
      sortCode.content,
      locationOf(sortCode),
    );
    context.fields['supplier.bank_account.account_number'] = fieldOf(
      { value: account.accountNumber, confidence: 1 },
      number.content,
      locationOf(number),
    );
    return;
  }
}

/**
 * Checks whether a bank account is British. Outside the United Kingdom, six digits next to an account number are not a
 * sort code.
 */
function isBritish(context: Context, countryPath: string): boolean {
  const [country] = firstNode(context, countryPath);
  return (country?.content.trim().toUpperCase() ?? context.fields.currency?.value.slice(0, 2)) === 'GB';
}

/** Amount to be paid for the XML invoice. Null if it equals the gross amount or is not stated. */
function payableOf(context: Context): string | null {
  for (const source of context.syntax.payable) {
    const payable = readSource(context, source, amount);
    if (payable === undefined || payable === 'UNREADABLE') continue;
    const gross = context.fields.gross_amount?.value;
    return gross !== undefined && toMicro(gross) === toMicro(payable.value) ? null : payable.value;
  }
  return null;
}

function fieldOf(
  { value, confidence }: { readonly value: string; readonly confidence: number },
  raw: string,
  xpath: string,
): FieldReading {
  return { value, raw: raw.trim().slice(0, RAW_LENGTH_MAX), page: null, box: null, confidence, method: 'XML', xpath };
}

/**
 * Returns the locations of XML nodes as a text. Nodes that differ only in their positions share one path without
 * positions.
 */
function locationsOf(nodes: readonly XmlNode[]): string {
  const byPattern = new Map<string, XmlNode[]>();
  for (const node of nodes) {
    const pattern = patternOf(node);
    const alike = byPattern.get(pattern);
    if (alike === undefined) byPattern.set(pattern, [node]);
    else alike.push(node);
  }
  const [...groups] = byPattern;
  return groups
    .slice(0, PLACES_MAX)
    .map(([pattern, alike]) => (alike.length === 1 ? alike.map(locationOf).join('') : pattern))
    .join(ALTERNATIVES);
}

function nodesOf({ root, syntax }: Context, path: string): readonly XmlNode[] {
  return find(root, path, syntax.namespaces);
}
