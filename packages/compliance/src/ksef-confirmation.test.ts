import { webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { X509CertificateGenerator } from '@peculiar/x509';
import { SignedXml } from 'xml-crypto';
import { CONFIRMATION_BYTES_MAX, confirmationFault } from './ksef-confirmation.js';

const NUMBER = '5265877635-20260215-0123456789AB-CD';
const HASH = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=';
const OTHER = '5265877635-20260215-AAAAAAAAAAAA-11';
const expected = { ksefNumber: NUMBER, sha256: HASH };
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const NAMESPACE = 'http://upo.schematy.mf.gov.pl/KSeF/v4-3';
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2_048,
  publicExponent: Uint8Array.of(1, 0, 1),
} as const;

let privateKey: string;
let certificate: string;
beforeAll(async () => {
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned({ serialNumber: '01', name: 'CN=Seal', keys });
  certificate = made.toString('pem');
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  privateKey = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
});

const entry = (number = NUMBER, hash = HASH): string =>
  `<Dokument Id="first"><NumerKSeFDokumentu>${number}</NumerKSeFDokumentu><SkrotDokumentu>${hash}</SkrotDokumentu></Dokument>`;
const confirmation = (content: string, namespace = NAMESPACE): string =>
  `<Potwierdzenie xmlns="${namespace}"><NazwaPodmiotuPrzyjmujacego>Ministerstwo Finansów</NazwaPodmiotuPrzyjmujacego>${content}</Potwierdzenie>`;

interface Signing {
  readonly covers?: string;
  readonly canonicalization?: string;
  readonly algorithm?: string;
  readonly digest?: string;
  readonly place?: string;
  readonly hasCertificate?: boolean;
  readonly hasProperties?: boolean;
}

function sign(xml: string, signing: Signing = {}): string {
  const { covers = '/*', canonicalization = EXCLUSIVE, place = '/*', hasProperties = false } = signing;
  const signer = new SignedXml({
    privateKey,
    ...(signing.hasCertificate === false ? {} : { publicCert: certificate }),
    signatureAlgorithm: signing.algorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: canonicalization as never,
    ...(hasProperties
      ? { objects: [{ content: '<x:Properties xmlns:x="urn:x" Id="properties">sealed</x:Properties>' }] }
      : {}),
  });
  const digestAlgorithm = signing.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256';
  const isWhole = covers === '/*';
  const transforms = isWhole ? [ENVELOPED, canonicalization] : [canonicalization];
  signer.addReference({ xpath: covers, isEmptyUri: isWhole, digestAlgorithm, transforms });
  if (hasProperties) {
    signer.addReference({ xpath: "//*[@Id='properties']", digestAlgorithm, transforms: [canonicalization] });
  }
  signer.computeSignature(xml, { prefix: 'ds', location: { reference: place, action: 'append' } });
  return signer.getSignedXml();
}

const check = (xml: string | Uint8Array, confirmed = expected) => confirmationFault(Buffer.from(xml), confirmed);

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
    expect(check(sign(confirmation(entry(OTHER))))).toContain('does not name the document');
  });
  test('of another hash is not right', () => {
    expect(check(sign(confirmation(entry(NUMBER, 'other'))))).toContain('another hash');
  });
  test('with the number and the hash in two documents is not right', () => {
    expect(check(sign(confirmation(entry(NUMBER, 'other') + entry(OTHER, HASH))))).toContain('another hash');
  });
  test('of another version, or below another root, is not right', () => {
    expect(check(sign(confirmation(entry(), `${NAMESPACE}-x`)))).toContain('version 4-3');
    expect(check(sign(`<Other>${confirmation(entry())}</Other>`))).toContain('version 4-3');
  });
});

describe('a confirmation whose signature says nothing of it', () => {
  const WRONG = 'The signature of the confirmation is wrong';
  test.each<[string, () => string, string]>([
    ['with a changed number', () => sign(confirmation(entry(OTHER))).replace(OTHER, NUMBER), WRONG],
    ['with a changed hash', () => sign(confirmation(entry(NUMBER, 'other'))).replace('>other<', `>${HASH}<`), WRONG],
    [
      'with a changed signature',
      () =>
        sign(confirmation(entry())).replace(
          /(<ds:SignatureValue>)(.)/,
          (_, tag, one) => tag + (one === 'A' ? 'B' : 'A'),
        ),
      WRONG,
    ],
    ['without a signature', () => confirmation(entry()), 'no signature'],
    ['with two signatures', () => sign(sign(confirmation(entry()))), '2 signatures'],
    ['without a certificate', () => sign(confirmation(entry()), { hasCertificate: false }), WRONG],
    ['with a signature of a part', () => sign(confirmation(entry()), { covers: "//*[@Id='first']" }), 'whole'],
    [
      'with an unsigned document beside the signed part',
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
    ['that is cut', () => sign(confirmation(entry())).slice(0, -20), 'not correct XML'],
    ['with a zero character', () => sign(confirmation(entry())).replace('Dokument', 'Dok\0ument'), 'not correct XML'],
    ['of zero characters', () => '\0'.repeat(1_000), 'not correct XML'],
    ['that is empty', () => '', 'not correct XML'],
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
  expect(check(blanks(CONFIRMATION_BYTES_MAX + 1))).toContain('at most 4194304');
});
