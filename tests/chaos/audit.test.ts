import { describe, expect, test } from 'vitest';
import { audit, counts } from './audit.js';
import type { Books } from './books.js';
import type { Count } from './audit.js';
import type { LedgerBooks } from './ledger.js';
import { sampleBooks } from './sample-books.js';
import type { SampleBooks } from './sample-books.js';

const auditOf = ({ books, ledger }: SampleBooks): readonly Count[] =>
  audit(books as Books, ledger as LedgerBooks).map(({ count }) => count);

/** Changes of books without a fault, each with the only count that may notice it. */
const faults: readonly (readonly [Count, string, (sample: SampleBooks) => void])[] = [
  ['lost', 'an acknowledged invoice', ({ books }) => removeInvoice(books)],
  ['lost', 'the analysis of an invoice', ({ books }) => void books.analyses.shift()],
  ['lost', 'the facts of rows', ({ books }) => void books.factBundleIds.shift()],
  ['lost', 'an external id', ({ books }) => void books.importedRows.pop()],
  ['lost', 'the audit line of a review', ({ books }) => void books.auditLines.pop()],
  ['lost', 'the mail about an assignment', ({ books }) => void books.notifications.pop()],
  ['lost', 'an acknowledged invoice of another organization', ({ ledger }) => rename(ledger.invoices)],
  ['lost', 'an acknowledged scan of another organization', ({ ledger }) => rename(ledger.scans)],
  ['lost', 'bytes of an upload', ({ books }) => void (books.storedBytes['file'] = 50)],
  ['lost', 'the analysis of an upload', ({ books }) => void (first(books.uploadAnalyses).uploadId = 'another')],
  ['doubled', 'an upload', ({ books }) => againUploaded(books)],
  ['stuck', 'bytes that belong to no upload', ({ books }) => void (books.storedBytes['another'] = 1)],
  ['stuck', 'an upload that is not read', ({ books }) => void (first(books.uploadAnalyses).state = 'QUEUED')],
  ['doubled', 'an analysis of an invoice', ({ books }) => again(books.analyses, { _id: 'another' })],
  ['doubled', 'an audit line', ({ books }) => again(books.auditLines)],
  ['doubled', 'a mail', ({ books }) => again(books.notifications)],
  ['doubled', 'an event of a decision', ({ books }) => again(books.events, { id: 'another' })],
  ['stuck', 'a request without an answer', ({ ledger }) => void (first(ledger.reviews).outcome = 'UNKNOWN')],
  ['stuck', 'an outbox', ({ books }) => void (first(books.findings).outboxPending = true)],
  ['stuck', 'an unfinished decision', ({ books }) => void (first(books.invoices).pending = true)],
  ['stuck', 'a lease', ({ books }) => void (first(books.scans).leaseUntil = new Date())],
  ['stuck', 'an analysis of a scan', ({ books }) => delete first(books.scanRuns).outcome],
  ['stuck', 'something elsewhere', ({ books }) => void books.leftovers.push('a dead letter')],
  ['changed', 'a read', ({ ledger }) => void ledger.wrongReads.push('another decision')],
  ['changed', 'the answer to a key', ({ ledger }) => void (first(ledger.scans).answers[1] = scanWith(ledger, '31.00'))],
  ['changed', 'a second decision', ({ books }) => void (first(books.analyses).decision = 'BLOCK')],
  ['changed', 'the score of an event', ({ books }) => void (first(books.events).payload['riskScore'] = 8)],
  ['changed', 'the content of an event', ({ books }) => againWithMore(books.events)],
  ['changed', 'a disposition', ({ books }) => void (first(books.findings).disposition = 'OPEN')],
  ['changed', 'an assignee', ({ books }) => void (first(books.findings).assigneeUserId = 'somebody')],
  ...['invoice_analyzed', 'finding_created', 'finding_reviewed', 'finding_assigned', 'scan_completed'].flatMap(
    (name): (typeof faults)[number][] => [
      ['unannounced', `a change by ${name}`, ({ books }) => removeEvent(books, name)],
      ['unannounced', `a ${name} of nothing`, ({ books }) => void books.events.push(eventOfNothing(name))],
    ],
  ),
  ['unannounced', 'an audit line of nothing', ({ books }) => again(books.auditLines, { target: 'finding:none' })],
  ['unannounced', 'a mail of nothing', ({ books }) => again(books.notifications, { occasion: { findingId: 'none' } })],
  ['usage off', 'a counter that is too high', ({ books }) => void (first(books.usage).used += 1)],
  ['usage off', 'a counter that is too low', ({ books }) => void (first(books.usage).used -= 1)],
  ['usage off', 'a counter that is missing', ({ books }) => void books.usage.pop()],
  [
    'usage off',
    'a counter of nothing',
    ({ books }) => void books.usage.push({ _id: 'other:2026-03:analyses', used: 1 }),
  ],
  ['refused', 'a right request', ({ ledger }) => void (first(ledger.reviews).outcome = 'REFUSED')],
];

