import { describe, expect, test } from 'vitest';
import { askedIn, collectionsIn, handledIn, receivedIn, servedIn } from './read-services.js';

describe('collections', () => {
  test('are found by name and by constant, also where the constant is in another module', () => {
    const modules = [
      "db.collection('scans'); db\n  .collection(AUDIT_LINES)",
      "export const AUDIT_LINES = 'audit_lines';",
    ];
    expect(collectionsIn(modules)).toEqual(['audit_lines', 'scans']);
  });

  test('are listed once, in order, however often they are opened', () => {
    expect(collectionsIn(["db.collection('runs')", "db.collection('flows'); db.collection('runs')"])).toEqual([
      'flows',
      'runs',
    ]);
  });

  test('include the buckets of GridFS', () => {
    const store = 'export function byteStore(db, bucketName) { new GridFSBucket(db, { bucketName }); }';
    expect(collectionsIn([store, "byteStore(db, 'contents'); other(db, 'word');"])).toEqual(['contents']);
  });

  test('do not include those that a caller names', () => {
    expect(collectionsIn(['db.collection(name); db.collection(`${bucketName}.files`)'])).toEqual([]);
  });

  test('are refused where no module says what a constant is', () => {
    expect(() => collectionsIn(['db.collection(LINES)'])).toThrow('the collection LINES');
  });
});

describe('rpcs', () => {
  const imports = [
    "import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';",
    "import { ConnectionServiceDefinition as KsefConnectionServiceDefinition, State } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';",
  ].join('\n');

  test('are served where a definition is bound', () => {
    expect(servedIn(`${imports}\nreturn bind(UsageServiceDefinition, {});`)).toEqual(['Usage']);
  });

  test('are asked of the owner of the contract, under the name that the contract gives them', () => {
    expect(askedIn(`${imports}\nclient(KsefConnectionServiceDefinition, channel)`)).toEqual([
      { owner: 'erp-sync', name: 'Connection' },
    ]);
  });

  test('are asked of the service that a list of clients names, where several services answer one contract', () => {
    expect(askedIn(`${imports}\nscanUsage: { owner: 'scan', definition: UsageServiceDefinition },`)).toEqual([
      { owner: 'scan', name: 'Usage' },
    ]);
  });

  test('are refused where a definition does not come from a contract', () => {
    expect(() => askedIn('client(OtherServiceDefinition, channel)')).toThrow('OtherServiceDefinition');
    expect(() => servedIn('bind(OtherServiceDefinition, {})')).toThrow('OtherServiceDefinition');
  });
});

describe('events', () => {
  test('are handled durably by a handler, and received by each replica by a broadcast', () => {
    const source = [
      'export function handler(type, handle) {}',
      '  handler(events.findingAssigned, queueMail),',
      'const broadcast = subscribeBroadcast(bus, [events.organizationChanged, organizationDeleted], evict)',
    ].join('\n');
    expect(handledIn(source)).toEqual(['findingAssigned']);
    expect(handledIn('eventHandlers: [handler(events.ksefInboxChanged, read)]')).toEqual(['ksefInboxChanged']);
    expect(receivedIn(source)).toEqual(['organizationChanged', 'organizationDeleted']);
  });

  test('are refused where the call does not name them', () => {
    expect(() => handledIn('return handler(type, queueMail)')).toThrow('an event that is handled');
    expect(() => receivedIn('const broadcast = subscribeBroadcast(bus, types, evict)')).toThrow('a broadcast');
  });
});
