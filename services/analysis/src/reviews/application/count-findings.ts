import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { v7 as uuidV7 } from 'uuid';
import type {
  CountableFinding,
  CountedState,
  FindingPosition,
  FindingStore,
} from '../../records/application/finding-store.js';
import { findingTallies } from '../../records/domain/finding-summary.js';
import type { FindingSummary, StoredTallies } from '../../records/domain/finding-summary.js';
import { groupedBy } from '../../records/domain/grouped-by.js';
import { SUMMARY_VERSION, VISIBLE_WITHIN_MS } from './state-of-findings.js';

/** Number of findings that one step of a count reads. */
const STEP_FINDINGS = 500;
/** Time in milliseconds after which one request stops counting. The next request continues. */
const COUNT_MS_MAX = 4_000;

/** The stored totals of the findings of an organization. */
export interface FindingCounters {
  readonly version: number;
  /**
   * Id of the build of these totals. A build counts every finding again, and ignores in which state other builds have
   * counted it.
   */
  readonly build: string;
  readonly baseCurrency: string;
  /** Version of the code that adds up findings. */
  readonly rules: number;
  readonly tallies: StoredTallies;
  /** Position up to which the build has counted findings, in the order of their creation. Null once it is complete. */
  readonly builtTo: FindingPosition | 'BEGINNING' | null;
  /** Time up to which changes of findings are counted, except writes that become visible late. */
  readonly changedTo: Date;
  /**
   * States in which the last step has counted findings. They are noted on the findings after the totals are stored, and
   * again before the next step, because the process may have stopped in between.
   */
  readonly noted: readonly { readonly findingId: string; readonly state: CountedState }[];
}

/** Stores the totals of the findings of organizations. */
export interface CounterStore {
  find(organizationId: string): Promise<FindingCounters | undefined>;
  /**
   * Stores totals of findings if the stored version is the one before theirs.
   * @returns false if another request has stored totals in the meantime
   */
  save(organizationId: string, counters: FindingCounters): Promise<boolean>;
}

interface Deps {
  readonly findings: Pick<FindingStore, 'createdAfter' | 'storedAfter' | 'ofInvoices' | 'noteCounted'>;
  readonly counters: CounterStore;
  readonly clock: Clock;
  /** Number of findings that one step reads, in place of {@link STEP_FINDINGS}. Only tests set it. */
  readonly stepFindings?: number;
  /** Time for which one request counts, in place of {@link COUNT_MS_MAX}. Only tests set it. */
  readonly countMsMax?: number;
}

/** Totals of more findings than one summary can read. */
export interface CountFindings {
  /** Checks whether the organization has stored totals. */
  exist(organizationId: string): Promise<boolean>;
  /**
   * Counts the findings that changed since the last call, and returns the totals. The first call counts all findings. A
   * finding is counted in the state in which it was last read: its invoice is taken away in the counted states and added
   * in the current states.
   * @throws DomainError unavailable if the time of one request is not sufficient; the next request continues
   */
  summary(organizationId: string, baseCurrency: string): Promise<FindingSummary>;
}

