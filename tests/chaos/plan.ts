// Plans the faults of a chaos run and their times from the seed alone, so that a run can be repeated.
import { entries } from '@invoicecontrol/topology/services';
import { randomFrom } from '../detection/random.js';
import type { Random } from '../detection/random.js';

const services = entries.map(([name]) => name);
const stores = ['database', 'broker'] as const;

export type Link = `${string}>${string}`;
/** Connections between the services, the database and the broker. */
export const links: readonly Link[] = [
  'clients>gateway',
  ...entries.flatMap(([name, { protocol, calls }]): Link[] => [
    ...calls.map((called): Link => `${name}>${called}`),
    ...(protocol === 'grpc' ? [`${name}>database` as const] : []),
    `${name}>broker`,
  ]),
];

export const faultKinds = [
  'kill',
  'pause',
  'partition',
  'one-way',
  'vanish',
  'slow',
  'refuse',
  'reset',
  'broker-store',
  'broker-outage',
] as const;
export type FaultKind = (typeof faultKinds)[number];
/** Kinds of faults that a chaos run uses by default. The kind that takes as long as a whole run is left out. */
export const usualKinds: readonly FaultKind[] = faultKinds.filter((kind) => kind !== 'broker-outage');

/** Explains each kind of fault for the report of the chaos run. */
export const faultMeanings: Readonly<Record<FaultKind, string>> = {
  kill: 'a process ends at once (SIGKILL) and is started again',
  pause: 'a process is stopped (SIGSTOP) and continued',
  partition: 'connections stay and carry nothing; afterwards all of it arrives',
  'one-way': 'as partition, in one direction',
  vanish: 'connections stay and lose all they carry, and never recover; new ones do',
  slow: 'every piece of data takes longer, and fewer bytes a second pass',
  refuse: 'connections end, and none can be made',
  reset: 'connections end at once, and can be made again',
  'broker-store': 'what the broker has stored is deleted while it runs; it is ended and starts empty',
  'broker-outage': 'the broker is gone for --outage-seconds',
};

export interface Fault {
  readonly kind: FaultKind;
  /**
   * Name of the process with a chaos fault, such as `analysis-1` or `database`. Absent if the fault affects
   * connections.
   */
  readonly process?: string;
  /** Text for people about the connections that a chaos fault affects: one link, or all links to and from a node. */
  readonly target: string;
  readonly links: readonly Link[];
  /** Time of the fault after the beginning of its chaos round. */
  readonly afterMs: number;
  readonly lengthMs: number;
  readonly direction?: 'toServer' | 'toClient';
  readonly latencyMs?: number;
  readonly bytesPerSecond?: number;
}

