// Compares the responses that clients got in a chaos run with the stored and published records. The comparison reads
// plain records and uses no code of the services, so that it does not repeat their mistakes.
import { isDeepStrictEqual as same } from 'node:util';
import type { Books, Counted, FindingRecord, InvoiceRecord, Marks, ScanRecord } from './books.js';
import type { InvoiceAnswer, InvoiceEntry, LedgerBooks, ScanEntry } from './ledger.js';

export const counts = [
  'lost',
  'doubled',
  'stuck',
  'changed',
  'unannounced',
  'unsigned',
  'usage off',
  'refused',
] as const;
export type Count = (typeof counts)[number];

/** Meaning of each count in the audit of a chaos run, as the report explains it. */
export const meanings: Readonly<Record<Count, string>> = {
  lost: 'acknowledged, and not stored or not complete',
  doubled: 'one request with two effects',
  stuck: 'not at its end after the grace period',
  changed: 'stored, read or announced otherwise than answered',
  unannounced: 'a change without its event, or an event without its change',
  unsigned: 'a webhook that its endpoint cannot verify, or not at that time',
  'usage off': 'a counter that is not the sum of what is stored',
  refused: 'a right request that was refused for good',
};

/** Guarantee that the chaos run found broken, with the record that shows it. */
export interface Breach {
  readonly count: Count;
  readonly sentence: string;
}

/** Returns every broken guarantee of a chaos run. The audit begins when no work is left or the grace period is over. */
export function audit(books: Books, ledger: LedgerBooks): Breach[] {
  return [
    ...auditRequests(ledger),
    ...auditInvoiceAnswers(books, ledger.invoices),
    ...auditDecisions(books),
    ...auditScanAnswers(books, ledger.scans),
    ...auditScans(books),
    ...auditUploads(books, ledger.invoices),
    ...auditWorkOnFindings(books, ledger),
    ...auditMarks(books),
    ...auditEvents(books),
    ...auditUsage(books),
  ];
}

/** Returns the usage counters that differ from the stored records. */
export function auditUsage({ invoices, scans, uploadAnalyses, uploads, usage }: Counted): Breach[] {
  const expected = new Map<string, number>();
  const add = (organizationId: string, meter: string, amount: number): void => {
    const id = `${organizationId}:${meter}`;
    expected.set(id, (expected.get(id) ?? 0) + amount);
  };
  for (const { organizationId, usageMonth } of [...invoices, ...uploadAnalyses]) {
    if (usageMonth !== undefined) add(organizationId, `${usageMonth}:analyses`, 1);
  }
  for (const { organizationId, usage: counted } of scans) {
    add(organizationId, `${counted.month}:scan_rows`, counted.rows);
  }
  for (const { organizationId, usage: counted } of uploads) {
    if (counted !== undefined) add(organizationId, `${counted.month}:upload_bytes`, counted.bytes);
  }
  const used = new Map(usage.map((counter) => [counter._id, counter.used]));
  return [...new Set([...expected.keys(), ...used.keys()])].flatMap((id) => {
    const [is, should] = [used.get(id) ?? 0, expected.get(id) ?? 0];
    return is === should ? [] : breach('usage off', `counter ${id} is ${is} and ${should} are stored`);
  });
}

function breach(count: Count, sentence: string): [Breach] {
  return [{ count, sentence }];
}

/**
 * Checks that every valid request of the chaos run was acknowledged in the end, and that later reads return the same as
 * the first response.
 */
function auditRequests({ invoices, scans, reviews, assignments, wrongReads }: LedgerBooks): Breach[] {
  const named = [
    ...invoices.map((entry) => ({ entry, name: `invoice ${entry.sentAs}` })),
    ...scans.map((entry) => ({ entry, name: `scan ${entry.firstNumber}` })),
    ...reviews.map((entry) => ({ entry, name: `review of finding ${entry.findingId}` })),
    ...assignments.map((entry) => ({ entry, name: `assignment of finding ${entry.findingId}` })),
  ];
  return [
    ...named.flatMap(({ entry, name }) => {
      const { outcome, isRetried, lastFailure } = entry;
      if (outcome === 'REFUSED') return breach('refused', `${name} was refused: ${lastFailure}`);
      if (outcome === 'UNKNOWN' && isRetried) return breach('stuck', `${name} is still not known: ${lastFailure}`);
      return [];
    }),
    ...wrongReads.flatMap((sentence) => breach('changed', sentence)),
  ];
}