export function countFindings({
  findings,
  counters,
  clock,
  stepFindings = STEP_FINDINGS,
  countMsMax = COUNT_MS_MAX,
}: Deps): CountFindings {
  /** Notes the counted states of the last step, and returns the totals. */
  const completed = async (organizationId: string): Promise<FindingCounters | undefined> => {
    const found = await counters.find(organizationId);
    if (found !== undefined) await note(organizationId, found);
    return found;
  };
  const note = (organizationId: string, { noted }: FindingCounters): Promise<void> =>
    findings.noteCounted(organizationId, new Map(noted.map(({ findingId, state }) => [findingId, state])));

  /** Returns the totals after the given findings and all other findings of their invoices are counted. */
  const count = async (
    organizationId: string,
    before: FindingCounters,
    read: readonly CountableFinding[],
  ): Promise<FindingCounters> => {
    const version = before.version + 1;
    const changed = read.filter((finding) => isUncounted(finding, before.build));
    const tallies = findingTallies(before.baseCurrency, before.tallies);
    const invoiceIds = [...new Set(changed.flatMap(({ invoiceId }) => invoiceId ?? []))];
    const ofInvoices = invoiceIds.length === 0 ? [] : await findings.ofInvoices(organizationId, invoiceIds);
    const units = groups([...ofInvoices, ...changed.filter(({ invoiceId }) => invoiceId === undefined)]);
    for (const unit of units) {
      tallies.change(
        unit.flatMap((finding) => countedIn(finding, before.build) ?? []),
        -1,
      );
      tallies.change(unit, 1);
    }
    const noted = units
      .flat()
      .filter((finding) => isUncounted(finding, before.build))
      .map((finding) => ({
        findingId: finding.findingId,
        state: { ...stateOf(finding), build: before.build, version },
      }));
    return { ...before, version, tallies: tallies.stored(), noted };
  };

  return {
    exist: async (organizationId) => (await counters.find(organizationId)) !== undefined,
    async summary(organizationId, baseCurrency) {
      const endsAt = performance.now() + countMsMax;
      let current = await completed(organizationId);
      let after: FindingPosition | undefined;
      let steps = 0;
      for (;;) {
        if (current === undefined || current.baseCurrency !== baseCurrency || current.rules !== SUMMARY_VERSION) {
          const begun = newBuild(baseCurrency, { at: clock.now(), versionBefore: current?.version ?? 0 });
          current = (await counters.save(organizationId, begun)) ? begun : await completed(organizationId);
          continue;
        }
        const { builtTo, changedTo, baseCurrency: currency } = current;
        if (builtTo === null) after ??= beforeLateWrites(changedTo);
        const read: readonly CountableFinding[] =
          builtTo === null
            ? await findings.storedAfter(organizationId, after ?? beforeLateWrites(changedTo), stepFindings)
            : await findings.createdAfter(organizationId, builtTo === 'BEGINNING' ? undefined : builtTo, stepFindings);
        const last = read.at(-1);
        if (builtTo === null && read.every((finding) => !isUncounted(finding, current?.build))) {
          // Nothing changed on this page, so nothing is stored.
          if (last?.storedAt !== undefined) {
            after = { at: last.storedAt, findingId: last.findingId };
            continue;
          }
          // Another request may have counted findings that this request then found counted, so its totals are read.
          const latest = await completed(organizationId);
          if (latest?.version === current.version) return findingTallies(currency, current.tallies).summary();
          current = latest;
          after = undefined;
          continue;
        }
        // Each request makes at least one step, so that the count ends.
        if (steps++ > 0 && performance.now() > endsAt) throw stillCounting();
        const next: FindingCounters = {
          ...(await count(organizationId, current, read)),
          ...(builtTo === null
            ? { changedTo: laterOf(changedTo, last?.storedAt) }
            : { builtTo: last === undefined ? null : { at: last.createdAt, findingId: last.findingId } }),
        };
        if (!(await counters.save(organizationId, next))) {
          // Another request has counted in the meantime, so this request goes on with its totals.
          current = await completed(organizationId);
          after = undefined;
          continue;
        }
        await note(organizationId, next);
        current = next;
      }
    },
  };
}

function newBuild(
  baseCurrency: string,
  { at, versionBefore }: { readonly at: Date; readonly versionBefore: number },
): FindingCounters {
  return {
    version: versionBefore + 1,
    build: uuidV7(),
    baseCurrency,
    rules: SUMMARY_VERSION,
    tallies: findingTallies(baseCurrency).stored(),
    builtTo: 'BEGINNING',
    changedTo: at,
    noted: [],
  };
}

function stillCounting(): DomainError {
  return new DomainError(
    'unavailable',
    'The findings of the organization are being counted, because many of them are new or have changed. Retry the request in a few seconds.',
  );
}

/** Fields of a finding that a summary uses and that can change. */
function stateOf({
  type,
  severity,
  disposition,
  amountAtRisk,
}: CountableFinding): Omit<CountedState, 'build' | 'version'> {
  return { type, severity, disposition, ...(amountAtRisk === undefined ? {} : { amountAtRisk }) };
}

/** Returns a finding in the state in which a build has counted it. Undefined if the build has not counted it. */
function countedIn(finding: CountableFinding, build: string): CountableFinding | undefined {
  const { counted, amountAtRisk: _current, ...rest } = finding;
  if (counted?.build !== build) return undefined;
  const { build: _build, version: _version, ...state } = counted;
  return { ...rest, ...state };
}

/** Checks whether a finding has another state than the one in which a build has counted it. */
function isUncounted(finding: CountableFinding, build: string | undefined): boolean {
  const before = build === undefined ? undefined : countedIn(finding, build);
  return before === undefined || !isDeepStrictEqual(stateOf(before), stateOf(finding));
}

/** Groups findings by invoice. A finding without an invoice is a group of its own. */
function groups(findings: readonly CountableFinding[]): CountableFinding[][] {
  return [...groupedBy(findings, ({ invoiceId, findingId }) => invoiceId ?? findingId).values()];
}

/** Returns the position before all writes that may have become visible after the count had read past their time. */
function beforeLateWrites(changedTo: Date): FindingPosition {
  return { at: new Date(changedTo.getTime() - VISIBLE_WITHIN_MS), findingId: '' };
}

function laterOf(left: Date, right: Date | undefined): Date {
  return right !== undefined && right > left ? right : left;
}
