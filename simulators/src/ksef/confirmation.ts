import { SignedXml } from 'xml-crypto';
import { toPem } from './keys.js';
import type { KeyPair } from './keys.js';
import { polishDay, timestamp } from './numbers.js';
import type { FormCode, Proof } from './records.js';

const NAMESPACE = 'http://upo.schematy.mf.gov.pl/KSeF/v4-3';
const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

export interface ConfirmedDocument {
  readonly sellerNip: string;
  readonly ksefNumber: string;
  readonly number: string;
  readonly issueDate: string;
  readonly receivedAt: Date;
  readonly acquiredAt: Date;
  readonly invoiceHash: string;
}

export interface ConfirmationContent {
  /** Name of the KSeF environment, such as `środowisko testowe (TE)`. Empty for production. */
  readonly environment: string;
  readonly session: string;
  readonly context: string;
  readonly proof: Proof;
  readonly formCode: FormCode;
  readonly documents: readonly ConfirmedDocument[];
  /** True for the collective confirmation of a KSeF session, which states the number of documents. */
  readonly isCollective: boolean;
  readonly sealedAt: Date;
}

/**
 * Writes the official KSeF confirmation of receipt (UPO), version 4-3, with an enveloped signature (XAdES) over the
 * whole document and the time of the seal.
 */
export function writeConfirmation(content: ConfirmationContent, seal: KeyPair): string {
  const signer = new SignedXml({
    privateKey: seal.privateKey,
    publicCert: toPem(seal.certificate),
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE_C14N,
    objects: [
      {
        content: element('xades:QualifyingProperties', { 'xmlns:xades': XADES, Target: '#seal' }, [
          element('xades:SignedProperties', { Id: 'seal-properties' }, [
            element('xades:SignedSignatureProperties', {}, [
              element('xades:SigningTime', {}, [content.sealedAt.toISOString()]),
            ]),
          ]),
        ]),
      },
    ],
  });
  const transforms = [ENVELOPED, EXCLUSIVE_C14N];
  signer.addReference({ xpath: '/*', isEmptyUri: true, digestAlgorithm: SHA256, transforms });
  signer.addReference({
    xpath: "//*[@Id='seal-properties']",
    digestAlgorithm: SHA256,
    transforms: [EXCLUSIVE_C14N],
    type: SIGNED_PROPERTIES,
  });
  signer.computeSignature(toXml(content), { prefix: 'ds', attrs: { Id: 'seal' } });
  return `<?xml version="1.0" encoding="utf-8"?>\n${signer.getSignedXml()}`;
}

function toXml({
  environment,
  session,
  context,
  proof,
  formCode,
  documents,
  isCollective,
}: ConfirmationContent): string {
  const count = documents.length;
  return element('Potwierdzenie', { xmlns: NAMESPACE }, [
    element('NazwaPodmiotuPrzyjmujacego', {}, [escape(`Ministerstwo Finansów${environment && ` - ${environment}`}`)]),
    element('NumerReferencyjnySesji', {}, [session]),
    element('Uwierzytelnienie', {}, [
      element('IdKontekstu', {}, [element('Nip', {}, [context])]),
      proof.loginHash === undefined
        ? element('NumerReferencyjnyTokenaKSeF', {}, [proof.tokenReferenceNumber ?? ''])
        : element('SkrotDokumentuUwierzytelniajacego', {}, [proof.loginHash]),
    ]),
    isCollective
      ? element('OpisPotwierdzenia', {}, [
          element('Strona', {}, ['1']),
          element('LiczbaStron', {}, ['1']),
          element('ZakresDokumentowOd', {}, ['1']),
          element('ZakresDokumentowDo', {}, [String(count)]),
          element('CalkowitaLiczbaDokumentow', {}, [String(count)]),
        ])
      : '',
    element('NazwaStrukturyLogicznej', {}, [
      escape(`Schemat_${formCode.systemCode.replace(' ', '')}_v${formCode.schemaVersion}.xsd`),
    ]),
    element('KodFormularza', {}, [escape(formCode.systemCode)]),
    ...documents.map((document) =>
      element('Dokument', {}, [
        element('NipSprzedawcy', {}, [document.sellerNip]),
        element('NumerKSeFDokumentu', {}, [document.ksefNumber]),
        element('NumerFaktury', {}, [escape(document.number)]),
        element('DataWystawieniaFaktury', {}, [document.issueDate]),
        element('DataPrzeslaniaDokumentu', {}, [timestamp(document.receivedAt)]),
        element('DataNadaniaNumeruKSeF', {}, [timestamp(document.acquiredAt)]),
        element('SkrotDokumentu', {}, [document.invoiceHash]),
        element('TrybWysylki', {}, [invoicingMode(document.issueDate, document.receivedAt)]),
      ]),
    ),
  ]);
}

/**
 * Returns the invoicing mode of a KSeF invoice. An invoice with an earlier issue date counts as issued offline (KSeF
 * reference, section 9, item 3).
 */
export function invoicingMode(issueDate: string, receivedAt: Date): 'Online' | 'Offline' {
  return issueDate < polishDay(receivedAt) ? 'Offline' : 'Online';
}

function element(name: string, attributes: Readonly<Record<string, string>>, content: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`);
  return `<${name}${written.join('')}>${content.join('')}</${name}>`;
}

/** Escapes the special characters of a text for XML. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
