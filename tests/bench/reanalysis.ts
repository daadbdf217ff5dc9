// Runs `npm run bench:reanalysis`, which measures whether invoices without a review keep their results when they are
// analyzed again.
import { parseArgs } from 'node:util';
import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { decisionToJSON } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { ENGINE_VERSION } from '@invoicecontrol/engine/run-engine';
import { toWire } from '@invoicecontrol/invoice/wire';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { labelledHistory } from '../detection/history.js';
import type { Bill } from '../detection/bill.js';
import { progress, say, seconds, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import { startStores } from './stores.js';
import { wholeNumber } from './whole-number.js';

/** Time limit in minutes of the reanalysis benchmark with the default number of invoices or fewer. */
const MINUTES_MAX = 40;
const COUNT = 10_000;

const usage = `Loads a labelled history into the services, each in a process of its own, and analyzes invoices of it again: right
after, and after the bills of the months that follow. No result may change while nobody said anything.

  npm run bench:reanalysis                  10,000 invoices, about ten minutes on a quiet machine
  npm run bench:reanalysis -- --count 500   fewer
  npm run bench:reanalysis -- --seed 4      another history (1 unless said)

Ends with code 1 if a result changed, and after ${MINUTES_MAX} minutes at the latest, with more invoices after as many times as long.
`;

const COUNT_MAX = 100_000;
/** The reanalysis benchmark imports a quarter of the invoices from files, and posts the others one by one. */
const SCANNED_SHARE = 0.25;
const ROWS_MAX = 5_000;
/** Share of the bills that arrive between the two rounds of analysis: a quarter more, from the following months. */
const LATER_SHARE = 0.25;
/** Approximate number of bills per supplier in the history. */
const BILLS_PER_SUPPLIER = 40;
const CONNECTIONS = 8;
const EXAMPLES_MAX = 5;

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: String(COUNT) },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const count = wholeNumber('--count', values.count, COUNT_MAX);
  const bills = billsOf(wholeNumber('--seed', values.seed, COUNT_MAX), Math.ceil(count * (1 + LATER_SHARE)));
  endAfter(MINUTES_MAX * Math.max(1, count / COUNT));
  step('starting MongoDB, NATS and the services');
  const logDir = await logDirectory('bench-reanalysis');
  const stores = await startStores();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const system = await startSystem({ ...stores, secrets, identities, logDir, name: 'measured' });
  const tenant = await createTenant(system.organization.address, identities, 'Bench reanalysis');
  const customer = customerOf(tenant, system.analysis.address);
  onEnd(customer.close);

  const scanned = bills.slice(0, Math.floor(count * SCANNED_SHARE));
  for (let from = 0; from < scanned.length; from += ROWS_MAX) await customer.scan(scanned.slice(from, from + ROWS_MAX));
  say(`${scanned.length} invoices scanned`);
  const rowIds = await rowIdsOf(await stores.openDatabase('analysis'), tenant.organizationId);
  const first = await inParallel('reading rows', rowIds, customer.latest);
  first.push(...(await inParallel('posting', bills.slice(scanned.length, count), customer.post)));
  say(
    `${count - scanned.length} invoices posted, ${first.filter(({ findings }) => findings.length > 0).length} of all with findings`,
  );

  const rounds = [await again(customer, first)];
  await inParallel('posting', bills.slice(count), customer.post);
  say(`${bills.length - count} more invoices posted`);
  rounds.push(await again(customer, first));
  report(first, rounds);
}

/**
 * Returns the given number of bills, which are the first bills of a generated supplier history in the order of their
 * arrival.
 */
function billsOf(seed: number, count: number): Bill[] {
  for (let suppliers = Math.ceil(count / BILLS_PER_SUPPLIER); ; suppliers = Math.ceil(suppliers * 1.2)) {
    const bills = labelledHistory({ seed, suppliers });
    if (bills.length >= count) return bills.slice(0, count);
  }
}

interface Customer {
  post(bill: Bill): Promise<Analysis>;
  scan(bills: readonly Bill[]): Promise<void>;
  latest(invoiceId: string): Promise<Analysis>;
  reanalyze(invoiceId: string): Promise<Analysis>;
  close(): void;
}

