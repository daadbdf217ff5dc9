import { firstRevision, withSignature } from './pdf-history.js';
import type { PdfObject, PdfObjects } from './pdf-history.js';

/** Total amount on the test PDF of an invoice, and its position on the page. */
export const TOTAL = { text: '3951.97', x: 400, y: 620 } as const;

/** Object numbers in the test PDF that {@link invoice} returns. */
export const at = {
  catalog: 1,
  pages: 2,
  page: 3,
  content: 4,
  font: 5,
  form: 6,
  field: 7,
  fieldLook: 8,
  signature: 9,
  signatureValue: 10,
  resources: 11,
  letterhead: 12,
  picture: 13,
  layer: 14,
  /** First object number that the test PDF does not use, so that tests can use it. */
  free: 20,
} as const;

/** Returns the content stream of the page of a test PDF. */
export function contentOf({
  total = TOTAL.text,
  more = '',
}: { readonly total?: string; readonly more?: string } = {}): string {
  const lines: readonly (readonly [text: string, x: number, y: number])[] = [
    ['INVOICE', 50, 740],
    ['Invoice No: AT-2024-117', 50, 720],
    ['Invoice date: 14 March 2024', 50, 705],
    ['Order:', 50, 680],
    ['Net', 50, 660],
    ['3320.98', 400, 660],
    ['VAT 19%', 50, 640],
    ['630.99', 400, 640],
    ['Total due EUR', 50, TOTAL.y],
    [total, TOTAL.x, TOTAL.y],
    ['IBAN: DE89 3704 0044 0532 0130 00', 50, 580],
  ];
  const drawn = lines.map(([text, x, y]) => textAt(text, x, y)).join('\n');
  const payable = `/OC /Layer BDC ${textAt('Payable within 30 days', 50, 560)} EMC`;
  return `/Letterhead Do\nq 60 0 0 60 480 740 cm /Picture Do Q\n${drawn}\n${payable}\n${more}`;
}

export function textAt(text: string, x: number, y: number): string {
  return `BT /F 11 Tf ${x} ${y} Td (${text}) Tj ET`;
}

/** A form XObject, which is a part of a document page or the appearance of an annotation. */
export function drawing(data: string, box: string, entries = ''): PdfObject {
  return {
    entries: `/Type /XObject /Subtype /Form /BBox [${box}] /Resources ${at.resources} 0 R ${entries}`,
    data,
  };
}

export function pageWith(entries = '', annotations: readonly number[] = [at.field]): string {
  const references = annotations.map((number) => `${number} 0 R`).join(' ');
  const box = entries.includes('/MediaBox') ? '' : '/MediaBox [0 0 595 842]';
  const contents = entries.includes('/Contents') ? '' : `/Contents ${at.content} 0 R`;
  return `<< /Type /Page /Parent ${at.pages} 0 R ${box} ${contents} /Resources ${at.resources} 0 R /Annots [${references}] ${entries} >>`;
}

export function catalogWith(entries = '', { pages = at.pages as number, form = `${at.form} 0 R` } = {}): string {
  const layers = entries.includes('/OCProperties')
    ? ''
    : `/OCProperties << /OCGs [${at.layer} 0 R] /D << /ON [${at.layer} 0 R] >> >>`;
  const acroForm = form === '' ? '' : `/AcroForm ${form}`;
  return `<< /Type /Catalog /Pages ${pages} 0 R ${acroForm} ${layers} ${entries} >>`;
}

export function formWith(fields: readonly number[]): string {
  return `<< /Fields [${fields.map((number) => `${number} 0 R`).join(' ')}] /SigFlags 3 /DA (/F 11 Tf 0 g) /DR ${at.resources} 0 R >>`;
}

export function fieldWith(value: string, look: number = at.fieldLook): string {
  return `<< /Type /Annot /Subtype /Widget /FT /Tx /T (order) /F 4 /Rect [150 676 270 692] /DA (/F 11 Tf 0 g) /V (${value}) /AP << /N ${look} 0 R >> >>`;
}

export function fieldLook(text: string): PdfObject {
  return drawing(`/Tx BMC q BT /F 11 Tf 0 g 2 4 Td (${text}) Tj ET Q EMC`, '0 0 120 16');
}

export function font(entries = ''): string {
  return `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica ${entries || '/Encoding /WinAnsiEncoding'} >>`;
}

export function resourcesWith(fontNumber: number = at.font): string {
  return `<< /Font << /F ${fontNumber} 0 R >> /XObject << /Letterhead ${at.letterhead} 0 R /Picture ${at.picture} 0 R >> /Properties << /Layer ${at.layer} 0 R >> /ExtGState << /Multiply << /BM /Multiply >> >> >>`;
}

export function picture(grey: number): PdfObject {
  return {
    entries: '/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8',
    data: Buffer.alloc(4, grey),
  };
}

/** Returns a PDF signature field, which is visible if it has a rectangle. */
export function signatureField(
  value: number,
  { name = 'supplier', rectangle = '0 0 0 0', look }: { name?: string; rectangle?: string; look?: number } = {},
): string {
  const appearance = look === undefined ? '' : `/AP << /N ${look} 0 R >>`;
  return `<< /Type /Annot /Subtype /Widget /FT /Sig /T (${name}) /F 4 /Rect [${rectangle}] /V ${value} 0 R ${appearance} >>`;
}

/** Returns the PDF objects of the test invoice that {@link invoice} returns. */
export const invoiceObjects: PdfObjects = {
  [at.catalog]: catalogWith(),
  [at.pages]: `<< /Type /Pages /Kids [${at.page} 0 R] /Count 1 >>`,
  [at.page]: pageWith(),
  [at.content]: { entries: '', data: contentOf() },
  [at.font]: font(),
  [at.form]: formWith([at.field]),
  [at.field]: fieldWith(''),
  [at.fieldLook]: fieldLook(''),
  [at.resources]: resourcesWith(),
  [at.letterhead]: drawing(textAt('Ashdown Tools GmbH', 50, 790), '0 0 595 842'),
  [at.picture]: picture(200),
  [at.layer]: '<< /Type /OCG /Name (Terms) >>',
};

/**
 * A test PDF of an unsigned invoice over EUR 3951.97 with a form field for the order number. `changes` replace some of
 * its objects.
 */
export function unsignedInvoice(changes: PdfObjects = {}): Buffer {
  return firstRevision({ ...invoiceObjects, ...changes });
}

/** Returns the test PDF of the invoice with an invisible signature that its supplier added in a second revision. */
export function signedInvoice(file: Buffer = unsignedInvoice(), changes: PdfObjects = {}): Buffer {
  return withSignature(
    file,
    {
      [at.form]: formWith([at.field, at.signature]),
      [at.page]: pageWith('', [at.field, at.signature]),
      [at.signature]: signatureField(at.signatureValue),
      ...changes,
    },
    { value: at.signatureValue },
  );
}