function auditInvoiceAnswers({ invoices }: Books, entries: readonly InvoiceEntry[]): Breach[] {
  const byId = new Map(invoices.map((invoice) => [invoice._id, invoice]));
  const bySentAs = groupBy(invoices, (invoice) => invoice.invoice.buyer?.name);
  return entries.flatMap(({ organizationId, sentAs, answers }) => {
    const name = `invoice ${sentAs}`;
    const stored = bySentAs.get(sentAs) ?? [];
    const [first] = answers;
    return [
      ...(stored.length > 1 ? breach('doubled', `${name} is stored ${stored.length} times`) : []),
      ...(new Set(answers.map(({ invoiceId }) => invoiceId)).size > 1
        ? breach('doubled', `${name} was answered with different ids`)
        : []),
      ...answers.flatMap((answer) => {
        const invoice = byId.get(answer.invoiceId);
        if (invoice === undefined || invoice.organizationId !== organizationId) {
          return breach('lost', `${name} was acknowledged as ${answer.invoiceId} and is not stored`);
        }
        return [
          ...(same(promiseOf(answer), promiseOf(first))
            ? []
            : breach('changed', `${name} was answered differently under the same key`)),
          ...(isAsAnswered(invoice, answer)
            ? []
            : breach('changed', `${name} was answered ${answer.decision} ${answer.riskScore} and is stored otherwise`)),
        ];
      }),
    ];
  });
}

function promiseOf(answer: InvoiceAnswer | undefined): unknown {
  const { invoiceId: _invoiceId, ...promise } = answer ?? {};
  return promise;
}

/** Responses about invoices leave out findings of a type that reviews of earlier invoices called false positives. */
function isAsAnswered({ analysis }: InvoiceRecord, answer: InvoiceAnswer): boolean {
  const shown = (analysis?.findings ?? []).filter(({ disposition }) => disposition !== 'FALSE_POSITIVE');
  return (
    analysis?.decision === answer.decision &&
    analysis.riskScore === answer.riskScore &&
    same(shown.map(({ type }) => type).toSorted(), answer.findingTypes)
  );
}

/** Checks that each invoice is decided once and that its records match the decision. */
function auditDecisions({ invoices, findings, analyses, factBundleIds }: Books): Breach[] {
  const analysisById = new Map(analyses.map((analysis) => [analysis._id, analysis]));
  const analysesOf = groupBy(analyses, ({ invoiceId }) => invoiceId);
  const bundles = new Set(factBundleIds);
  const findingsById = new Map(findings.map((finding) => [finding._id, finding]));
  const decided = new Set(invoices.flatMap((invoice) => decidedFindingIds(invoice)));
  const invoiceIds = new Set(invoices.map(({ _id }) => _id));
  return [
    ...invoices.flatMap((invoice) => {
      const { _id, analysis } = invoice;
      if (analysis === undefined) return [];
      const record = analysisById.get(analysis.analysisId);
      const bundleId = record?.facts?.bundleId;
      const hasFacts = record?.facts !== undefined && (bundleId === undefined || bundles.has(bundleId));
      const isEqual = record?.decision === analysis.decision && record.riskScore === analysis.riskScore;
      return [
        ...(record === undefined ? breach('lost', `the analysis of invoice ${_id} is not stored`) : []),
        ...(record !== undefined && !hasFacts ? breach('lost', `the facts of invoice ${_id} are not stored`) : []),
        ...(record !== undefined && !isEqual ? breach('changed', `invoice ${_id} was decided differently twice`) : []),
        ...((analysesOf.get(_id) ?? []).length > 1 ? breach('doubled', `invoice ${_id} was analyzed twice`) : []),
        ...decidedFindingIds(invoice).flatMap((id) =>
          findingsById.get(id)?.invoiceId === _id
            ? []
            : breach('lost', `finding ${id} of invoice ${_id} is not stored`),
        ),
      ];
    }),
    ...findings.flatMap(({ _id, invoiceId }) =>
      invoiceId === undefined || decided.has(_id) ? [] : breach('doubled', `finding ${_id} was never decided`),
    ),
    ...analyses.flatMap(({ _id, invoiceId }) =>
      invoiceIds.has(invoiceId) ? [] : breach('lost', `invoice ${invoiceId} of analysis ${_id} is not stored`),
    ),
  ];
}

