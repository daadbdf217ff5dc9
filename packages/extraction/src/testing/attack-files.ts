import { deflateSync } from 'node:zlib';

/**
 * Small malicious files that expand to large ones (documents reference, section 3). `readDocument` refuses some of
 * them; the others test the time and memory limits of the process that calls it.
 */
export const attackFiles = {
  /**
   * A hostile PDF with 25 million "save graphics state" operators, which keep the parser busy for minutes or take
   * gigabytes of memory.
   */
  savedStates: (): Buffer => pdfOf(deflateSync(Buffer.alloc(50_000_000, 'q '))),
  /** A hostile PDF with text operators that expand to about 100 MB. */
  textOperators: (): Buffer =>
    pdfOf(
      deflateSync(
        Buffer.concat([
          Buffer.from('BT /F1 10 Tf 12 TL '),
          Buffer.alloc(100_000_000, '(The invoice total is 1.00) Tj T* '),
          Buffer.from(' ET'),
        ]),
      ),
    ),
  /** A hostile PDF with an attachment of 300 MB, compressed to 300 KB. */
  attachment: (): Buffer => attachmentPdf([deflateSync(Buffer.alloc(300 * 1024 * 1024))]),
  /**
   * A hostile PDF with an attachment that consists of comments, for each of which a regular expression would search to
   * the end of the file.
   */
  comments: (): Buffer => attachmentPdf([deflateSync(Buffer.from(`${'<!---->'.repeat(500)}<`))]),
  /** A test PDF that is encrypted with an unknown password (standard security handler). */
  encrypted: (): Buffer => {
    const hex = 'ab'.repeat(32);
    const encrypt = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${hex}> /U <${hex}> >> /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]`;
    return pdfOf(Buffer.from('BT ET'), [], encrypt);
  },
} as const;

/** A test PDF with compressed attachments, the first of which is `factur-x.xml`. */
export function attachmentPdf(attachments: readonly Buffer[], type = '/Type /EmbeddedFile'): Buffer {
  return pdfOf(Buffer.from('BT ET'), attachments, '', type);
}

/** A test PDF with one page of the given content, compressed or not, and compressed attachments. */
function pdfOf(
  content: Buffer,
  attachments: readonly Buffer[] = [],
  trailer = '',
  type = '/Type /EmbeddedFile',
): Buffer {
  const isPacked = content[0] === 0x78;
  const nameOf = (index: number): string => (index === 0 ? 'factur-x.xml' : `annex-${index}.xml`);
  const names = attachments.map((_, index) => `(${nameOf(index)}) ${6 + 2 * index} 0 R`);
  const objects: Buffer[] = [
    Buffer.from(
      `<< /Type /Catalog /Pages 2 0 R ${attachments.length === 0 ? '' : `/Names << /EmbeddedFiles << /Names [${names.join(' ')}] >> >>`} >>`,
    ),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    ),
    stream(content, isPacked ? '/Filter /FlateDecode' : ''),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ];
  for (const [index, attachment] of attachments.entries()) {
    const name = nameOf(index);
    objects.push(
      Buffer.from(`<< /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${7 + 2 * index} 0 R >> >>`),
      stream(attachment, `${type} /Subtype /text#2Fxml /Filter /FlateDecode`),
    );
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  objects.forEach((object, index) => {
    offsets.push(length);
    add(Buffer.from(`${index + 1} 0 obj\n`));
    add(object);
    add(Buffer.from('\nendobj\n'));
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  add(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function stream(data: Buffer, entries: string): Buffer {
  return Buffer.concat([
    Buffer.from(`<< /Length ${data.length} ${entries} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}
