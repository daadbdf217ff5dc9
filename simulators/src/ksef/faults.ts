import { z } from 'zod';
import { headerValue } from './header-value.js';
import { operationNames } from './operations.js';
import type { OperationName } from './operations.js';

const FAULTS_MAX = 1_000;
const SECONDS_MAX = 3_600;
const BOMB_BYTES_MAX = 10_000_000_000;
const BOMB_ENTRIES_MAX = 100_000;

const details = z.array(z.string()).optional();
const headerName = z.string().regex(/^[!#$%&'*+.^`|~\w-]+$/, 'must be the name of a header');
const headers = z.record(headerName, headerValue).optional();
const seconds = z.number().min(0).max(SECONDS_MAX);
const status = z.int().min(200).max(599);
const polls = z.int().min(0).max(100_000);
const code = z.int().min(100).max(999);
const processed = z.boolean().default(false);
const shared = {
  operation: z.enum([...operationNames, '*']),
  /** NIP of the taxpayer for whom a KSeF call is made. A call whose taxpayer is unknown does not match. */
  context: z.string().optional(),
  /**
   * Number of calls to the simulated KSeF to which the fault applies. If it is 0, the fault applies until it is
   * removed.
   */
  times: z.int().min(0).default(1),
  /** Number of matching KSeF calls before the fault first applies. */
  skip: z.int().min(0).default(0),
};

/** Body of `POST /control/faults` of the simulated KSeF (KSeF reference, sections 17 and 19). */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...shared, kind: z.literal('DROP') }),
  z.strictObject({ ...shared, kind: z.literal('LOSE_ANSWER') }),
  z.strictObject({
    ...shared,
    kind: z.literal('STATUS'),
    status,
    headers,
    body: z.unknown().optional(),
    contentType: headerValue.optional(),
    processed,
  }),
  z.strictObject({ ...shared, kind: z.literal('HANG'), seconds, processed }),
  z.strictObject({ ...shared, kind: z.literal('DELAY'), seconds }),
  z.strictObject({ ...shared, kind: z.literal('HOLD'), processed }),
  z.strictObject({ ...shared, kind: z.literal('THROTTLE'), retryAfter: z.union([z.number(), headerValue]) }),
  z.strictObject({ ...shared, kind: z.literal('UNAUTHORIZED') }),
  z.strictObject({ ...shared, kind: z.literal('BLOCKED') }),
  z.strictObject({
    ...shared,
    kind: z.literal('PROBLEM'),
    status: z.int().min(400).max(599),
    code: z.int().optional(),
    reasonCode: z.string().optional(),
    description: z.string().optional(),
    details,
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('BODY'),
    body: z.string(),
    status: status.default(200),
    contentType: headerValue.default('application/json'),
  }),
  z.strictObject({ ...shared, kind: z.literal('PATCH'), patch: z.record(z.string(), z.unknown()) }),
  z.strictObject({ ...shared, kind: z.literal('AUTH_STATUS'), code, details }),
  z.strictObject({ ...shared, kind: z.literal('SESSION_STATUS'), code: z.literal(415) }),
  z.strictObject({
    ...shared,
    kind: z.literal('INVOICE_STATUS'),
    code,
    description: z.string().optional(),
    details,
    extensions: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({ ...shared, kind: z.literal('HIDE'), polls }),
  z.strictObject({ ...shared, kind: z.literal('UPO_LATE'), polls }),
  z.strictObject({ ...shared, kind: z.literal('BAD_HASH') }),
  z.strictObject({
    ...shared,
    kind: z.literal('EXPORT_STATUS'),
    code,
    description: z.string().optional(),
    details,
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('ZIP_BOMB'),
    bytes: z.int().min(1).max(BOMB_BYTES_MAX).default(100_000_000),
    entries: z.int().min(1).max(BOMB_ENTRIES_MAX).default(1),
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('EXTRA_FILE'),
    // Name of a file in the KSeF invoice package. The archive library refuses names that lead out of the archive.
    name: z
      .string()
      .regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/, 'must be a name or a path without leading dots')
      .optional(),
    content: z.string().optional(),
  }),
  z.strictObject({ ...shared, kind: z.literal('MISSING_FILE') }),
  z.strictObject({ ...shared, kind: z.literal('REPEATED_INVOICE') }),
  z.strictObject({ ...shared, kind: z.literal('CUT_METADATA') }),
  z.strictObject({
    ...shared,
    kind: z.literal('PART_HASH'),
    member: z.enum(['partHash', 'encryptedPartHash']).default('encryptedPartHash'),
  }),
  z.strictObject({ ...shared, kind: z.literal('FOREIGN_LINK'), origin: z.url() }),
]);
export type FaultSpec = z.infer<typeof faultSchema>;
type FaultOf<Kind extends FaultSpec['kind']> = Extract<FaultSpec, { kind: Kind }>;

