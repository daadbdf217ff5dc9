import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { bankAccountOf } from './bank-account-of.js';
import { MAX_PAYMENT_TRANSACTIONS, paymentFileVersions } from './payment-file.js';
import type {
  ByteRange,
  HeaderLayout,
  PaidDocument,
  PaymentBlock,
  PaymentFile,
  PaymentTransaction,
} from './payment-file.js';
import { refusal } from './payment-file-refused.js';
import {
  readAccount,
  readControlSum,
  readCount,
  readDay,
  readIdentifier,
  readMoney,
  readTaxIds,
} from './payment-values.js';
import type { Money } from './payment-values.js';
import { child, childrenOf, descendant, placeOf, readElements, textAt, textOf } from './xml-elements.js';
import type { XmlElement } from './xml-elements.js';
import { versionOf } from './xml-version.js';

const BLOCK = 'PmtInf';
const TRANSACTION = 'CdtTrfTxInf';
/**
 * Elements of a payment file that contain accounts other than those of debtor and creditor. Only the IBANs of these
 * accounts are checked.
 */
const OTHER_ACCOUNTS = [
  'ChrgsAcct',
  'DbtrAgtAcct',
  'CdtrAgtAcct',
  'IntrmyAgt1Acct',
  'IntrmyAgt2Acct',
  'IntrmyAgt3Acct',
];

/** A transaction of a payment file, with the values that can be read before its block has ended. */
type OpenTransaction = Omit<PaymentTransaction, 'creditorBankAccount' | 'paymentMethod'> & {
  readonly agent: { readonly bic?: string; readonly clearing?: string; readonly memberId?: string };
};

/** The transactions and sums of the part of a payment file that was read so far. */
interface Progress {
  readonly blocks: PaymentBlock[];
  readonly transactions: PaymentTransaction[];
  readonly blockLayouts: { readonly element: ByteRange; readonly header: HeaderLayout }[];
  readonly transactionLayouts: ByteRange[];
  readonly blockIds: Set<string>;
  readonly instructionIds: Set<string>;
  /** Transactions that were read so far from the current block of the payment file. */
  open: OpenTransaction[];
  totalMicro: bigint;
}

/** Reads a payment run in pain.001. Throws a PaymentFileRefused with the place in the file that must be changed. */
export function readPaymentFile(bytes: Uint8Array): PaymentFile {
  const progress: Progress = {
    blocks: [],
    transactions: [],
    blockLayouts: [],
    transactionLayouts: [],
    blockIds: new Set(),
    instructionIds: new Set(),
    open: [],
    totalMicro: 0n,
  };
  let version = '';
  const { root, encoding } = readElements(bytes, {
    checkRoot(name, namespace) {
      version = versionOf(name, namespace, paymentFileVersions);
    },
    repeated: new Set([BLOCK, TRANSACTION]),
    onRepeated(element) {
      if (element.name === BLOCK) readBlock(element, progress);
      else readTransaction(element, progress);
    },
  });
  const initiation = child(root, 'CstmrCdtTrfInitn');
  if (initiation === undefined) {
    throw refusal('', 'The payment file has no CstmrCdtTrfInitn. Send a credit transfer initiation (pain.001).');
  }
  const header = requireChild(initiation, 'GrpHdr');
  const messageId = requireIdentifier(header, 'MsgId');
  const createdAt = textAt(header, 'CreDtTm');
  if (progress.blocks.length === 0) {
    throw refusal(
      placeOf(initiation),
      'The payment file has no payments (PmtInf). Send a file with at least one payment.',
    );
  }
  checkTotals(header, 'group header', progress.transactions.length, progress.totalMicro);
  return {
    version,
    messageId,
    ...(createdAt !== undefined && { createdAt }),
    transactionCount: progress.transactions.length,
    blocks: progress.blocks,
    transactions: progress.transactions,
    layout: {
      byteCount: bytes.length,
      encoding,
      header: layoutOf(header, 'MsgId'),
      blocks: progress.blockLayouts,
      transactions: progress.transactionLayouts,
    },
  };
}

