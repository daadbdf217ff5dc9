// Reads the stored records after a crash, as an auditor would, and lists everything that breaks a guarantee.
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Effect } from './effects.js';
import type { Acknowledged } from './ledger.js';

type Database = MongoConnection['db'];

/** The databases of the services, which the audit reads directly. */
export interface Databases {
  readonly analysis: Database;
  readonly scan: Database;
}

interface AnyDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** The fields of a stored invoice that the guarantees concern. */
export interface StoredInvoice {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly source: 'API' | 'SCAN';
  readonly status: string;
  readonly invoice: { readonly invoice_number: string; readonly buyer?: { readonly name?: string } };
  readonly match: {
    readonly bankKey?: string;
    readonly poKey?: string;
    /** Id of the history scan. Only rows of a scan have this field. */
    readonly scanId?: string;
    readonly position?: number;
    readonly suspectedAs?: string;
  };
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
  /**
   * The facts of the decision on an invoice. For a row of a history scan, the id of the record that stores the facts of
   * several rows.
   */
  readonly facts?: { readonly bundleId?: string };
  /**
   * Id of the first import of the row, if an earlier history scan has already imported it. Such rows are not counted
   * again.
   */
  readonly reimportOf?: unknown;
}

export interface StoredFinding {
  readonly _id: string;
  readonly organizationId: string;
  readonly type: string;
  /** Id of the invoice. Absent if the finding is about a history scan as a whole. */
  readonly invoiceId?: string;
  readonly scanId?: string;
}

/** The record in which an aggregate lists its published events for the audit. */
interface Announcing {
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

/**
 * Fields that mark unfinished work in stored records. When all work is finished, no record may have any of these
 * fields. A history scan in progress is recognized by its lease. The query runs often, so it uses the indexes of these
 * fields.
 */
export async function unfinishedWork({ analysis, scan }: Databases): Promise<string[]> {
  const isMarked = { pending: true, outboxPending: true, leaseUntil: { $gte: new Date(0) } } as const;
  const find = async (db: Database, name: string, marks: readonly (keyof typeof isMarked)[]): Promise<string[]> => {
    const found = await Promise.all(
      marks.map(async (mark) => {
        const filter = { [mark]: isMarked[mark] };
        const documents = await db
          .collection(name)
          .find(filter, { projection: { _id: 1 } })
          .limit(100)
          .toArray();
        return documents.map(({ _id }) => `${name} ${String(_id)} has ${mark}`);
      }),
    );
    return found.flat();
  };
  const found = await Promise.all([
    find(analysis, 'invoices', ['pending', 'outboxPending', 'leaseUntil']),
    find(analysis, 'findings', ['pending', 'outboxPending']),
    find(analysis, 'upload_analyses', ['outboxPending', 'leaseUntil']),
    find(scan, 'scans', ['outboxPending', 'leaseUntil']),
  ]);
  return found.flat();
}

/** Returns the stored events for which the test's consumer wrote no document. */
export async function missingEffects(databases: Databases, effects: readonly Effect[]): Promise<string[]> {
  const effected = new Set(effects.map(({ _id }) => _id));
  return (await announcedEvents(databases)).flatMap(({ id, subject }) =>
    effected.has(id) ? [] : [`${subject} ${id}`],
  );
}

/** Lists the broken guarantees about invoices, as sentences. The audit is made when no work is left. */
export async function contradictions(
  databases: Databases,
  acknowledged: readonly Acknowledged[],
  effects: readonly Effect[],
): Promise<string[]> {
  const db = databases.analysis;
  const [invoices, findings] = await Promise.all([
    db.collection<StoredInvoice>('invoices').find().toArray(),
    db
      .collection<StoredFinding>('findings')
      .find({}, { projection: { history: 0 } })
      .toArray(),
  ]);
  return [
    ...answersNotKept(invoices, acknowledged),
    ...requestsStoredTwice(invoices),
    ...(await recordsNotAsDecided(db, invoices, findings)),
    ...eventsNotAsDecided(invoices, findings, effects),
    ...(await eventsOfNobody(databases, effects)),
    ...unreportedDuplicates(invoices),
    ...(await countersNotAsDecided(db, invoices)),
  ];
}

/** MongoDB projection that excludes large fields which no guarantee concerns. */
export const withoutDetails = {
  evidence: 0,
  history: 0,
  recentEvents: 0,
  'analysis.findings.evidence': 0,
  'match.keys': 0,
} as const;

/**
 * Checks that every response about an invoice is still true after the crash: the invoice is stored and decided as the
 * response said, and the same key always gives the same response.
 */
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
  const requests = invoices.map(({ organizationId, source, invoice, match }) =>
    source === 'API'
      ? `request ${organizationId}|${invoice.buyer?.name}`
      : `row ${match.position} of scan ${match.scanId}`,
  );
  return repeated(requests).map((request) => `${request} made two invoices`);
}

