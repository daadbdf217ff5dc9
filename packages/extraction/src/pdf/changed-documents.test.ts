import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ledger } from '@invoicecontrol/engine/testing/ledger';
import {
  at,
  catalogWith,
  contentOf,
  drawing,
  fieldLook,
  fieldWith,
  font,
  formWith,
  invoiceObjects,
  pageWith,
  picture,
  resourcesWith,
  signatureField,
  signedInvoice,
  textAt,
  TOTAL,
  unsignedInvoice,
} from '../testing/invoice-history.js';
import { firstRevision, withRevision, withSignature } from '../testing/pdf-history.js';
import type { PdfObject, PdfObjects } from '../testing/pdf-history.js';
import { DRAWINGS_MAX, REVISIONS_COMPARED_MAX } from './compare-revisions.js';
import { NOTES_MAX } from './page-difference.js';
import { ANNOTATIONS_MAX } from './pdfium.js';
import { readPdf } from './read-pdf.js';

const context = { companies: [], today: '2026-11-23' };
const HIGHER = '9320.00';
/** Timeout for drawing a hundred pages on a busy machine. */
const LONG_TEST_MS = 120_000;
/** Number of pages of a PDF that the product reads. */
const PAGES_READ_MAX = 50;
const ANNOTATIONS = [at.field, at.signature];

/** A change to a PDF, and its effect for a person who reads the document. */
type Row = readonly [change: string, seen: string, file: () => Buffer];

/** Returns the facts of a PDF and the findings that the engine raises about it. */
async function judge(file: Buffer) {
  const outcome = await readPdf(file, context);
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  const { signature, ...facts } = reading ?? { signature: null, tamperSigns: [], hiddenTexts: [], conflicts: [] };
  const document = {
    method: 'TEXT' as const,
    fields: [],
    tamperSigns: facts.tamperSigns,
    hiddenTexts: [],
    conflicts: [],
    ...(signature === null ? {} : { signature }),
  };
  const { analysis } = ledger().bill({}, { origin: { source: 'UPLOAD' }, facts: { document } });
  const findings = analysis.findings.filter(({ type }) => type.startsWith('DOCUMENT_'));
  return {
    types: findings.map(({ type }) => type),
    severities: findings.map(({ severity }) => severity),
    decision: analysis.decision,
    changed: signature?.changed,
    signs: facts.tamperSigns.map(({ kind }) => kind),
  };
}

/** Adds a revision to a signed and to an unsigned invoice. */
const afterSigning =
  (objects: PdfObjects, options: Parameters<typeof withRevision>[2] = {}) =>
  (): Buffer =>
    withRevision(signedInvoice(), objects, options);
const unsigned =
  (objects: PdfObjects, options: Parameters<typeof withRevision>[2] = {}) =>
  (): Buffer =>
    withRevision(unsignedInvoice(), objects, options);

const content = (data: string): PdfObject => ({ entries: '', data });
const otherTotal = content(contentOf({ total: HIGHER }));
/** This font shows a nine for each three. */
const ninesForThrees = font('/Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [51 /nine] >>');
/** Maps characters so that a nine is extracted but a three is shown. */
const toUnicode = content(`/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <20> <32> <0020> <34> <7e> <0034> endbfrange
1 beginbfchar <33> <0039> endbfchar endcmap end end`);
const annotation = (subtype: string, rectangle: string, entries = ''): string =>
  `<< /Type /Annot /Subtype /${subtype} /Rect [${rectangle}] /F 4 /Contents (Please check) ${entries} >>`;
