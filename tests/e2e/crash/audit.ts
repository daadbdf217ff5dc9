// Reads what analysis stored, as an auditor would, and lists everything that contradicts what was promised.
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Effect } from './effects.js';
import type { Acknowledged } from './ledger.js';

/** The database of the analysis service. */
export type AnalysisDatabase = MongoConnection['db'];

interface AnyDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** The parts of a stored invoice that the promises are about. */
interface StoredInvoice {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly status: string;
  readonly invoice: { readonly invoice_number: string; readonly buyer?: { readonly name?: string } };
  readonly match: { readonly bankKey?: string; readonly poKey?: string };
  readonly analysis?: {
    readonly analysisId: string;
    readonly decision: string;
    readonly riskScore: number;
    readonly supplierId: string;
    readonly findings: readonly {
      readonly findingId: string;
      readonly type: string;
      readonly relatedInvoiceIds: readonly string[];
    }[];
  };
  readonly recentEvents?: readonly { readonly id: string; readonly subject: string }[];
}

interface CountedDocument {
  readonly _id: string;
  readonly version: number;
}

interface SupplierDocument extends CountedDocument {
  readonly profile: { readonly count: number };
}

interface LinkDocument extends CountedDocument {
  readonly link: { readonly suppliers: readonly { readonly supplierId: string; readonly count: number }[] };
}

/** Marks that say that work is left: none may stay. */
export async function unfinishedWork(db: AnalysisDatabase): Promise<string[]> {
  const marked = { $or: [{ pending: true }, { outboxPending: true }, { leaseUntil: { $exists: true } }] };
  const found = await Promise.all(
    (await db.listCollections().toArray()).map(async ({ name }) => {
      const documents = await db.collection<AnyDocument>(name).find(marked).limit(100).toArray();
      return documents.map((document) => {
        const marks = ['pending', 'outboxPending', 'leaseUntil'].filter((mark) => mark in document);
        return `${name} ${document._id} has ${marks.join(', ')}`;
      });
    }),
  );
  return found.flat();
}

/** Stored events without an effect. */
export async function missingEffects(db: AnalysisDatabase, effects: readonly Effect[]): Promise<string[]> {
  const effected = new Set(effects.map(({ _id }) => _id));
  const invoices = await db.collection<StoredInvoice>('invoices').find().toArray();
  return eventsOf(invoices).flatMap(({ id, subject }) => (effected.has(id) ? [] : [`${subject} ${id}`]));
}

/** What contradicts the promises, as sentences; to be asked when no work is left. */
export async function contradictions(
  db: AnalysisDatabase,
  acknowledged: readonly Acknowledged[],
  effects: readonly Effect[],
): Promise<string[]> {
  const invoices = await db.collection<StoredInvoice>('invoices').find().toArray();
  return [
    ...answersNotKept(invoices, acknowledged),
    ...requestsStoredTwice(invoices),
    ...(await recordsNotAsDecided(db, invoices)),
    ...eventsNotAsDecided(invoices, effects),
    ...unreportedDuplicates(invoices),
    ...(await countersNotAsDecided(db, invoices)),
  ];
}

/** Every answer holds: the invoice is there, decided as was said, and a key has one answer for ever. */
function answersNotKept(invoices: readonly StoredInvoice[], acknowledged: readonly Acknowledged[]): string[] {
  const stored = new Map(invoices.map((invoice) => [invoice._id, invoice]));
  const firstOfKey = new Map<string, Acknowledged>();
  return acknowledged.flatMap((answer) => {
    const { organizationId, idempotencyKey, invoiceId, decision, riskScore, findingTypes } = answer;
    const named = `invoice ${invoiceId} (key ${idempotencyKey})`;
    const key = `${organizationId}|${idempotencyKey}`;
    const first = idempotencyKey === undefined ? answer : (firstOfKey.get(key) ?? answer);
    firstOfKey.set(key, first);
    const invoice = stored.get(invoiceId);
    if (invoice === undefined || invoice.organizationId !== organizationId) return [`${named} is not stored`];
    const { analysis } = invoice;
    const isKept =
      analysis?.decision === decision &&
      analysis.riskScore === riskScore &&
      sorted(analysis.findings.map(({ type }) => type)) === sorted(findingTypes);
    return [
      ...(isKept ? [] : [`${named} was answered ${decision} ${riskScore} and is ${analysis?.decision}`]),
      ...(first.invoiceId === invoiceId ? [] : [`${named} was ${first.invoiceId} before`]),
    ];
  });
}

