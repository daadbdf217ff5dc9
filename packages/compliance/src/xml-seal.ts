import { constants, createHash, verify, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import type { XmlNode } from 'libxml2-wasm';
import { createOptionalCallbackFunction, SignedXml } from 'xml-crypto';
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto';
import { parseXml } from './parse-xml.js';

const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
/**
 * Maximum number of references in the XML signature of a seal. A seal refers to the document and to the fields of its
 * signature.
 */
const REFERENCES_MAX = 8;
/** Maximum number of certificates in a seal: the seal certificate and the certificates of its issuers. */
const CERTIFICATES_MAX = 8;
const RSA_BITS_MIN = 2_048;
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];
const HASHES = ['sha256', 'sha384', 'sha512'] as const;
/**
 * Hash algorithms that are accepted for the XML signature of a seal and every reference in it. SHA-1 is excluded,
 * because a SHA-1 signature can be moved to another document.
 */
type Hash = (typeof HASHES)[number];

const DIGEST_NAMES: Readonly<Record<Hash, string>> = {
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

/**
 * Digest algorithms by which a signature may name its certificate. SHA-1 is safe here, because no one can create a
 * second certificate with a given digest.
 */
const CERTIFICATE_DIGESTS: ReadonlyMap<string, string> = new Map([
  ...HASHES.map((hash) => [DIGEST_NAMES[hash], hash] as const),
  ['http://www.w3.org/2000/09/xmldsig#sha1', 'sha1'],
]);

/** A verified seal: the signed content, the certificates and the time. */
export interface XmlSeal {
  /** Canonical text of the whole document without its signature. */
  readonly text: string;
  readonly certificate: X509Certificate;
  /** Certificates that came with the XML signature, in addition to the certificate of the signer. */
  readonly issuers: readonly X509Certificate[];
  /** Time that an XML seal states and signs, or undefined if it states no time. */
  readonly sealedAt: Date | undefined;
}

/**
 * Verifies the single enveloped signature of a document with the certificate inside it: RSA or ECDSA, with SHA-256 to
 * SHA-512. The caller must check who holds the certificate.
 * @param xml a document that a strict parser accepts
 * @returns the seal, or a sentence that describes the fault
 */
export function verifySeal(xml: string): XmlSeal | { readonly fault: string } {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const signatures = document.getElementsByTagNameNS(SIGNATURE, 'Signature');
  const signature = signatures.item(0);
  if (signature === null) return { fault: 'The KSeF confirmation has no signature.' };
  if (signatures.length > 1)
    return { fault: `The KSeF confirmation has ${signatures.length} signatures; one is expected.` };
  if (signature.parentNode !== document.documentElement) {
    return { fault: 'The signature of the confirmation is not directly below its root element.' };
  }
  if (!hasUsualParts(signature))
    return { fault: 'The signature of the confirmation does not have the structure of an XML signature.' };
  const certificates = readCertificates(signature);
  const [certificate, ...issuers] = certificates ?? [];
  if (certificate === undefined) return { fault: 'The signature of the confirmation has no certificate.' };

  const verifier = new SignedXml({ publicCert: certificate.publicKey, getCertFromKeyInfo: () => null });
  verifier.SignatureAlgorithms = SIGNATURES;
  verifier.HashAlgorithms = DIGESTS;
  try {
    verifier.loadSignature(signature);
    if (verifier.getReferences().length > REFERENCES_MAX) return { fault: 'The signature has too many references.' };
    if (!verifier.checkSignature(xml)) return { fault: WRONG_SIGNATURE };
  } catch {
    // The signature library throws an error both for a wrong signature and for a signature that it cannot read.
    return { fault: WRONG_SIGNATURE };
  }
  const signed = verifier.getSignedReferences();
  const uris = verifier.getReferences().map(({ uri }) => uri);
  const whole = signed.filter((_, at) => uris[at] === '');
  const [text] = whole;
  if (whole.length !== 1 || text === undefined) {
    return { fault: 'The signature does not cover the whole confirmation.' };
  }
  const properties = signed.filter((_, at) => uris[at] !== '').map((text) => readProperties(text, certificate));
  if (properties.some(({ namesAnother }) => namesAnother)) return { fault: OTHER_CERTIFICATE };
  const times = properties.flatMap(({ sealedAt }) => sealedAt);
  const [sealedAt] = times;
  if (times.length > 1 || Number.isNaN(sealedAt?.getTime())) {
    return { fault: 'The signing time in the signature is missing or ambiguous.' };
  }
  return { text, certificate, issuers, sealedAt };
}

const OTHER_CERTIFICATE = 'The signature of the confirmation names a certificate other than the one that verified it.';
const WRONG_SIGNATURE = 'The signature of the confirmation is invalid, or is of a type that cannot be verified.';

/**
 * Checks whether an XML signature has the elements of the standard in the standard order. The signature library takes
 * the first element with a given name, wherever it is. In the standard order, the first element is always the right
 * one.
 */
function hasUsualParts(signature: Element): boolean {
  const parts = children(signature);
  const [signedInfo] = parts;
  if (signedInfo === undefined) return false;
  const names = parts.map(dsigName).join(' ');
  const ofSignedInfo = children(signedInfo).map(dsigName).join(' ');
  return (
    /^SignedInfo SignatureValue KeyInfo( Object)*$/.test(names) &&
    /^CanonicalizationMethod SignatureMethod( Reference)+$/.test(ofSignedInfo)
  );
}

function dsigName({ namespaceURI, localName }: Element): string {
  return namespaceURI === SIGNATURE ? localName : '?';
}

/**
 * Reads the certificates in an XML signature.
 * @returns undefined if there are too many certificates, or if a certificate is malformed
 */
function readCertificates(signature: Element): readonly X509Certificate[] | undefined {
  const keyInfo = children(signature).find((part) => dsigName(part) === 'KeyInfo');
  const texts = (keyInfo === undefined ? [] : children(keyInfo))
    .filter((part) => dsigName(part) === 'X509Data')
    .flatMap((data) => children(data))
    .filter((part) => dsigName(part) === 'X509Certificate')
    .map(({ textContent }) => textContent ?? '');
  if (texts.length > CERTIFICATES_MAX) return undefined;
  try {
    return texts.map((text) => new X509Certificate(Buffer.from(text, 'base64')));
  } catch {
    return undefined;
  }
}

function children(parent: Element): readonly Element[] {
  return Array.from(parent.childNodes).filter((node): node is Element => node.nodeType === 1);
}

/** Facts about a seal that its signed properties (XAdES) state. Unsigned properties are ignored. */
interface SignedProperties {
  readonly sealedAt: readonly Date[];
  /**
   * True if `SigningCertificate` or `SigningCertificateV2` names another certificate than the certificate that verified
   * the seal.
   */
  readonly namesAnother: boolean;
}

function readProperties(text: string, { raw }: X509Certificate): SignedProperties {
  const parsed = parseXml(Buffer.from(text));
  if ('fault' in parsed) return { sealedAt: [], namesAnother: false };
  const names = { x: XADES, d: SIGNATURE };
  const below = '/x:SignedProperties/x:SignedSignatureProperties';
  const { document } = parsed;
  try {
    const times = document.find(`${below}/x:SigningTime`, names);
    const named = document.find(`${below}/x:SigningCertificate|${below}/x:SigningCertificateV2`, names);
    const isNamed = (digest: XmlNode): boolean => {
      const hash = CERTIFICATE_DIGESTS.get(digest.get('d:DigestMethod/@Algorithm', names)?.content ?? '');
      const value = digest.get('d:DigestValue', names)?.content.trim();
      return hash !== undefined && createHash(hash).update(raw).digest('base64') === value;
    };
    return {
      sealedAt: times.map((time) => new Date(time.content.trim())),
      // The property SigningCertificate may also name the issuers of the certificate.
      namesAnother: named.some((property) => !property.find('x:Cert/x:CertDigest', names).some(isNamed)),
    };
  } finally {
    document.dispose();
  }
}

/**
 * Checks whether the public key of a certificate fits an XML signature algorithm. A key is never used with an algorithm
 * that does not fit.
 */
function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, kind: 'rsa' | 'ec'): boolean {
  if (asymmetricKeyType !== kind) return false;
  return kind === 'rsa'
    ? (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN
    : CURVES.includes(asymmetricKeyDetails?.namedCurve);
}

/**
 * Options of Node.js for each kind of XML signature algorithm. In XML, an elliptic-curve signature is the concatenation
 * of its two numbers.
 */
const KINDS = {
  RSA: { key: 'rsa', options: { padding: constants.RSA_PKCS1_PADDING } },
  PSS: {
    key: 'rsa',
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  },
  ECDSA: { key: 'ec', options: { dsaEncoding: 'ieee-p1363' } },
} as const;

function signatureAlgorithm(name: string, hash: Hash, kind: keyof typeof KINDS): new () => SignatureAlgorithm {
  const { key: keyType, options } = KINDS[kind];
  return class implements SignatureAlgorithm {
    readonly getSignature = createOptionalCallbackFunction((): string => {
      throw new Error('The XML seal module only verifies seals and cannot create a seal.');
    });
    readonly verifySignature = createOptionalCallbackFunction(
      (material: string, key: unknown, signatureValue: string): boolean => {
        const publicKey = key as KeyObject;
        if (!isStrong(publicKey, keyType)) return false;
        return verify(
          hash,
          Buffer.from(material),
          { key: publicKey, ...options },
          Buffer.from(signatureValue, 'base64'),
        );
      },
    );
    getAlgorithmName(): string {
      return name;
    }
  };
}

function digestAlgorithm(name: string, hash: Hash): new () => HashAlgorithm {
  return class implements HashAlgorithm {
    getHash(xml: string): string {
      return createHash(hash).update(xml, 'utf8').digest('base64');
    }
    getAlgorithmName(): string {
      return name;
    }
  };
}

/** The accepted algorithms of XML signatures. Neither SHA-1 nor algorithms with a shared secret are among them. */
const SIGNATURES = Object.fromEntries(
  HASHES.flatMap((hash) =>
    (
      [
        [`http://www.w3.org/2001/04/xmldsig-more#rsa-${hash}`, 'RSA'],
        [`http://www.w3.org/2007/05/xmldsig-more#${hash}-rsa-MGF1`, 'PSS'],
        [`http://www.w3.org/2001/04/xmldsig-more#ecdsa-${hash}`, 'ECDSA'],
      ] as const
    ).map(([name, kind]) => [name, signatureAlgorithm(name, hash, kind)]),
  ),
);
const DIGESTS = Object.fromEntries(
  HASHES.map((hash) => [DIGEST_NAMES[hash], digestAlgorithm(DIGEST_NAMES[hash], hash)]),
);