const OVER_TOTAL = '396 616 456 632';
const coverOfTotal = drawing(`1 1 1 rg 0 0 60 16 re f 0 g ${textAt(HIGHER, 4, 4)}`, '0 0 60 16');
/** Adds a comment to the document page, next to its fields. */
const commented = (comment: string, look?: PdfObject, annotations: readonly number[] = ANNOTATIONS): PdfObjects => ({
  [at.page]: pageWith('', [...annotations, at.free]),
  [at.free]: comment,
  ...(look === undefined ? {} : { [at.free + 1]: look }),
});
const LOOK = `/AP << /N ${at.free + 1} 0 R >>`;
const QUADS = '/QuadPoints [400 632 440 632 400 616 440 616]';
/** This revision has another catalog with other document pages and content. */
const otherCatalog = {
  30: catalogWith('', { pages: 31 }),
  31: '<< /Type /Pages /Kids [32 0 R] /Count 1 >>',
  32: pageWith('/Contents 33 0 R').replace('/Parent 2', '/Parent 31'),
  33: otherTotal,
};
const attached = (xml: string): PdfObjects => ({
  [at.catalog]: catalogWith(`/Names << /EmbeddedFiles << /Names [(factur-x.xml) ${at.free + 5} 0 R] >> >>`),
  [at.free + 5]: `<< /Type /Filespec /F (factur-x.xml) /UF (factur-x.xml) /EF << /F ${at.free + 6} 0 R >> >>`,
  [at.free + 6]: { entries: '/Type /EmbeddedFile', data: xml },
});
const xmlOf = (gross: string): string => `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2">
  <cbc:ID>AT-2024-117</cbc:ID><cbc:IssueDate>2024-03-14</cbc:IssueDate><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>Ashdown Tools GmbH</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
  <cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount>${gross}</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal></Invoice>`;

const removedSignatures: readonly Row[] = [
  ['the catalog lacks the form', 'no signature', afterSigning({ [at.catalog]: catalogWith('', { form: '' }) })],
  ['the form is freed', 'no signature', afterSigning({ [at.form]: null })],
  ['the form is null', 'no signature', afterSigning({ [at.form]: 'null' })],
  ['the form has no fields', 'no signature', afterSigning({ [at.form]: '<< /SigFlags 3 >>' })],
  ['the list of fields is empty', 'no signature', afterSigning({ [at.form]: formWith([]) })],
  ['the list of fields leaves the signature out', 'no signature', afterSigning({ [at.form]: formWith([at.field]) })],
  ['the field is freed', 'no signature', afterSigning({ [at.signature]: null })],
  ['the field is emptied', 'no signature', afterSigning({ [at.signature]: signatureField(0).replace('/V 0 0 R', '') })],
  ['the value of the field is freed', 'no signature', afterSigning({ [at.signatureValue]: null })],
  [
    'the value of the field is another one',
    'no signature of the supplier',
    afterSigning({ [at.signatureValue]: '<< /Type /Sig /Filter /Adobe.PPKLite /Contents <00> >>' }),
  ],
  [
    'a field below another field is taken off the page',
    'no signature',
    () => {
      const nested = signedInvoice(unsignedInvoice(), {
        [at.form]: formWith([at.field, at.free]),
        [at.free]: `<< /T (parties) /Kids [${at.signature} 0 R] >>`,
        [at.signature]: signatureField(at.signatureValue).replace('/FT', `/Parent ${at.free} 0 R /FT`),
      });
      return withRevision(nested, { [at.form]: formWith([at.field]), [at.page]: pageWith() });
    },
  ],
];