function readTransaction(element: XmlElement, progress: Progress): void {
  requireParent(element, BLOCK);
  const position = progress.transactionLayouts.length + 1;
  if (position > MAX_PAYMENT_TRANSACTIONS) {
    throw refusal(
      placeOf(element),
      `The payment file has more than ${MAX_PAYMENT_TRANSACTIONS} transactions. Divide the payments into several files.`,
    );
  }
  progress.transactionLayouts.push({ start: element.start, end: element.end });
  const instructionId = readIdentifier(element, 'PmtId', 'InstrId');
  if (instructionId !== undefined && progress.instructionIds.has(instructionId)) {
    throw refusal(
      placeOf(descendant(element, 'PmtId', 'InstrId') ?? element),
      'InstrId is the same as in an earlier transaction of the payment file. Give each transaction its own InstrId.',
    );
  }
  if (instructionId !== undefined) progress.instructionIds.add(instructionId);
  const endToEndId = readIdentifier(element, 'PmtId', 'EndToEndId');
  const creditor = child(element, 'Cdtr');
  const creditorName = textAt(creditor, 'Nm');
  const creditorAccount = readAccount(child(element, 'CdtrAcct'));
  const institution = descendant(element, 'CdtrAgt', 'FinInstnId');
  const creditorBic = textAt(institution, 'BICFI') ?? textAt(institution, 'BIC');
  const system = child(institution, 'ClrSysMmbId');
  const clearing = textAt(system, 'ClrSysId', 'Cd') ?? textAt(system, 'ClrSysId', 'Prtry');
  const memberId = textAt(system, 'MmbId');
  const creditorCountry = textAt(creditor, 'PstlAdr', 'Ctry') ?? textAt(creditor, 'CtryOfRes');
  const taxId = textAt(element, 'Tax', 'Cdtr', 'TaxId');
  const structured = childrenOf(child(element, 'RmtInf'), 'Strd');
  const creditorReferences = structured.flatMap((one) => textAt(one, 'CdtrRefInf', 'Ref') ?? []);
  const [creditorReference] = creditorReferences;
  const proxy = textAt(element, 'CdtrAcct', 'Prxy', 'Id');
  checkOtherAccounts(element);
  progress.open.push({
    lineId: `${progress.blocks.length + 1}.${element.number}`,
    position,
    block: progress.blocks.length,
    ...readAmount(element),
    creditorTaxIds: [...new Set([...readTaxIds(creditor), ...(taxId === undefined ? [] : [taxId])])],
    remittance: readTexts(element, structured),
    documents: structured.flatMap(readDocuments),
    creditorReferences,
    agent: {
      ...(creditorBic !== undefined && { bic: creditorBic }),
      ...(clearing !== undefined && { clearing }),
      ...(memberId !== undefined && { memberId }),
    },
    ...(endToEndId !== undefined && { endToEndId }),
    ...(instructionId !== undefined && { instructionId }),
    ...(creditorName !== undefined && { creditorName }),
    ...(creditorAccount !== undefined && { creditorAccount }),
    ...(creditorBic !== undefined && { creditorBic }),
    ...(creditorCountry !== undefined && { creditorCountry }),
    ...(creditorReference !== undefined && { creditorReference }),
    ...(proxy !== undefined && { proxy }),
  });
}

function readBlock(element: XmlElement, progress: Progress): void {
  requireParent(element, 'CstmrCdtTrfInitn');
  const place = placeOf(element);
  const paymentInformationId = requireIdentifier(element, 'PmtInfId');
  if (progress.blockIds.has(paymentInformationId)) {
    throw refusal(
      `${place}/PmtInfId`,
      'PmtInfId is the same as in an earlier block of the payment file. Give each block its own PmtInfId.',
    );
  }
  progress.blockIds.add(paymentInformationId);
  const { open } = progress;
  if (open.length === 0)
    throw refusal(place, 'The block of the payment file has no payments (CdtTrfTxInf). Remove the block.');
  const sum = open.reduce((total, { amount }) => total + toMicro(amount), 0n);
  checkTotals(element, `block ${element.number} (PmtInf)`, open.length, sum);
  const executionDate = readDay(child(element, 'ReqdExctnDt'));
  const debtor = child(element, 'Dbtr');
  const debtorName = textAt(debtor, 'Nm');
  const debtorAccount = readAccount(child(element, 'DbtrAcct'));
  const booking = textAt(element, 'BtchBookg');
  const paymentMethod = textAt(element, 'PmtMtd');
  checkOtherAccounts(element);
  progress.blocks.push({
    paymentInformationId,
    debtorTaxIds: readTaxIds(debtor),
    ...(executionDate !== undefined && { executionDate }),
    ...(debtorName !== undefined && { debtorName }),
    ...(debtorAccount !== undefined && { debtorAccount }),
    ...(booking !== undefined && { batchBooking: booking === 'true' || booking === '1' }),
  });
  progress.blockLayouts.push({
    element: { start: element.start, end: element.end },
    header: layoutOf(element, 'PmtInfId'),
  });
  const debtorCountry = debtorAccount?.iban?.slice(0, 2);
  for (const { agent, ...transaction } of open) {
    const bankAccount = bankAccountOf(transaction.creditorAccount, {
      ...agent,
      countries: [transaction.creditorCountry, debtorCountry].filter((one) => one !== undefined),
    });
    progress.transactions.push({
      ...transaction,
      ...(bankAccount !== undefined && { creditorBankAccount: bankAccount }),
      ...(paymentMethod !== undefined && { paymentMethod }),
    });
  }
  progress.totalMicro += sum;
  progress.open = [];
}