/** Makes the calls to the analysis service that the gateway makes for a customer. */
function customerOf({ organizationId, companyId, users }: Tenant, address: string): Customer {
  const channel = openTestChannel('analysis', address, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
  const invoices = client(InvoiceServiceDefinition, channel);
  const analyses = client(AnalysisServiceDefinition, channel);
  const call = {
    context: { requestId: 'bench', actor: { type: 'USER', id: users.admin } },
    timeoutMs: 300_000,
  } as const;
  let scans = 0;
  return {
    async post({ invoice }) {
      const { analysis } = await invoices.analyzeInvoice(
        {
          organizationId,
          invoice: toWire(invoice),
          idempotencyKey: '',
          fingerprint: '',
        },
        call,
      );
      return analysisIn(analysis);
    },
    async scan(bills) {
      scans += 1;
      await client(RowAnalysisServiceDefinition, channel).analyzeRows(
        {
          organizationId,
          companyId,
          scanId: `0192a000-0000-7000-8000-${String(scans).padStart(12, '0')}`,
          baseCurrency: 'EUR',
          receivedTime: new Date(),
          rows: bills.map(({ invoice }, position) => ({
            position,
            sourceRowNumber: position + 2,
            externalId: undefined,
            invoice: toWire(invoice),
          })),
        },
        call,
      );
    },
    async latest(invoiceId) {
      return analysisIn((await invoices.getLatestAnalysis({ organizationId, invoiceId }, call)).analysis);
    },
    async reanalyze(invoiceId) {
      return analysisIn((await analyses.reanalyzeInvoice({ organizationId, invoiceId }, call)).analysis);
    },
    close: () => channel.close(),
  };
}

function analysisIn(analysis: Analysis | undefined): Analysis {
  if (analysis === undefined) throw new Error('The service answered without an analysis.');
  return analysis;
}

async function rowIdsOf(db: MongoConnection['db'], organizationId: string): Promise<string[]> {
  const rows = db.collection<{ _id: string }>('invoices').find({ organizationId, source: 'SCAN' });
  return (await rows.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id);
}

/** Results of one round in which all invoices are analyzed again. */
interface Round {
  readonly tookMs: number;
  readonly changes: readonly { readonly invoiceId: string; readonly what: readonly string[] }[];
}

async function again(customer: Customer, first: readonly Analysis[]): Promise<Round> {
  const beganMs = performance.now();
  const results = await inParallel('analyzing again', first, ({ invoiceId }) => customer.reanalyze(invoiceId));
  const tookMs = performance.now() - beganMs;
  const changes = first.flatMap((before, index) => {
    const after = results[index];
    const what = after === undefined ? ['no result'] : differences(before, after);
    return what.length === 0 ? [] : [{ invoiceId: before.invoiceId, what }];
  });
  say(`${first.length} analyzed again in ${seconds(tookMs)}, ${changes.length} changed`);
  return { tookMs, changes };
}

/** Lists the differences between two analyses: the decision, the score, and findings by type. */
function differences(before: Analysis, after: Analysis): string[] {
  const [left, right] = [byKey(before.findings), byKey(after.findings)];
  const keys = new Set([...left.keys(), ...right.keys()]);
  const findings = [...keys].flatMap((key) => {
    const [then, now] = [left.get(key), right.get(key)];
    if (then === undefined) return [`${now?.type} raised`];
    if (now === undefined) return [`${then.type} no longer raised`];
    return JSON.stringify(then) === JSON.stringify(now) ? [] : [`${then.type} with other contents`];
  });
  return [
    ...(before.decision === after.decision
      ? []
      : [`${decisionToJSON(before.decision)} became ${decisionToJSON(after.decision)}`]),
    ...(before.riskScore === after.riskScore ? [] : ['another score']),
    ...findings,
  ];
}

function byKey(findings: readonly Finding[]): Map<string, Finding> {
  return new Map(findings.map((finding) => [finding.findingId, finding]));
}

function report(first: readonly Analysis[], rounds: readonly Round[]): void {
  const names = ['right after', 'after the months that follow'];
  const lines = rounds.flatMap(({ tookMs, changes }, index) => {
    const counts = new Map<string, number>();
    for (const what of changes.flatMap((change) => change.what)) counts.set(what, (counts.get(what) ?? 0) + 1);
    return [
      `${`  ${names[index] ?? ''}`.padEnd(40)} ${changes.length} of ${first.length} changed, ${seconds(tookMs)}`,
      ...[...counts].map(([what, count]) => `    ${what}: ${count}`),
      ...changes.slice(0, EXAMPLES_MAX).map(({ invoiceId, what }) => `    ${invoiceId}: ${what.join(', ')}`),
    ];
  });
  process.stdout.write(
    `\nAnalyses that were made again, engine ${ENGINE_VERSION}\n${lines.join('\n')}\n\nAim: none changes.\n`,
  );
  if (rounds.some(({ changes }) => changes.length > 0)) process.exitCode = 1;
}

/**
 * Calls the given function for each item, for a limited number of items at a time. Returns the results in the order of
 * the items.
 */
async function inParallel<T, R>(doing: string, items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await call(item);
      if (index % 100 === 0) progress(`${doing}: ${index} of ${items.length}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return results;
}