function requestsStoredTwice(invoices: readonly StoredInvoice[]): string[] {
  const requests = invoices.map(({ organizationId, invoice }) => `${organizationId}|${invoice.buyer?.name}`);
  return repeated(requests).map((request) => `request ${request} made two invoices`);
}

/** Findings and analyses are exactly those of the decisions, and nothing was written twice. */
async function recordsNotAsDecided(db: AnalysisDatabase, invoices: readonly StoredInvoice[]): Promise<string[]> {
  const [analyses, findings] = await Promise.all([
    db.collection<AnyDocument>('analyses').find().toArray(),
    db.collection<AnyDocument>('findings').find().toArray(),
  ]);
  const analysisById = new Map(analyses.map((analysis) => [analysis._id, analysis]));
  const storedFindings = new Set(findings.map(({ _id, invoiceId }) => `${_id} of ${String(invoiceId)}`));
  const decidedFindings = invoices.flatMap(({ _id, analysis }) =>
    (analysis?.findings ?? []).map(({ findingId }) => `${findingId} of ${_id}`),
  );
  return [
    ...invoices.flatMap(({ _id, version, status, analysis }) => {
      if (analysis === undefined) return [`invoice ${_id} is ${status} without a decision`];
      const record = analysisById.get(analysis.analysisId);
      const isComplete = record?.['invoiceId'] === _id && record['decision'] === analysis.decision && record['facts'];
      return [
        ...(isComplete ? [] : [`the analysis of invoice ${_id} is missing or another`]),
        // Stored, then decided: one version each.
        ...(version === 2 ? [] : [`invoice ${_id} has version ${version}`]),
      ];
    }),
    ...(analyses.length === invoices.length ? [] : [`${analyses.length} analyses of ${invoices.length} invoices`]),
    ...repeated(decidedFindings).map((finding) => `finding ${finding} has an id that is not its own`),
    ...onlyInFirst(decidedFindings, storedFindings).map((finding) => `finding ${finding} is not stored`),
    ...onlyInFirst(storedFindings, new Set(decidedFindings)).map((finding) => `finding ${finding} was never decided`),
  ];
}

/** Every decision and finding was announced once under an id of its own, and nothing else was. */
function eventsNotAsDecided(invoices: readonly StoredInvoice[], effects: readonly Effect[]): string[] {
  const announced = eventsOf(invoices);
  const told = effects.map(({ payload }) => JSON.parse(payload) as { analysisId?: string; findingId?: string });
  const subjects = told.map(({ analysisId, findingId }) => `${analysisId ?? findingId}`);
  const decided = invoices.flatMap(({ analysis }) =>
    analysis === undefined ? [] : [analysis.analysisId, ...analysis.findings.map(({ findingId }) => findingId)],
  );
  const announcedIds = new Set(announced.map(({ id }) => id));
  return [
    ...repeated(announced.map(({ id }) => id)).map((id) => `event id ${id} is used twice`),
    ...repeated(subjects).map((id) => `${id} was announced by two events`),
    ...onlyInFirst(decided, new Set(subjects)).map((id) => `${id} was decided and not announced`),
    ...onlyInFirst(subjects, new Set(decided)).map((id) => `${id} was announced and does not exist`),
    ...effects.flatMap(({ _id }) => (announcedIds.has(_id) ? [] : [`event ${_id} is in no outbox`])),
  ];
}

