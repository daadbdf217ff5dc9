import { HttpRefusal } from './refusal.js';

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** More are ignored: each costs a reading of its own. */
export const RANGES_MAX = 8;

/**
 * The ranges of a Range header that have bytes of the document, in their order (RFC 9110, section 14.2; HTTP and security reference,
 * section 5). Undefined when the header is ignored and the whole document is the response.
 * @param size bytes of the document
 * @throws HttpRefusal 416 when no range has a byte
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