function decidedFindingIds({ analysis }: InvoiceRecord): string[] {
  return (analysis?.findings ?? []).map(({ findingId }) => findingId);
}

function auditScanAnswers(books: Books, entries: readonly ScanEntry[]): Breach[] {
  const { scans, invoices, importedRows } = books;
  const byId = new Map(scans.map((scan) => [scan._id, scan]));
  const rowsOf = groupBy(invoices, ({ match }) => match.scanId);
  const importsOf = groupBy(importedRows, ({ scanId }) => scanId);
  const scansOfFirst = groupBy(
    invoices.filter(({ source }) => source === 'SCAN'),
    ({ invoice }) => invoice.invoice_number,
  );
  return entries.flatMap(({ organizationId, firstNumber, rows, answers }) => {
    const name = `scan ${firstNumber}`;
    const scanIds = new Set((scansOfFirst.get(firstNumber) ?? []).map(({ match }) => match.scanId));
    const [first] = answers;
    return [
      ...(scanIds.size > 1 ? breach('doubled', `${name} was carried out ${scanIds.size} times`) : []),
      ...answers.flatMap((answer) => {
        const { id, status: _status, skippedRows, ...figures } = answer;
        const scan = byId.get(id);
        if (scan === undefined || scan.organizationId !== organizationId) {
          return breach('lost', `${name} was acknowledged as ${id} and is not stored`);
        }
        const skipped = new Set(skippedRows.map(({ sourceRowNumber }) => sourceRowNumber));
        const analyzed = rows.flatMap((row, at) => (skipped.has(Number(row['sourceRowNumber'])) ? [] : [at]));
        const stored = new Set((rowsOf.get(id) ?? []).map(({ match }) => match.position));
        const imported = new Set((importsOf.get(id) ?? []).map(({ position }) => position));
        const lostRows = analyzed.filter((at) => !stored.has(at));
        const lostIds = analyzed.filter((at) => rows[at]?.['externalId'] !== undefined && !imported.has(at));
        return [
          ...(answer.id === first?.id ? [] : breach('doubled', `${name} was answered with different ids`)),
          ...(same(answer, { ...first, id }) ? [] : breach('changed', `${name} was answered differently twice`)),
          ...(same(scan.result, figures) && same(scan.skippedRows, skippedRows)
            ? []
            : breach('changed', `${name} is stored otherwise than it was answered`)),
          ...(lostRows.length > 0 ? breach('lost', `${lostRows.length} rows of ${name} are not stored`) : []),
          ...(lostIds.length > 0 ? breach('lost', `${lostIds.length} external ids of ${name} are not stored`) : []),
        ];
      }),
    ];
  });
}

/** Checks that each file of a history scan is stored once, and that its figures equal the figures of its rows. */
function auditScans({ scans, invoices, findings, importedRows }: Books): Breach[] {
  const rowsOf = groupBy(
    invoices.filter(({ source }) => source === 'SCAN'),
    ({ match }) => match.scanId,
  );
  const findingsOf = groupBy(
    findings.filter(({ invoiceId }) => invoiceId === undefined),
    ({ scanId }) => scanId,
  );
  const stored = new Set(scans.map(({ _id }) => _id));
  const traces = new Set([...rowsOf.keys(), ...findingsOf.keys(), ...importedRows.map(({ scanId }) => scanId)]);
  return [
    ...[...traces].flatMap((scanId) =>
      stored.has(scanId) ? [] : breach('lost', `scan ${scanId} is not stored, and something of it is`),
    ),
    ...scans.flatMap((scan) => {
      const { _id, result, usage } = scan;
      if (result === undefined) return [];
      const rows = rowsOf.get(_id) ?? [];
      const positions = new Set(rows.map(({ match }) => match.position));
      return [
        ...(positions.size < rows.length ? breach('doubled', `scan ${_id} has an invoice twice`) : []),
        ...(rows.length < result.invoicesAnalyzed ? breach('lost', `scan ${_id} has fewer invoices than it says`) : []),
        ...(usage.rows === rows.length
          ? []
          : breach('usage off', `scan ${_id} counts ${usage.rows} rows of ${rows.length}`)),
        ...(hasFiguresOf(scan, rows, findingsOf.get(_id) ?? [])
          ? []
          : breach('changed', `scan ${_id} says other figures than its invoices`)),
      ];
    }),
  ];
}

