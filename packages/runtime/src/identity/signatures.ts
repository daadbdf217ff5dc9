import { createPrivateKey, sign, verify, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignedContent } from '@invoicecontrol/contracts/organization/v1/grant';
import { certificatesIn, isIssuedBy } from './identity-files.js';
import type { Identity } from './identity.js';
import { peerService } from './service-name.js';

/** Purpose of a signature. A signature for one purpose is never accepted for another one. */
export type Purpose = 'grant' | 'request';

/** Content whose signature was verified. */
export interface VerifiedContent {
  /** Service that has signed the content, as its certificate states it. */
  readonly signer: string;
  readonly content: Buffer;
  /** Period in which the signer's certificate is valid. Content that was signed outside this period must be refused. */
  readonly validFrom: Date;
  readonly validTo: Date;
}

/**
 * Signs content with the private key of a service's TLS certificate, so that every service that trusts the same
 * authorities can verify it without asking anybody for a key (ADR 0170).
 * @returns the serialized `SignedContent`
 */
export function signContent(identity: Identity, purpose: Purpose, content: Uint8Array): Buffer {
  const { key, certificates } = signingKeyOf(identity);
  const signature = sign('sha256', signedBytes(purpose, content), key);
  return Buffer.from(SignedContent.encode({ content: Buffer.from(content), certificates, signature }).finish());
}

interface SigningKey {
  readonly key: KeyObject;
  readonly certificates: Buffer[];
}

/** The parsed signing key of each identity, by the files from which it was parsed. */
const signingKeys = new WeakMap<object, SigningKey>();

function signingKeyOf({ files }: Identity): SigningKey {
  let found = signingKeys.get(files);
  if (found === undefined) {
    const certificates = certificatesIn(files.cert, 'tls.crt').map(({ raw }) => Buffer.from(raw));
    found = { key: createPrivateKey(files.key), certificates };
    signingKeys.set(files, found);
  }
  return found;
}

/** A certificate whose chain to an authority was verified. */
interface VerifiedCertificate extends Omit<VerifiedContent, 'content'> {
  readonly key: KeyObject;
}

/** Maximum number of verified certificates that a service caches: a few for each replica of the signing services. */
const CERTIFICATES_MAX = 64;
/** Maximum length of a certificate chain, from the certificate of the signer to the certificate of an authority. */
const CHAIN_MAX = 4;

/** Function that verifies signed content, and throws an Error with the reason if it is not what it claims to be. */
export type ContentVerifier = (purpose: Purpose, signed: Uint8Array) => VerifiedContent;

/**
 * Creates a function that verifies signed content. Verified certificates are cached until the authorities that the
 * service trusts change.
 * @returns a function that throws an Error with the reason if the signature or the certificate is not valid
 */
export function contentVerifier(identity: Identity): ContentVerifier {
  const certificates = new Map<string, VerifiedCertificate>();
  identity.onChange(() => certificates.clear());
  const certificateOf = (chain: readonly Buffer[]): VerifiedCertificate => {
    const [leaf] = chain;
    if (leaf === undefined || chain.length > CHAIN_MAX)
      throw new Error(`the signature has ${chain.length} certificates`);
    const name = leaf.toString('latin1');
    let found = certificates.get(name);
    if (found === undefined) {
      found = verifyCertificate(chain, identity);
      if (certificates.size >= CERTIFICATES_MAX) certificates.clear();
      certificates.set(name, found);
    }
    return found;
  };
  return (purpose, signed) => {
    const { content, certificates: chain, signature } = SignedContent.decode(signed);
    const { key, ...signer } = certificateOf(chain);
    if (!verify('sha256', signedBytes(purpose, content), key, signature))
      throw new Error(`the signature is not that of ${signer.signer}`);
    return { ...signer, content };
  };
}

function verifyCertificate(chain: readonly Buffer[], identity: Identity): VerifiedCertificate {
  const [leaf, ...between] = chain.map((der) => new X509Certificate(der));
  if (leaf === undefined) throw new Error('the signature has no certificate');
  if (!isIssuedBy(leaf, between, certificatesIn(identity.files.ca, 'ca.crt')))
    throw new Error('no trusted authority has issued the certificate of the signature');
  return {
    signer: peerService(leaf.subjectAltName, identity),
    key: leaf.publicKey,
    validFrom: new Date(leaf.validFrom),
    validTo: new Date(leaf.validTo),
  };
}

function signedBytes(purpose: Purpose, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${purpose}\0`), content]);
}
