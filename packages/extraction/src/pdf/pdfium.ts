import { PDFiumModule } from '@hyzyla/pdfium';
import { pdfiumProgram } from './pdfium-program.js';

/** Area of the drawn PDF page in pixels, measured from the top. */
export interface PixelArea {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An object on a document page that is not part of its content: a comment, a stamp or a form field. */
export interface Annotation {
  readonly kind: 'NOTE' | 'MARKING' | 'SIGNATURE' | 'BLANK_FIELD' | 'OTHER';
  readonly area: PixelArea;
}

/** An image in shades of grey with one byte for each pixel. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Page of a PDF that was drawn as pictures. */
export interface DrawnPage {
  /** Width of the PDF page in points. The page is rotated as it is shown. */
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  /** Picture of the document page without annotations. */
  readonly content: GreyPicture;
  /**
   * Image of the PDF page with annotations that draw their own appearance. If there are no such annotations, it is the
   * same image as `content`.
   */
  readonly whole: GreyPicture;
  readonly annotations: readonly Annotation[];
}

/** A signature in a form field of the PDF. */
export interface HeldSignature {
  /** Byte ranges of the PDF file that the signature covers: start, length, start, length. */
  readonly byteRange: readonly number[];
  readonly contents: string;
  readonly isTimestamp: boolean;
}

export interface PdfiumDocument {
  readonly pageCount: number;
  /** Returns the signatures whose fields are at the top level of the PDF form. */
  signatures(): HeldSignature[];
  /** Returns the names of the signed form fields on the pages of a PDF, at any level of the form. */
  signedFields(): string[];
  /**
   * Draws the document page with the given index.
   * @param index index of the page, from 0
   * @returns undefined if the page cannot be drawn
   */
  draw(index: number): DrawnPage | undefined;
}

/** Functions of the PDFium library that this file uses. The library exports these functions without types. */
interface Functions {
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetSignatureCount(document: number): number;
  _FPDF_GetSignatureObject(document: number, index: number): number;
  _FPDFSignatureObj_GetByteRange(signature: number, buffer: number, length: number): number;
  _FPDFSignatureObj_GetContents(signature: number, buffer: number, length: number): number;
  _FPDFSignatureObj_GetSubFilter(signature: number, buffer: number, length: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFPage_RemoveAnnot(page: number, index: number): number;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetRect(annotation: number, rectangle: number): number;
  _FPDFAnnot_HasKey(annotation: number, key: number): number;
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldName(form: number, annotation: number, buffer: number, length: number): number;
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, length: number): number;
  _FPDF_PageToDevice(
    page: number,
    startX: number,
    startY: number,
    width: number,
    height: number,
    rotate: number,
    x: number,
    y: number,
    deviceX: number,
    deviceY: number,
  ): number;
}
type Pdfium = Awaited<ReturnType<typeof PDFiumModule>> & Functions;

const POINTS_PER_INCH = 72;
/** Resolution at which PDF pages are drawn, as on a screen. Smaller differences are not visible to readers. */
const DPI = 96;
/** Maximum number of pixels in the drawing of a PDF page. A page in A4 has 0.9 million pixels. */
const PIXELS_MAX = 2_000_000;
/**
 * Minimum resolution at which a PDF page is drawn. At a lower resolution, letters of ordinary size cannot be
 * distinguished.
 */
const DPI_MIN = 48;
/** Maximum number of annotations on a document page that is drawn. */
export const ANNOTATIONS_MAX = 1_000;
const SIGNATURES_MAX = 50;
/** Maximum number of document pages whose signature fields are read. */
const SIGNATURE_PAGES_MAX = 50;
const SIGNATURE_BYTES_MAX = 256 * 1024;
const SHORT_TEXT_BYTES_MAX = 1_024;
const RENDER_ANNOTATIONS = 0x01;
const RENDER_GREY = 0x08;
const GREY = 1;
const FORM_ENVIRONMENT_BYTES = 256;
/** Subtypes of PDF annotations, as the PDFium library numbers them. */
const NOTES: ReadonlySet<number> = new Set([1, 14, 16, 17, 18]);
const LINK = 2;
const MARKINGS: ReadonlySet<number> = new Set([9, 10, 11, 12]);
const WIDGET = 20;
const TEXT_FIELDS: ReadonlySet<number> = new Set([4, 5, 6]);
const SIGNATURE_FIELD = 7;

/**
 * Calls `use` with a new instance of PDFium, so that a crash of an earlier instance has no effect. The instance opens
 * documents one at a time. `open` resolves with undefined for bytes that are not a document.
 */
export async function withPdfium<T>(
  use: (
    open: <R>(bytes: Uint8Array, read: (document: PdfiumDocument) => Promise<R>) => Promise<R | undefined>,
  ) => Promise<T>,
): Promise<T> {
  const pdfium = (await PDFiumModule({ instantiateWasm: await pdfiumProgram() })) as Pdfium;
  pdfium._FPDF_InitLibraryWithConfig({ version: 2 });
  try {
    return await use((bytes, read) => withDocument(pdfium, bytes, read));
  } finally {
    pdfium._FPDF_DestroyLibrary();
  }
}

async function withDocument<R>(
  pdfium: Pdfium,
  bytes: Uint8Array,
  read: (document: PdfiumDocument) => Promise<R>,
): Promise<R | undefined> {
  const { malloc, free } = pdfium.wasmExports;
  const at = malloc(bytes.length);
  if (at === 0) return undefined;
  pdfium.HEAPU8.set(bytes, at);
  const document = pdfium._FPDF_LoadMemDocument(at, bytes.length, 0);
  try {
    if (document === 0) return undefined;
    const environment = malloc(FORM_ENVIRONMENT_BYTES);
    pdfium.HEAPU8.fill(0, environment, environment + FORM_ENVIRONMENT_BYTES);
    new DataView(pdfium.HEAPU8.buffer).setUint32(environment, 2, true);
    const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, environment);
    try {
      return await read({
        pageCount: pdfium._FPDF_GetPageCount(document),
        signatures: () => signaturesOf(pdfium, document),
        signedFields: () => signedFieldsOf(pdfium, document, form),
        draw: (index) => drawPage(pdfium, { document, form }, index),
      });
    } finally {
      if (form !== 0) pdfium._FPDFDOC_ExitFormFillEnvironment(form);
      free(environment);
    }
  } finally {
    if (document !== 0) pdfium._FPDF_CloseDocument(document);
    free(at);
  }
}

