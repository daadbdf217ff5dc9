/** Marks of the history of a PDF in its bytes. Their meaning is not followed here: see `compare-revisions.ts`. */
export interface RevisionMarks {
  /** Offsets at which revisions end: the file up to there is a document of its own. The last is the length of the file. */
  readonly ends: readonly number[];
  /** Ranges that a signature states to cover: start, length, start, length. */
  readonly byteRanges: readonly ByteRange[];
  /** False where the file has more marks than are looked at. */
  readonly isComplete: boolean;
}

export type ByteRange = readonly [start: number, length: number, second: number, rest: number];

/** More than any document has; each costs a look at the bytes before it. */
const STREAMS_MAX = 100_000;
const ENDS_MAX = 1_000;
const BYTE_RANGES_MAX = 30;
/** Places that name a range, valid or not. */
const BYTE_RANGE_NAMES_MAX = 10_000;
/** The dictionary before a stream, as far as its length is looked for. */
const DICTIONARY_BYTES_MAX = 2_048;
/** Maximum number of bytes between `startxref` and `%%EOF`. */
const TRAILER_BYTES_MAX = 64;
const BYTE_RANGE_BYTES_MAX = 200;

/** Maximum number of entries of tables of references in which freed objects are searched. */
const ENTRIES_MAX = 200_000;
/** An entry has 20. */
const LINE_BYTES_MAX = 64;

/** Finds the ends of revisions and the ranges of signatures; never throws, and looks at each byte a bounded number of times. */
export function findRevisions(bytes: Uint8Array): RevisionMarks {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { marks, isComplete } = findEndMarks(file);
  const ends = marks.flatMap((at) => endOfRevision(file, at) ?? []);
  const last = ends.at(-1);
  // Readers do without the mark at the end of the last revision.
  if (last !== undefined && isBlank(file, last)) ends.pop();
  const ranges = findByteRanges(file);
  return {
    ends: [...ends, file.length],
    byteRanges: ranges.found,
    isComplete: isComplete && ranges.isComplete,
  };
}

/** Tells whether nothing but white space and zeros, which transport adds, is left of the file. */
export function isBlank(file: Uint8Array, from: number): boolean {
  for (let at = from; at < file.length; at += 1) if ((file[at] ?? 0) > 32) return false;
  return true;
}

/** Places of `%%EOF` outside of streams: an attached PDF has its own. */
function findEndMarks(file: Buffer): { readonly marks: readonly number[]; readonly isComplete: boolean } {
  const marks: number[] = [];
  let streams = 0;
  let stream = file.indexOf('stream');
  for (let at = file.indexOf('%%EOF'); at >= 0; at = file.indexOf('%%EOF', at)) {
    while (stream >= 0 && stream < at) {
      const end = endOfStream(file, stream);
      if ((streams += 1) > STREAMS_MAX) return { marks, isComplete: false };
      if (end > at) at = file.indexOf('%%EOF', end);
      if (at < 0) return { marks, isComplete: true };
      stream = file.indexOf('stream', end);
    }
    marks.push(at);
    if (marks.length > ENDS_MAX) return { marks, isComplete: false };
    at += 5;
  }
  return { marks, isComplete: true };
}

/** Behind the stream that begins there, by its length where the dictionary states it; behind the word where none begins. */
function endOfStream(file: Buffer, keyword: number): number {
  const before = file
    .subarray(Math.max(0, keyword - DICTIONARY_BYTES_MAX), keyword)
    .toString('latin1')
    .trimEnd();
  const begin = keyword + 6 + (file[keyword + 6] === 13 ? 2 : 1);
  if (!before.endsWith('>>')) return keyword + 6;
  const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
  const length = Number(/\/Length (\d{1,10})(?! \d+ R)\b/.exec(dictionary.replace(/\s+/g, ' '))?.[1] ?? NaN);
  if (
    file
      .subarray(begin + length, begin + length + 11)
      .toString('latin1')
      .trimStart()
      .startsWith('endstream')
  ) {
    return begin + length;
  }
  const end = file.indexOf('endstream', begin);
  return end < 0 ? file.length : end + 9;
}

