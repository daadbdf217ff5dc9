import { validateXml } from '@invoicecontrol/compliance/validate-xml';
import type { OfficialRules } from '@invoicecontrol/compliance/official-rules';
import type { Validation, ValidationMode } from '@invoicecontrol/compliance/validation';
import { readDocument } from './read-document.js';
import type { DocumentContext } from './read-document.js';
import { withReadableTexts } from './readable-texts.js';
import type { ReadingOutcome } from './reading.js';
import { structuredXml } from './structured-xml.js';

interface Rules {
  readonly mode: ValidationMode;
  /** The rules of RULES_DIR, if an operator mounted any. */
  readonly officialRules?: OfficialRules | undefined;
}

export interface Examination {
  readonly outcome: ReadingOutcome;
  /** Null where nothing is to be checked. */
  readonly validation: Validation | null;
}

/**
 * Reads a document, and checks its XML against the rules that the mode asks for (documents reference, sections 9 and 14), in texts that
 * people can read. XML that is too small to be an invoice is checked all the same. Like `readDocument`, it rejects only for defects, and
 * belongs into a process of its own.
 */
export async function examineDocument(bytes: Uint8Array, context: DocumentContext & Rules): Promise<Examination> {
  return withReadableTexts(await examine(bytes, context));
}

async function examine(
  bytes: Uint8Array,
  { mode, officialRules, ...context }: DocumentContext & Rules,
): Promise<Examination> {
  const outcome = await readDocument(bytes, context);
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  const isHybrid = reading !== null && reading.embeddedFile !== null;
  if (context.mediaType === 'application/pdf' && !isHybrid) return { outcome, validation: null };
  const xml = await structuredXml(bytes, context.mediaType);
  // Only a PDF declares a profile besides that of its XML.
  const declaredProfiles = isHybrid ? reading.declaredProfiles : [];
  const known = { embeddedInPdf: isHybrid, declaredProfiles, ...(officialRules && { officialRules }) };
  return { outcome, validation: xml === null ? null : validateXml(xml, mode, known) };
}