function signaturesOf(pdfium: Pdfium, document: number): HeldSignature[] {
  const count = Math.min(pdfium._FPDF_GetSignatureCount(document), SIGNATURES_MAX);
  return Array.from({ length: count }, (_, index) => {
    const signature = pdfium._FPDF_GetSignatureObject(document, index);
    const range = withBuffer(pdfium, 16 * 4, (at) => {
      const length = pdfium._FPDFSignatureObj_GetByteRange(signature, at, 16);
      return Array.from({ length: Math.min(Math.max(length, 0), 16) }, (__, place) =>
        new DataView(pdfium.HEAPU8.buffer).getInt32(at + 4 * place, true),
      );
    });
    const contents = bytesOf(pdfium, SIGNATURE_BYTES_MAX, (at, length) =>
      pdfium._FPDFSignatureObj_GetContents(signature, at, length),
    );
    const subFilter = bytesOf(pdfium, SHORT_TEXT_BYTES_MAX, (at, length) =>
      pdfium._FPDFSignatureObj_GetSubFilter(signature, at, length),
    );
    return {
      byteRange: range,
      contents: contents.toString('base64'),
      isTimestamp: subFilter.toString('latin1').startsWith('ETSI.RFC3161'),
    };
  }).filter(({ byteRange }) => byteRange.length === 4);
}

