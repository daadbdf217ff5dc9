import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CountableFinding, CountedState } from '../../records/application/finding-store.js';
import { summarizeFindings } from '../../records/domain/finding-summary.js';
import type { FindingSummary } from '../../records/domain/finding-summary.js';
import { countFindings } from './count-findings.js';
import type { FindingCounters } from './count-findings.js';

const ORGANIZATION = 'acme';
const BEGIN_MS = Date.parse('2026-03-31T23:59:00Z');

/** Findings and totals in memory, with the rules of their stores, and processes that may stop before they note states. */
function stores() {
  const findings = new Map<string, CountableFinding>();
  let totals: FindingCounters | undefined;
  let nowMs = BEGIN_MS;
  let stops = false;
  const sorted = (key: 'createdAt' | 'storedAt') =>
    [...findings.values()]
      .filter((finding) => finding[key] !== undefined)
      .sort(
        (left, right) =>
          Number(left[key]) - Number(right[key]) ||
          (left.findingId < right.findingId ? -1 : 1) * (key === 'createdAt' ? 1 : -1),
      );
  return {
    findings,
    tick: (ms: number) => {
      nowMs += ms;
    },
    now: () => new Date(nowMs),
    stopBeforeNoting: () => {
      stops = true;
    },
    deps: {
      clock: { now: () => new Date(nowMs) },
      counters: {
        find: async () => totals,
        save: async (_: string, counters: FindingCounters) => {
          if ((totals?.version ?? 0) !== counters.version - 1) return false;
          totals = counters;
          return true;
        },
      },
      findings: {
        createdAfter: async (_: string, after: { at: Date; findingId: string } | undefined, limit: number) =>
          sorted('createdAt')
            .filter(
              ({ createdAt, findingId }) =>
                after === undefined ||
                createdAt > after.at ||
                (+createdAt === +after.at && findingId > after.findingId),
            )
            .slice(0, limit),
        storedAfter: async (_: string, after: { at: Date; findingId: string }, limit: number) =>
          sorted('storedAt')
            .filter(
              ({ storedAt = after.at, findingId }) =>
                storedAt > after.at || (+storedAt === +after.at && findingId < after.findingId),
            )
            .slice(0, limit),
        ofInvoices: async (_: string, invoiceIds: readonly string[]) =>
          [...findings.values()].filter(({ invoiceId = '' }) => invoiceIds.includes(invoiceId)),
        noteCounted: async (_: string, counted: ReadonlyMap<string, CountedState>) => {
          if (stops) {
            stops = false;
            throw new Error('the process stopped');
          }
          for (const [findingId, state] of counted) {
            const found = findings.get(findingId);
            if (found !== undefined && (found.counted?.version ?? 0) < state.version) {
              findings.set(findingId, { ...found, counted: state });
            }
          }
        },
      },
    },
  };
}

function recount(findings: readonly CountableFinding[], currency: string): FindingSummary {
  const steps = summarizeFindings(findings, currency);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const change = fc.record({
  findingId: fc.integer({ min: 0, max: 30 }),
  invoice: fc.option(fc.integer({ min: 0, max: 8 })),
  type: fc.constantFrom('DUPLICATE_INVOICE', 'BANK_ACCOUNT_CHANGED', 'PO_OVERBILLED'),
  severity: fc.constantFrom('LOW', 'HIGH', 'CRITICAL'),
  disposition: fc.constantFrom('OPEN', 'CONFIRMED', 'FALSE_POSITIVE', 'RESOLVED', 'SUPERSEDED'),
  amount: fc.constantFrom('10.00', '99.99', '0.00', undefined),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
  ms: fc.integer({ min: 0, max: 40_000 }),
  isOld: fc.boolean(),
  next: fc.constantFrom('nothing', 'count', 'count', 'stop', 'race', 'other currency'),
});

test('totals equal a recount after any changes, also if processes stop between two writes or count at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (changes, stepFindings) => {
        const { findings, tick, now, deps, stopBeforeNoting } = stores();
        const counting = countFindings({ ...deps, stepFindings, countMsMax: 60_000 });
        const expectRecounted = async (currency = 'EUR') =>
          expect(await counting.summary(ORGANIZATION, currency)).toEqual(recount([...findings.values()], currency));
        let isCounted = false;
        for (const { findingId, invoice, ms, isOld, next, amount, currency, ...state } of changes) {
          tick(ms);
          const id = `f${findingId}`;
          const before = findings.get(id);
          const { amountAtRisk: _amount, ...kept } = before ?? {};
          // A finding that an earlier release stored, before the first count, has no time of its last write.
          const isUntimed = before === undefined && isOld && !isCounted;
          findings.set(id, {
            findingId: id,
            createdAt: now(),
            ...(invoice === null || before !== undefined ? {} : { invoiceId: `i${invoice}` }),
            ...kept,
            ...state,
            ...(isUntimed ? {} : { storedAt: now() }),
            ...(amount === undefined ? {} : { amountAtRisk: { currency, amount } }),
          } as CountableFinding);
          if (next === 'nothing') continue;
          isCounted = true;
          if (next === 'stop') {
            stopBeforeNoting();
            await counting.summary(ORGANIZATION, 'EUR').catch(() => undefined);
          }
          if (next === 'race') await Promise.all([expectRecounted(), expectRecounted()]);
          await expectRecounted(next === 'other currency' ? 'USD' : 'EUR');
        }
        await expectRecounted();
      },
    ),
    { numRuns: 200 },
  );
});