/**
 * Kinds of faults that change what the simulated KSeF does or stores, with the calls at which they take effect. If
 * several of these faults match a call, all of them apply. Faults of all other kinds change only the response to a
 * call.
 */
const effects = {
  AUTH_STATUS: ['A4'],
  SESSION_STATUS: ['S1'],
  INVOICE_STATUS: ['S2'],
  HIDE: ['S2'],
  UPO_LATE: ['S1'],
  BAD_HASH: ['S7', 'R3'],
  EXPORT_STATUS: ['R1'],
  ZIP_BOMB: ['R1'],
  EXTRA_FILE: ['R1'],
  MISSING_FILE: ['R1'],
  REPEATED_INVOICE: ['R1'],
  CUT_METADATA: ['R1'],
  PART_HASH: ['R2'],
  FOREIGN_LINK: ['R2'],
} as const satisfies Readonly<Record<string, readonly OperationName[]>>;
type EffectKind = keyof typeof effects;
type DeliveryFault = Exclude<FaultSpec, { kind: EffectKind | 'PATCH' }>;

interface Fault {
  readonly id: string;
  readonly spec: FaultSpec;
  readonly removed: AbortController;
  seen: number;
  hits: number;
}

/** Simulated faults that apply to one KSeF call: at most one that changes the response, and all others. */
export interface TakenFaults {
  readonly delivery: { readonly spec: DeliveryFault; readonly removed: AbortSignal } | undefined;
  /** JSON members that replace members of the KSeF response. */
  readonly patch: Readonly<Record<string, unknown>> | undefined;
  /** Returns the fault of the given kind that applies to the KSeF call, with the id of the fault. */
  effect<Kind extends EffectKind>(kind: Kind): (FaultOf<Kind> & { readonly id: string }) | undefined;
}

/** Faults of the simulated KSeF that were added with `POST /control/faults`. */
export class Faults {
  readonly #faults = new Map<string, Fault>();
  #last = 0;

  /**
   * Adds a fault that affects matching calls to the simulated KSeF.
   * @returns the id of the fault, or undefined if there are too many faults
   */
  add(spec: FaultSpec): string | undefined {
    if (this.#faults.size >= FAULTS_MAX) return undefined;
    this.#last += 1;
    const id = String(this.#last);
    this.#faults.set(id, { id, spec, removed: new AbortController(), seen: 0, hits: 0 });
    return id;
  }

  has(id: string): boolean {
    return this.#faults.has(id);
  }

  list(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#faults.values()].map(({ id, hits, spec }) => ({ id, hits, ...spec }));
  }

  /**
   * Removes a fault of the simulated KSeF, and releases the calls that the fault blocks.
   * @returns true if the fault existed
   */
  remove(id: string): boolean {
    this.#faults.get(id)?.removed.abort();
    return this.#faults.delete(id);
  }

  removeAll(): void {
    for (const id of this.#faults.keys()) this.remove(id);
  }

  /** Counts the call to the simulated KSeF for every matching fault and returns the faults that apply to it. */
  take(operation: OperationName, context: string | null): TakenFaults {
    const taken: Fault[] = [];
    let delivery: { spec: DeliveryFault; removed: AbortSignal } | undefined;
    for (const fault of this.#faults.values()) {
      const { spec } = fault;
      if (!matches(spec, operation, context)) continue;
      fault.seen += 1;
      if (fault.seen <= spec.skip || (spec.times > 0 && fault.hits >= spec.times)) continue;
      if (isEffect(spec) || spec.kind === 'PATCH') taken.push(fault);
      else if (delivery === undefined) delivery = { spec, removed: fault.removed.signal };
      else continue;
      fault.hits += 1;
    }
    const patches = taken.flatMap(({ spec }) => (spec.kind === 'PATCH' ? [spec.patch] : []));
    return {
      delivery,
      patch: patches.length === 0 ? undefined : Object.assign({}, ...patches),
      effect: <Kind extends EffectKind>(kind: Kind) => {
        const found = taken.find(({ spec }) => spec.kind === kind);
        return found === undefined ? undefined : { ...(found.spec as FaultOf<Kind>), id: found.id };
      },
    };
  }
}

function isEffect(spec: FaultSpec): spec is Extract<FaultSpec, { kind: EffectKind }> {
  return spec.kind in effects;
}

function matches(spec: FaultSpec, operation: OperationName, context: string | null): boolean {
  if (spec.operation !== '*' && spec.operation !== operation) return false;
  const knownBy: readonly OperationName[] = isEffect(spec) ? effects[spec.kind] : [operation];
  if (!knownBy.includes(operation)) return false;
  return spec.context === undefined || spec.context === context;
}
