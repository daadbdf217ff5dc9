import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import type { Authenticator } from './authentication.js';
import { xmlAnswer } from './confirmations.js';
import { BUYER, fa3Document } from './fa3-document.js';
import type { Faults, TakenFaults } from './faults.js';
import {
  checkDateRange,
  completeUntil,
  dateOf,
  filtersSchema,
  isBeyondHighWaterMark,
  isParty,
  searchInvoices,
  toMetadata,
} from './invoice-search.js';
import type { DateType, Filters, Search } from './invoice-search.js';
import type { AcceptedInvoice, Invoices } from './invoices.js';
import { sha256 } from './keys.js';
import type { Keys } from './keys.js';
import { isKsefNumber, newKsefNumber, newReferenceNumber, timestamp } from './numbers.js';
import { packFiles, zeros } from './package-archive.js';
import type { PackageFile, PackagePart } from './package-archive.js';
import { readBody } from './read-body.js';
import type { Export, Settings, Status, Tampering } from './records.js';
import { badRequest, forbidden, Refusal } from './refusal.js';
import type { SignedLinks } from './signed-links.js';
import type { Store, Table } from './store.js';
import { encryptionSchema, openSymmetricKey } from './symmetric-key.js';

/** Maximum number of concurrent KSeF exports for one taxpayer. */
const RUNNING_MAX = 10;
const LINK_MS = 3_600_000;
/** Time in milliseconds after which a KSeF export and its package no longer exist (410). */
const KEPT_MS = 7 * 86_400_000;
/**
 * Maximum number of KSeF invoice packages in memory. Other packages are created again from their export, with the same
 * bytes.
 */
const PACKAGES_MAX = 4;
const READ = ['InvoiceRead'];
const BEGINNING = '2026-01-01T00:00:00.0000000';

const exportRequest = z.object({
  encryption: encryptionSchema,
  onlyMetadata: z.boolean().default(false),
  filters: filtersSchema,
  compressionType: z.enum(['Zip', 'TarGz']).nullish(),
});

const outcomes: Readonly<Record<number, string>> = {
  100: 'Eksport faktur w toku',
  200: 'Eksport faktur zakończony sukcesem',
  210: 'Eksport faktur wygasł i nie jest już dostępny do pobrania',
  415: 'Błąd odszyfrowania dostarczonego klucza',
  420: 'Zakres filtrowania wykracza poza dostępny zakres danych',
  500: 'Nieznany błąd (500)',
  550: 'Operacja została anulowana przez system',
};

/**
 * Name of the member in the R2 response that states, for each date type, up to which date a truncated KSeF invoice
 * package contains invoices.
 */
const lastDates: Readonly<Record<DateType, string>> = {
  Issue: 'lastIssueDate',
  Invoicing: 'lastInvoicingDate',
  PermanentStorage: 'lastPermanentStorageDate',
};

interface ExportsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly authenticator: Authenticator;
  readonly invoices: Invoices;
  readonly faults: Faults;
  readonly links: SignedLinks;
  readonly settings: () => Settings;
  readonly highWaterMark: () => Date;
}

/** Handles invoice exports in encrypted packages (R1 to R3) and single invoices (R5). */
export class Exports {
  readonly #deps: ExportsDeps;
  readonly #exports: Table<Export>;
  /** Reference numbers of the invoices in each KSeF export. */
  readonly #lists: Table<readonly string[]>;
  readonly #packages = new Map<string, Promise<readonly PackagePart[]>>();

  constructor(deps: ExportsDeps) {
    this.#deps = deps;
    this.#exports = deps.store.table('exports');
    this.#lists = deps.store.table('exportedInvoices');
  }

  /** Returns the context of a KSeF export, or null if the export is unknown. */
  contextOf(reference: string): string | null {
    return this.#exports.get(reference)?.context ?? null;
  }

