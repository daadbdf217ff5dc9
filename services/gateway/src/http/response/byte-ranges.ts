import { HttpRefusal } from './refusal.js';

/** Positions of the first and the last byte of a requested range of a document, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Maximum number of byte ranges in a request that are honoured, because each range is read separately. */
export const RANGES_MAX = 8;

/**
 * Returns the satisfiable ranges in a Range header, in their order (RFC 9110, section 14.2; HTTP and security
 * reference, section 5), or undefined if the header is ignored and the whole document is sent.
 * @param size size of the document in bytes
 * @throws HttpRefusal 416 if no range contains a byte of the document
 */
export function parseRange(header: string, size: number): readonly ByteRange[] | undefined {
  const [, set] = /^bytes=(.*)$/i.exec(header.trim()) ?? [];
  if (set === undefined) return undefined;
  const specs = set
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '');
  if (specs.length === 0 || specs.length > RANGES_MAX) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const [, from = '', to = ''] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
    const isSuffix = from === '';
    if ((isSuffix && to === '') || (!isSuffix && to !== '' && BigInt(to) < BigInt(from))) return undefined;
    const first = isSuffix ? Math.max(0, size - Number(to)) : Number(from);
    const last = isSuffix || to === '' ? size - 1 : Math.min(size - 1, Number(to));
    if (first <= last) ranges.push({ first, last });
  }
  if (ranges.length === 0) throw rangeNotSatisfiable(size);
  return hasOverlap(ranges) ? undefined : ranges;
}

function hasOverlap(ranges: readonly ByteRange[]): boolean {
  const sorted = ranges.toSorted((left, right) => left.first - right.first);
  return sorted.some(({ first }, index) => first <= (sorted[index - 1]?.last ?? -1));
}

export function rangeNotSatisfiable(size: number): HttpRefusal {
  return new HttpRefusal(
    416,
    `The range is outside the document, which has ${size} bytes. Request a range within it.`,
    {
      'Content-Range': `bytes */${size}`,
    },
  );
}

export function preconditionFailed(): HttpRefusal {
  return new HttpRefusal(
    412,
    'The document does not match the condition of the request. Send the request without the condition.',
  );
}