function hasFiguresOf(
  { result }: ScanRecord,
  rows: readonly InvoiceRecord[],
  ofScan: readonly FindingRecord[],
): boolean {
  const decisions = { PASS: 0, REVIEW: 0, BLOCK: 0, ...tally(rows.map(({ analysis }) => analysis?.decision ?? '')) };
  // Findings that reviews of earlier invoices called false positives are not counted.
  const ofRows = rows
    .flatMap(({ analysis }) => analysis?.findings ?? [])
    .filter(({ disposition }) => disposition !== 'FALSE_POSITIVE');
  const types = tally([...ofRows, ...ofScan].map(({ type }) => type));
  return same(result?.decisionCounts, decisions) && same(result?.findingCounts, types);
}

/**
 * Checks that every acknowledged upload is stored byte for byte and became the invoice in the response, and that
 * nothing else is stored.
 */
function auditUploads({ uploads, uploadAnalyses, storedBytes }: Books, entries: readonly InvoiceEntry[]): Breach[] {
  const byId = new Map(uploads.map((upload) => [upload._id, upload]));
  const analysisOf = new Map(uploadAnalyses.map((analysis) => [analysis.uploadId, analysis]));
  const sent = new Set(entries.map(({ upload }) => upload?.id));
  const named = new Set(uploads.map(({ content }) => content?.fileId));
  return [
    ...entries.flatMap(({ sentAs, upload, answers }) => {
      if (upload?.isStored !== true) return [];
      const content = byId.get(upload.id ?? '')?.content;
      const invoiceId = analysisOf.get(upload.id ?? '')?._id;
      return [
        ...(content === undefined ? breach('lost', `the upload of invoice ${sentAs} is not stored`) : []),
        ...answers.flatMap((answer) =>
          answer.invoiceId === invoiceId ? [] : breach('lost', `the analysis of the upload of ${sentAs} is not stored`),
        ),
      ];
    }),
    ...uploads.flatMap(({ _id, byteSize, content }) => {
      if (content === undefined) return [];
      return [
        ...(storedBytes[content.fileId] === byteSize
          ? []
          : breach('lost', `upload ${_id} has ${storedBytes[content.fileId] ?? 0} of ${byteSize} bytes`)),
        ...(sent.has(_id) ? [] : breach('doubled', `upload ${_id} is stored and no client knows it`)),
      ];
    }),
    ...Object.keys(storedBytes).flatMap((id) =>
      named.has(id) ? [] : breach('stuck', `file ${id} is stored and belongs to no upload`),
    ),
    ...uploadAnalyses.flatMap(({ _id, state }) =>
      state === 'READ' ? [] : breach('stuck', `the upload of invoice ${_id} is ${state}`),
    ),
  ];
}

/**
 * Checks that each acknowledged review and assignment occurs once in the history of its finding, and once in the audit
 * trail or the mails.
 */