  /** Starts a KSeF export of invoices (call R1). */
  start(call: Call, faults: TakenFaults): Answer {
    const { context } = this.#deps.authenticator.authorize(call, READ);
    const { encryption, filters, onlyMetadata, compressionType } = readBody(call, exportRequest);
    const now = this.#deps.clock.now();
    checkDateRange(filters, now);
    if (compressionType === 'TarGz') throw badRequest(21_405, 'compressionType: symulator tworzy tylko paczki Zip.');
    const key = openSymmetricKey(this.#deps.keys, encryption);
    if (this.#countRunning(context) >= RUNNING_MAX) {
      const detail = `Dla uwierzytelnionego podmiotu w bieżącym kontekście osiągnięto maksymalny limit ${RUNNING_MAX} równoczesnych eksportów faktur. Spróbuj ponownie później.`;
      throw badRequest(21_182, detail);
    }
    const search = { context, filters, now, highWaterMark: this.#deps.highWaterMark() };
    const { exportInvoicesMax, partBytesMax } = this.#deps.settings();
    const isBeyond = isBeyondHighWaterMark(search);
    const all = isBeyond ? [] : searchInvoices(this.#deps.invoices.accepted(), search);
    const found = all.slice(0, exportInvoicesMax);
    const repeated = faults.effect('REPEATED_INVOICE') === undefined ? undefined : this.#lastBefore(search);
    const packed = repeated === undefined ? found : [repeated, ...found];
    const isTruncated = found.length < all.length;
    const forced = faults.effect('EXPORT_STATUS');
    const ending = forced !== undefined && forced.code > 200 ? forced : undefined;
    const referenceNumber = newReferenceNumber('EH', now);
    const list = packed.map((invoice) => invoice.referenceNumber);
    this.#lists.put(referenceNumber, list);
    this.#exports.put(referenceNumber, {
      referenceNumber,
      context,
      startedAt: now.toISOString(),
      key: key?.toString('base64') ?? null,
      iv: encryption.initializationVector,
      outcome: toStatus(ending?.code ?? (key === undefined ? 415 : isBeyond ? 420 : 200), ending),
      heldBy: forced !== undefined && forced.code < 200 ? forced.id : null,
      looks: 0,
      endedAt: null,
      isOnlyMetadata: onlyMetadata,
      partBytesMax,
      isTruncated,
      dates: {
        ...lastDateOf(isTruncated ? found.at(-1) : undefined, filters),
        permanentStorageHwmDate: completeUntil(search),
      },
      tampering: tamperingOf(faults, now),
    });
    return { status: 201, body: { referenceNumber } };
  }

  /** Returns the status of an export of the simulated KSeF (call R2). */
  async status(call: Call, reference: string, faults: TakenFaults): Promise<Answer> {
    const { context } = this.#deps.authenticator.authorize(call, READ);
    const found = this.#look(this.#require(reference, context));
    const isEnded = found.endedAt !== null;
    const status = isEnded ? found.outcome : toStatus(100);
    const body = {
      status,
      completedDate: found.endedAt === null ? null : timestamp(new Date(found.endedAt)),
      packageExpirationDate: status.code === 200 ? timestamp(new Date(Date.parse(found.startedAt) + KEPT_MS)) : null,
      package: status.code === 200 ? await this.#presentPackage(found, faults) : null,
    };
    return { status: 200, body };
  }

  /**
   * Returns the part of a KSeF invoice package at a pre-signed address (R3). As in the KSeF storage, sending a token is
   * an error.
   */
  async part(call: Call, reference: string, name: string, faults: TakenFaults): Promise<Answer> {
    const found = this.#exports.get(reference);
    const isAllowed = this.#deps.links.isValid(call) && call.headers['authorization'] === undefined;
    if (!isAllowed || found === undefined) return { status: 403, body: '' };
    const parts = await this.#package(found);
    const part = parts.find((_, index) => name === partName(reference, index));
    if (part === undefined) return { status: 404, body: '' };
    const { encrypted, encryptedHash } = part;
    const isCut = faults.effect('BAD_HASH') !== undefined;
    return {
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'x-ms-meta-hash': encryptedHash },
      body: isCut ? encrypted.subarray(0, Math.floor(encrypted.length / 2)) : encrypted,
    };
  }