/** Changes to a PDF page by every known technique. Each change is applied to signed and to unsigned documents. */
const changesOfPages: readonly (readonly [change: string, seen: string, objects: PdfObjects, root?: number])[] = [
  ['the content is replaced', HIGHER, { [at.content]: otherTotal }],
  ['the page has other content', HIGHER, { [at.page]: pageWith(`/Contents ${at.free} 0 R`), [at.free]: otherTotal }],
  [
    'more content covers the total',
    HIGHER,
    {
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`),
      [at.free]: content(`1 1 1 rg 396 616 60 16 re f 0 g ${textAt(HIGHER, 400, 620)}`),
    },
  ],
  [
    'more content sets a figure before the total',
    '93951.97',
    {
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`),
      [at.free]: content(textAt('9', 394, TOTAL.y)),
    },
  ],
  [
    'more content adds an account',
    'a second account',
    {
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`),
      [at.free]: content(textAt('New account: FR14 2004 1010 0505 0001 3M02 606', 50, 300)),
    },
  ],
  ['the trailer names another catalog', HIGHER, otherCatalog, 30],
  ['the catalog names other pages', HIGHER, { ...otherCatalog, [at.catalog]: catalogWith('', { pages: 31 }) }],
  ['the font shows other figures', '9951.97', { [at.font]: ninesForThrees }],
  ['the page has another font', '9951.97', { [at.resources]: resourcesWith(at.free), [at.free]: ninesForThrees }],
  [
    'the page has resources of its own',
    '9951.97',
    {
      [at.page]: pageWith().replace(`/Resources ${at.resources} 0 R`, `/Resources ${resourcesWith(at.free)}`),
      [at.free]: ninesForThrees,
    },
  ],
  [
    'the font tells programs other figures',
    'the same, but programs read 9951.97',
    { [at.font]: font(`/Encoding /WinAnsiEncoding /ToUnicode ${at.free} 0 R`), [at.free]: toUnicode },
  ],
  ['the media box is cut', 'no total', { [at.page]: pageWith('/MediaBox [0 630 595 842]') }],
  ['the crop box is cut', 'no amounts', { [at.page]: pageWith('/CropBox [0 0 390 842]') }],
  ['the page is turned', 'the page upside down', { [at.page]: pageWith('/Rotate 180') }],
  [
    'a drawing that an annotation names too is replaced',
    'another supplier',
    {
      [at.letterhead]: drawing(textAt('Bolt and Screw GmbH', 50, 790), '0 0 595 842'),
      [at.page]: pageWith('', [at.field, at.free]),
      [at.free]: annotation('Stamp', '0 0 0 0', `/AP << /N ${at.letterhead} 0 R >>`),
    },
  ],
  ['a picture is replaced', 'another picture', { [at.picture]: picture(20) }],
  [
    'a layer is switched off',
    'no terms of payment',
    { [at.catalog]: catalogWith(`/OCProperties << /OCGs [${at.layer} 0 R] /D << /OFF [${at.layer} 0 R] >> >>`) },
  ],
  [
    'another page comes first',
    `${HIGHER} on the first page`,
    {
      [at.pages]: `<< /Type /Pages /Kids [${at.free} 0 R ${at.page} 0 R] /Count 2 >>`,
      [at.free]: pageWith(`/Contents ${at.free + 1} 0 R`),
      [at.free + 1]: otherTotal,
    },
  ],
  [
    'a page with amounts follows',
    'more amounts',
    {
      [at.pages]: `<< /Type /Pages /Kids [${at.page} 0 R ${at.free} 0 R] /Count 2 >>`,
      [at.free]: pageWith(`/Contents ${at.free + 1} 0 R`),
      [at.free + 1]: otherTotal,
    },
  ],
  [
    'a text comment lies over the total',
    HIGHER,
    commented(annotation('FreeText', OVER_TOTAL, LOOK), coverOfTotal, [at.field]),
  ],
  [
    'a filled square lies over the total',
    'no total',
    commented(
      annotation('Square', OVER_TOTAL, `/C [1 1 1] /IC [1 1 1] ${LOOK}`),
      drawing('1 1 1 rg 0 0 60 16 re f', '0 0 60 16'),
      [at.field],
    ),
  ],
  ['a stamp lies over the total', HIGHER, commented(annotation('Stamp', OVER_TOTAL, LOOK), coverOfTotal, [at.field])],
  [
    'what calls itself a marking covers the total',
    HIGHER,
    commented(annotation('Highlight', OVER_TOTAL, `${QUADS} ${LOOK}`), coverOfTotal, [at.field]),
  ],
  [
    'the content is replaced, and the page has more annotations than are drawn',
    HIGHER,
    {
      [at.content]: otherTotal,
      [at.page]: pageWith(
        '',
        Array.from({ length: ANNOTATIONS_MAX + 1 }, () => at.field),
      ),
    },
  ],
  [
    'the content is replaced, and the page is too large to be drawn',
    HIGHER,
    {
      [at.content]: content(`3.58 0 0 2.53 0 0 cm ${contentOf({ total: HIGHER })}`),
      [at.page]: pageWith('/MediaBox [0 0 2130 2130]'),
    },
  ],
  [
    'what calls itself a note draws a figure before the total',
    '13951.97',
    commented(annotation('Text', '392 616 400 632', LOOK), drawing('0 g 5 4 1.5 8 re f', '0 0 8 16'), [at.field]),
  ],
];

/** Draws vertical strokes on the page, which are content without words. */
const strokes = (width: number): string =>
  `0 G 1 w ${Array.from({ length: width / 4 }, (_, index) => `${4 + 4 * index} 8 m ${4 + 4 * index} 18 l S`).join(' ')}`;
/** Creates notes that draw their own appearance, six in a row from the left edge on. */
const drawnNotes = (count: number, { size = 20, distance = 30 } = {}): PdfObjects => {
  const numbers = Array.from({ length: count }, (_, index) => at.free + 1 + index);
  const rectangle = (index: number): string => {
    const [left, bottom] = [50 + (index % 6) * (size + distance), 100 + Math.floor(index / 6) * (size + distance)];
    return `${left} ${bottom} ${left + size} ${bottom + size}`;
  };
  return {
    [at.page]: pageWith('', [...ANNOTATIONS, ...numbers]),
    [at.free]: drawing('1 0.8 0 rg 0 0 20 20 re f 0 G 2 w 4 6 m 16 6 l 4 12 m 16 12 l S', '0 0 20 20'),
    ...Object.fromEntries(
      numbers.map((number, index) => [number, annotation('Text', rectangle(index), `/AP << /N ${at.free} 0 R >>`)]),
    ),
  };
};

const changesOfSigned: readonly Row[] = [
  ...changesOfPages.map(([change, seen, objects, root = at.catalog]): Row => [
    change,
    seen,
    // Changes that redefine the document page or the form keep the signature, so that only the page differs.
    afterSigning(withSignatureOnPage(objects), { root }),
  ]),
  ['the update has no end mark', HIGHER, afterSigning({ [at.content]: otherTotal }, { hasEnd: false })],
  [
    'a field is filled in',
    'an order number',
    afterSigning({ [at.field]: fieldWith('PO-1'), [at.fieldLook]: fieldLook('PO-1') }),
  ],
  ['a field has another value behind the same look', 'the same', afterSigning({ [at.field]: fieldWith('PO-1') })],
  [
    'a field has another look over the same value',
    'an order number',
    afterSigning({ [at.fieldLook]: fieldLook('PO-1') }),
  ],
  ['an invoice in XML is attached', 'the same, but programs read the XML', afterSigning(attached(xmlOf(HIGHER)))],
  [
    'the attached invoice is replaced',
    'the same, but programs read another XML',
    () => withRevision(signedInvoice(unsignedInvoice(attached(xmlOf('1.00')))), attached(xmlOf(HIGHER))),
  ],
  [
    'a stamp is on empty paper',
    'PAID',
    afterSigning(commented(annotation('Stamp', '50 100 130 120', LOOK), drawing(textAt('PAID', 4, 4), '0 0 80 20'))),
  ],
  [
    'the content is replaced and the file signed once more',
    HIGHER,
    () => signedOnceMore(afterSigning({ [at.content]: otherTotal })()),
  ],
  [
    'a field calls itself signed without a signature',
    'an approval',
    afterSigning({
      [at.page]: pageWith('', [...ANNOTATIONS, 40]),
      [at.form]: formWith([at.field, at.signature, 40]),
      40: signatureField(0, { name: 'buyer', rectangle: '350 100 570 140', look: 42 }).replace('0 0 R', '<< >>'),
      42: drawing(textAt('Approved, pay at once', 2, 12), '0 0 220 40'),
    }),
  ],
  ...['Bank details: sort code 20-00-00', 'Now account 55779911', 'Now account 5577 9911', 'Order 123456'].map(
    (text): Row => [
      `a second signature says a number: ${text}`,
      'an account',
      () => signedOnceMore(signedInvoice(), drawing(textAt(text, 2, 12), '0 0 220 40')),
    ],
  ),
  ...['350 100 568 312', '50 100 352 140', '50 100 250 222'].map((rectangle): Row => [
    `a second signature is larger than a signature: ${rectangle}`,
    'a large stamp',
    () => signedOnceMore(signedInvoice(), drawing(textAt('Signed', 2, 12), '0 0 220 40'), rectangle),
  ]),
  [
    'a second signature draws more than a name, without words',
    'an account',
    () => signedOnceMore(signedInvoice(), drawing(strokes(112), '0 0 220 40')),
  ],
  [
    'a second signature hides the name of the supplier',
    'no name',
    () => signedOnceMore(signedInvoice(), drawing('0 g 0 0 100 20 re f', '0 0 100 20'), '50 786 150 806'),
  ],
  ['a note is larger than a note', 'a drawing', afterSigning(drawnNotes(1, { size: 28 }))],
  ['notes are side by side', 'a drawing', afterSigning(drawnNotes(2, { distance: 25 }))],
  ['there are more notes than a reader makes', 'a drawing', afterSigning(drawnNotes(NOTES_MAX + 1))],
  ...[0, 1].map((place): Row => [
    `the content is replaced, and many signatures follow that cover ${place === 0 ? 'the file' : 'a part of it'}`,
    HIGHER,
    () => {
      let file = afterSigning({ [at.content]: otherTotal })();
      for (let count = 0; count <= REVISIONS_COMPARED_MAX; count += 1) {
        const fields = Array.from({ length: count + 1 }, (_, index) => 100 + 2 * index);
        const value = 101 + 2 * count;
        const objects = {
          [at.form]: formWith([at.field, at.signature, ...fields]),
          [value - 1]: signatureField(value, { name: `other ${count}` }),
        };
        const range = `/ByteRange [0 ${10 + count} 20 ${30 + count}]`;
        file =
          place === 0
            ? withSignature(file, objects, { value })
            : withRevision(file, { ...objects, [value]: `<< /Type /Sig /Contents <00> ${range} >>` });
      }
      return file;
    },
  ]),
  ...['0.76 0.76 0.76', '1 0.78 0.25', '0.47 0.86 1'].map((colour): Row => [
    `more content draws in a light colour on empty paper: ${colour}`,
    'a drawing',
    afterSigning({
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`, ANNOTATIONS),
      [at.free]: content(`${colour} rg 50 300 2 10 re f 56 300 2 10 re f`),
    }),
  ]),
  [
    'the signature leaves out more than its own value',
    'the content there is not signed',
    () => {
      const file = signedInvoice().toString('latin1');
      return Buffer.from(file.replace(`<${'0'.repeat(64)}>`, `<${'0'.repeat(62)}zz>`), 'latin1');
    },
  ],
];

