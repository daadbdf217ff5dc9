/** A PDF object: its text, or a dictionary with the bytes of its stream. `null` frees the object number. */
export type PdfObject = string | { readonly entries: string; readonly data: Buffer | string } | null;
export type PdfObjects = Readonly<Record<number, PdfObject>>;

/** Entries of the trailer of a test PDF, other than `/Size` and `/Prev`. */
interface RevisionOptions {
  readonly root?: number;
  readonly trailer?: string;
  /** False if the test PDF does not contain the end mark `%%EOF`, which PDF readers do not need. */
  readonly hasEnd?: boolean;
}

/** Writes the first revision of a PDF for tests. */
export function firstRevision(objects: PdfObjects, options: RevisionOptions = {}): Buffer {
  return withRevision(Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n', 'latin1'), { 0: null, ...objects }, options);
}

/** Appends a revision to a PDF for tests (ISO 32000-1, 7.5.6). */
export function withRevision(
  file: Buffer,
  objects: PdfObjects,
  { root = 1, trailer = '', hasEnd = true }: RevisionOptions = {},
): Buffer {
  const parts = [file];
  let length = file.length;
  const add = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  const table: string[] = [];
  for (const [number, object] of Object.entries(objects)) {
    const entry = object === null ? '0000000000 65535 f' : `${String(length).padStart(10, '0')} 00000 n`;
    table.push(`${number} 1\n${entry} \n`);
    if (object !== null)
      add(Buffer.concat([Buffer.from(`${number} 0 obj\n`), bytesOf(object), Buffer.from('\nendobj\n')]));
  }
  const previous = lastTable(file);
  const prev = previous === undefined ? '' : ` /Prev ${previous}`;
  const end = `startxref\n${length}\n${hasEnd ? '%%EOF\n' : ''}`;
  add(Buffer.from(`xref\n${table.join('')}trailer\n<< /Size 200 /Root ${root} 0 R${prev} ${trailer} >>\n${end}`));
  return Buffer.concat(parts);
}

/**
 * Appends a signed revision to a test PDF. `field` is the number of a signature field among `objects`; the function
 * adds the signature to its dictionary. The signature consists of zeros, because no test verifies it.
 */
export function withSignature(
  file: Buffer,
  objects: PdfObjects,
  { value, subFilter = 'adbe.pkcs7.detached' }: { readonly value: number; readonly subFilter?: string },
): Buffer {
  const contents = '0'.repeat(64);
  const signature = `<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /${subFilter} /ByteRange [0 AAAAAAAAAA BBBBBBBBBB CCCCCCCCCC] /Contents <${contents}> >>`;
  const signed = withRevision(file, { ...objects, [value]: signature }).toString('latin1');
  const open = signed.lastIndexOf(`<${contents}>`);
  const close = open + contents.length + 2;
  const digits = (number: number): string => String(number).padEnd(10, ' ');
  return Buffer.from(
    signed
      .replace('AAAAAAAAAA', digits(open))
      .replace('BBBBBBBBBB', digits(close))
      .replace('CCCCCCCCCC', digits(signed.length - close)),
    'latin1',
  );
}

function bytesOf(object: Exclude<PdfObject, null>): Buffer {
  if (typeof object === 'string') return Buffer.from(object, 'latin1');
  const data = Buffer.from(object.data);
  return Buffer.concat([
    Buffer.from(`<< /Length ${data.length} ${object.entries} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}

function lastTable(file: Buffer): number | undefined {
  const at = file.lastIndexOf('startxref');
  return at < 0 ? undefined : Number.parseInt(file.subarray(at + 9, at + 30).toString('latin1'), 10);
}