/**
 * Compares the number of transactions and the sum with the values in a header of the payment file, if the header states
 * them.
 */
function checkTotals(parent: XmlElement, level: string, count: number, sumMicro: bigint): void {
  const countElement = child(parent, 'NbOfTxs');
  if (countElement !== undefined && readCount(countElement) !== count) {
    const stated = readCount(countElement);
    throw refusal(
      placeOf(countElement),
      `NbOfTxs of the ${level} is ${stated}, but it has ${count === 1 ? '1 transaction' : `${count} transactions`}. Export the file again.`,
    );
  }
  const sumElement = child(parent, 'CtrlSum');
  if (sumElement !== undefined && readControlSum(sumElement) !== sumMicro) {
    const stated = microToDecimal(readControlSum(sumElement));
    throw refusal(
      placeOf(sumElement),
      `CtrlSum of the ${level} is ${stated}, but its amounts add up to ${microToDecimal(sumMicro)}. Export the file again.`,
    );
  }
}

function readAmount(
  transaction: XmlElement,
): Money & { readonly equivalent?: Money; readonly transferCurrency?: string } {
  const amount = requireChild(transaction, 'Amt');
  const instructed = child(amount, 'InstdAmt');
  const equivalent = child(amount, 'EqvtAmt');
  if (instructed !== undefined && equivalent === undefined) return readMoney(instructed);
  if (instructed !== undefined || equivalent === undefined) {
    throw refusal(placeOf(amount), 'Amt must contain exactly one amount. State either InstdAmt or EqvtAmt.');
  }
  const money = readMoney(requireChild(equivalent, 'Amt'));
  const transferCurrency = textAt(equivalent, 'CcyOfTrf');
  return { ...money, equivalent: money, ...(transferCurrency !== undefined && { transferCurrency }) };
}

function readTexts(transaction: XmlElement, structured: readonly XmlElement[]): readonly string[] {
  return [
    ...childrenOf(child(transaction, 'RmtInf'), 'Ustrd'),
    ...structured.flatMap((one) => childrenOf(one, 'AddtlRmtInf')),
  ].flatMap((text) => textOf(text) ?? []);
}

/**
 * Reads the documents that one part of a payment's remittance information names. If the part names a single document,
 * the amount of the part is the amount of that document.
 */
function readDocuments(structured: XmlElement): readonly PaidDocument[] {
  const documents = childrenOf(structured, 'RfrdDocInf');
  const amounts = child(structured, 'RfrdDocAmt');
  const amount = ['RmtdAmt', 'DuePyblAmt', 'CdtNoteAmt'].flatMap((name) => child(amounts, name) ?? [])[0];
  const money = amount !== undefined && documents.length === 1 ? readMoney(amount) : undefined;
  return documents.map((document) => {
    const number = textAt(document, 'Nb');
    const kind = descendant(document, 'Tp', 'CdOrPrtry');
    const type = textAt(kind, 'Cd') ?? textAt(kind, 'Prtry');
    const date = readDay(child(document, 'RltdDt'));
    return {
      ...(number !== undefined && { number }),
      ...(type !== undefined && { type }),
      ...(date !== undefined && { date }),
      ...money,
    };
  });
}

function checkOtherAccounts(element: XmlElement): void {
  for (const name of OTHER_ACCOUNTS) readAccount(child(element, name));
}

function layoutOf(parent: XmlElement, idName: string): HeaderLayout {
  const id = requireChild(parent, idName);
  const count = child(parent, 'NbOfTxs');
  const sum = child(parent, 'CtrlSum');
  return {
    id: contentOf(id),
    ...(count !== undefined && { count: contentOf(count) }),
    ...(sum !== undefined && { sum: contentOf(sum) }),
  };
}

function contentOf({ contentStart, contentEnd }: XmlElement): ByteRange {
  return { start: contentStart, end: contentEnd };
}

/**
 * Refuses a transaction outside a block of the payment file, and a block inside a block, because it would not be part
 * of the sums.
 */
function requireParent(element: XmlElement, name: string): void {
  if (element.parent?.name === name) return;
  throw refusal(placeOf(element), `${element.name} is not inside ${name}. Export the payment file again.`);
}

function requireChild(parent: XmlElement, name: string): XmlElement {
  const found = child(parent, name);
  if (found === undefined) throw refusal(placeOf(parent), `The element ${name} is missing. Add the element.`);
  return found;
}

function requireIdentifier(parent: XmlElement, name: string): string {
  const text = readIdentifier(requireChild(parent, name));
  if (text === undefined) throw refusal(`${placeOf(parent)}/${name}`, `The element ${name} is empty. State its value.`);
  return text;
}