/** Adds the signature to changes of signed documents, so that none of them removes it. */
function withSignatureOnPage(objects: PdfObjects): PdfObjects {
  return Object.fromEntries(
    Object.entries(objects).map(([number, object]) => [
      number,
      typeof object === 'string' ? object.replace('/Annots [', `/Annots [${at.signature} 0 R `) : object,
    ]),
  );
}

/** Adds a second signature, invisible or drawn in a rectangle. */
function signedOnceMore(file: Buffer, look?: PdfObject, rectangle = '350 100 570 140'): Buffer {
  const field = look === undefined ? {} : { rectangle, look: 42 };
  return withSignature(
    file,
    {
      [at.form]: formWith([at.field, at.signature, 40]),
      [at.page]: pageWith('', [...ANNOTATIONS, 40]),
      40: signatureField(41, { name: 'buyer', ...field }),
      ...(look === undefined ? {} : { 42: look }),
    },
    { value: 41 },
  );
}

const changesOfUnsigned: readonly Row[] = [
  ...changesOfPages.map(([change, seen, objects, root = at.catalog]): Row => [
    change,
    seen,
    unsigned(objects, { root }),
  ]),
  ...['Bank details changed: sort code 20-00-00', 'New account no: 55779911', 'Acct 5577 9911 22'].map((text): Row => [
    `more content adds an account that is no IBAN: ${text}`,
    'a second account',
    unsigned({
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`),
      [at.free]: content(textAt(text, 50, 300)),
    }),
  ]),
  ['the update has no end mark', HIGHER, unsigned({ [at.content]: otherTotal }, { hasEnd: false })],
  [
    'the value of a field is replaced',
    'another order number',
    () =>
      withRevision(unsignedInvoice({ [at.field]: fieldWith('PO-1'), [at.fieldLook]: fieldLook('PO-1') }), {
        [at.field]: fieldWith('PO-2'),
        [at.fieldLook]: fieldLook('PO-2'),
      }),
  ],
  [
    'the attached invoice is replaced',
    'the same, but programs read another XML',
    () => withRevision(unsignedInvoice(attached(xmlOf('1.00'))), attached(xmlOf(HIGHER))),
  ],
  [
    'the content is replaced before somebody signs',
    HIGHER,
    () => signedInvoice(unsigned({ [at.content]: otherTotal })()),
  ],
  [
    'the content is replaced, and many revisions follow',
    HIGHER,
    () => {
      let file = unsigned({ [at.content]: otherTotal })();
      for (let count = 0; count < 30; count += 1) file = withRevision(file, { [at.free]: `<< /Count ${count} >>` });
      return file;
    },
  ],
];

const note = annotation('Text', '520 400 540 420', '/Name /Note');
const noteWithLook = annotation('Text', '520 400 540 420', `/Name /Note ${LOOK}`);
const noteLook = drawing('1 0.8 0 rg 0 0 20 20 re f 0 G 2 w 4 6 m 16 6 l 4 12 m 16 12 l S', '0 0 20 20');
const marking = (subtype: string, look: string): PdfObjects =>
  commented(
    annotation(subtype, OVER_TOTAL, `/C [1 0.8 0] ${QUADS} ${LOOK}`),
    drawing(look, '396 616 456 632', '/Group << /S /Transparency >>'),
  );

const harmlessToSigned: readonly Row[] = [
  ['nothing is done', 'the same', () => signedInvoice()],
  ['an empty revision follows', 'the same', afterSigning({ [at.free]: '<< >>' })],
  [
    'blanks and zeros follow',
    'the same',
    () => Buffer.concat([signedInvoice(), Buffer.from('\r\n\0\0 \n'.repeat(99))]),
  ],
  ['a second signature follows, invisible', 'the same', () => signedOnceMore(signedInvoice())],
  [
    'a second signature follows on empty paper',
    'a second signature',
    () => signedOnceMore(signedInvoice(), drawing(textAt('Signed by J. Kowalska on 2024.03.15', 2, 12), '0 0 220 40')),
  ],
  ...['50 100 350 220', '350 100 570 140'].map((rectangle): Row => [
    `a second signature follows with a name by hand, a frame and a date: ${rectangle}`,
    'a second signature',
    () =>
      signedOnceMore(
        signedInvoice(),
        drawing(
          `0.9 1 0.9 rg 0 0 300 120 re f 0 G 1 w 2 2 296 116 re S 2 w 10 40 m 40 80 60 10 80 60 c S 0 g
          ${textAt('Signed by J. Kowalska', 120, 60)} ${textAt("Date: 2024.03.15 10:22:33 +01'00'", 120, 40)}`,
          '0 0 300 120',
        ),
        rectangle,
      ),
  ]),
  ['a viewer adds notes', 'signs of notes', afterSigning(drawnNotes(NOTES_MAX))],
  [
    'a time stamp follows',
    'the same',
    () =>
      withSignature(
        signedInvoice(),
        {
          [at.form]: formWith([at.field, at.signature, 40]),
          40: '<< /Type /Annot /Subtype /Widget /FT /Sig /T (stamp) /Rect [0 0 0 0] /V 41 0 R >>',
        },
        { value: 41, subFilter: 'ETSI.RFC3161' },
      ),
  ],
  [
    'data for long-term validation follow',
    'the same',
    afterSigning({ [at.catalog]: catalogWith(`/DSS ${at.free} 0 R`), [at.free]: '<< /Type /DSS /Certs [] >>' }),
  ],
  [
    'the metadata are replaced',
    'the same',
    afterSigning({
      [at.catalog]: catalogWith(`/Metadata ${at.free} 0 R`),
      [at.free]: { entries: '/Type /Metadata /Subtype /XML', data: '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>' },
    }),
  ],
  ['a viewer adds a note', 'the sign of a note', afterSigning(commented(note))],
  ['a viewer adds a note that it draws itself', 'the sign of a note', afterSigning(commented(noteWithLook, noteLook))],
  [
    'a viewer highlights the total',
    'the total on yellow',
    afterSigning(commented(annotation('Highlight', OVER_TOTAL, `/C [1 0.8 0] ${QUADS}`))),
  ],
  [
    'a viewer highlights the total and draws that itself',
    'the total on yellow',
    afterSigning(marking('Highlight', '/Multiply gs 1 0.8 0 rg 400 616 40 16 re f')),
  ],
  [
    'a viewer underlines the total',
    'the total with a line below',
    afterSigning(marking('Underline', '0 0.5 0 RG 1 w 400 618 m 440 618 l S')),
  ],
  [
    'a viewer strikes the total out',
    'the total with a line through it',
    afterSigning(marking('StrikeOut', '1 0 0 RG 1 w 400 624 m 440 624 l S')),
  ],
  [
    'a viewer adds a pop-up and a link',
    'the same',
    afterSigning({
      [at.page]: pageWith('', [...ANNOTATIONS, at.free, at.free + 1]),
      [at.free]: annotation('Popup', '300 300 500 400'),
      [at.free + 1]: annotation('Link', '50 578 250 590', '/Border [0 0 0]'),
    }),
  ],
  [
    'a viewer removes a note',
    'no note',
    () =>
      withRevision(signedInvoice(unsignedInvoice(), { ...commented(noteWithLook, noteLook) }), {
        [at.page]: pageWith('', ANNOTATIONS),
      }),
  ],
  [
    'the content is packed again',
    'the same',
    afterSigning({ [at.content]: { entries: '/Filter /FlateDecode', data: deflateSync(contentOf()) } }),
  ],
  [
    'the page and the font are written again',
    'the same',
    afterSigning({ [at.page]: pageWith('/StructParents 0', ANNOTATIONS), [at.font]: font() }),
  ],
  [
    'the content is replaced and put back',
    'the same',
    () => withRevision(afterSigning({ [at.content]: otherTotal })(), { [at.content]: content(contentOf()) }),
  ],
  [
    'a file that is no invoice is attached',
    'the same',
    afterSigning({
      [at.catalog]: catalogWith(`/Names << /EmbeddedFiles << /Names [(list.csv) ${at.free} 0 R] >> >>`),
      [at.free]: `<< /Type /Filespec /F (list.csv) /UF (list.csv) /EF << /F ${at.free + 1} 0 R >> >>`,
      [at.free + 1]: { entries: '/Type /EmbeddedFile', data: 'a;b' },
    }),
  ],
  [
    'a signed PDF is attached before signing',
    'the same',
    () =>
      signedInvoice(
        unsignedInvoice({
          [at.catalog]: catalogWith(`/Names << /EmbeddedFiles << /Names [(annex.pdf) ${at.free} 0 R] >> >>`),
          [at.free]: `<< /Type /Filespec /F (annex.pdf) /UF (annex.pdf) /EF << /F ${at.free + 1} 0 R >> >>`,
          [at.free + 1]: {
            entries: '/Type /EmbeddedFile',
            data: withRevision(signedInvoice(), { [at.content]: otherTotal }),
          },
        }),
      ),
  ],
  [
    'the form is filled in before signing',
    'an order number',
    () => signedInvoice(unsigned({ [at.field]: fieldWith('PO-1'), [at.fieldLook]: fieldLook('PO-1') })()),
  ],
];

const harmlessToUnsigned: readonly Row[] = [
  ['nothing is done', 'the same', () => unsignedInvoice()],
  ['an empty revision follows', 'the same', unsigned({ [at.free]: '<< >>' })],
  [
    'the form is filled in',
    'an order number',
    unsigned({ [at.field]: fieldWith('PO-1'), [at.fieldLook]: fieldLook('PO-1') }),
  ],
  [
    'a stamp is on empty paper',
    'RECEIVED',
    unsigned(
      commented(annotation('Stamp', '50 100 180 120', LOOK), drawing(textAt('RECEIVED', 4, 4), '0 0 130 20'), [
        at.field,
      ]),
    ),
  ],
  [
    'a gateway prints a line on empty paper',
    'a number of the gateway',
    unsigned({
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`),
      [at.free]: content(textAt('Received 2024-03-15, page 1 of 1', 50, 20)),
    }),
  ],
  [
    'an archive prints its number on empty paper',
    'a number of the archive',
    unsigned({
      [at.page]: pageWith(`/Contents [${at.content} 0 R ${at.free} 0 R]`),
      [at.free]: content(textAt('Archive 20240315-0004711, account checked', 50, 20)),
    }),
  ],
  ['an invoice in XML is attached', 'the same', unsigned(attached(xmlOf(TOTAL.text)))],
  ['a viewer adds a note', 'the sign of a note', unsigned(commented(note, undefined, [at.field]))],
  [
    'the content is packed again',
    'the same',
    unsigned({ [at.content]: { entries: '/Filter /FlateDecode', data: deflateSync(contentOf()) } }),
  ],
  [
    'a linearised file has two tables from the start',
    'the same',
    () => {
      const first = firstRevision({ 99: '<< /Linearized 1 >>' }).toString('latin1');
      return withRevision(Buffer.from(first.replace(/startxref\n\d+/, 'startxref\n0'), 'latin1'), invoiceObjects);
    },
  ],
];