describe('the audit', () => {
  test('reports nothing in books without a fault', () => {
    const { books, ledger } = sampleBooks();
    expect(audit(books as Books, ledger as LedgerBooks)).toEqual([]);
  });

  test('may be told an event twice, since delivery is at least once', () => {
    const sample = sampleBooks();
    again(sample.books.events);
    expect(auditOf(sample)).toEqual([]);
  });

  test.each(faults)('counts as %s: %s', (count, _name, breakIt) => {
    const sample = sampleBooks();
    breakIt(sample);
    expect(new Set(auditOf(sample))).toEqual(new Set([count]));
  });

  test('has a fault for each of its counts', () => {
    // The tests for violations by webhook deliveries are in a separate file.
    expect(new Set([...faults.map(([count]) => count), 'unsigned'])).toEqual(new Set(counts));
  });

  // Each of the following violations breaks more than one guarantee.
  test('counts a key that was answered with two ids as doubled', () => {
    const sample = sampleBooks();
    const { answers } = first(sample.ledger.invoices);
    answers.push({ ...first(answers), invoiceId: 'row-0' });
    expect(auditOf(sample)).toContain('doubled');
  });

  test('counts an invoice that is stored twice as doubled', () => {
    const sample = sampleBooks();
    again(sample.books.invoices, { _id: 'another' });
    expect(auditOf(sample)).toContain('doubled');
  });

  test('counts an acknowledged upload that is not stored as lost', () => {
    const sample = sampleBooks();
    sample.books.uploads.pop();
    expect(auditOf(sample)).toContain('lost');
  });

  test('counts a file that is scanned twice as doubled', () => {
    const sample = sampleBooks();
    const row = sample.books.invoices.find(({ _id }) => _id === 'row-0');
    if (row === undefined) throw new Error('there is no row');
    sample.books.invoices.push({ ...row, _id: 'another', match: { scanId: 'another', position: 0 } });
    expect(auditOf(sample)).toContain('doubled');
  });

  test('counts a row that is stored twice as doubled', () => {
    const sample = sampleBooks();
    const row = sample.books.invoices.find(({ _id }) => _id === 'row-1');
    if (row === undefined) throw new Error('there is no row');
    sample.books.invoices.push({ ...row, _id: 'another' });
    expect(auditOf(sample)).toContain('doubled');
  });

  test('counts a review that happened twice as doubled', () => {
    const sample = sampleBooks();
    const { history } = first(sample.books.findings);
    history.push({ action: 'REVIEWED', from: 'CONFIRMED', to: 'CONFIRMED' });
    expect(auditOf(sample)).toContain('doubled');
  });

  test('counts acknowledged reviews and assignments that are not stored as lost', () => {
    const sample = sampleBooks();
    first(sample.books.findings).history = [];
    expect(auditOf(sample).filter((count) => count === 'lost')).toHaveLength(2);
  });

  test('counts a scan and a finding that are not stored as lost', () => {
    const withoutScan = sampleBooks();
    withoutScan.books.scans.pop();
    expect(auditOf(withoutScan)).toContain('lost');
    const withoutFinding = sampleBooks();
    withoutFinding.books.findings.pop();
    expect(auditOf(withoutFinding)).toContain('lost');
  });

  test('counts a row that is not stored as lost', () => {
    const sample = sampleBooks();
    sample.books.invoices.pop();
    expect(auditOf(sample)).toContain('lost');
  });

  test('counts an invoice that is stored otherwise than answered as changed', () => {
    const sample = sampleBooks();
    const { analysis } = first(sample.books.invoices);
    if (analysis !== undefined) analysis.decision = 'BLOCK';
    expect(auditOf(sample)).toContain('changed');
  });

  test('counts an undecided invoice as stuck', () => {
    const sample = sampleBooks();
    const invoice = first(sample.books.invoices);
    invoice.status = 'RECEIVED';
    delete invoice.analysis;
    expect(auditOf(sample)).toContain('stuck');
  });
});

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('there is none');
  return item;
}

/** Adds a changed copy of the first recorded item to the end of a list of the sample books. */
function again<T extends object>(items: T[], change: Partial<T> = {}): void {
  items.push({ ...first(items), ...change });
}

/** Adds the first event a second time, under its id but with other content. */
function againWithMore(events: SampleBooks['books']['events']): void {
  again(events, { payload: { ...first(events).payload, more: true } });
}

/** Returns the data with an upload that was stored a second time and not counted. */
function againUploaded({ uploads, storedBytes }: SampleBooks['books']): void {
  uploads.push({
    _id: 'another',
    organizationId: 'organization',
    state: 'UPLOADED',
    byteSize: 1,
    content: { fileId: 'another' },
  });
  storedBytes['another'] = 1;
}

function rename(entries: { organizationId: string }[]): void {
  first(entries).organizationId = 'another';
}

/** Removes an invoice with everything that belongs to it, as if it had never existed. */
function removeInvoice(books: SampleBooks['books']): void {
  books.invoices.shift();
  books.analyses.shift();
  books.findings.shift();
  books.events.splice(0, 4);
  books.auditLines.shift();
  books.notifications.shift();
  first(books.usage).used -= 1;
}

function scanWith(ledger: SampleBooks['ledger'], analyzedValue: string) {
  return { ...first(first(ledger.scans).answers), analyzedValue };
}

function removeEvent(books: SampleBooks['books'], name: string): void {
  books.events.splice(
    books.events.findIndex((event) => event.name === name),
    1,
  );
}

function eventOfNothing(name: string): SampleBooks['books']['events'][number] {
  const payload = {
    analysisId: 'none',
    findingId: 'none',
    scanId: 'none',
    disposition: 'OPEN',
    assigneeUserId: 'none',
  };
  return { id: 'evt-none', name, payload };
}
