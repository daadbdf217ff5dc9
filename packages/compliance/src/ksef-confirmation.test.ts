import { createHash, createHmac, sign as signBytes, webcrypto, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { BasicConstraintsExtension, X509CertificateGenerator } from '@peculiar/x509';
import type { X509Certificate as MadeCertificate } from '@peculiar/x509';
import { createOptionalCallbackFunction, SignedXml } from 'xml-crypto';
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto';
import { checkConfirmation, CONFIRMATION_BYTES_MAX } from './ksef-confirmation.js';
import type { SealTrust } from './ksef-confirmation.js';

const NUMBER = '5265877635-20260215-0123456789AB-CD';
const HASH = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=';
const OTHER = '5265877635-20260215-AAAAAAAAAAAA-11';
const expected = { ksefNumber: NUMBER, sha256: HASH };
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const NAMESPACE = 'http://upo.schematy.mf.gov.pl/KSeF/v4-3';
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const DAY_MS = 86_400_000;
const NOW = new Date('2026-02-15T12:00:00Z');
const daysFromNow = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

type KeyKind = 'RSA' | 'RSA-1024' | 'P-256' | 'P-384' | 'P-521';

/** A certificate with its private key, both in PEM. */
interface Holder {
  readonly privateKey: string;
  readonly certificate: string;
  readonly der: Uint8Array;
  readonly made: MadeCertificate;
  readonly keys: CryptoKeyPair;
}
type CryptoKeyPair = { readonly privateKey: webcrypto.CryptoKey; readonly publicKey: webcrypto.CryptoKey };

interface Issuing {
  readonly kind?: KeyKind;
  readonly issuer?: Holder;
  readonly isAuthority?: boolean;
  /** Beginning and end of the validity of the certificate, in days from now. */
  readonly valid?: readonly [from: number, to: number];
}

async function issue(name: string, { kind = 'P-256', issuer, isAuthority = false, valid = [-30, 30] }: Issuing = {}) {
  const algorithm = kind.startsWith('RSA')
    ? {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        modulusLength: kind === 'RSA' ? 2_048 : 1_024,
        publicExponent: Uint8Array.of(1, 0, 1),
      }
    : { name: 'ECDSA', namedCurve: kind, hash: 'SHA-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const made = await X509CertificateGenerator.create(
    {
      serialNumber: `0${Math.trunc(Math.random() * 1e12).toString(16)}`,
      subject: `CN=${name}`,
      issuer: issuer?.made.subject ?? `CN=${name}`,
      notBefore: daysFromNow(valid[0]),
      notAfter: daysFromNow(valid[1]),
      publicKey: keys.publicKey,
      signingKey: issuer?.keys.privateKey ?? keys.privateKey,
      signingAlgorithm: issuer === undefined ? algorithm : { name: 'ECDSA', hash: 'SHA-256' },
      extensions: [new BasicConstraintsExtension(isAuthority)],
    },
    webcrypto as never,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
    certificate: made.toString('pem'),
    der: new Uint8Array(made.rawData),
    made,
    keys,
  } satisfies Holder;
}

let seal: Holder;
let authority: Holder;
let intermediate: Holder;
let issued: Holder;
beforeAll(async () => {
  [seal, authority] = await Promise.all([issue('Seal', { kind: 'RSA' }), issue('Authority', { isAuthority: true })]);
  intermediate = await issue('Intermediate', { issuer: authority, isAuthority: true });
  issued = await issue('Issued', { issuer: intermediate });
});

const entry = (number = NUMBER, hash = HASH): string =>
  `<Dokument Id="first"><NumerKSeFDokumentu>${number}</NumerKSeFDokumentu><SkrotDokumentu>${hash}</SkrotDokumentu></Dokument>`;
const confirmation = (content: string, namespace = NAMESPACE): string =>
  `<Potwierdzenie xmlns="${namespace}"><NazwaPodmiotuPrzyjmujacego>Ministerstwo Finansów</NazwaPodmiotuPrzyjmujacego>${content}</Potwierdzenie>`;

interface Signing {
  readonly by?: Holder;
  /** Additional certificates that are sent with the signature. */
  readonly with?: readonly Holder[];
  readonly covers?: string;
  readonly canonicalization?: string;
  readonly algorithm?: string;
  readonly digest?: string;
  readonly place?: string;
  readonly hasCertificate?: boolean;
  readonly hasProperties?: boolean;
  /** Values for the `SigningTime` elements of the XAdES signature. */
  readonly times?: readonly string[];
  /** XML of further signed properties that a test adds to the signature. */
  readonly properties?: string;
}

function sign(xml: string, signing: Signing = {}): string {
  const { covers = '/*', canonicalization = EXCLUSIVE, place = '/*', hasProperties = false, by = seal } = signing;
  const { algorithm = `${MORE}rsa-sha256`, times, properties = '' } = signing;
  const hasAny = hasProperties || times !== undefined || properties !== '';
  const certificates = [by, ...(signing.with ?? [])].map(({ certificate }) => certificate).join('\n');
  const signer = new SignedXml({
    privateKey: by.privateKey,
    ...(signing.hasCertificate === false ? {} : { publicCert: certificates }),
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: canonicalization as never,
    ...(hasAny ? { objects: [{ content: propertiesOf(times ?? [], properties) }] } : {}),
  });
  signer.SignatureAlgorithms[algorithm] ??= signatureAlgorithm(algorithm, by.certificate);
  const digestAlgorithm = signing.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256';
  signer.HashAlgorithms[`${MORE}sha384`] = Sha384;
  const isWhole = covers === '/*';
  const transforms = isWhole ? [ENVELOPED, canonicalization] : [canonicalization];
  signer.addReference({ xpath: covers, isEmptyUri: isWhole, digestAlgorithm, transforms });
  if (hasAny) {
    signer.addReference({ xpath: "//*[@Id='properties']", digestAlgorithm, transforms: [canonicalization] });
  }
  signer.computeSignature(xml, { prefix: 'ds', location: { reference: place, action: 'append' } });
  return signer.getSignedXml();
}

function propertiesOf(times: readonly string[], others: string): string {
  const signed = times.map((time) => `<x:SigningTime>${time}</x:SigningTime>`).join('');
  return `<x:SignedProperties xmlns:x="http://uri.etsi.org/01903/v1.3.2#" Id="properties"><x:SignedSignatureProperties>${signed}${others}</x:SignedSignatureProperties></x:SignedProperties>`;
}

/**
 * Makes signatures in ways that the library does not support.
 * @param certificate the certificate that a shared secret is derived from
 */
function signatureAlgorithm(name: string, certificate: string): new () => SignatureAlgorithm {
  const hash = /sha\d+$/.exec(name)?.[0] ?? 'sha256';
  return class implements SignatureAlgorithm {
    readonly getSignature = createOptionalCallbackFunction((text: unknown, key: unknown): string => {
      if (name.includes('hmac'))
        return createHmac(hash, certificate)
          .update(text as string)
          .digest('base64');
      const dsaEncoding = name.includes('ecdsa') ? ('ieee-p1363' as const) : ('der' as const);
      return signBytes(hash, Buffer.from(text as string), { key: key as string, dsaEncoding }).toString('base64');
    });
    readonly verifySignature = createOptionalCallbackFunction((): boolean => false);
    getAlgorithmName(): string {
      return name;
    }
  };
}

class Sha384 implements HashAlgorithm {
  getHash(xml: string): string {
    return createHash('sha384').update(xml, 'utf8').digest('base64');
  }
  getAlgorithmName(): string {
    return `${MORE}sha384`;
  }
}

const outcome = (xml: string | Uint8Array, trust: Partial<SealTrust> = {}, confirmed = expected) =>
  checkConfirmation(Buffer.from(xml), confirmed, { trusted: [], now: NOW, ...trust });

/** Returns the fault that checking a confirmation finds, or undefined if there is none. */
function check(xml: string | Uint8Array, trust: Partial<SealTrust> = {}): string | undefined {
  const checked = outcome(xml, trust);
  return 'fault' in checked ? checked.fault : undefined;
}

describe('a confirmation whose signature verifies', () => {
  test.each<[string, () => string]>([
    ['with one document', () => sign(confirmation(entry()))],
    ['with several documents', () => sign(confirmation(entry(OTHER, 'other') + entry()))],
    ['with a declaration', () => `<?xml version="1.0" encoding="utf-8"?>\n${sign(confirmation(entry()))}`],
    ['with inclusive canonicalization', () => sign(confirmation(entry()), { canonicalization: INCLUSIVE })],
    ['with signed properties of the signature', () => sign(confirmation(entry()), { hasProperties: true })],
  ])('%s is right', (_, made) => {
    expect(check(made())).toBeUndefined();
  });

  test('of another document is not right', () => {
    expect(check(sign(confirmation(entry(OTHER))))).toContain('does not name document');
  });
  test('of another hash is not right', () => {
    expect(check(sign(confirmation(entry(NUMBER, 'other'))))).toContain('a different hash');
  });
  test('with the number and the hash in two documents is not right', () => {
    expect(check(sign(confirmation(entry(NUMBER, 'other') + entry(OTHER, HASH))))).toContain('a different hash');
  });
  test('of another version, or below another root, is not right', () => {
    expect(check(sign(confirmation(entry(), `${NAMESPACE}-x`)))).toContain('version 4-3');
    expect(check(sign(`<Other>${confirmation(entry())}</Other>`))).toContain('version 4-3');
  });
});

describe('a confirmation whose signature says nothing of it', () => {
  const WRONG = 'The signature of the confirmation is invalid';
  test.each<[string, () => string, string]>([
    ['with a changed number', () => sign(confirmation(entry(OTHER))).replace(OTHER, NUMBER), WRONG],
    ['with a changed hash', () => sign(confirmation(entry(NUMBER, 'other'))).replace('>other<', `>${HASH}<`), WRONG],
    ['with a changed signature', () => withChangedValue(sign(confirmation(entry()))), WRONG],
    ['without a signature', () => confirmation(entry()), 'no signature'],
    ['with two signatures', () => sign(sign(confirmation(entry()))), '2 signatures'],
    [
      'without a certificate',
      () => sign(confirmation(entry()), { hasCertificate: false }),
      'structure of an XML signature',
    ],
    ['with a signature of a part', () => sign(confirmation(entry()), { covers: "//*[@Id='first']" }), 'whole'],
    [
      'with an unsigned document next to the signed part',
      () =>
        sign(confirmation(entry(OTHER)), { covers: "//*[@Id='first']" }).replace(
          '<Dokument',
          `${entry().replace('first', 'second')}<Dokument`,
        ),
      'whole',
    ],
    [
      'with a signature somewhere below',
      () => sign(confirmation(entry()), { place: '//*[local-name()="Dokument"]' }),
      'directly below its root',
    ],
    [
      'wrapped in one that is not signed',
      () => confirmation(entry() + sign(confirmation(entry(OTHER)))),
      'directly below its root',
    ],
    [
      'with a SHA-1 signature',
      () => sign(confirmation(entry()), { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
      WRONG,
    ],
    [
      'with a SHA-1 digest',
      () => sign(confirmation(entry()), { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
      WRONG,
    ],
    ['with a document type', () => `<!DOCTYPE Potwierdzenie>${sign(confirmation(entry()))}`, 'document type'],
    ['that is cut', () => sign(confirmation(entry())).slice(0, -20), 'not well-formed XML'],
    [
      'with a zero character',
      () => sign(confirmation(entry())).replace('Dokument', 'Dok\0ument'),
      'not well-formed XML',
    ],
    ['of zero characters', () => '\0'.repeat(1_000), 'not well-formed XML'],
    ['that is empty', () => '', 'not well-formed XML'],
  ])('%s is refused', (_, made, fault) => {
    expect(check(made())).toContain(fault);
  });

  test('in another encoding is refused', () => {
    expect(check(Buffer.from(`\ufeff${sign(confirmation(entry()))}`, 'utf16le'))).toContain('UTF-8');
  });

  test('with a number that a comment divides is read as what is signed', () => {
    const divided = sign(confirmation(entry())).replace(NUMBER, `${NUMBER.slice(0, 5)}<!-- -->${NUMBER.slice(5)}`);
    expect(check(divided)).toBeUndefined();
  });
});

test('4 MiB are read, one byte more is not', () => {
  const xml = Buffer.from(sign(confirmation(entry())));
  const blanks = (bytes: number) => Buffer.concat([xml, Buffer.alloc(bytes - xml.length, ' ')]);
  expect(check(blanks(CONFIRMATION_BYTES_MAX))).toBeUndefined();
  expect(check(blanks(CONFIRMATION_BYTES_MAX + 1))).toContain('the maximum is 4194304');
});

describe('the seal of a confirmation', () => {
  test.each<[KeyKind, string]>([
    ['P-256', 'ecdsa-sha256'],
    ['P-384', 'ecdsa-sha384'],
    ['P-521', 'ecdsa-sha512'],
    ['P-256', 'ecdsa-sha512'],
    ['RSA', 'rsa-sha384'],
    ['RSA', 'rsa-sha512'],
  ])('with a key %s and %s is verified, and a changed document is not', async (kind, algorithm) => {
    const by = await issue('Seal', { kind });
    const sealed = sign(confirmation(entry()), { by, algorithm: `${MORE}${algorithm}`, times: [NOW.toISOString()] });
    expect(check(sealed)).toBeUndefined();
    expect(check(sealed.replace('Ministerstwo', 'ministerstwo'))).toContain('is invalid');
    expect(check(withChangedValue(sealed))).toContain('is invalid');
  });

  test('is verified with a digest of SHA-384', () => {
    expect(check(sign(confirmation(entry()), { digest: `${MORE}sha384` }))).toBeUndefined();
  });

  test.each<[string, KeyKind, string]>([
    ['a key that is too short', 'RSA-1024', `${MORE}rsa-sha256`],
    ['a name of another kind of key', 'P-256', `${MORE}rsa-sha256`],
    ['SHA-1 and an elliptic curve', 'P-256', `${MORE}ecdsa-sha1`],
    ['a shared secret that everybody knows', 'RSA', `${MORE}hmac-sha256`],
    ['a shared secret of the oldest kind', 'RSA', 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'],
  ])('with %s is refused', async (_, kind, algorithm) => {
    const by = await issue('Seal', { kind });
    expect(check(sign(confirmation(entry()), { by, algorithm }))).toContain('is invalid');
  });

  test.each<[string, (signature: string) => string]>([
    ['a second SignedInfo before the signed one', (text) => text.replace('<ds:SignedInfo>', '<ds:SignedInfo/>$&')],
    ['a second SignedInfo behind it', (text) => text.replace('<ds:SignatureValue>', '<ds:SignedInfo/>$&')],
    [
      'a second SignatureValue',
      (text) => text.replace('<ds:KeyInfo>', '<ds:SignatureValue>AA==</ds:SignatureValue>$&'),
    ],
    ['a second KeyInfo', (text) => text.replace('<ds:KeyInfo>', '<ds:KeyInfo/>$&')],
    [
      'an object before SignedInfo that names another method',
      (text) =>
        text.replace('<ds:SignedInfo>', `<ds:Object><ds:SignatureMethod Algorithm="${MORE}rsa-sha512"/></ds:Object>$&`),
    ],
    ['a SignedInfo of another namespace', (text) => text.replace('<ds:SignedInfo>', '<SignedInfo/>$&')],
  ])('with %s is refused', (_, change) => {
    const sealed = sign(confirmation(entry()));
    expect(change(sealed)).not.toBe(sealed);
    expect(check(change(sealed))).toContain('structure of an XML signature');
  });

  test('of one confirmation does not cover another around it, whichever place it is moved to', () => {
    const sealed = sign(confirmation(entry(OTHER)));
    const signature = /<ds:Signature[^]*<\/ds:Signature>/.exec(sealed)?.[0] ?? '';
    const inner = sealed.replace(signature, '');
    const forged = confirmation(`${entry()}<Extra>${inner}</Extra>${signature}`);
    expect(check(forged)).toContain('is invalid');
    const inObject = confirmation(entry() + signature.replace('</ds:Signature>', `<ds:Object>${inner}</ds:Object>$&`));
    expect(check(inObject)).toContain('is invalid');
    const byId = sign(confirmation(entry(OTHER)), { covers: "//*[@Id='first']" }).replace(
      '</ds:Signature>',
      `<ds:Object>${entry(OTHER)}</ds:Object>$&`,
    );
    expect(check(byId.replace(OTHER, NUMBER))).toContain('is invalid');
  });

  test('is refused when two elements have the name that it refers to', () => {
    const sealed = sign(confirmation(entry()), { hasProperties: true });
    expect(check(sealed)).toBeUndefined();
    const doubled = sealed.replace('</ds:Signature>', '<ds:Object Id="properties"/>$&');
    expect(check(doubled)).toContain('is invalid');
  });

  test('is refused with more references or certificates than are read', () => {
    expect(check(sign(confirmation(entry()), { with: Array(7).fill(authority) as Holder[] }))).toBeUndefined();
    expect(check(sign(confirmation(entry()), { with: Array(8).fill(authority) as Holder[] }))).toContain(
      'no certificate',
    );
    const many = sign(confirmation(entry())).replace(/<ds:Reference [^]*<\/ds:Reference>/, (one) => one.repeat(9));
    expect(check(many)).toContain('too many references');
  });

  test('is refused with bytes in the place of a certificate', () => {
    const broken = sign(confirmation(entry())).replace(/(X509Certificate>)[^<]+/, '$1AAAA');
    expect(check(broken)).toContain('no certificate');
  });
});

describe('the certificate of a seal', () => {
  test.each<[string, readonly [number, number]]>([
    ['that had ended', [-20, -1]],
    ['that was not valid yet', [1, 20]],
  ])('%s when the seal was made is refused, whatever day it is now', async (_, valid) => {
    const by = await issue('Seal', { valid });
    const sealed = sign(confirmation(entry()), { by, algorithm: ECDSA, times: [NOW.toISOString()] });
    const within = daysFromNow((valid[0] + valid[1]) / 2);
    expect(check(sealed, { now: within })).toContain('was not valid when the confirmation was sealed');
    const atTheTime = sign(confirmation(entry()), { by, algorithm: ECDSA, times: [within.toISOString()] });
    expect(check(atTheTime)).toBeUndefined();
    // A seal without a time counts as one of today.
    const withoutTime = sign(confirmation(entry()), { by, algorithm: ECDSA });
    expect([check(withoutTime), check(withoutTime, { now: within })]).toEqual([
      expect.stringContaining('was not valid when the confirmation was sealed'),
      undefined,
    ]);
  });

  test.each([[['never']], [['2026-02-15T12:00:00Z', '2026-02-15T12:00:01Z']]])(
    'is not asked for with the times %j',
    (times) => {
      expect(check(sign(confirmation(entry()), { times }))).toContain('missing or ambiguous');
    },
  );

  test('is named, and its holder is not known without a list', () => {
    const sealedBy = new X509Certificate(seal.der).fingerprint256;
    const certificate = new Uint8Array(seal.der);
    expect(outcome(sign(confirmation(entry())))).toEqual({ sealedBy, certificate, isHolderKnown: false });
  });

  test('is taken when it is in the list, and no other is', async () => {
    const other = await issue('Seal');
    const sealed = sign(confirmation(entry()));
    const sealedBy = new X509Certificate(seal.der).fingerprint256;
    const certificate = new Uint8Array(seal.der);
    expect(outcome(sealed, { trusted: [other.der, seal.der] })).toEqual({ sealedBy, certificate, isHolderKnown: true });
    expect(check(sealed, { trusted: [other.der] })).toContain(`${sealedBy}, which is not trusted`);
  });

  test('is taken when an issuer in the list has issued it, also through another that came with it', () => {
    const trusted = [authority.der];
    const direct = sign(confirmation(entry()), { by: intermediate, algorithm: ECDSA });
    expect(check(direct, { trusted })).toBeUndefined();
    const through = sign(confirmation(entry()), { by: issued, with: [intermediate], algorithm: ECDSA });
    expect(check(through, { trusted })).toBeUndefined();
    expect(outcome(through, { trusted })).toMatchObject({ isHolderKnown: true });
    const without = sign(confirmation(entry()), { by: issued, algorithm: ECDSA });
    expect(check(without, { trusted })).toContain('is not trusted');
    expect(check(without, { trusted: [intermediate.der] })).toBeUndefined();
  });

  test('is not taken because of what came with it', async () => {
    const trusted = [authority.der];
    const isRefused = (by: Holder, others: readonly Holder[]): void =>
      expect(check(sign(confirmation(entry()), { by, with: others, algorithm: ECDSA }), { trusted })).toContain(
        'is not trusted',
      );
    // The signature contains the trusted certificate and another one, which it did not issue.
    isRefused(await issue('Issued'), [authority]);
    // This issuer has the same name as the trusted authority, but another key.
    const namesake = await issue('Authority', { isAuthority: true });
    isRefused(await issue('Issued', { issuer: namesake }), [namesake]);
    // An issuer that the trusted certificate issued without the right to issue certificates.
    const person = await issue('Person', { issuer: authority });
    isRefused(await issue('Issued', { issuer: person }), [person]);
    // This intermediate issuer has a certificate that has expired.
    const ended = await issue('Ended', { issuer: authority, isAuthority: true, valid: [-30, -1] });
    isRefused(await issue('Issued', { issuer: ended }), [ended]);
  });
});

describe('the certificate that a seal names in its signed properties', () => {
  const METHODS: Readonly<Record<string, string>> = {
    sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
    sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
    sha384: `${MORE}sha384`,
    sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
  };
  const DSIG = 'xmlns:d="http://www.w3.org/2000/09/xmldsig#"';
  const cert = ({ der }: Holder, hash = 'sha256', method = METHODS[hash]): string => {
    const digest = createHash(hash).update(der).digest('base64');
    return `<x:Cert><x:CertDigest><d:DigestMethod ${DSIG} Algorithm="${method}"/><d:DigestValue ${DSIG}>${digest}</d:DigestValue></x:CertDigest></x:Cert>`;
  };
  const NAMES = ['SigningCertificate', 'SigningCertificateV2'];
  const named = (name: string, ...certs: readonly string[]): string => `<x:${name}>${certs.join('')}</x:${name}>`;
  const checkNamed = (properties: string) => check(sign(confirmation(entry()), { properties }));
  const ANOTHER = 'names a certificate other than';

  test.each(NAMES.flatMap((name) => Object.keys(METHODS).map((hash) => [name, hash] as const)))(
    'is the one of the seal (%s, %s), or the confirmation is refused',
    (name, hash) => {
      expect(checkNamed(named(name, cert(seal, hash)))).toBeUndefined();
      expect(checkNamed(named(name, cert(authority, hash)))).toContain(ANOTHER);
    },
  );

  test('may be followed by its issuers, and both versions must name it', () => {
    expect(checkNamed(named('SigningCertificate', cert(seal), cert(authority)))).toBeUndefined();
    const [first, second] = NAMES.map((name) => [named(name, cert(seal)), named(name, cert(authority))]);
    expect(checkNamed(`${first?.[0]}${second?.[0]}`)).toBeUndefined();
    expect(checkNamed(`${first?.[0]}${second?.[1]}`)).toContain(ANOTHER);
  });

  test('is not named by an empty property, nor by a digest whose method is unknown', () => {
    for (const name of NAMES) {
      expect(checkNamed(named(name))).toContain(ANOTHER);
      expect(checkNamed(named(name, cert(seal, 'sha256', 'urn:another')))).toContain(ANOTHER);
    }
  });

  test('of the same key with another validity is not the one that the seal was made with', async () => {
    const renewed = await issue('Seal', { kind: 'RSA' });
    const withKeyOfSeal = { ...renewed, privateKey: seal.privateKey };
    const properties = named('SigningCertificate', cert(renewed));
    const sealed = sign(confirmation(entry()), { by: withKeyOfSeal, properties });
    const swapped = sealed.replace(/(X509Certificate>)[^<]+/, `$1${Buffer.from(seal.der).toString('base64')}`);
    expect(check(swapped)).toContain(ANOTHER);
  });
});

describe('a hostile confirmation', () => {
  const DEPTH_MAX = 256;
  const nested = (depth: number): string => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;

  test('is read at a depth of 256 and refused at one more', () => {
    // The root element and the signature also count towards the limit.
    expect(check(sign(confirmation(entry() + nested(DEPTH_MAX - 1))))).toBeUndefined();
    const tooDeep = sign(confirmation(entry())).replace('<Dokument', `${nested(DEPTH_MAX)}$&`);
    expect(check(tooDeep)).toContain('not well-formed XML');
  });

  test('of a million elements in one another is refused at once', () => {
    const startedAt = performance.now();
    expect(check('<a>'.repeat(1_000_000))).toContain('not well-formed XML');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('with entities is refused', () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${sign(confirmation(entry()))}`;
    expect(check(bomb)).toContain('document type');
  });
});

const ECDSA = `${MORE}ecdsa-sha256`;

function withChangedValue(sealed: string): string {
  return sealed.replace(/(<ds:SignatureValue>)(.)/, (_, tag: string, one: string) => tag + (one === 'A' ? 'B' : 'A'));
}