/** Checks that findings and analyses match the decisions exactly, and that nothing was written twice. */
async function recordsNotAsDecided(
  db: Database,
  invoices: readonly StoredInvoice[],
  findings: readonly StoredFinding[],
): Promise<string[]> {
  const [earlierAnalyses, bundles] = await Promise.all([
    db.collection('analyses').countDocuments(),
    db
      .collection<AnyDocument>('fact_bundles')
      .find({}, { projection: { _id: 1 } })
      .toArray(),
  ]);
  const bundleIds = new Set(bundles.map(({ _id }) => _id));
  const hasFacts = ({ facts }: StoredInvoice): boolean =>
    facts !== undefined && (facts.bundleId === undefined || bundleIds.has(facts.bundleId));
  const storedFindings = new Set(
    findings.flatMap(({ _id, invoiceId }) => (invoiceId === undefined ? [] : [`${_id} of ${invoiceId}`])),
  );
  const decidedFindings = invoices.flatMap(({ _id, analysis }) =>
    (analysis?.findings ?? []).map(({ findingId }) => `${findingId} of ${_id}`),
  );
  return [
    ...invoices.flatMap((invoice) => {
      const { _id, version, status, analysis } = invoice;
      if (analysis === undefined) return [`invoice ${_id} is ${status} without a decision`];
      return [
        ...(hasFacts(invoice) ? [] : [`the facts of invoice ${_id} are missing`]),
        ...(status === 'ANALYZED' ? [] : [`invoice ${_id} is decided and ${status}`]),
        // Checks that each invoice was stored and then decided, with one version for each step.
        ...(version === 2 ? [] : [`invoice ${_id} has version ${version}`]),
      ];
    }),
    ...(earlierAnalyses === 0 ? [] : [`${earlierAnalyses} analyses were replaced`]),
    ...repeated(decidedFindings).map((finding) => `finding ${finding} has an id that is not its own`),
    ...onlyInFirst(decidedFindings, storedFindings).map((finding) => `finding ${finding} is not stored`),
    ...onlyInFirst(storedFindings, new Set(decidedFindings)).map((finding) => `finding ${finding} was never decided`),
  ];
}

/**
 * Checks that every decision and finding was published once, and that nothing else was published. The decision on a row
 * of a history scan is not published, only its findings.
 */
function eventsNotAsDecided(
  invoices: readonly StoredInvoice[],
  findings: readonly StoredFinding[],
  effects: readonly Effect[],
): string[] {
  const told = effects
    .map(({ payload }) => JSON.parse(payload) as { analysisId?: string; findingId?: string })
    .flatMap(({ analysisId, findingId }) => analysisId ?? findingId ?? []);
  const decided = [
    ...invoices.flatMap(({ source, analysis }) =>
      source === 'API' && analysis !== undefined ? [analysis.analysisId] : [],
    ),
    ...findings.map(({ _id }) => _id),
  ];
  return [
    ...repeated(told).map((id) => `${id} was announced by two events`),
    ...onlyInFirst(decided, new Set(told)).map((id) => `${id} was decided and not announced`),
    ...onlyInFirst(told, new Set(decided)).map((id) => `${id} was announced and does not exist`),
  ];
}

/** Checks that every published event has its own id and names the aggregate that published it. */
async function eventsOfNobody(databases: Databases, effects: readonly Effect[]): Promise<string[]> {
  const announced = (await announcedEvents(databases)).map(({ id }) => id);
  const announcedIds = new Set(announced);
  return [
    ...repeated(announced).map((id) => `event id ${id} is used twice`),
    ...effects.flatMap(({ _id }) => (announcedIds.has(_id) ? [] : [`event ${_id} is in no outbox`])),
  ];
}

/**
 * Finds duplicates that are not reported: of several equal invoices, all but the first must have a finding that names
 * another of these invoices.
 */
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

/**
 * Checks that the profiles of suppliers and the links of bank accounts and orders count each decided invoice once.
 */
