import { createDecipheriv, createHash, randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { destroyAgents, trustedAgents } from '@invoicecontrol/egress/agents';
import type { Agents } from '@invoicecontrol/egress/agents';
import { bounded, CallTimeout } from '@invoicecontrol/egress/bounded';
import { BlockedAddressError } from '@invoicecontrol/egress/egress';
import type { Egress } from '@invoicecontrol/egress/egress';
import { sendRequest } from '@invoicecontrol/egress/send-request';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { ksefCalled } from '../telemetry.js';
import { parseJson } from '@invoicecontrol/values/json';
import { parseUrl } from '@invoicecontrol/values/url';
import type { ExportPackages, OpenPackage } from '../application/inbox/stores.js';
import type { KsefEnvironment } from '../application/ksef-calls.js';
import type { SessionKey } from '../domain/encryption.js';
import { checkDirectory, checkParts, INVOICES_MAX, matchFiles, PackageFault } from '../domain/export-package.js';
import type { ExportedPart, PackedFile } from '../domain/export-package.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import { packageListing } from './read-answers.js';
import { openArchive } from './zip-archive.js';

export interface ExportPackagesSettings {
  /** Base address of each KSeF environment. Invoice packages may be stored at the same origin. */
  readonly urls: Readonly<Record<KsefEnvironment, string>>;
  /** Further hosts from which invoice packages of KSeF may be downloaded, over HTTPS. */
  readonly storageHosts: Readonly<Record<KsefEnvironment, readonly string[]>>;
  /**
   * Deadline of a call to KSeF in milliseconds. Downloading a part of a package takes longer and gets a multiple of
   * this deadline.
   */
  readonly requestMs: number;
}

/**
 * Multiple of the usual call deadline that a part of a KSeF package gets. A part has 50 MB, and downloading it takes up
 * to ten minutes.
 */
const DEADLINES_OF_PART = 20;
const CONNECT_MS_MAX = 10_000;
const CONNECTIONS_PER_ORIGIN = 8;

/**
 * Downloads export packages (R3). An invoice package is decrypted during the download into a file without a name, so
 * that nothing remains on the disk when the process exits (ADR 0121).
 */
export function exportPackages(
  { urls, storageHosts, requestMs }: ExportPackagesSettings,
  egress: Pick<Egress, 'agents'>,
  logger: Logger,
): ExportPackages & { close(): void } {
  const trusted = trustedAgents({
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: Math.min(CONNECT_MS_MAX, requestMs),
    peer: 'ksef',
  });

  /**
   * Returns the HTTP agents for the address of a KSeF package.
   * @throws PackageFault if the address must not be called
   */
  function agentsFor(environment: KsefEnvironment, text: string): Agents {
    const url = parseUrl(text);
    if (url?.origin === new URL(urls[environment]).origin) return trusted;
    const isListed = url?.protocol === 'https:' && url.port === '' && storageHosts[environment].includes(url.hostname);
    if (isListed && url.username === '' && url.password === '') return egress.agents;
    logger.error({ environment, host: url?.host }, 'KSeF offers a package on a host that is not configured');
    const name = `KSEF_${environment}_STORAGE_HOSTS`;
    throw new PackageFault(
      `KSeF offers the package on a host that is not listed in ${name}. Ask the operator to add the host.`,
    );
  }

  async function append(
    file: FileHandle,
    start: number,
    { part, key, agents }: { readonly part: ExportedPart; readonly key: SessionKey; readonly agents: Agents },
    signal: AbortSignal,
  ): Promise<void> {
    const { url, ordinalNumber, encryptedSize, encryptedHash, size, hash } = part;
    const deadlineMs = requestMs * DEADLINES_OF_PART;
    await bounded({ deadlineMs, signal }, async (ending) => {
      const headers = { accept: '*/*', 'user-agent': 'invoice-control' };
      const answer = await sendRequest(agents, { method: 'GET', url, headers }, ending);
      if (answer.statusCode !== 200) {
        answer.destroy();
        throw unavailable(`responded with status ${answer.statusCode}`);
      }
      const stated = answer.headers['x-ms-meta-hash'];
      if (stated !== undefined && stated !== encryptedHash) {
        answer.destroy();
        throw new PackageFault(
          `For part ${ordinalNumber} of the package, KSeF storage states a different hash than KSeF.`,
        );
      }
      await pipeline(
        answer,
        (chunks: AsyncIterable<Buffer>) => checked(chunks, ordinalNumber, encryptedSize, encryptedHash),
        createDecipheriv('aes-256-cbc', key.key, key.iv),
        (chunks: AsyncIterable<Buffer>) => checked(chunks, ordinalNumber, size, hash),
        (chunks: AsyncIterable<Buffer>) => writeAll(file, start, chunks),
        { signal: ending },
      );
    });
  }

  async function download(
    file: FileHandle,
    environment: KsefEnvironment,
    parts: readonly ExportedPart[],
    key: SessionKey,
    signal: AbortSignal,
  ): Promise<number> {
    // The addresses of all parts of a KSeF package are checked before the first part is downloaded.
    const sources = parts.map((part) => ({ part, key, agents: agentsFor(environment, part.url) }));
    let bytes = 0;
    for (const source of sources) {
      try {
        await append(file, bytes, source, signal);
        ksefCalled(environment, 'R3', 'OK');
      } catch (error) {
        if (signal.aborted) throw error;
        const known = refusalOf(error);
        ksefCalled(environment, 'R3', known instanceof KsefRefusal ? known.kind : 'UNKNOWN');
        throw known;
      }
      bytes += source.part.size;
    }
    return bytes;
  }

  return {
    async reading({ environment, parts, key }, signal, read) {
      const ordered = checkParts(parts);
      const file = await openNameless();
      try {
        const bytes = await download(file, environment, ordered, key, signal);
        return await read(await openPackage(file, bytes));
      } finally {
        await file.close();
      }
    },
    close: () => destroyAgents(trusted),
  };
}

/** Opens a temporary file for a KSeF package that disappears when its handle is closed. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `ksef-package-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Passes on the chunks of a part of a KSeF package, and fails if the part does not have exactly the stated size and
 * hash.
 */
async function* checked(
  chunks: AsyncIterable<Buffer>,
  ordinalNumber: number,
  size: number,
  hash: string,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > size) throw new PackageFault(`Part ${ordinalNumber} of the package is larger than KSeF states.`);
    digest.update(chunk);
    yield chunk;
  }
  if (bytes < size) throw unavailable('interrupted its response');
  if (digest.digest('base64') !== hash) {
    throw new PackageFault(`The hash of part ${ordinalNumber} of the package differs from the hash that KSeF states.`);
  }
}

