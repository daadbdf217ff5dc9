import { createDecipheriv } from 'node:crypto';
import { unzip } from 'ksef-client-ts';
import { hashOf, json } from './testing.js';
import type { TestClient, TestSession } from './testing.js';

type Json = Readonly<Record<string, unknown>>;

/** Part of a KSeF invoice package, as the status of the export (call R2) describes it. */
export interface ListedPart {
  readonly ordinalNumber: number;
  readonly partName: string;
  readonly url: string;
  readonly partSize: number;
  readonly partHash: string;
  readonly encryptedPartSize: number;
  readonly encryptedPartHash: string;
  readonly expirationDate: string;
}

/** A KSeF invoice package, as the status of its export (call R2) describes it. */
export interface ListedPackage {
  readonly invoiceCount: number;
  readonly size: number;
  readonly parts: readonly ListedPart[];
  readonly isTruncated: boolean;
  readonly lastPermanentStorageDate?: string | null;
  readonly permanentStorageHwmDate: string;
}

interface ExportStatus {
  readonly status: { readonly code: number };
  readonly package: ListedPackage | null;
}

/** A downloaded, decrypted and unpacked KSeF invoice package. */
export interface OpenedPackage extends ListedPackage {
  /** Files of a KSeF invoice package by name, without the metadata. */
  readonly files: ReadonlyMap<string, string>;
  readonly metadata: readonly Json[];
}

/** Returns KSeF filters for a company's purchase invoices that were stored in the last hour. */
export function purchases(dateRange: Json = {}, subjectType = 'Subject2'): Json {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  return {
    subjectType,
    dateRange: { dateType: 'PermanentStorage', from, restrictToPermanentStorageHwmDate: true, ...dateRange },
  };
}

/** Returns the body of a KSeF export request (R1) with a new key. */
export async function exportRequest(
  client: TestClient,
  filters: Json = purchases(),
): Promise<TestSession & { body: Json }> {
  const { body, key, iv } = await client.openRequest();
  return { reference: '', key, iv, body: { encryption: body['encryption'], filters } };
}

/** Starts a KSeF export of invoices (call R1). */
export async function startExport(client: TestClient, filters?: Json, changes: Json = {}): Promise<TestSession> {
  const { body, ...session } = await exportRequest(client, filters);
  const answer = await client.api('POST invoices/exports', { ...body, ...changes });
  if (answer.status !== 201) throw new Error(`R1 responded with ${answer.status}: ${answer.text}`);
  return { ...session, reference: String(json(answer)['referenceNumber']) };
}

/** Reads the status of a KSeF export once (call R2). */
export async function pollExport(client: TestClient, { reference }: TestSession): Promise<ExportStatus> {
  return json(await client.api(`GET invoices/exports/${reference}`)) as unknown as ExportStatus;
}

/** Polls the status of a KSeF export until it is complete (call R2). */
export async function endExport(client: TestClient, session: TestSession): Promise<ExportStatus> {
  for (let polls = 0; polls < 20; polls++) {
    const shown = await pollExport(client, session);
    if (shown.status.code >= 200) return shown;
  }
  throw new Error('The export did not finish.');
}

/**
 * Downloads a part of a KSeF invoice package (R3) and decrypts it.
 * @throws Error if a size or hash differs from the R2 response
 */
export async function downloadPart({ key, iv }: TestSession, part: ListedPart): Promise<Buffer> {
  const response = await fetch(part.url);
  const encrypted = Buffer.from(await response.arrayBuffer());
  const decipher = createDecipheriv('aes-256-cbc', key, iv);
  const plain = Buffer.concat([decipher.update(encrypted), decipher.final()]);
  const found = [response.status, response.headers.get('x-ms-meta-hash'), hashOf(encrypted), encrypted.length];
  const stated = [200, part.encryptedPartHash, part.encryptedPartHash, part.encryptedPartSize];
  const isRight =
    JSON.stringify([...found, hashOf(plain), plain.length]) ===
    JSON.stringify([...stated, part.partHash, part.partSize]);
  if (!isRight) throw new Error(`${part.partName} differs from what R2 stated: ${JSON.stringify([found, stated])}`);
  return plain;
}

/** Downloads a KSeF invoice package and unpacks it with the ZIP reader of the public client. */
export async function openPackage(session: TestSession, listed: ListedPackage): Promise<OpenedPackage> {
  const parts: Buffer[] = [];
  for (const part of listed.parts) parts.push(await downloadPart(session, part));
  const limits = { maxFiles: 20_000, maxCompressionRatio: null };
  const files = parts.length === 0 ? new Map<string, Buffer>() : await unzip(Buffer.concat(parts), limits);
  const metadata = files.get('_metadata.json')?.toString('utf8') ?? '{"invoices":[]}';
  files.delete('_metadata.json');
  return {
    ...listed,
    files: new Map([...files].map(([name, content]) => [name, content.toString('utf8')])),
    metadata: (JSON.parse(metadata) as { invoices: readonly Json[] }).invoices,
  };
}

/** Starts a KSeF export (R1), waits for its invoice package (R2), and downloads the package (R3). */
export async function receive(client: TestClient, filters?: Json, changes?: Json): Promise<OpenedPackage> {
  const session = await startExport(client, filters, changes);
  const { status, package: listed } = await endExport(client, session);
  if (listed === null) throw new Error(`The export finished with code ${status.code}.`);
  return openPackage(session, listed);
}