/** Of n equal invoices all but the first name another one. */
function unreportedDuplicates(invoices: readonly StoredInvoice[]): string[] {
  const groups = new Map<string, StoredInvoice[]>();
  for (const stored of invoices) {
    const group = `${stored.organizationId}|${stored.invoice.invoice_number}`;
    groups.set(group, [...(groups.get(group) ?? []), stored]);
  }
  return [...groups].flatMap(([group, equal]) => {
    const ids = new Set(equal.map(({ _id }) => _id));
    const reported = equal.filter(({ analysis }) =>
      analysis?.findings.some(({ relatedInvoiceIds }) => relatedInvoiceIds.some((id) => ids.has(id))),
    );
    return reported.length >= equal.length - 1 ? [] : [`${group}: ${reported.length} of ${equal.length} reported`];
  });
}

/** Profiles, links and usage have counted each decided invoice once. */
async function countersNotAsDecided(db: AnalysisDatabase, invoices: readonly StoredInvoice[]): Promise<string[]> {
  const [suppliers, links, usage] = await Promise.all([
    db.collection<SupplierDocument>('suppliers').find().toArray(),
    db.collection<LinkDocument>('links').find().toArray(),
    db.collection<{ _id: string; used: number }>('usage').find().toArray(),
  ]);
  const bySupplier = counted(invoices.map(({ analysis }) => analysis?.supplierId));
  const byLink = counted(
    invoices.flatMap(({ organizationId, match }) => [
      `${organizationId}|account|${match.bankKey}`,
      `${organizationId}|order|${match.poKey}`,
    ]),
  );
  const byOrganization = counted(invoices.map(({ organizationId }) => organizationId));
  const used = new Map<string, number>();
  for (const { _id, used: units } of usage) {
    const organizationId = _id.split(':', 1)[0] ?? '';
    used.set(organizationId, (used.get(organizationId) ?? 0) + units);
  }
  const supplierCounts = suppliers.map(({ _id, version, profile }) => ({ _id, version, count: profile.count }));
  const linkCounts = links.map(({ _id, version, link }) => ({
    _id,
    version,
    count: link.suppliers.reduce((sum, { count }) => sum + count, 0),
  }));
  return [
    ...wrongCounts('supplier', supplierCounts, bySupplier),
    ...wrongCounts('link', linkCounts, byLink),
    ...[...byOrganization].flatMap(([organizationId, count]) =>
      (used.get(organizationId) ?? 0) >= count
        ? []
        : [`organization ${organizationId} used ${used.get(organizationId)} for ${count} invoices`],
    ),
  ];
}

interface Count extends CountedDocument {
  readonly count: number;
}

/** Each counting writes one version, so the version is the count as well. */
function wrongCounts(what: string, counts: readonly Count[], expected: ReadonlyMap<string, number>): string[] {
  const present = new Set(counts.map(({ _id }) => _id));
  return [
    ...counts.flatMap(({ _id, version, count }) =>
      count === expected.get(_id) && version === count
        ? []
        : [`${what} ${_id} counts ${count} in ${version} versions for ${expected.get(_id) ?? 0} invoices`],
    ),
    ...onlyInFirst(expected.keys(), present).map((id) => `${what} ${id} is missing`),
  ];
}

function eventsOf(invoices: readonly StoredInvoice[]): readonly { id: string; subject: string }[] {
  return invoices.flatMap(({ recentEvents = [] }) => recentEvents);
}

function counted(keys: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function repeated(keys: readonly string[]): string[] {
  return [...counted(keys)].flatMap(([key, count]) => (count > 1 ? [key] : []));
}

function onlyInFirst(first: Iterable<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((key) => !second.has(key));
}

function sorted(texts: readonly string[]): string {
  return texts.toSorted().join();
}