/**
 * Writes the chunks of a part of a KSeF package to a file. A write stream would keep the file open, while a file handle
 * closes as soon as no operation is pending.
 */
async function writeAll(file: FileHandle, start: number, chunks: AsyncIterable<Buffer>): Promise<void> {
  let position = start;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const { bytesWritten } = await file.write(chunk, at, chunk.length - at, position);
      at += bytesWritten;
      position += bytesWritten;
    }
  }
}

/**
 * Opens a decrypted invoice package from KSeF.
 * @throws PackageFault
 */
async function openPackage(file: FileHandle, bytes: number): Promise<OpenPackage> {
  const archive = await openArchive(file.fd, INVOICES_MAX + 1);
  const list = checkDirectory(archive.files, bytes);
  const json = parseJson((await archive.read(list)).toString('utf8').replace(/^\uFEFF/, ''));
  const listing = packageListing.safeParse(json);
  if (!listing.success) throw new PackageFault('The list of invoices in the package cannot be read.');
  const { expected, refused } = matchFiles<PackedFile>(archive.files, listing.data.invoices);
  return { expected, refused, read: (invoice) => archive.read(invoice.file) };
}

function unavailable(fact: string): KsefRefusal {
  return new KsefRefusal('TRANSIENT', `KSeF storage ${fact}. The download is retried.`, {
    code: 'KSEF_STORAGE',
  });
}

/** Returns the refusal for a failed invoice package download. The message contains no address. */
function refusalOf(error: unknown): unknown {
  if (error instanceof PackageFault || error instanceof KsefRefusal) return error;
  if (error instanceof CallTimeout) return unavailable('did not respond in time');
  if (error instanceof BlockedAddressError) {
    return new PackageFault('The host of the package that KSeF offers resolves to an address that must not be called.');
  }
  const { code = '', syscall } = error as { readonly code?: string; readonly syscall?: string };
  if (code.startsWith('ERR_OSSL'))
    return new PackageFault('The KSeF package cannot be decrypted with the key of its export.');
  // The local disk is full or faulty, so KSeF is not the cause of the failed download.
  return syscall === 'write' && code !== 'EPIPE' ? error : unavailable('is unavailable');
}
