// Tests that one release reads what the next and the previous release write while a rollout replaces the pods.
import { describe, expect, test } from 'vitest';
import { events } from './events.js';
import type { EventType } from './events.js';
import { AnalyzeInvoiceRequest } from './gen/invoicecontrol/analysis/v1/invoice_service.js';
import { FindingCreated } from './gen/invoicecontrol/analysis/v1/events.js';
import { Severity } from './gen/invoicecontrol/analysis/v1/invoice.js';

const types: readonly (readonly [string, EventType])[] = Object.entries(events);
const header = { eventId: 'evt_1', eventTime: '2026-03-01T12:00:00.000Z', organizationId: 'organization-1' };
/** Fields of a later release: a value, a list, and an object that has the name of an internal property. */
const LATER = { addedLater: 'text', addedList: [{ name: 1 }], addedObject: { constructor: { prototype: {} } } };

describe.each(types)('the event %s', (_, { codec }) => {
  test('is read with fields of a later release, which are ignored', () => {
    expect(codec.fromJSON({ ...header, ...LATER })).toEqual(codec.fromJSON(header));
  });

  test('is read without the fields that an earlier release did not write', () => {
    const { eventId, organizationId, eventTime } = codec.fromJSON(header);
    expect({ eventId, organizationId, eventTime: eventTime?.toISOString() }).toEqual(header);
  });

  test('loses nothing that the reading release knows when it is written again', () => {
    const read = codec.fromJSON({ ...header, ...LATER });
    expect(codec.fromJSON(JSON.parse(JSON.stringify(codec.toJSON(read))))).toEqual(read);
  });
});

test('a value that a later release added to an enumeration is read as unrecognized, and not refused', () => {
  const found = FindingCreated.fromJSON({ ...header, severity: 'SEVERITY_ADDED_LATER' });
  expect(found.severity).toBe(Severity.UNRECOGNIZED);
  expect(FindingCreated.decode(FindingCreated.encode({ ...found, severity: 99 as Severity }).finish()).severity).toBe(
    99,
  );
});

test('a message with fields of a later release is decoded, and its known fields are kept', () => {
  const known = AnalyzeInvoiceRequest.encode(AnalyzeInvoiceRequest.fromPartial({ organizationId: 'o' })).finish();
  // Field 1,000 with a length-delimited value, field 1,001 with a varint and field 1,002 with 64 bits.
  const added = [0xc2, 0x3e, 2, 0x61, 0x62, 0xc8, 0x3e, 0x96, 1, 0xd1, 0x3e, 1, 2, 3, 4, 5, 6, 7, 8];
  const decoded = AnalyzeInvoiceRequest.decode(Uint8Array.from([...known, ...added]));
  expect(decoded).toEqual(AnalyzeInvoiceRequest.decode(known));
  expect(decoded.organizationId).toBe('o');
});

test('a message of an earlier release, without the fields of this one, has their defaults', () => {
  expect(AnalyzeInvoiceRequest.decode(new Uint8Array())).toEqual(AnalyzeInvoiceRequest.fromPartial({}));
});
