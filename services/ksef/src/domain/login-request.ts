import { createHash, sign } from 'node:crypto';
import type { KeyObject, X509Certificate } from 'node:crypto';
import { createOptionalCallbackFunction, SignedXml } from 'xml-crypto';
import type { SignatureAlgorithm } from 'xml-crypto';
import type { LoginCertificate } from './login-certificate.js';

const REQUEST = 'http://ksef.mf.gov.pl/auth/token/2.1';
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const ECDSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
/**
 * Time by which the signature of a KSeF login is dated back. KSeF refuses a signature whose time is in the future, and
 * the clock of KSeF may differ from the clock of the ksef service.
 */
const SIGNED_BEFORE_MS = 60_000;

/** Values that a KSeF login request contains and signs. */
export interface LoginRequest {
  readonly challenge: string;
  /** Time of the login challenge according to the KSeF clock. */
  readonly timestampMs: number;
  readonly contextNip: string;
}

/**
 * Writes the request that answers a challenge of KSeF, with an enveloped XAdES-BES signature (KSeF reference, section
 * 18; call X1). Signature and digests use SHA-256, because KSeF accepts SHA-1 only in TEST.
 */
export function signLoginRequest(
  { challenge, timestampMs, contextNip }: LoginRequest,
  { certificate, privateKey }: LoginCertificate,
): string {
  const signer = new SignedXml({
    // The signature library requires a non-empty string as key, but the algorithms that sign the KSeF login use the key
    // object.
    privateKey: 'in the algorithm',
    signatureAlgorithm: privateKey.asymmetricKeyType === 'ec' ? ECDSA_SHA256 : RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE_C14N,
    getKeyInfoContent: () =>
      element('ds:X509Data', {}, element('ds:X509Certificate', {}, certificate.raw.toString('base64'))),
    objects: [{ content: qualifyingProperties(certificate, new Date(timestampMs - SIGNED_BEFORE_MS)) }],
  });
  signer.SignatureAlgorithms = {
    [ECDSA_SHA256]: signatureWith(ECDSA_SHA256, privateKey),
    [RSA_SHA256]: signatureWith(RSA_SHA256, privateKey),
  };
  signer.addReference({
    xpath: '/*',
    isEmptyUri: true,
    digestAlgorithm: SHA256,
    transforms: [ENVELOPED, EXCLUSIVE_C14N],
  });
  signer.addReference({
    xpath: "//*[@Id='SignedProperties']",
    uri: '#SignedProperties',
    digestAlgorithm: SHA256,
    transforms: [EXCLUSIVE_C14N],
    type: SIGNED_PROPERTIES,
  });
  const request = element(
    'AuthTokenRequest',
    { xmlns: REQUEST },
    element('Challenge', {}, escape(challenge)) +
      element('ContextIdentifier', {}, element('Nip', {}, contextNip)) +
      element('SubjectIdentifierType', {}, 'certificateSubject'),
  );
  signer.computeSignature(request, { prefix: 'ds', attrs: { Id: 'Signature' } });
  return `<?xml version="1.0" encoding="utf-8"?>\n${signer.getSignedXml()}`;
}

/** Returns the properties of the signature of a KSeF login: its time and its certificate. */
function qualifyingProperties(certificate: X509Certificate, signedAt: Date): string {
  const digest = createHash('sha256').update(certificate.raw).digest('base64');
  const certDigest =
    element('ds:DigestMethod', { 'xmlns:ds': SIGNATURE, Algorithm: SHA256 }, '') +
    element('ds:DigestValue', { 'xmlns:ds': SIGNATURE }, digest);
  const issuerSerial =
    element('ds:X509IssuerName', { 'xmlns:ds': SIGNATURE }, escape(issuerName(certificate))) +
    element('ds:X509SerialNumber', { 'xmlns:ds': SIGNATURE }, BigInt(`0x${certificate.serialNumber}`).toString());
  const cert = element('xades:CertDigest', {}, certDigest) + element('xades:IssuerSerial', {}, issuerSerial);
  const properties =
    element('xades:SigningTime', {}, signedAt.toISOString()) +
    element('xades:SigningCertificate', {}, element('xades:Cert', {}, cert));
  return element(
    'xades:QualifyingProperties',
    { 'xmlns:xades': XADES, Target: '#Signature' },
    element(
      'xades:SignedProperties',
      { Id: 'SignedProperties' },
      element('xades:SignedSignatureProperties', {}, properties),
    ),
  );
}

/**
 * Returns the issuer name of a login certificate in RFC 2253 format, with the most specific part first. Node.js lists
 * it last.
 */
function issuerName({ issuer }: X509Certificate): string {
  return issuer.split('\n').reverse().join(',');
}

function signatureWith(name: string, key: KeyObject): new () => SignatureAlgorithm {
  return class implements SignatureAlgorithm {
    readonly getSignature = createOptionalCallbackFunction((material: string): string =>
      // XML signatures contain the two ECDSA numbers one after the other, while OpenSSL uses DER by default.
      sign('sha256', Buffer.from(material), { key, dsaEncoding: 'ieee-p1363' }).toString('base64'),
    );
    readonly verifySignature = createOptionalCallbackFunction((): boolean => {
      throw new Error('The KSeF service signs login requests and cannot verify them.');
    });
    getAlgorithmName(): string {
      return name;
    }
  };
}

function element(name: string, attributes: Readonly<Record<string, string>>, content: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${written.join('')}>${content}</${name}>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
