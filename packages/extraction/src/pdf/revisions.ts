/** Marks in the bytes of a PDF that show its history. `compare-revisions.ts` interprets them. */
export interface RevisionMarks {
  /**
   * Offsets at which the revisions of a PDF end. The file up to such an offset is a separate document. The last offset
   * is the length of the file.
   */
  readonly ends: readonly number[];
  /** Byte ranges of the PDF that signatures claim to cover: start, length, start, length. */
  readonly byteRanges: readonly ByteRange[];
  /** False if the PDF has more revision marks than are examined at most. */
  readonly isComplete: boolean;
}

export type ByteRange = readonly [start: number, length: number, second: number, rest: number];

/**
 * Maximum number of streams in a PDF that are examined, which limits the work, because the bytes before each stream are
 * examined. No ordinary document has more streams.
 */
const STREAMS_MAX = 100_000;
const ENDS_MAX = 1_000;
const BYTE_RANGES_MAX = 30;
/** Maximum number of places in a PDF that name a signed byte range, valid or not. */
const BYTE_RANGE_NAMES_MAX = 10_000;
/** Number of bytes before a PDF stream in which the dictionary with the length of the stream is searched for. */
const DICTIONARY_BYTES_MAX = 2_048;
/** Maximum number of bytes in the trailer of a PDF between `startxref` and `%%EOF`. */
const TRAILER_BYTES_MAX = 64;
const BYTE_RANGE_BYTES_MAX = 200;

/** Maximum number of entries in cross-reference tables of a PDF that are searched for freed objects. */
const ENTRIES_MAX = 200_000;
/** Maximum length of a line in the cross-reference table of a PDF. An entry of the table has 20 bytes. */
const LINE_BYTES_MAX = 64;

/**
 * Finds the ends of the revisions of a PDF and the byte ranges of its signatures. It never throws, and examines each
 * byte a limited number of times.
 */
export function findRevisions(bytes: Uint8Array): RevisionMarks {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { marks, isComplete } = findEndMarks(file);
  const ends = marks.flatMap((at) => endOfRevision(file, at) ?? []);
  const last = ends.at(-1);
  // The end mark of the last revision may be missing, because PDF readers do not require it.
  if (last !== undefined && isBlank(file, last)) ends.pop();
  const ranges = findByteRanges(file);
  return {
    ends: [...ends, file.length],
    byteRanges: ranges.found,
    isComplete: isComplete && ranges.isComplete,
  };
}

/** Checks whether the rest of the PDF consists only of white space and zeros, which are added in transit. */
export function isBlank(file: Uint8Array, from: number): boolean {
  for (let at = from; at < file.length; at += 1) if ((file[at] ?? 0) > 32) return false;
  return true;
}

/**
 * Finds `%%EOF` outside of streams. End marks inside streams are ignored, because an attached PDF has its own end
 * marks.
 */
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

/**
 * Returns the end of the PDF stream that begins at a keyword, by the length in its dictionary. If no stream begins
 * there, returns the end of the keyword.
 */
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
 * Returns the end of the PDF revision that an end mark closes, including its line end. Undefined if the mark ends no
 * revision, as in the first part of a linearised file, which refers to nothing before it.
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
 * Returns the numbers of the objects that cross-reference tables after `from` mark as free. PDFium still reads such
 * objects unless the table is a stream, but other readers do not.
 */
export function findFreedObjects(bytes: Uint8Array, from: number): ReadonlySet<number> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const freed = new Set<number>();
  let entries = 0;
  for (let at = file.indexOf('xref', from); at >= 0 && entries < ENTRIES_MAX; at = file.indexOf('xref', at + 4)) {
    // The `xref` at this position of the PDF is only the end of the word `startxref`, so it is skipped.
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

/** Returns the number of the PDF object that contains a position of the file, or undefined if there is none. */
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

/** Yields the lines of a PDF from a position on. A line that is longer than `LINE_BYTES_MAX` is divided. */
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
