import { validateXml } from '@invoicecontrol/compliance/validate-xml';
import type { OfficialRules } from '@invoicecontrol/compliance/official-rules';
import type { Validation, ValidationMode } from '@invoicecontrol/compliance/validation';
import { readDocumentWithXml } from './read-document.js';
import type { DocumentContext } from './read-document.js';
import { withReadableTexts } from './readable-texts.js';
import type { ReadingOutcome } from './reading.js';

interface Rules {
  readonly mode: ValidationMode;
  /** The stylesheets with validation rules in RULES_DIR, if an operator mounted any. */
  readonly officialRules?: OfficialRules | undefined;
}

export interface Examination {
  readonly outcome: ReadingOutcome;
  /** Result of the reference validation. Null if the document is not an electronic invoice that can be validated. */
  readonly validation: Validation | null;
  /** Duration of the reference validation in milliseconds. Absent if nothing was validated. */
  readonly validationMs?: number;
}

/**
 * Reads a document, and validates its XML against the rules that the mode selects (documents reference, sections 9 and
 * 14). All texts in the result are readable for people. XML that is too small to be an invoice is validated too. Like
 * `readDocument`, this function rejects only because of a defect of its own code, and must run in a separate process.
 */
export async function examineDocument(bytes: Uint8Array, context: DocumentContext & Rules): Promise<Examination> {
  return withReadableTexts(await examine(bytes, context));
}

async function examine(
  bytes: Uint8Array,
  { mode, officialRules, ...context }: DocumentContext & Rules,
): Promise<Examination> {
  const { outcome, xml } = await readDocumentWithXml(bytes, context);
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  const isHybrid = reading !== null && reading.embeddedFile !== null;
  // Profiles that are declared outside the XML count only for a PDF with embedded XML.
  const declaredProfiles = isHybrid ? reading.declaredProfiles : [];
  const known = { embeddedInPdf: isHybrid, declaredProfiles, ...(officialRules && { officialRules }) };
  if (xml === null) return { outcome, validation: null };
  const begunAt = performance.now();
  const validation = validateXml(xml, mode, known);
  return { outcome, validation, validationMs: performance.now() - begunAt };
}