describe('a signed document', () => {
  test.each(removedSignatures)('is CRITICAL and blocks when %s: %s', async (_, __, file) => {
    expect(await judge(file())).toMatchObject({
      types: expect.arrayContaining(['DOCUMENT_MODIFIED_AFTER_SIGNING']),
      severities: expect.arrayContaining(['CRITICAL']),
      decision: 'BLOCK',
      changed: 'SIGNATURE_REMOVED',
    });
  });

  test.each(changesOfSigned)('is CRITICAL and blocks when %s: %s', async (_, __, file) => {
    expect(await judge(file())).toMatchObject({
      types: expect.arrayContaining(['DOCUMENT_MODIFIED_AFTER_SIGNING']),
      severities: expect.arrayContaining(['CRITICAL']),
      decision: 'BLOCK',
      changed: 'CONTENT',
    });
  });

  test.each(harmlessToSigned)('is INFO at most when %s: %s', async (_, __, file) => {
    const judged = await judge(file());
    expect(judged).toMatchObject({ decision: 'PASS', signs: [] });
    expect(judged.severities.filter((severity) => severity !== 'INFO')).toEqual([]);
    expect(['NOTHING', 'FORM_OR_VALIDATION']).toContain(judged.changed);
  });
});

describe('a document without a signature', () => {
  test.each(changesOfUnsigned)('is CRITICAL and blocks when %s: %s', async (_, __, file) => {
    expect(await judge(file())).toMatchObject({
      types: expect.arrayContaining(['DOCUMENT_TAMPER_SIGNS']),
      severities: expect.arrayContaining(['CRITICAL']),
      decision: 'BLOCK',
    });
  });

  test.each(harmlessToUnsigned)('is INFO at most when %s: %s', async (_, __, file) => {
    const judged = await judge(file());
    expect(judged).toMatchObject({ decision: 'PASS', signs: [] });
    expect(judged.severities.filter((severity) => severity !== 'INFO')).toEqual([]);
  });
});

