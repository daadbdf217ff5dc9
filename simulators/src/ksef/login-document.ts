import { createHash, verify, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { parseXml } from '@invoicecontrol/compliance/parse-xml';
import { X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { createOptionalCallbackFunction, SignedXml } from 'xml-crypto';
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto';
import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { badRequest } from './refusal.js';

const NAMESPACES = ['http://ksef.mf.gov.pl/auth/token/2.0', 'http://ksef.mf.gov.pl/auth/token/2.1'];
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const MORE_ALGORITHMS = 'http://www.w3.org/2001/04/xmldsig-more#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const RSA_BITS_MIN = 2_048;
const HASHES = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
type Hash = (typeof HASHES)[number];
const DIGESTS: Readonly<Record<Hash, string>> = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

/** A KSeF login request with a correct signature. The owner of the certificate is checked elsewhere. */
export interface LoginDocument {
  readonly challenge: string;
  readonly contextNip: string;
  readonly certificate: X509Certificate;
}

/**
 * Verifies a signed login request as KSeF does (KSeF reference, section 18). The request needs one enveloped XAdES
 * signature. The signature must cover the whole document and the signed properties, which name the certificate.
 * @param isSha1Taken true only in TEST
 * @throws Refusal 400 with the KSeF code
 */
export function readLoginDocument(body: string, { isSha1Taken }: { readonly isSha1Taken: boolean }): LoginDocument {
  const parsed = parseXml(Buffer.from(body));
  if ('fault' in parsed) throw badRequest(21_001, 'Nieczytelna treść.');
  const { document } = parsed;
  try {
    const { challenge, contextNip } = readRequest(document);
    const signatures = document.find('//ds:Signature', { ds: SIGNATURE });
    const [signature] = signatures;
    if (signature === undefined) throw badRequest(9_102);
    if (signatures.length > 1) throw badRequest(9_103);
    const certificate = readCertificate(document);
    requireStrongKey(certificate.publicKey);
    requireProfile(document);
    verifySignature(body, certificate, isSha1Taken ? HASHES : HASHES.filter((hash) => hash !== 'sha1'));
    requireSigningCertificate(document, certificate, isSha1Taken);
    return { challenge, contextNip, certificate };
  } finally {
    document.dispose();
  }
}

/** Checks a KSeF login request against its schema: names, their order, and the form of the values. */
function readRequest(document: XmlDocument): Pick<LoginDocument, 'challenge' | 'contextNip'> {
  const { root } = document;
  if (root.name !== 'AuthTokenRequest' || !NAMESPACES.includes(root.namespaceUri)) {
    throw badRequest(21_401, 'AuthTokenRequest: nieznany element główny.');
  }
  const [challenge, context, subject, signature, ...others] = elementsOf(root);
  const names = [challenge, context, subject].map((part) => part?.name).join(' ');
  const isEnveloped = signature === undefined || signature.namespaceUri === SIGNATURE;
  if (names !== 'Challenge ContextIdentifier SubjectIdentifierType' || !isEnveloped || others.length > 0) {
    throw badRequest(21_401, 'AuthTokenRequest: nieprawidłowa kolejność elementów.');
  }
  const [identifier, ...more] = context === undefined ? [] : elementsOf(context);
  const challengeText = challenge?.content ?? '';
  const contextNip = identifier?.content ?? '';
  const isValid =
    /^\d{8}-CR-[A-F0-9]{10}-[A-F0-9]{10}-[A-F0-9]{2}$/.test(challengeText) &&
    identifier?.name === 'Nip' &&
    more.length === 0 &&
    /^[1-9](?:\d[1-9]|[1-9]\d)\d{7}$/.test(contextNip) &&
    ['certificateSubject', 'certificateFingerprint'].includes(subject?.content ?? '');
  if (!isValid) throw badRequest(21_401, 'AuthTokenRequest: wartość niezgodna ze schematem.');
  return { challenge: challengeText, contextNip };
}

function readCertificate(document: XmlDocument): X509Certificate {
  const found = document.find('/*/ds:Signature/ds:KeyInfo/ds:X509Data/ds:X509Certificate', { ds: SIGNATURE });
  const [text] = found;
  if (text === undefined || found.length > 1) throw badRequest(21_115);
  try {
    return new X509Certificate(Buffer.from(text.content, 'base64'));
  } catch {
    throw badRequest(21_115);
  }
}

function requireStrongKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): void {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'rsa' && modulusLength >= RSA_BITS_MIN) return;
  if (asymmetricKeyType === 'ec' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve ?? '')) return;
  throw badRequest(9_105, 'Nieobsługiwany klucz.');
}

function verifySignature(body: string, certificate: X509Certificate, hashes: readonly Hash[]): void {
  const verifier = new SignedXml({ publicCert: certificate.publicKey, getCertFromKeyInfo: () => null });
  verifier.SignatureAlgorithms = Object.fromEntries(hashes.flatMap((hash) => signaturesWith(hash)));
  verifier.HashAlgorithms = Object.fromEntries(hashes.map((hash) => [DIGESTS[hash], digestWith(hash)]));
  try {
    verifier.loadSignature(/<(?:\w+:)?Signature[\s>][\s\S]*<\/(?:\w+:)?Signature>/.exec(body)?.[0] ?? '');
    if (!verifier.checkSignature(body)) throw new Error('The signature is not valid.');
  } catch {
    // The signature library throws for a wrong digest, a wrong signature and an unknown algorithm.
    throw badRequest(9_105, 'Nieprawidłowy podpis albo nieobsługiwany algorytm.');
  }
}