function signedFieldsOf(pdfium: Pdfium, document: number, form: number): string[] {
  const names: string[] = [];
  const pages = Math.min(pdfium._FPDF_GetPageCount(document), SIGNATURE_PAGES_MAX);
  for (let index = 0; index < pages; index += 1) {
    const page = pdfium._FPDF_LoadPage(document, index);
    if (page === 0) continue;
    const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), ANNOTATIONS_MAX);
    for (let place = 0; place < count; place += 1) {
      const annotation = pdfium._FPDFPage_GetAnnot(page, place);
      if (annotation === 0) continue;
      const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
      if (type === SIGNATURE_FIELD && isSigned(pdfium, annotation)) {
        const name = bytesOf(pdfium, SHORT_TEXT_BYTES_MAX, (at, length) =>
          pdfium._FPDFAnnot_GetFormFieldName(form, annotation, at, length),
        );
        names.push(name.toString('utf16le'));
      }
      pdfium._FPDFPage_CloseAnnot(annotation);
    }
    pdfium._FPDF_ClosePage(page);
  }
  return names;
}

/**
 * Draws a document page twice, without and with its annotations. A comment without its own appearance has the usual
 * icon of its kind.
 */
function drawPage(
  pdfium: Pdfium,
  { document, form }: { readonly document: number; readonly form: number },
  index: number,
): DrawnPage | undefined {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return undefined;
  try {
    const [width, height] = [pdfium._FPDF_GetPageWidth(page), pdfium._FPDF_GetPageHeight(page)];
    if (!(width > 0 && height > 0)) return undefined;
    const dpi = Math.min(DPI, POINTS_PER_INCH * Math.sqrt(PIXELS_MAX / (width * height)));
    if (dpi < DPI_MIN) return undefined;
    const scale = dpi / POINTS_PER_INCH;
    const size = { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
    if (pdfium._FPDFPage_GetAnnotCount(page) > ANNOTATIONS_MAX) return undefined;
    const annotations = takeAnnotations(pdfium, { page, form, size });
    const content = drawInGrey(pdfium, size, (bitmap) => {
      pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, RENDER_GREY);
    });
    const whole =
      annotations.length === 0
        ? content
        : drawInGrey(pdfium, size, (bitmap) => {
            pdfium._FORM_OnAfterLoadPage(page, form);
            const flags = RENDER_GREY | RENDER_ANNOTATIONS;
            pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, flags);
            pdfium._FPDF_FFLDraw(form, bitmap, page, 0, 0, size.width, size.height, 0, RENDER_GREY);
            pdfium._FORM_OnBeforeClosePage(page, form);
          });
    return { width, height, rotation: pdfium._FPDFPage_GetRotation(page), content, whole, annotations };
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
}

/**
 * Returns the annotations of a document page. Annotations that draw nothing are removed from the page, because they
 * neither show nor hide anything.
 */
function takeAnnotations(
  pdfium: Pdfium,
  place: { readonly page: number; readonly form: number; readonly size: Omit<GreyPicture, 'data'> },
): Annotation[] {
  const annotations: Annotation[] = [];
  for (let index = pdfium._FPDFPage_GetAnnotCount(place.page) - 1; index >= 0; index -= 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(place.page, index);
    if (annotation === 0) continue;
    try {
      const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
      const isComment = NOTES.has(subtype) || MARKINGS.has(subtype) || subtype === LINK;
      if (isComment && !hasKey(pdfium, annotation, 'AP')) {
        pdfium._FPDFPage_RemoveAnnot(place.page, index);
        continue;
      }
      annotations.push({
        kind: kindOf(pdfium, { annotation, subtype, form: place.form }),
        area: areaOf(pdfium, annotation, place),
      });
    } finally {
      pdfium._FPDFPage_CloseAnnot(annotation);
    }
  }
  return annotations;
}

