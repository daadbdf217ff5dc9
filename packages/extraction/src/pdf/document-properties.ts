import { CII, contradictsProfile, identifyProfile } from '@invoicecontrol/compliance/profiles';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TamperSign } from '../reading.js';

/** Metadata that a PDF file states about itself. */
export interface DocumentProperties {
  readonly producer: string | null;
  /**
   * Conformance level in the XMP metadata of the PDF as written, such as `EN 16931`. Null if the metadata names none.
   */
  readonly profile: string | null;
  readonly signs: readonly TamperSign[];
}

const DAY_MS = 86_400_000;
const PRODUCER_LENGTH_MAX = 200;
const LEVEL_LENGTH_MAX = 100;

export async function readProperties(pdf: PDFDocumentProxy): Promise<DocumentProperties> {
  const { info, metadata } = await pdf.getMetadata();
  const facts = info as Readonly<Record<string, unknown>>;
  const xmp = (name: string): string | undefined => {
    const value: unknown = metadata?.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const text = (name: string): string | undefined => {
    const value = facts[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const producer = text('Producer');
  const signs: TamperSign[] = [];
  const other = xmp('pdf:producer');
  if (producer !== undefined && other !== undefined && normalise(producer) !== normalise(other)) {
    signs.push({ kind: 'PRODUCERS_DIFFER', objects: [] });
  }
  const [created, modified] = [toTime(text('CreationDate')), toTime(text('ModDate'))];
  if (created !== undefined && modified !== undefined && modified - created > DAY_MS) {
    signs.push({ kind: 'MODIFIED_LATER', objects: [] });
  }
  const named = producer ?? text('Creator') ?? other;
  return { producer: named?.slice(0, PRODUCER_LENGTH_MAX) ?? null, profile: profileOfXmp(xmp), signs };
}

/**
 * Returns the e-invoice profiles that the XML declares, followed by the profiles that other parts of the file declare
 * and that contradict the XML. Such parts are the level in the metadata, the name of the attachment, and the
 * identifiers of further attachments (documents reference, section 9.1).
 */
export function declaredProfiles(ofXml: readonly string[], beside: readonly string[]): string[] {
  const [declared] = ofXml;
  if (declared === undefined) return [];
  const profile = identifyProfile({
    root: 'CrossIndustryInvoice',
    namespace: CII,
    customizationId: declared,
    profileId: declared,
    embeddedInPdf: true,
  });
  if (profile === null) return [...ofXml];
  return [...ofXml, ...new Set(beside.filter((declaration) => contradictsProfile(profile, [declaration])))];
}

function profileOfXmp(xmp: (name: string) => string | undefined): string | null {
  return (xmp('fx:conformancelevel') ?? xmp('zf:conformancelevel'))?.slice(0, LEVEL_LENGTH_MAX) ?? null;
}

function normalise(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Parses a time in the properties of a PDF, such as `D:20240131120000+01'00'`. */
function toTime(text: string | undefined): number | undefined {
  const match = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:([+-])(\d{2})'?(\d{2})?|Z)?/.exec(
    text ?? '',
  );
  if (match === null) return undefined;
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    hours = '00',
    minutes = '00',
  ] = match;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === undefined ? time : time - (sign === '-' ? -offset : offset);
}
