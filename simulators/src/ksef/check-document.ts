import { createDecipheriv } from 'node:crypto';
import { parseXml } from '@invoicecontrol/compliance/parse-xml';
import { schemaErrors } from '@invoicecontrol/compliance/schemas';
import type { XmlDocument, XmlNode } from 'libxml2-wasm';
import { sha256 } from './keys.js';
import { hasNipCheckDigit } from './numbers.js';
import type { FormCode, InvoiceFacts, PartyIdentifier, Status } from './records.js';

const BYTES_MAX = 1_000_000;
const BYTES_WITH_ATTACHMENT_MAX = 3_000_000;
const DETAILS_MAX = 10;

/** Invoice forms that an interactive KSeF session accepts, with their schemas. */
const forms = {
  'FA (3)': { schema: 'FA3', namespace: 'http://crd.gov.pl/wzor/2025/06/25/13775/' },
  'FA (2)': { schema: 'FA2', namespace: 'http://crd.gov.pl/wzor/2023/06/29/12648/' },
} as const;
type SystemCode = keyof typeof forms;

const failures: Readonly<Record<number, string>> = {
  405: 'Przetwarzanie anulowane z powodu błędu sesji',
  410: 'Nieprawidłowy zakres uprawnień',
  415: 'Brak możliwości wysyłania faktury z załącznikiem',
  430: 'Błąd weryfikacji pliku faktury',
  435: 'Błąd odszyfrowania pliku',
  440: 'Duplikat faktury',
  450: 'Błąd weryfikacji semantyki dokumentu faktury',
  500: 'Nieznany błąd (500)',
  550: 'Operacja została anulowana przez system',
};

export interface SentDocument {
  readonly encrypted: Uint8Array;
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
  readonly invoiceHash: string;
  readonly invoiceSize: number;
}

export interface DocumentRules {
  readonly formCode: FormCode;
  /** Day in Poland on which KSeF receives the document. */
  readonly today: string;
  readonly checksNips: boolean;
}

export type CheckedDocument =
  | { readonly facts: InvoiceFacts; readonly failure: null; readonly text: string }
  | { readonly facts: InvoiceFacts | null; readonly failure: Status };

/** Creates the final status of an invoice that KSeF refuses. */
export function failed(code: number, ...details: readonly string[]): Status {
  const description = failures[code] ?? `Status ${code}`;
  return { code, description, ...(details.length === 0 ? {} : { details }) };
}

export function isKnownForm({ systemCode, schemaVersion, value }: FormCode): boolean {
  return systemCode in forms && schemaVersion === '1-0E' && value === 'FA';
}

/**
 * Decrypts a document sent to KSeF and performs all checks that need only the document, in the order that section 14 of
 * the KSeF reference gives: decryption, file, content. Permissions and duplicates are checked later, when the invoice
 * is processed.
 */
export function checkDocument(sent: SentDocument, rules: DocumentRules): CheckedDocument {
  const bytes = decrypt(sent);
  if (bytes === undefined) return refused(435);
  const text = readFile(bytes, sent);
  if (typeof text !== 'string') return { facts: null, failure: text };
  const markup = markupFaults(text);
  if (markup.length > 0) return refused(450, ...markup);

  const parsed = parseXml(bytes);
  if ('fault' in parsed) {
    return refused(450, parsed.fault === 'DOCTYPE' ? 'Deklaracja DOCTYPE jest niedozwolona.' : parsed.message);
  }
  const { document } = parsed;
  try {
    return checkContent(document, text, bytes.length, rules);
  } finally {
    document.dispose();
  }
}

function checkContent(
  document: XmlDocument,
  text: string,
  size: number,
  { formCode, today, checksNips }: DocumentRules,
): CheckedDocument {
  const { schema, namespace } = forms[formCode.systemCode as SystemCode];
  const errors = schemaErrors(document, schema);
  if (errors.length > 0) return refused(450, ...errors.slice(0, DETAILS_MAX).map(({ message }) => message));
  const facts = readFacts(document, namespace, formCode);
  const refuse = (code: number, ...details: readonly string[]): CheckedDocument => ({
    facts,
    failure: failed(code, ...details),
  });
  if (size > (facts.hasAttachment ? BYTES_WITH_ATTACHMENT_MAX : BYTES_MAX)) {
    return refuse(430, 'Przekroczono dozwolony rozmiar faktury.');
  }
  if (facts.issueDate > today) return refuse(450, 'P_1: data wystawienia nie może być z przyszłości.');
  if (checksNips) {
    const nips = document
      .find('/f:Faktura/f:Podmiot1//f:NIP|/f:Faktura/f:Podmiot2//f:NIP|/f:Faktura/f:Podmiot3//f:NIP', { f: namespace })
      .map(({ content }) => content.trim());
    const wrong = nips.find((nip) => !hasNipCheckDigit(nip));
    if (wrong !== undefined) return refuse(450, `Nieprawidłowy NIP: ${wrong}.`);
  }
  return { facts, failure: null, text };
}

/**
 * Reads the fields that an FA(3) document contains.
 * @returns undefined if the document is neither FA(3) nor FA(2)
 */
export function readStatedFacts(xml: string): InvoiceFacts | undefined {
  const parsed = parseXml(Buffer.from(xml, 'utf8'));
  if ('fault' in parsed) return undefined;
  const { document } = parsed;
  try {
    const form = Object.entries(forms).find(([, { namespace }]) => document.root.namespaceUri === namespace);
    if (form === undefined) return undefined;
    const [systemCode, { namespace }] = form;
    return readFacts(document, namespace, { systemCode, schemaVersion: '1-0E', value: 'FA' });
  } finally {
    document.dispose();
  }
}