describe('a document with more revisions or pages than are compared', () => {
  const withRevisions = (count: number): Buffer =>
    Array.from({ length: count }).reduce<Buffer>(
      (file, _, index) => withRevision(file, { [at.free]: `<< /Count ${index} >>` }),
      unsignedInvoice(),
    );
  const manyPages = (count: number): Buffer => {
    const numbers = Array.from({ length: count - 1 }, (_, index) => 100 + index);
    return unsignedInvoice({
      [at.pages]: `<< /Type /Pages /Kids [${[at.page, ...numbers].map((number) => `${number} 0 R`).join(' ')}] /Count ${count} >>`,
      ...Object.fromEntries(numbers.map((number) => [number, pageWith('/Contents []', [])])),
    });
  };
  const withPages = (count: number): Buffer => withRevision(manyPages(count), { [at.free]: '<< >>' });
  const DRAWN_PAGES = 15;
  const withDrawings = (count: number): Buffer =>
    Array.from({ length: count / DRAWN_PAGES - 1 }).reduce<Buffer>(
      (file, _, index) => withRevision(file, { [at.free]: `<< /Count ${index} >>` }),
      manyPages(DRAWN_PAGES),
    );

  test(
    'is compared whole when a document of 50 pages is signed twice and stamped with the time',
    async () => {
      const stamped = withSignature(
        signedOnceMore(signedInvoice(manyPages(PAGES_READ_MAX))),
        {
          [at.form]: formWith([at.field, at.signature, 40, 50]),
          50: '<< /Type /Annot /Subtype /Widget /FT /Sig /T (stamp) /Rect [0 0 0 0] /V 51 0 R >>',
        },
        { value: 51, subFilter: 'ETSI.RFC3161' },
      );
      expect(await judge(stamped)).toMatchObject({ decision: 'PASS', signs: [], changed: 'FORM_OR_VALIDATION' });
    },
    LONG_TEST_MS,
  );

  test.each([
    ['revisions', withRevisions, REVISIONS_COMPARED_MAX, 1],
    ['pages', withPages, PAGES_READ_MAX, 1],
    ['drawings', withDrawings, DRAWINGS_MAX, DRAWN_PAGES],
  ] as const)(
    'is compared up to the limit of %s, and beyond is sent to review',
    async (_, make, max, step) => {
      expect(await judge(make(max))).toMatchObject({ decision: 'PASS', signs: [] });
      expect(await judge(make(max + step))).toMatchObject({
        types: ['DOCUMENT_TAMPER_SIGNS'],
        severities: ['HIGH'],
        decision: 'REVIEW',
        signs: ['REVISIONS_NOT_COMPARED'],
      });
    },
    LONG_TEST_MS,
  );
});