function auditWorkOnFindings(
  { findings, auditLines, notifications }: Books,
  { reviews, assignments }: LedgerBooks,
): Breach[] {
  const byId = new Map(findings.map((finding) => [finding._id, finding]));
  const linesOf = tally(
    auditLines
      .filter(({ action, outcome }) => action === 'finding.reviewed' && outcome === 'SUCCEEDED')
      .map(({ target }) => target.slice('finding:'.length)),
  );
  const mailsOf = tally(
    notifications.flatMap(({ userId, occasion }) =>
      occasion.findingId === undefined ? [] : [`${occasion.findingId}|${userId}`],
    ),
  );
  return [
    ...reviews.flatMap(({ findingId, disposition, outcome }) => {
      const finding = byId.get(findingId);
      const isThere = entriesOf(finding, 'REVIEWED').some(({ to }) => to === disposition);
      if (outcome !== 'ACKNOWLEDGED') return [];
      if (!isThere) return breach('lost', `the review of finding ${findingId} is not stored`);
      if (finding?.disposition === disposition) return [];
      return breach('changed', `finding ${findingId} was made ${disposition} and is ${finding?.disposition}`);
    }),
    ...assignments.flatMap(({ findingId, assigneeUserId, outcome }) => {
      const finding = byId.get(findingId);
      const isThere = entriesOf(finding, 'ASSIGNED').some(({ to }) => to === assigneeUserId);
      if (outcome !== 'ACKNOWLEDGED') return [];
      if (!isThere) return breach('lost', `the assignment of finding ${findingId} is not stored`);
      if (finding?.assigneeUserId === assigneeUserId) return [];
      return breach('changed', `finding ${findingId} is assigned to ${finding?.assigneeUserId}`);
    }),
    ...findings.flatMap((finding) => {
      const { _id } = finding;
      const reviewed = entriesOf(finding, 'REVIEWED');
      const assigned = entriesOf(finding, 'ASSIGNED');
      const mails = assigned.map(({ to }) => `${_id}|${to}`);
      return [
        // The clients of the test load review and assign each finding only once.
        ...(reviewed.length > 1 ? breach('doubled', `finding ${_id} was reviewed ${reviewed.length} times`) : []),
        ...(assigned.length > 1 ? breach('doubled', `finding ${_id} was assigned ${assigned.length} times`) : []),
        ...ledgered('audit line', 'of the review', _id, linesOf[_id] ?? 0, reviewed.length),
        ...[...new Set(mails)].flatMap((mail) =>
          ledgered('mail', 'about', _id, mailsOf[mail] ?? 0, mails.filter((one) => one === mail).length),
        ),
      ];
    }),
    ...Object.keys(linesOf).flatMap((id) =>
      byId.has(id) ? [] : breach('unannounced', `an audit line tells of finding ${id}, which is not stored`),
    ),
    ...Object.keys(mailsOf).flatMap((mail) =>
      byId.has(mail.split('|')[0] ?? '') ? [] : breach('unannounced', `a mail tells of a finding that is not stored`),
    ),
  ];
}

function entriesOf(finding: FindingRecord | undefined, action: string): FindingRecord['history'] {
  return (finding?.history ?? []).filter((entry) => entry.action === action);
}

/** Checks that each audited action has exactly one record. */
function ledgered(what: string, of: string, id: string, is: number, should: number): Breach[] {
  if (is === should) return [];
  return breach(is < should ? 'lost' : 'doubled', `there are ${is} of ${should}: ${what} ${of} finding ${id}`);
}

/** Checks that no service has left work unfinished. */
function auditMarks({ invoices, findings, scans, scanRuns, uploadAnalyses, leftovers }: Books): Breach[] {
  const marked = (what: string, { _id, ...marks }: Marks & { readonly _id: string }): Breach[] => {
    const names = (['pending', 'outboxPending', 'leaseUntil'] as const).filter((mark) => marks[mark] !== undefined);
    return names.length === 0 ? [] : breach('stuck', `${what} ${_id} still has ${names.join(', ')}`);
  };
  return [
    ...invoices.flatMap((invoice) => [
      ...marked('invoice', invoice),
      ...(invoice.analysis === undefined || invoice.status !== 'ANALYZED'
        ? breach('stuck', `invoice ${invoice._id} is ${invoice.status}`)
        : []),
    ]),
    ...findings.flatMap((finding) => marked('finding', finding)),
    ...uploadAnalyses.flatMap((analysis) => marked('upload of invoice', analysis)),
    ...scans.flatMap((scan) => [
      ...marked('scan', scan),
      ...(scan.status === 'COMPLETE' ? [] : breach('stuck', `scan ${scan._id} is ${scan.status}`)),
    ]),
    ...scanRuns.flatMap(({ _id, outcome }) =>
      outcome === undefined ? breach('stuck', `the analysis of scan ${_id} has not ended`) : [],
    ),
    ...leftovers.flatMap((sentence) => breach('stuck', sentence)),
  ];
}

/** A change of a record that must be announced, with the event that announces it. */
interface Change {
  readonly event: string;
  /** Key that distinguishes a change of a record from others of its kind in the audit of a chaos run. */
  readonly key: string;
  /** Values that the published event about the change must have. */
  readonly says: Readonly<Record<string, unknown>>;
}

