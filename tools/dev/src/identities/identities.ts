// Creates the certificates by which the services of one machine identify each other
// (docs/adr/0160-certificates-on-one-machine.md).
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { certificatesIn } from '@invoicecontrol/runtime/identity/identity-files';
import type { KeyPair, Leaf, SigningAuthority } from './authority.js';

/** Share of its lifetime that a certificate must have left. A certificate with less time left is replaced. */
const REMAINING_PART_MIN = 1 / 3;

const files = { certificate: 'tls.crt', key: 'tls.key', bundle: 'ca.crt' } as const;

/** Certificate authority of an installation or of a test run. */
export interface Authority {
  /** Certificates of all authorities that are trusted now, in PEM, the newest first. */
  readonly bundle: string;
  issue(leaf: Leaf): Promise<KeyPair>;
}

export interface IdentityOptions {
  /** Folder into which `tls.crt`, `tls.key` and `ca.crt` are written. */
  readonly directory: string;
  readonly service: string;
  /** Organizational unit of the subject, by default `services`. The certificate of a database needs another unit. */
  readonly unit?: string;
  /** SPIFFE ids of the certificate. By default, the certificate has only the SPIFFE id of the service. */
  readonly uris?: readonly string[];
  /** Further DNS names of the certificate, in addition to the name of the service and `localhost`. */
  readonly dnsNames?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/**
 * Creates the certificate of each named service or client in a separate folder, as `tls.crt`, `tls.key` and `ca.crt`,
 * which only the user of this process can read. An existing certificate is replaced only if it has other names or two
 * thirds of its lifetime are over.
 * @param directory directory of these folders and of the certificate authority
 */
export async function prepareIdentities(directory: string, names: readonly string[]): Promise<void> {
  const authority = await createAuthority(directory);
  for (const name of names) {
    const options = { directory: join(directory, name), service: name };
    if (!(await isUsable(options, authority.bundle))) await issueIdentity(authority, options);
    else await keepBundle(options.directory, authority.bundle);
  }
}

/** Writes the three files of an identity. Each file is complete when it appears under its name. */
export async function issueIdentity(authority: Authority, options: IdentityOptions): Promise<void> {
  const { directory } = options;
  const { certificate, key } = await authority.issue(leafOf(options));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writePrivate(join(directory, files.bundle), authority.bundle);
  await writePrivate(join(directory, files.key), key);
  await writePrivate(join(directory, files.certificate), certificate);
}

/**
 * Opens the certificate authority in a directory (`ca.crt`, `ca.key`), or creates one. In the last third of its
 * lifetime, a successor is created. Certificates of the successor are issued only from the next call on, so that
 * running services trust it before they meet its certificates.
 */
export async function createAuthority(directory: string): Promise<Authority> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const known = await readPair(directory, 'ca.crt', 'ca.key');
  const [current, ...former] = known === undefined ? [] : certificatesIn(Buffer.from(known.certificate), 'ca.crt');
  if (known === undefined || current === undefined || !isValid(current)) {
    const made = await makeAuthority(directory, []);
    return { bundle: made.certificate, issue: made.issue };
  }
  const trusted = [current, ...former.filter(isValid)];
  const isSucceeded = !isFresh(current);
  const next = isSucceeded ? await makeAuthority(directory, trusted) : undefined;
  const open = once(async () =>
    (await import('./authority.js')).openAuthority({ certificate: String(current), key: known.key }),
  );
  return {
    bundle: (next?.certificate ?? '') + trusted.map(String).join(''),
    issue: async (leaf) => (await open()).issue(leaf),
  };
}

async function makeAuthority(directory: string, before: readonly X509Certificate[]): Promise<SigningAuthority> {
  const made = await (await import('./authority.js')).makeSigningAuthority();
  await writePrivate(join(directory, 'ca.key'), made.key);
  await writePrivate(join(directory, 'ca.crt'), made.certificate + before.map(String).join(''));
  return made;
}

function leafOf({ service, unit = 'services', uris, dnsNames = [], notBefore, notAfter }: IdentityOptions): Leaf {
  const alternatives = [
    ...(uris ?? [`spiffe://${TRUST_DOMAIN_DEFAULT}/service/${service}`]).map(
      (value) => ({ type: 'url', value }) as const,
    ),
    ...[service, 'localhost', ...dnsNames].map((value) => ({ type: 'dns', value }) as const),
    { type: 'ip', value: '127.0.0.1' } as const,
  ];
  return { name: service, unit, alternatives, notBefore, notAfter };
}

async function isUsable(options: IdentityOptions, bundle: string): Promise<boolean> {
  const known = await readPair(options.directory, files.certificate, files.key);
  if (known === undefined) return false;
  const certificate = new X509Certificate(known.certificate);
  const isTrusted = certificatesIn(Buffer.from(bundle), 'ca.crt').some(
    (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
  return isFresh(certificate) && isTrusted && certificate.subjectAltName === alternativeNamesOf(leafOf(options));
}

async function keepBundle(directory: string, bundle: string): Promise<void> {
  const file = join(directory, files.bundle);
  if ((await readFile(file, 'utf8').catch(() => '')) !== bundle) await writePrivate(file, bundle);
}

/** Returns the alternative names of a certificate in the notation of `X509Certificate`. */
function alternativeNamesOf({ alternatives }: Leaf): string {
  const labels: Readonly<Record<string, string>> = { url: 'URI', dns: 'DNS', ip: 'IP Address' };
  return alternatives.map(({ type, value }) => `${labels[type]}:${String(value)}`).join(', ');
}

/**
 * Checks whether a certificate is valid now. Its validity may begin in the future if the clock of the machine was wrong
 * when the certificate was made.
 */
function isValid({ validFrom, validTo }: X509Certificate): boolean {
  return Date.parse(validFrom) <= Date.now() && Date.parse(validTo) > Date.now();
}

function isFresh(certificate: X509Certificate): boolean {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return isValid(certificate) && to - Date.now() > (to - from) * REMAINING_PART_MIN;
}

/**
 * Returns a certificate with its private key, or undefined if a file is missing or unreadable, or if the key does not
 * belong to the certificate.
 */
async function readPair(directory: string, certificateFile: string, keyFile: string): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all(
    [certificateFile, keyFile].map((name) => readFile(join(directory, name), 'utf8').catch(() => '')),
  );
  try {
    const fits = new X509Certificate(certificate ?? '').checkPrivateKey(createPrivateKey(key ?? ''));
    return fits && certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

async function writePrivate(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  await writeFile(part, text, { mode: 0o600 });
  // An interrupted call may have left this file with other permissions. Writing to a file does not change its
  // permissions, so they are set here.
  await chmod(part, 0o600);
  await rename(part, file);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work());
}