/**
 * Requires that the signature of a login request has two references: to the whole document without its signature, and
 * to the properties of the signature.
 */
function requireProfile(document: XmlDocument): void {
  const references = document.find('/*/ds:Signature/ds:SignedInfo/ds:Reference', { ds: SIGNATURE });
  const whole = document.find(
    `/*/ds:Signature/ds:SignedInfo/ds:Reference[@URI='']/*/ds:Transform[@Algorithm='${ENVELOPED}']`,
    {
      ds: SIGNATURE,
    },
  );
  const properties = document.find(
    `/*/ds:Signature/ds:SignedInfo/ds:Reference[@Type='${SIGNED_PROPERTIES}' and
      @URI=concat('#', /*/ds:Signature/ds:Object/x:QualifyingProperties/x:SignedProperties/@Id)]`,
    { ds: SIGNATURE, x: XADES },
  );
  if (references.length === 2 && whole.length === 1 && properties.length === 1) return;
  throw badRequest(9_105, 'Format podpisu niezgodny z akceptowanymi profilami XAdES.');
}

/**
 * Requires that the signed properties of a login request name the certificate by its digest, its issuer and its serial
 * number.
 */
function requireSigningCertificate(document: XmlDocument, certificate: X509Certificate, isSha1Taken: boolean): void {
  const properties = '/*/ds:Signature/ds:Object/x:QualifyingProperties/x:SignedProperties/x:SignedSignatureProperties';
  const textOf = (path: string): string =>
    document.get(`${properties}/${path}`, { ds: SIGNATURE, x: XADES })?.content.trim() ?? '';
  const cert = 'x:SigningCertificate/x:Cert';
  const algorithm = document.get(`${properties}/${cert}/x:CertDigest/ds:DigestMethod/@Algorithm`, {
    ds: SIGNATURE,
    x: XADES,
  })?.content;
  const hash = HASHES.find((name) => DIGESTS[name] === algorithm);
  const isRight =
    hash !== undefined &&
    (hash !== 'sha1' || isSha1Taken) &&
    textOf(`${cert}/x:CertDigest/ds:DigestValue`) === createHash(hash).update(certificate.raw).digest('base64') &&
    textOf(`${cert}/x:IssuerSerial/ds:X509SerialNumber`) === BigInt(`0x${certificate.serialNumber}`).toString() &&
    textOf(`${cert}/x:IssuerSerial/ds:X509IssuerName`) !== '' &&
    !Number.isNaN(Date.parse(textOf('x:SigningTime')));
  if (!isRight) throw badRequest(9_105, 'SigningCertificate nie wskazuje certyfikatu podpisu.');
}

/** Returns the NIP or PESEL in the subject of a login certificate, by the patterns that KSeF publishes. */
export function identityOf(certificate: X509Certificate): string | undefined {
  const attributes = new ParsedCertificate(certificate.raw).subjectName;
  const [organization = ''] = attributes.getField('2.5.4.97');
  const [person = ''] = attributes.getField('2.5.4.5');
  return (
    /VATPL.*?(\d{10})/.exec(organization)?.[1] ??
    /(?:PNOPL|PESEL).*?(\d{11})/.exec(person)?.[1] ??
    /(?:TINPL|NIP).*?(\d{10})/.exec(person)?.[1]
  );
}

function elementsOf(parent: XmlElement): readonly XmlElement[] {
  const found: XmlElement[] = [];
  for (let node = parent.firstChild; node !== null; node = node.next) {
    if ('attrs' in node) found.push(node as XmlElement);
  }
  return found;
}

function signaturesWith(hash: Hash): readonly (readonly [string, new () => SignatureAlgorithm])[] {
  return [
    [`${hash === 'sha1' ? SIGNATURE : MORE_ALGORITHMS}rsa-${hash}`, signatureWith(hash, 'rsa')],
    [`${MORE_ALGORITHMS}ecdsa-${hash}`, signatureWith(hash, 'ec')],
  ];
}

function signatureWith(hash: Hash, type: 'rsa' | 'ec'): new () => SignatureAlgorithm {
  return class implements SignatureAlgorithm {
    readonly getSignature = createOptionalCallbackFunction((): string => {
      throw new Error('The simulator verifies login requests and does not sign them.');
    });
    readonly verifySignature = createOptionalCallbackFunction(
      (material: string, key: unknown, value: string): boolean =>
        (key as KeyObject).asymmetricKeyType === type &&
        verify(
          hash,
          Buffer.from(material),
          { key: key as KeyObject, dsaEncoding: 'ieee-p1363' },
          Buffer.from(value, 'base64'),
        ),
    );
    getAlgorithmName(): string {
      return hash;
    }
  };
}

function digestWith(hash: Hash): new () => HashAlgorithm {
  return class implements HashAlgorithm {
    getHash(xml: string): string {
      return createHash(hash).update(xml, 'utf8').digest('base64');
    }
    getAlgorithmName(): string {
      return hash;
    }
  };
}
