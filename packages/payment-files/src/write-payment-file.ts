import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { Encoding } from './encoding.js';
import { identifiersOfPart } from './identifiers-of-part.js';
import type { ByteRange, HeaderLayout, PaymentFile, PaymentTransaction } from './payment-file.js';
import { isSpace } from './xml-elements.js';

/** A range of bytes in a payment file, with the text that replaces these bytes. */
interface Edit extends ByteRange {
  readonly text: string;
}

interface Total {
  readonly count: number;
  readonly sumMicro: bigint;
}

/** The identifier, the count and the sum in the header of a payment file. */
interface Header extends Total {
  readonly id: string;
}

const NOTHING: Total = { count: 0, sumMicro: 0n };

/**
 * Returns a payment file with only some of its transactions. Blocks that become empty are removed, together with the
 * white space before them. NbOfTxs and CtrlSum are corrected where they are stated. All other bytes stay the same.
 * @param bytes the bytes that `file` was read from
 * @param kept line ids of the transactions that stay, at least one
 * @param part number of the returned file if the payments of one run are written to several files, starting with 1.
 *   From the second file on, the identifiers end in `-2`, `-3` ({@link identifiersOfPart}).
 */
export function writePaymentFile(
  bytes: Uint8Array,
  file: PaymentFile,
  kept: ReadonlySet<string>,
  part: number,
): Uint8Array {
  const { layout, transactions } = file;
  if (bytes.length !== layout.byteCount)
    throw new RangeError('The payment file cannot be written, because its bytes have changed since it was read.');
  const stays = transactions.map(({ lineId }) => kept.has(lineId));
  const staying = transactions.filter((_, index) => stays[index]);
  if (staying.length === 0) throw new RangeError('A payment file must have at least one transaction.');
  if (staying.length !== kept.size)
    throw new RangeError('The new payment file was requested with transactions that the original file does not have.');
  const source: Source = { bytes, encoding: layout.encoding };
  const identifiers = identifiersOfPart(file, part);
  const before = totalsOf(layout.blocks.length, transactions);
  const after = totalsOf(layout.blocks.length, staying);

  const edits = editHeader(
    source,
    layout.header,
    { id: file.messageId, ...sumOf(before) },
    { id: identifiers.messageId, ...sumOf(after) },
  );
  layout.blocks.forEach(({ element, header }, index) => {
    const total = after[index] ?? NOTHING;
    if (total.count === 0) {
      edits.push(removal(source, element));
      return;
    }
    const id = file.blocks[index]?.paymentInformationId ?? '';
    const newId = identifiers.paymentInformationIds[index] ?? id;
    edits.push(...editHeader(source, header, { id, ...(before[index] ?? NOTHING) }, { id: newId, ...total }));
  });
  layout.transactions.forEach((element, index) => {
    const isInRemovedBlock = after[transactions[index]?.block ?? 0]?.count === 0;
    if (stays[index] !== true && !isInRemovedBlock) edits.push(removal(source, element));
  });
  return apply(source, edits);
}

interface Source {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

/** Returns the number and the sum of the transactions of each block of a payment file. */
function totalsOf(blockCount: number, transactions: readonly PaymentTransaction[]): readonly Total[] {
  const totals = Array.from({ length: blockCount }, () => ({ ...NOTHING }));
  for (const { block, amount } of transactions) {
    const total = totals[block];
    if (total === undefined) continue;
    total.count += 1;
    total.sumMicro += toMicro(amount);
  }
  return totals;
}

function sumOf(totals: readonly Total[]): Total {
  return totals.reduce(
    (all, { count, sumMicro }) => ({ count: all.count + count, sumMicro: all.sumMicro + sumMicro }),
    NOTHING,
  );
}

function editHeader(source: Source, layout: HeaderLayout, before: Header, after: Header): Edit[] {
  const { id, count, sum } = layout;
  return [
    ...(after.id === before.id ? [] : [replaceId(source, id, before.id, after.id)]),
    ...(count === undefined || after.count === before.count
      ? []
      : [{ ...withoutSpace(source, count), text: String(after.count) }]),
    ...(sum === undefined || after.sumMicro === before.sumMicro ? [] : [replaceSum(source, sum, after.sumMicro)]),
  ];
}

/** Writes a control sum of a payment file with as many decimals as the file has, and more if the amounts need them. */
function replaceSum(source: Source, range: ByteRange, sumMicro: bigint): Edit {
  const place = withoutSpace(source, range);
  const decimals = /^[+0-9]*\.([0-9]+)$/.exec(asciiOf(source, place))?.[1]?.length ?? 0;
  const [integer = '', fraction = ''] = microToDecimal(sumMicro).split('.');
  const padded = fraction.padEnd(decimals, '0');
  return { ...place, text: padded === '' ? integer : `${integer}.${padded}` };
}

/**
 * Replaces an identifier in a payment file. The leading characters that the old and the new identifier share keep their
 * bytes, unless the old identifier contains character references or comments.
 */
function replaceId(source: Source, range: ByteRange, before: string, id: string): Edit {
  const place = withoutSpace(source, range);
  const isPlain = byteCountOf(before, source.encoding) === place.end - place.start;
  if (!isPlain) return { ...place, text: escaped(id) };
  let kept = 0;
  while (kept < before.length && before[kept] === id[kept]) kept += 1;
  const start = place.start + byteCountOf(before.slice(0, kept), source.encoding);
  return { start, end: place.end, text: escaped(id.slice(kept)) };
}

/** Returns the change that removes an element of a payment file, together with the white space before the element. */
function removal({ bytes }: Source, { start, end }: ByteRange): Edit {
  let from = start;
  while (from > 0 && isSpace(bytes[from - 1])) from -= 1;
  return { start: from, end, text: '' };
}

function withoutSpace({ bytes }: Source, { start, end }: ByteRange): ByteRange {
  let [from, to] = [start, end];
  while (from < to && isSpace(bytes[from])) from += 1;
  while (to > from && isSpace(bytes[to - 1])) to -= 1;
  return { start: from, end: to };
}

/**
 * Returns bytes of a payment file as text. Only its ASCII characters are correct: every other character is replaced by
 * one or more characters outside ASCII.
 */
function asciiOf({ bytes }: Source, { start, end }: ByteRange): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function byteCountOf(text: string, encoding: Encoding): number {
  return encoding === 'UTF-8' ? Buffer.byteLength(text) : text.length;
}

function escaped(text: string): string {
  return text
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/[^\u0020-\u007e]/gu, (character) => `&#${character.codePointAt(0)};`);
}

function apply({ bytes }: Source, edits: Edit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, text } of edits.toSorted((left, right) => left.start - right.start)) {
    parts.push(bytes.subarray(from, start), Buffer.from(text, 'latin1'));
    from = end;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}
