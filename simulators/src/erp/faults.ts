import { z } from 'zod';
import { describeCall } from './call.js';
import type { Answer, Call, Row } from './call.js';

const FAULTS_MAX = 1_000;
const SECONDS_MAX = 3_600;
const BYTES_MAX = 4 * 1024 ** 3;

const expression = z.string().refine((text) => {
  try {
    RegExp(text, 's');
    return true;
  } catch {
    return false;
  }
}, 'must be a regular expression');
const shared = {
  /** Regular expression for the ERP calls that the fault affects, matched with `METHOD path?query body`. */
  match: expression,
  /**
   * Number of calls to the simulated ERP that the fault affects. With 0, the fault affects calls until it is removed.
   */
  times: z.int().min(0).default(1),
  /** Number of matching calls to the simulated ERP that pass before the fault affects a call. */
  skip: z.int().min(0).default(0),
  tenant: z.string().optional(),
};
const seconds = z.number().min(0).max(SECONDS_MAX);

/** Body of `POST /control/faults` of the simulated ERP (ERP reference, section 14). */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...shared,
    kind: z.literal('STATUS'),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).optional(),
    /** Body of the error response. If absent, the body that the ERP would send is used. */
    body: z.unknown().optional(),
  }),
  z.strictObject({ ...shared, kind: z.literal('THROTTLE'), retryAfter: z.union([z.number(), z.string()]) }),
  z.strictObject({ ...shared, kind: z.literal('DROP') }),
  z.strictObject({ ...shared, kind: z.literal('LOSE_ANSWER') }),
  z.strictObject({ ...shared, kind: z.literal('HANG'), seconds }),
  z.strictObject({ ...shared, kind: z.literal('DRIP'), bytesPerSecond: z.number().min(0.1) }),
  z.strictObject({ ...shared, kind: z.literal('HUGE'), bytes: z.int().min(0).max(BYTES_MAX) }),
  z.strictObject({
    ...shared,
    kind: z.literal('REDIRECT'),
    status: z.int().min(300).max(399).default(302),
    location: z.string(),
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('BODY'),
    body: z.string(),
    contentType: z.string().default('application/json'),
  }),
  z.strictObject({ ...shared, kind: z.literal('PATCH'), field: z.string().min(1), value: z.unknown() }),
  z.strictObject({ ...shared, kind: z.literal('NEXT_LINK'), url: z.string() }),
  z.strictObject({ ...shared, kind: z.literal('ENDLESS') }),
]);
export type FaultSpec = z.infer<typeof faultSchema>;
type FaultOf<Kind extends FaultSpec['kind']> = Extract<FaultSpec, { kind: Kind }>;
type PageFault = FaultOf<'PATCH' | 'NEXT_LINK' | 'ENDLESS'>;
/** A fault that changes how an ERP call is answered, not the content of a page. */
export type DeliveryFault = Exclude<FaultSpec, PageFault>;

interface Fault {
  readonly id: string;
  readonly spec: FaultSpec;
  readonly expression: RegExp;
  seen: number;
  hits: number;
  /** Rows that the ERP fault ENDLESS repeats on every page. */
  repeated?: readonly Row[];
}

/**
 * The simulated faults that affect one ERP call: at most one fault of the whole response, and all faults of its page in
 * their order.
 */
export interface TakenFaults {
  readonly delivery: DeliveryFault | undefined;
  /** Applies the simulated faults that affect a result page to its response. */
  readonly change: (answer: Answer) => Answer;
}

/** Stores the simulated faults of an ERP that were requested by `POST /control/faults`. */
export class Faults {
  readonly #faults: Fault[] = [];
  #last = 0;

  /**
   * Adds a fault that affects later requests to the simulated ERP.
   * @returns its id, or undefined if there are too many faults
   */
  add(spec: FaultSpec): string | undefined {
    if (this.#faults.length >= FAULTS_MAX) return undefined;
    this.#last += 1;
    const id = String(this.#last);
    this.#faults.push({ id, spec, expression: new RegExp(spec.match, 's'), seen: 0, hits: 0 });
    return id;
  }

  list(): readonly Readonly<Record<string, unknown>>[] {
    return this.#faults.map(({ id, hits, spec }) => ({ id, hits, ...spec }));
  }

  removeAll(): void {
    this.#faults.length = 0;
  }

  /** Counts the call to the simulated ERP for every matching fault, and returns the faults that affect it. */
  take(call: Call, tenant: string | undefined): TakenFaults {
    const text = this.#faults.length === 0 ? '' : describeCall(call);
    let delivery: DeliveryFault | undefined;
    const ofPage: Fault[] = [];
    for (const fault of this.#faults) {
      const { spec } = fault;
      if (spec.tenant !== undefined && spec.tenant !== tenant) continue;
      if (!fault.expression.test(text)) continue;
      fault.seen += 1;
      if (fault.seen <= spec.skip || (spec.times > 0 && fault.hits >= spec.times)) continue;
      if (spec.kind === 'PATCH' || spec.kind === 'NEXT_LINK' || spec.kind === 'ENDLESS') {
        fault.hits += 1;
        ofPage.push(fault);
      } else if (delivery === undefined) {
        fault.hits += 1;
        delivery = spec;
      }
    }
    return { delivery, change: (answer) => changePage(answer, ofPage) };
  }
}

/** The response body of the simulated ERP is rendered only after the fault has changed the page. */
function changePage(answer: Answer, faults: readonly Fault[]): Answer {
  const { page, ...rest } = answer;
  if (page === undefined) return answer;
  let { rows } = page;
  let isEndless = false;
  let nextLink: string | undefined;
  for (const fault of faults) {
    const { spec } = fault;
    if (spec.kind === 'ENDLESS') {
      rows = fault.repeated ??= rows;
      isEndless = true;
    }
    if (spec.kind === 'NEXT_LINK') nextLink = spec.url;
    if (spec.kind === 'PATCH') rows = rows.map((row) => ({ ...row, [spec.field]: spec.value }));
  }
  return { ...rest, body: page.render(rows, { isEndless, ...(nextLink === undefined ? {} : { nextLink }) }) };
}