export interface Round {
  readonly number: number;
  readonly faults: readonly Fault[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly kinds: readonly FaultKind[];
  /** Number of processes of each service in the chaos run. */
  readonly replicas: number;
  /** Names of the processes that a chaos run may kill or pause. By default, it may kill or pause all. */
  readonly processes?: readonly string[];
  /** Duration of a `broker-outage` in milliseconds. */
  readonly outageMs?: number;
}

/** Weights of the kinds of chaos faults. Most faults kill or pause a process. */
const weights: Readonly<Partial<Record<FaultKind, number>>> = { kill: 3, pause: 2, partition: 2 };
const TWO_FAULTS_SHARE = 0.25;
/** Maximum number of attempts to find a second chaos fault that is independent of the first fault. */
const TRIES = 10;
const BEGIN_MS_MAX = 1_500;
const LENGTH_MS = { min: 300, max: 5_000 } as const;
/**
 * Share of the chaos faults that last longer than the deadlines of calls, and the factor by which their duration is
 * multiplied.
 */
const LONG = { share: 0.2, factor: 3 } as const;
const OUTAGE_MS = 60_000;
const LATENCY_MS = { min: 50, max: 500 } as const;
const BYTES_PER_SECOND = { min: 20_000, max: 500_000 } as const;

/**
 * Plans every round of a chaos run from the seed and the number of the round, so a longer plan begins like a shorter
 * one.
 */
export function planOf(options: PlanOptions): Round[] {
  const { seed, rounds } = options;
  return Array.from({ length: rounds }, (_, index): Round => {
    const random = randomFrom(Math.imul(seed, 1_000_003) + index * 7_919);
    const isSecond = random.chance(TWO_FAULTS_SHARE);
    const first = faultOf(random, options);
    const others = isSecond ? Array.from({ length: TRIES }, () => faultOf(random, options)) : [];
    const second = others.find((other) => isApart(first, other));
    return { number: index + 1, faults: second === undefined ? [first] : [first, second] };
  });
}

/** Checks that ending one fault of a chaos round does not end the other. */
function isApart(one: Fault, other: Fault): boolean {
  if (one.process !== undefined && one.process === other.process) return false;
  return !one.links.some((link) => other.links.includes(link));
}

function faultOf(random: Random, { kinds, replicas, processes, outageMs = OUTAGE_MS }: PlanOptions): Fault {
  const kind = random.pick(kinds.flatMap((one) => Array.from({ length: weights[one] ?? 1 }, () => one)));
  const afterMs = random.integer(0, BEGIN_MS_MAX);
  const length = random.integer(LENGTH_MS.min, LENGTH_MS.max) * (random.chance(LONG.share) ? LONG.factor : 1);
  const lengthMs = kind === 'reset' ? 0 : length;
  if (kind === 'kill' || kind === 'pause') {
    const process = random.pick(processes ?? processNames(replicas));
    return { kind, process, target: process, links: [], afterMs, lengthMs };
  }
  if (kind === 'broker-store' || kind === 'broker-outage') {
    const isLong = kind === 'broker-outage';
    return { kind, process: 'broker', target: 'broker', links: [], afterMs, lengthMs: isLong ? outageMs : lengthMs };
  }
  const isNode = random.chance(0.5);
  const target = isNode ? random.pick([...services, ...stores]) : random.pick(links);
  return {
    kind,
    target,
    links: isNode ? links.filter((link) => link.split('>').includes(target)) : links.filter((link) => link === target),
    afterMs,
    lengthMs,
    ...(kind === 'one-way' ? { direction: random.pick(['toServer', 'toClient'] as const) } : {}),
    ...(kind === 'slow'
      ? {
          latencyMs: random.integer(LATENCY_MS.min, LATENCY_MS.max),
          bytesPerSecond: random.integer(BYTES_PER_SECOND.min, BYTES_PER_SECOND.max),
        }
      : {}),
  };
}

/** Returns the names of all processes of a chaos run: `analysis-1`, `analysis-2`, ..., `database`, `broker`. */
export function processNames(replicas: number): string[] {
  const ofServices = services.flatMap((name) => Array.from({ length: replicas }, (_, index) => `${name}-${index + 1}`));
  return [...ofServices, ...stores];
}

/** Describes a chaos fault in words, such as `kill analysis-1 after 0.3 s for 2.1 s`. */
export function describeFault({
  kind,
  target,
  afterMs,
  lengthMs,
  direction,
  latencyMs,
  bytesPerSecond,
}: Fault): string {
  const how = [
    ...(direction === undefined ? [] : [direction === 'toServer' ? 'requests' : 'answers']),
    ...(latencyMs === undefined ? [] : [`${latencyMs} ms`]),
    ...(bytesPerSecond === undefined ? [] : [`${Math.round(bytesPerSecond / 1_000)} kB/s`]),
  ];
  const length = lengthMs === 0 ? '' : ` for ${(lengthMs / 1_000).toFixed(1)} s`;
  return `${kind} ${target}${how.length === 0 ? '' : ` (${how.join(', ')})`} after ${(afterMs / 1_000).toFixed(1)} s${length}`;
}