/** Checks that every change was announced by one event, and that every event announces a change. */
function auditEvents(books: Books): Breach[] {
  const changes = groupBy(changesOf(books), ({ event, key }) => `${event} of ${key}`);
  const contents = new Map<string, string>();
  const twoContents: Breach[] = [];
  const told = new Map<string, { ids: Set<string>; payload: Readonly<Record<string, unknown>> }>();
  for (const { id, name, payload } of books.events) {
    // An event stream may contain the same event repeatedly, because events are delivered at least once. The content of
    // a repeated event must always be the same.
    const content = JSON.stringify(payload);
    if ((contents.get(id) ?? content) !== content)
      twoContents.push(...breach('changed', `event ${id} has two contents`));
    contents.set(id, content);
    const key = eventKey(name, payload);
    if (key === undefined) continue;
    const entry = told.get(`${name} of ${key}`) ?? { ids: new Set(), payload };
    entry.ids.add(id);
    told.set(`${name} of ${key}`, entry);
  }
  return [
    ...twoContents,
    ...[...changes].flatMap(([name, [change]]) => {
      const event = told.get(name);
      if (event === undefined) return breach('unannounced', `there is no ${name}`);
      const isSo = Object.entries(change?.says ?? {}).every(([field, value]) =>
        same(event.payload[field] ?? defaultLike(value), value),
      );
      return [
        ...(event.ids.size > 1 ? breach('doubled', `there are ${event.ids.size} events ${name}`) : []),
        ...(isSo ? [] : breach('changed', `${name} says something else than is stored`)),
      ];
    }),
    ...[...told.keys()].flatMap((name) =>
      changes.has(name) ? [] : breach('unannounced', `${name} tells of nothing that is stored`),
    ),
  ];
}

function changesOf({ invoices, findings, scans }: Books): Change[] {
  return [
    ...invoices.flatMap(({ _id, source, analysis }): Change[] => {
      if (analysis === undefined) return [];
      const { analysisId, decision, riskScore } = analysis;
      const decided = {
        event: 'invoice_analyzed',
        key: analysisId,
        says: { invoiceId: _id, riskScore, decision: `DECISION_${decision}` },
      };
      const raised = analysis.findings
        .filter(({ disposition }) => disposition === 'OPEN')
        .map(({ findingId, type }) => ({
          event: 'finding_created',
          key: findingId,
          says: { invoiceId: _id, type },
        }));
      return source === 'SCAN' ? raised : [decided, ...raised];
    }),
    ...findings.flatMap(({ _id, type, invoiceId, scanId, history }): Change[] => [
      ...(invoiceId === undefined ? [{ event: 'finding_created', key: _id, says: { scanId, type } }] : []),
      ...history.flatMap(({ action, from, to }): Change[] => {
        if (action === 'ASSIGNED') {
          return [{ event: 'finding_assigned', key: `${_id} to ${to}`, says: { assigneeUserId: to } }];
        }
        // An entry in the history of a finding whose `from` equals `to` only adds a note.
        if (action !== 'REVIEWED' || from === to) return [];
        return [{ event: 'finding_reviewed', key: `${_id} to ${to}`, says: { previousDisposition: from } }];
      }),
    ]),
    ...scans.flatMap(({ _id, result }): Change[] => {
      if (result === undefined) return [];
      const { invoicesAnalyzed, rowsSkipped, findingCounts } = result;
      return [{ event: 'scan_completed', key: _id, says: { invoicesAnalyzed, rowsSkipped, findingCounts } }];
    }),
  ];
}

/**
 * Returns the key of the change that an event announces. Undefined for audit events, and for events that the chaos
 * clients do not cause.
 */
function eventKey(name: string, payload: Readonly<Record<string, unknown>>): string | undefined {
  const { analysisId, findingId, scanId, disposition, assigneeUserId } = payload;
  if (name === 'invoice_analyzed') return String(analysisId);
  if (name === 'finding_created') return String(findingId);
  if (name === 'finding_reviewed') return `${String(findingId)} to ${String(disposition)}`;
  if (name === 'finding_assigned') return `${String(findingId)} to ${String(assigneeUserId)}`;
  return name === 'scan_completed' ? String(scanId) : undefined;
}

/**
 * Returns the default value of a field whose expected value is given, because proto JSON leaves out fields with their
 * default value.
 */
function defaultLike(value: unknown): unknown {
  if (typeof value === 'number') return 0;
  return typeof value === 'object' ? {} : undefined;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function tally(keys: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const key of keys) found[key] = (found[key] ?? 0) + 1;
  return found;
}