function kindOf(
  pdfium: Pdfium,
  { annotation, subtype, form }: { readonly annotation: number; readonly subtype: number; readonly form: number },
): Annotation['kind'] {
  if (NOTES.has(subtype)) return 'NOTE';
  if (MARKINGS.has(subtype)) return 'MARKING';
  if (subtype !== WIDGET) return 'OTHER';
  const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === SIGNATURE_FIELD) return isSigned(pdfium, annotation) ? 'SIGNATURE' : 'OTHER';
  if (!TEXT_FIELDS.has(type)) return 'OTHER';
  // The length of a text that PDFium returns includes the two bytes that terminate the text.
  return pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, 0, 0) > 2 ? 'OTHER' : 'BLANK_FIELD';
}

/**
 * Checks whether the annotation of a signature field contains a signature. If the field is stored separately from its
 * annotation, the value is stored in the field, and the annotation itself has neither a value nor a name. Such an
 * annotation counts as signed.
 */
function isSigned(pdfium: Pdfium, annotation: number): boolean {
  return hasKey(pdfium, annotation, 'V') || !hasKey(pdfium, annotation, 'T');
}

function hasKey(pdfium: Pdfium, annotation: number, key: string): boolean {
  const bytes = Buffer.from(`${key}\0`, 'latin1');
  return withBuffer(pdfium, bytes.length, (at) => {
    pdfium.HEAPU8.set(bytes, at);
    return pdfium._FPDFAnnot_HasKey(annotation, at) !== 0;
  });
}

function areaOf(
  pdfium: Pdfium,
  annotation: number,
  { page, size }: { readonly page: number; readonly size: Omit<GreyPicture, 'data'> },
): PixelArea {
  return withBuffer(pdfium, 24, (at) => {
    const view = (): DataView => new DataView(pdfium.HEAPU8.buffer);
    if (pdfium._FPDFAnnot_GetRect(annotation, at) === 0) return { left: 0, top: 0, right: 0, bottom: 0 };
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((place) =>
      view().getFloat32(at + place, true),
    );
    const toPixels = (x: number, y: number): readonly [number, number] => {
      pdfium._FPDF_PageToDevice(page, 0, 0, size.width, size.height, 0, x, y, at + 16, at + 20);
      return [view().getInt32(at + 16, true), view().getInt32(at + 20, true)];
    };
    const [oneX, oneY] = toPixels(left, top);
    const [otherX, otherY] = toPixels(right, bottom);
    return {
      left: Math.min(oneX, otherX) - 1,
      top: Math.min(oneY, otherY) - 1,
      right: Math.max(oneX, otherX) + 1,
      bottom: Math.max(oneY, otherY) + 1,
    };
  });
}

function drawInGrey(
  pdfium: Pdfium,
  { width, height }: Omit<GreyPicture, 'data'>,
  draw: (bitmap: number) => void,
): GreyPicture {
  return withBuffer(pdfium, width * height, (at) => {
    const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, GREY, at, width);
    try {
      pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
      draw(bitmap);
      return { width, height, data: pdfium.HEAPU8.slice(at, at + width * height) };
    } finally {
      pdfium._FPDFBitmap_Destroy(bitmap);
    }
  });
}

function bytesOf(pdfium: Pdfium, bytesMax: number, read: (at: number, length: number) => number): Buffer {
  const length = read(0, 0);
  if (length <= 0 || length > bytesMax) return Buffer.alloc(0);
  return withBuffer(pdfium, length, (at) => {
    read(at, length);
    return Buffer.from(pdfium.HEAPU8.slice(at, at + length));
  });
}

/**
 * Calls `use` with a buffer in the memory of PDFium. When the memory of PDFium grows, it moves: addresses in it stay
 * valid, but views of it do not.
 */
function withBuffer<T>(pdfium: Pdfium, bytes: number, use: (at: number) => T): T {
  const at = pdfium.wasmExports.malloc(bytes);
  if (at === 0) throw new RangeError('PDFium ran out of memory.');
  try {
    return use(at);
  } finally {
    pdfium.wasmExports.free(at);
  }
}
