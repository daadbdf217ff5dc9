import { groupedBy, orError } from '@invoicecontrol/runtime/batched';

/** Maximum number of lookups of records such as invoices by key in one batch. */
const READS_MAX = 100;
/** Maximum number of lookup keys in one database read that serves several callers. */
const SHARED_KEYS_MAX = 500;
/**
 * A read for several callers returns at most SHARED_RECORDS_MORE records plus SHARED_RECORDS_PER_KEY records for each
 * lookup key. If there are more, each caller reads separately, because whole records, such as invoices, are large.
 */
const SHARED_RECORDS_PER_KEY = 4;
const SHARED_RECORDS_MORE = 64;

export interface ReadsByKeys<T> {
  /** Reads records such as invoices by lookup keys for one caller, with a limited share for each key. */
  readonly read: (organizationId: string, keys: readonly string[]) => Promise<T[]>;
  /** Reads, for several callers at once, the records such as invoices that have one of their lookup keys. */
  readonly readTogether: (organizationId: string, keys: readonly string[], limit: number) => Promise<T[]>;
  readonly keysOf: (record: T) => readonly string[];
  /** Number of records such as invoices above which `read` limits the share of each key. */
  readonly limitOf: (keysCount: number) => number;
}

interface AskedRead {
  readonly organizationId: string;
  readonly keys: readonly string[];
}

/**
 * Returns a function that reads records by lookup keys, with one command for concurrent reads of one organization (ADR
 * 0127). Each caller gets exactly what its own read would return. If a caller's keys have so many records that its own
 * read would reach its limit, the read is made separately for this caller.
 */
export function groupedReads<T>({ read, readTogether, keysOf, limitOf }: ReadsByKeys<T>): ReadsByKeys<T>['read'] {
  const readOf = ({ organizationId, keys }: AskedRead): Promise<T[] | Error> => orError(read(organizationId, keys));
  const ofOrganization = async (reads: readonly AskedRead[]): Promise<readonly (T[] | Error)[]> => {
    const [first] = reads;
    const keys = [...new Set(reads.flatMap((asked) => asked.keys))];
    if (first === undefined || reads.length === 1 || keys.length > SHARED_KEYS_MAX) {
      return Promise.all(reads.map(readOf));
    }
    const recordsMax = SHARED_RECORDS_PER_KEY * keys.length + SHARED_RECORDS_MORE;
    const records = await readTogether(first.organizationId, keys, recordsMax);
    if (records.length === recordsMax) return Promise.all(reads.map(readOf));
    return Promise.all(
      reads.map(async (asked) => {
        const wanted = new Set(asked.keys);
        const own = records.filter((record) => keysOf(record).some((key) => wanted.has(key)));
        return own.length < limitOf(asked.keys.length) ? own : readOf(asked);
      }),
    );
  };
  const readGrouped = groupedBy(({ organizationId }: AskedRead) => organizationId, READS_MAX, ofOrganization);
  return (organizationId, keys) => readGrouped({ organizationId, keys });
}

/**
 * Reads records that have one of the lookup keys, so that a key with very many records, such as the account of a
 * factoring company, leaves room for the other keys. The index returns the records key by key. If a read reaches its
 * limit, the two halves of the keys are therefore read separately, each with its own limit.
 * @param limitOf returns the maximum number of records to read for the given number of keys
 * @returns records, of which some may occur several times
 */
export async function readSharing<T>(
  keys: readonly string[],
  limitOf: (keysCount: number) => number,
  read: (keys: readonly string[], limit: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const limit = limitOf(keys.length);
  const records = await read(keys, limit);
  if (records.length < limit || keys.length <= 1) return records;
  const half = Math.ceil(keys.length / 2);
  return [
    ...(await readSharing(keys.slice(0, half), limitOf, read)),
    ...(await readSharing(keys.slice(half), limitOf, read)),
  ];
}
