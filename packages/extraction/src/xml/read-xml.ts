import { XmlElement } from 'libxml2-wasm';
import { identifyProfile } from '@invoicecontrol/compliance/profiles';
import type { DocumentReading, ReadingOutcome } from '../reading.js';
import { refuse } from '../refuse.js';
import { requireFields } from '../require-fields.js';
import { cii } from './cii.js';
import { fa3 } from './fa3.js';
import { facturae } from './facturae.js';
import { fatturaPa, fatturaSemplificata } from './fatturapa.js';
import { withXml } from './parse-xml.js';
import { find } from './find.js';
import { readCorrected } from './read-corrected.js';
import { readFields } from './read-fields.js';
import { LINES_MAX, readLines } from './read-lines.js';
import { readPrintedParts } from './read-printed-parts.js';
import { readTaxBreakdown } from './read-tax-breakdown.js';
import { recognisedFormats } from './recognised-formats.js';
import type { Root, Syntax } from './syntax.js';
import { ubl } from './ubl.js';
import { zugferd1 } from './zugferd1.js';

const syntaxes: readonly Syntax[] = [ubl, cii, zugferd1, fatturaPa, fatturaSemplificata, facturae, fa3];
/** Path of every known root element of an invoice, at any depth of the document. */
const anyRoot = `.//*[${syntaxes.flatMap(({ roots }) => roots.map(toCondition)).join(' or ')}]`;
const UBL_DOCUMENTS = 'urn:oasis:names:specification:ubl:schema:xsd:';

interface XmlContext {
  /** True if the XML is an attachment of a PDF, where the plain EN 16931 identifier denotes Factur-X. */
  readonly embeddedInPdf: boolean;
  /** True if the invoice is read to be shown. Its notes, addresses and payment terms are then read too. */
  readonly isShown?: boolean;
}

/**
 * Reads a structured invoice. Never throws, whatever the bytes are: an unreadable document returns a failure with a
 * reason.
 */
export function readXml(bytes: Uint8Array, context: XmlContext): ReadingOutcome {
  return withXml(bytes, ({ root }) => readRoot(root, context));
}

function readRoot(root: XmlElement, context: XmlContext): ReadingOutcome {
  const syntax = syntaxOf(root);
  if (syntax !== undefined) return readFile(root, syntax, context);
  const profile = identifyProfile({ root: root.name, namespace: root.namespaceUri });
  if (profile?.code === 'FA2') return refuse('UNSUPPORTED_FORMAT', replacedByFa3);
  const recognised = recognisedFormats[profile?.code ?? ''];
  if (recognised !== undefined) {
    return refuse('UNSUPPORTED_FORMAT', `The format ${recognised} is not supported. ${accepted}`);
  }
  return readWrapped(root, context);
}

const replacedByFa3 =
  'The invoice is in the structure FA(2), which FA(3) has replaced. Export it again in the structure FA(3), or send it as PDF.';
const accepted = 'Send it as UBL, CII (Factur-X, ZUGFeRD, XRechnung), FatturaPA, Facturae, FA(3) or PDF.';

/** Finds an invoice inside an envelope: a business document header, an enveloping XAdES signature or a SOAP message. */
function readWrapped(root: XmlElement, context: XmlContext): ReadingOutcome {
  const found = find(root, anyRoot, {}).filter((node) => node instanceof XmlElement);
  if (found.length > 1) return severalInvoices(found.length);
  const [invoice] = found;
  const syntax = invoice === undefined ? undefined : syntaxOf(invoice);
  if (invoice !== undefined && syntax !== undefined) return readFile(invoice, syntax, context);
  if (root.namespaceUri.startsWith(UBL_DOCUMENTS)) {
    return refuse('NO_INVOICE', `The UBL document ${root.name} is not an invoice. Send a UBL Invoice or CreditNote.`);
  }
  const name = root.name.slice(0, 100);
  return refuse(
    'UNSUPPORTED_FORMAT',
    `The XML root ${name} does not belong to a supported invoice format. ${accepted}`,
  );
}

function readFile(root: XmlElement, syntax: Syntax, context: XmlContext): ReadingOutcome {
  const invoices = syntax.invoices === undefined ? 1 : find(root, syntax.invoices, syntax.namespaces).length;
  return invoices > 1 ? severalInvoices(invoices) : readInvoice(root, syntax, context);
}

function severalInvoices(count: number): ReadingOutcome {
  return refuse('SEVERAL_INVOICES', `The file has ${count} invoices. Send each invoice in its own file.`);
}

function syntaxOf({ name, namespaceUri }: XmlElement): Syntax | undefined {
  return syntaxes.find(({ roots }) =>
    roots.some((root) => root.name === name && (root.namespace === undefined || root.namespace === namespaceUri)),
  );
}

function toCondition({ name, namespace }: Root): string {
  const isName = `local-name() = '${name}'`;
  return namespace === undefined ? isName : `(${isName} and namespace-uri() = '${namespace}')`;
}

function readInvoice(root: XmlElement, syntax: Syntax, context: XmlContext): ReadingOutcome {
  const { lines, total } = readLines(root, syntax);
  if (total > LINES_MAX)
    return refuse(
      'TOO_LARGE',
      `The invoice has ${total} lines; the maximum is ${LINES_MAX}. Send it in several parts.`,
    );
  const corrects = readCorrected(root, syntax);
  const taxBreakdown = readTaxBreakdown(root, syntax);
  const reading: DocumentReading = {
    method: 'XML',
    format: syntax.format,
    ...profileOf(root, syntax, context),
    kind: kindOf(root, syntax),
    embeddedFile: null,
    pages: null,
    ...readFields(root, syntax),
    lines,
    ...(taxBreakdown === undefined ? {} : { taxBreakdown }),
    ...(corrects === undefined ? {} : { corrects }),
    supplierNameCandidates: [],
    producer: null,
    signature: null,
    tamperSigns: [],
    hiddenTexts: [],
    conflicts: [],
    ...(context.isShown === true && { printedParts: readPrintedParts(root, syntax) }),
  };
  return requireFields(reading);
}

/**
 * Returns the code of the declared e-invoice profile, and the declaration as written: its identifier or, if there is
 * none, the namespace of the format.
 */
function profileOf(
  root: XmlElement,
  { profile: paths, namespaces }: Syntax,
  { embeddedInPdf }: XmlContext,
): Pick<DocumentReading, 'profile' | 'declaredProfiles'> {
  const text = (path: string | undefined) =>
    path === undefined ? undefined : find(root, path, namespaces)[0]?.content.trim().slice(0, 500);
  const customizationId = text(paths?.customizationId);
  const profileId = text(paths?.profileId);
  const evidence = { root: root.name, namespace: root.namespaceUri, customizationId, profileId, embeddedInPdf };
  const declared = paths === undefined ? root.namespaceUri : (customizationId ?? profileId ?? '');
  return {
    profile: identifyProfile(evidence)?.code ?? null,
    declaredProfiles: declared === '' ? [] : [declared],
  };
}

function kindOf(root: XmlElement, { kind, namespaces }: Syntax): DocumentReading['kind'] {
  const type = find(root, kind.path, namespaces)[0]?.content.trim() ?? '';
  if (root.name === kind.creditNoteRoot || kind.creditNotes.includes(type)) return 'CREDIT_NOTE';
  return kind.corrections.includes(type) ? 'CORRECTION' : 'INVOICE';
}