async function countersNotAsDecided(db: Database, invoices: readonly StoredInvoice[]): Promise<string[]> {
  const [suppliers, links] = await Promise.all([
    db.collection<SupplierDocument>('suppliers').find().toArray(),
    db.collection<LinkDocument>('links').find().toArray(),
  ]);
  const bySupplier = new Map<string, Expected>();
  const byLink = new Map<string, Expected>();
  for (const { _id, organizationId, match, analysis, reimportOf } of invoices) {
    if (analysis === undefined || reimportOf !== undefined) continue;
    const unit = match.scanId ?? _id;
    // A suspected copy is stored next to the supplier profile, not in the profile (ADR 0041).
    expectCounted(bySupplier, analysis.supplierId, unit, match.suspectedAs === 'DUPLICATE' ? 0 : 1);
    if (match.bankKey !== undefined) expectCounted(byLink, `${organizationId}|account|${match.bankKey}`, unit);
    if (match.poKey !== undefined) expectCounted(byLink, `${organizationId}|order|${match.poKey}`, unit);
  }
  const supplierCounts = suppliers.map(({ _id, version, profile }) => ({ _id, version, count: profile.count }));
  const linkCounts = links.map(({ _id, version, link }) => ({
    _id,
    version,
    count: link.suppliers.reduce((sum, { count }) => sum + count, 0),
  }));
  return [...wrongCounts('supplier', supplierCounts, bySupplier), ...wrongCounts('link', linkCounts, byLink)];
}

/**
 * Lists the usage counters of analyses that differ from the stored records. They may differ after a crash until the
 * reconciliation job has run.
 */
export async function wrongUsage({ analysis: db }: Databases): Promise<string[]> {
  const [posted, usage] = await Promise.all([
    db
      .collection<StoredInvoice>('invoices')
      .find({ source: 'API' }, { projection: { organizationId: 1 } })
      .toArray(),
    db.collection<{ _id: string; used: number }>('usage').find().toArray(),
  ]);
  const stored = counted(posted.map(({ organizationId }) => organizationId));
  const used = new Map<string, number>();
  for (const { _id, used: units } of usage) {
    const organizationId = _id.split(':', 1)[0] ?? '';
    used.set(organizationId, (used.get(organizationId) ?? 0) + units);
  }
  return [...new Set([...stored.keys(), ...used.keys()])].flatMap((organizationId) => {
    const [units, count] = [used.get(organizationId) ?? 0, stored.get(organizationId) ?? 0];
    return units === count ? [] : [`organization ${organizationId} used ${units} for ${count} invoices`];
  });
}

/**
 * Returns the number of invoices that a supplier profile or a link should count, and the number of versions that it
 * should have. Each posted invoice adds one version, and all rows of a history scan together add one version.
 */
interface Expected {
  count: number;
  readonly units: Set<string>;
}

function expectCounted(records: Map<string, Expected>, id: string, unit: string, times = 1): void {
  const expected = records.get(id) ?? { count: 0, units: new Set() };
  expected.count += times;
  expected.units.add(unit);
  records.set(id, expected);
}

interface Count extends CountedDocument {
  readonly count: number;
}

/**
 * Lists the supplier profiles and links that count a wrong number of invoices, or have a wrong version. Each change
 * must increase the version by one.
 */
function wrongCounts(what: string, counts: readonly Count[], records: ReadonlyMap<string, Expected>): string[] {
  const present = new Set(counts.map(({ _id }) => _id));
  return [
    ...counts.flatMap(({ _id, version, count }) => {
      const expected = records.get(_id);
      if (count === expected?.count && version === expected.units.size) return [];
      const steps = `${expected?.count ?? 0} in ${expected?.units.size ?? 0}`;
      return [`${what} ${_id} counts ${count} invoices in ${version} versions instead of ${steps}`];
    }),
    ...onlyInFirst(records.keys(), present).map((id) => `${what} ${id} is missing`),
  ];
}

/** Returns every event that an aggregate has published. */
async function announcedEvents({ analysis, scan }: Databases): Promise<{ id: string; subject: string }[]> {
  const announcing = { recentEvents: { $exists: true } };
  const projection = { 'recentEvents.id': 1, 'recentEvents.subject': 1 };
  const documents = await Promise.all([
    analysis.collection<Announcing>('invoices').find(announcing, { projection }).toArray(),
    analysis.collection<Announcing>('findings').find(announcing, { projection }).toArray(),
    scan.collection<Announcing>('scans').find(announcing, { projection }).toArray(),
  ]);
  return documents.flat().flatMap(({ recentEvents = [] }) => recentEvents);
}

/** Counts the occurrences of each key of the audited records. */
export function counted(keys: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Returns the keys of audited records that occur more than once. */
export function repeated(keys: readonly string[]): string[] {
  return [...counted(keys)].flatMap(([key, count]) => (count > 1 ? [key] : []));
}

function onlyInFirst(first: Iterable<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((key) => !second.has(key));
}

function sorted(texts: readonly string[]): string {
  return texts.toSorted().join();
}