  /** Returns a single invoice of the simulated KSeF by its KSeF number (call R5). */
  invoice(call: Call, ksefNumber: string): Answer {
    const { context } = this.#deps.authenticator.authorize(call, READ);
    if (!isKsefNumber(ksefNumber)) throw badRequest(21_405, 'ksefNumber: nieprawidłowy numer KSeF.');
    const { invoices } = this.#deps;
    const found = invoices.accepted().find((invoice) => invoice.ksefNumber === ksefNumber);
    if (found === undefined || !isParty(found, context)) {
      throw badRequest(21_164, `Faktura o numerze KSeF ${ksefNumber} nie została znaleziona.`);
    }
    if (!invoices.isStored(found.referenceNumber)) {
      const detail = `Faktura o numerze KSeF ${ksefNumber} została przetworzona, ale nie jest jeszcze dostępna do pobrania. Spróbuj ponownie później.`;
      throw badRequest(21_165, detail);
    }
    return xmlAnswer(invoices.documentOf(found), false);
  }

  #require(reference: string, context: string): Export {
    const found = this.#exports.get(reference);
    if (found === undefined) throw badRequest(21_175);
    if (found.context !== context) throw forbidden('insufficient-resource-access');
    if (this.#ageMs(found) > KEPT_MS) {
      throw new Refusal({ status: 410, description: 'Operacja wygasła i nie jest już dostępna.' });
    }
    return found;
  }

  /** Polls a KSeF export. After enough polls, the export gets its final status. */
  #look(found: Export): Export {
    if (found.endedAt !== null) return found;
    const looks = found.looks + 1;
    const mayTakeLonger = looks <= this.#deps.settings().exportPolls && this.#hasTime(found);
    const isRunning = this.#isHeld(found) || mayTakeLonger;
    const looked = { ...found, looks, endedAt: isRunning ? null : this.#deps.clock.now().toISOString() };
    this.#exports.put(found.referenceNumber, looked);
    return looked;
  }

  #countRunning(context: string): number {
    const running = [...this.#exports.values()].filter(
      (one) => one.context === context && one.endedAt === null && (this.#isHeld(one) || this.#hasTime(one)),
    );
    return running.length;
  }

  #hasTime(one: Export): boolean {
    return this.#ageMs(one) < this.#deps.settings().exportSeconds * 1_000;
  }

  #isHeld({ heldBy }: Export): boolean {
    return heldBy !== null && this.#deps.faults.has(heldBy);
  }

  #ageMs({ startedAt }: Export): number {
    return this.#deps.clock.now().getTime() - Date.parse(startedAt);
  }

  /** Returns the last invoice whose date is before the date range of a KSeF invoice search. */
  #lastBefore(search: Search): AcceptedInvoice | undefined {
    const { dateRange } = search.filters;
    const earlier = { ...search.filters, dateRange: { ...dateRange, from: BEGINNING, to: dateRange.from } };
    const found = searchInvoices(this.#deps.invoices.accepted(), { ...search, filters: earlier });
    return found.findLast((invoice) => `${dateRange.from}+00:00` > dateOf(invoice, dateRange.dateType));
  }

  async #presentPackage(found: Export, faults: TakenFaults): Promise<Readonly<Record<string, unknown>>> {
    const parts = await this.#package(found);
    const { referenceNumber, isTruncated, dates } = found;
    const wrongHash = faults.effect('PART_HASH')?.member;
    const origin = faults.effect('FOREIGN_LINK')?.origin;
    return {
      invoiceCount: this.#lists.get(referenceNumber)?.length ?? 0,
      size: parts.reduce((total, { size }) => total + size, 0),
      parts: parts.map(({ size, hash, encrypted, encryptedHash }, index) => {
        const name = partName(referenceNumber, index);
        const { url, expires } = this.#deps.links.sign(
          `/storage/${referenceNumber}/invoice-package/${name}`,
          LINK_MS,
          origin,
        );
        return {
          ordinalNumber: index + 1,
          partName: name,
          method: 'GET',
          url,
          partSize: size,
          partHash: hash,
          encryptedPartSize: encrypted.length,
          encryptedPartHash: encryptedHash,
          ...(wrongHash === undefined ? {} : { [wrongHash]: sha256(`not ${name}`) }),
          expirationDate: expires,
        };
      }),
      isTruncated,
      ...dates,
    };
  }

  async #package(found: Export): Promise<readonly PackagePart[]> {
    const { referenceNumber } = found;
    const known = this.#packages.get(referenceNumber);
    if (known !== undefined) return known;
    const packed = this.#pack(found);
    this.#packages.set(referenceNumber, packed);
    const [oldest] = this.#packages.keys();
    if (this.#packages.size > PACKAGES_MAX && oldest !== undefined) this.#packages.delete(oldest);
    return packed;
  }

  async #pack(found: Export): Promise<readonly PackagePart[]> {
    const { referenceNumber, key, iv, partBytesMax, startedAt, tampering } = found;
    const list = this.#lists.get(referenceNumber) ?? [];
    // A KSeF invoice package without invoices has no parts.
    if (list.length === 0 && tampering.bomb === null && tampering.extraFile === null) return [];
    const packed = list.map((invoice) => this.#deps.invoices.requireAccepted(invoice));
    return packFiles(this.#filesOf(packed, found), {
      key: Buffer.from(key ?? '', 'base64'),
      iv: Buffer.from(iv, 'base64'),
      bytesMax: partBytesMax,
      modifiedAt: new Date(startedAt),
    });
  }

  *#filesOf(
    invoices: readonly AcceptedInvoice[],
    { isOnlyMetadata, tampering, startedAt }: Export,
  ): Iterable<PackageFile> {
    const { bomb, extraFile, isFileMissing, isMetadataCut } = tampering;
    for (const invoice of isOnlyMetadata ? [] : invoices.slice(isFileMissing ? 1 : 0)) {
      const content = (): Iterable<Uint8Array> => [Buffer.from(this.#deps.invoices.documentOf(invoice), 'utf8')];
      yield { name: `${invoice.ksefNumber}.xml`, content };
    }
    if (extraFile !== null) yield { name: extraFile.name, content: () => [Buffer.from(extraFile.content, 'utf8')] };
    for (let n = 0; bomb !== null && n < bomb.entries; n++) {
      yield { name: `${newKsefNumber(BUYER, new Date(startedAt), sixBytes(n))}.xml`, content: () => zeros(bomb.bytes) };
    }
    const metadata = (): Buffer => {
      const bytes = Buffer.from(JSON.stringify({ invoices: invoices.map(toMetadata) }), 'utf8');
      return isMetadataCut ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes;
    };
    yield { name: '_metadata.json', content: () => [metadata()] };
  }
}

interface StatedStatus {
  readonly description?: string | undefined;
  readonly details?: readonly string[] | undefined;
}

function toStatus(code: number, stated: StatedStatus = {}): Status {
  const { description = outcomes[code] ?? `Status ${code}`, details } = stated;
  return { code, description, ...(details === undefined ? {} : { details }) };
}

function lastDateOf(invoice: AcceptedInvoice | undefined, { dateRange: { dateType } }: Filters): Export['dates'] {
  return invoice === undefined ? {} : { [lastDates[dateType]]: dateOf(invoice, dateType) };
}

function partName(reference: string, index: number): string {
  return `${reference}-${String(index + 1).padStart(3, '0')}.zip.aes`;
}

function tamperingOf(faults: TakenFaults, now: Date): Tampering {
  const bomb = faults.effect('ZIP_BOMB');
  const extra = faults.effect('EXTRA_FILE');
  return {
    bomb: bomb === undefined ? null : { bytes: bomb.bytes, entries: bomb.entries },
    extraFile:
      extra === undefined
        ? null
        : {
            name: extra.name ?? `${newKsefNumber(BUYER, now)}.xml`,
            content: extra.content ?? fa3Document({ number: 'EXTRA' }),
          },
    isFileMissing: faults.effect('MISSING_FILE') !== undefined,
    isMetadataCut: faults.effect('CUT_METADATA') !== undefined,
  };
}

function sixBytes(n: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(n, 0, 6);
  return bytes;
}