function refused(code: number, ...details: readonly string[]): CheckedDocument {
  return { facts: null, failure: failed(code, ...details) };
}

function decrypt({ encrypted, key, iv }: SentDocument): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, iv);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]);
  } catch {
    return undefined;
  }
}

/**
 * Reads an invoice file as text.
 * @returns its text, or the status of its fault
 */
function readFile(bytes: Buffer, { invoiceSize, invoiceHash }: SentDocument): string | Status {
  if (bytes.length !== invoiceSize) return failed(430, 'Nieprawidłowy rozmiar pliku.');
  if (sha256(bytes) !== invoiceHash) return failed(430, 'Nieprawidłowy skrót pliku.');
  if (bytes.length > BYTES_WITH_ATTACHMENT_MAX) return failed(430, 'Przekroczono dozwolony rozmiar faktury.');
  if (bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf))) return failed(430, 'Plik zawiera znacznik BOM.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return failed(430, 'Plik nie jest zakodowany w UTF-8.');
  }
  const encoding = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(text)?.[1];
  if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
    return failed(430, `Niedozwolone kodowanie: ${encoding}.`);
  }
  return text;
}

/**
 * Lists processing instructions and characters that KSeF refuses in addition to its schema (KSeF reference, section 9,
 * item 1).
 */
function markupFaults(text: string): readonly string[] {
  const faults: string[] = [];
  const withoutProlog = text.replace(/^<\?xml\s[^>]*\?>/, '');
  const withoutComments = withoutProlog.replace(/<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>/g, '');
  if (withoutComments.includes('<?')) faults.push('Instrukcje przetwarzania są niedozwolone.');
  const character = [...text].find((one) => isRefusedCharacter(one.codePointAt(0) ?? 0));
  if (character !== undefined) {
    faults.push(`Niedozwolony znak U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}.`);
  }
  return faults;
}

function isRefusedCharacter(code: number): boolean {
  if (code < 0x7f) return false;
  if (code <= 0x84 || (code >= 0x86 && code <= 0x9f)) return true;
  return (code >= 0xfdd0 && code <= 0xfdef) || (code > 0xffff && (code & 0xfffe) === 0xfffe);
}

function readFacts(document: XmlDocument, namespace: string, formCode: FormCode): InvoiceFacts {
  const textIn = (node: XmlNode, path: string): string | null => {
    const content = node.get(path, { f: namespace })?.content.trim();
    return content === undefined || content === '' ? null : content;
  };
  const find = (path: string): string | null => textIn(document.root, path);
  const sum = (names: string): number => {
    const cents = document
      .find(`/f:Faktura/f:Fa/*[${names}]`, { f: namespace })
      .reduce((total, { content }) => total + Math.round(Number(content.trim()) * 100), 0);
    return cents / 100;
  };
  /**
   * Reads the number that identifies a party of an FA(3) invoice.
   * @param path path to its DaneIdentyfikacyjne element
   */
  const identify = (node: XmlNode, path: string): PartyIdentifier => {
    const nip = textIn(node, `${path}/f:NIP`);
    if (nip !== null) return { type: 'Nip', value: nip };
    const internal = textIn(node, `${path}/f:IDWew`);
    if (internal !== null) return { type: 'InternalId', value: internal };
    const vatUe = textIn(node, `${path}/f:NrVatUE`);
    if (vatUe !== null) return { type: 'VatUe', value: `${textIn(node, `${path}/f:KodUE`) ?? ''}${vatUe}` };
    const other = textIn(node, `${path}/f:NrID`);
    return other === null ? { type: 'None', value: null } : { type: 'Other', value: other };
  };
  const buyer = 'f:Podmiot2/f:DaneIdentyfikacyjne';
  const authorized = 'f:PodmiotUpowazniony';
  const authorizedNip = find(`${authorized}/f:DaneIdentyfikacyjne/f:NIP`);
  return {
    sellerNip: find('f:Podmiot1/f:DaneIdentyfikacyjne/f:NIP') ?? '',
    sellerName: find('f:Podmiot1/f:DaneIdentyfikacyjne/f:Nazwa') ?? '',
    buyer: identify(document.root, buyer),
    buyerName: find(`${buyer}/f:Nazwa`),
    thirdSubjects: document.find('/f:Faktura/f:Podmiot3', { f: namespace }).map((node) => ({
      identifier: identify(node, 'f:DaneIdentyfikacyjne'),
      name: textIn(node, 'f:DaneIdentyfikacyjne/f:Nazwa'),
      role: Number(textIn(node, 'f:Rola') ?? '0'),
    })),
    authorizedSubject:
      authorizedNip === null
        ? null
        : {
            nip: authorizedNip,
            name: find(`${authorized}/f:DaneIdentyfikacyjne/f:Nazwa`),
            role: Number(find(`${authorized}/f:RolaPU`) ?? '0'),
          },
    kind: find('f:Fa/f:RodzajFaktury') ?? '',
    number: find('f:Fa/f:P_2') ?? '',
    issueDate: (find('f:Fa/f:P_1') ?? '').slice(0, 10),
    currency: find('f:Fa/f:KodWaluty') ?? '',
    net: sum('starts-with(local-name(), "P_13_")'),
    // The FA(3) fields P_14_1W and similar ones, which repeat the tax amount in PLN, are left out.
    vat: sum('starts-with(local-name(), "P_14_") and not(contains(local-name(), "W"))'),
    gross: Number(find('f:Fa/f:P_15') ?? '0'),
    isSelfInvoicing: find('f:Fa/f:Adnotacje/f:P_17') === '1',
    hasAttachment: document.get('/f:Faktura/f:Zalacznik', { f: namespace }) !== null,
    formCode,
  };
}