/**
 * The end of the revision that an end mark closes, with its end of line; undefined where none does: the first part of a linearised
 * file points to nothing before it.
 */
function endOfRevision(file: Buffer, mark: number): number | undefined {
  const before = file
    .subarray(Math.max(0, mark - TRAILER_BYTES_MAX), mark)
    .toString('latin1')
    .trimEnd();
  const start = before.lastIndexOf('startxref');
  if (start >= 0 && Number(before.slice(start + 9)) === 0) return undefined;
  if (start < 0 && !before.endsWith('>>')) return undefined;
  let end = mark + 5;
  if (file[end] === 13) end += 1;
  if (file[end] === 10) end += 1;
  return end;
}

function findByteRanges(file: Buffer): { readonly found: readonly ByteRange[]; readonly isComplete: boolean } {
  const found: ByteRange[] = [];
  let names = 0;
  for (let at = file.indexOf('/ByteRange'); at >= 0; at = file.indexOf('/ByteRange', at + 10)) {
    if ((names += 1) > BYTE_RANGE_NAMES_MAX) return { found, isComplete: false };
    const text = file.subarray(at + 10, at + 10 + BYTE_RANGE_BYTES_MAX).toString('latin1');
    const [open, close] = [text.indexOf('['), text.indexOf(']')];
    if (open < 0 || close < open || text.slice(0, open).trim() !== '') continue;
    const [start = NaN, length = NaN, second = NaN, rest = NaN, ...more] = text
      .slice(open + 1, close)
      .trim()
      .split(/\s+/)
      .map(Number);
    const isRange = [start, length, second, rest].every((number) => Number.isSafeInteger(number) && number >= 0);
    if (!isRange || more.length > 0 || second < start + length || second + rest > file.length || rest === 0) continue;
    if (found.length === BYTE_RANGES_MAX) return { found, isComplete: false };
    found.push([start, length, second, rest]);
  }
  return { found, isComplete: true };
}

/**
 * Numbers of the objects that tables of references behind `from` free. PDFium goes on reading them; other readers, and PDFium where
 * the table is a stream, do not.
 */
export function findFreedObjects(bytes: Uint8Array, from: number): ReadonlySet<number> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const freed = new Set<number>();
  let entries = 0;
  for (let at = file.indexOf('xref', from); at >= 0 && entries < ENTRIES_MAX; at = file.indexOf('xref', at + 4)) {
    // This one belongs to `startxref`.
    if (file[at - 1] === 't'.charCodeAt(0)) continue;
    const lines = linesOf(file, at + 4);
    for (const line of lines) {
      const [first = NaN, count = NaN, ...more] = line.trim().split(/\s+/, 3).map(Number);
      if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || more.length > 0) break;
      for (let index = 0; index < count && entries < ENTRIES_MAX; index += 1) {
        const { value, done } = lines.next();
        if (done === true) break;
        entries += 1;
        if (value.trimEnd().endsWith(' f')) freed.add(first + index);
      }
    }
  }
  return freed;
}

/** The number of the object that a place of the file lies in; undefined where it lies in none. */
export function objectAt(bytes: Uint8Array, place: number): number | undefined {
  const from = Math.max(0, place - DICTIONARY_BYTES_MAX);
  const before = Buffer.from(bytes.buffer, bytes.byteOffset + from, place - from).toString('latin1');
  const [generation, number] = before
    .slice(0, Math.max(0, before.lastIndexOf('obj')))
    .trimEnd()
    .split(/\s+/)
    .reverse();
  return /^\d+$/.test(generation ?? '') && /^\d+$/.test(number ?? '') ? Number(number) : undefined;
}

/** Lines of text from a place on, each of them short. */
function* linesOf(file: Buffer, from: number): Generator<string, undefined> {
  let at = from;
  while (at < file.length) {
    while (isEndOfLine(file[at])) at += 1;
    let end = at;
    while (end < file.length && end - at < LINE_BYTES_MAX && !isEndOfLine(file[end])) end += 1;
    yield file.subarray(at, end).toString('latin1');
    at = end + 1;
  }
  return undefined;
}

function isEndOfLine(byte: number | undefined): boolean {
  return byte === 10 || byte === 13;
}
