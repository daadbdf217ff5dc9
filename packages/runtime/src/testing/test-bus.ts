import { connectNats } from '../nats/connection.js';
import type { Bus, BusOptions } from '../nats/connection.js';
import { testIdentityDirectory } from './test-identities.js';

/** Connects a test to the NATS broker, with an identity that has all rights there. */
export function connectTestNats(options: Omit<BusOptions, 'identity'>): Promise<Bus> {
  return connectNats({ ...options, identity: testIdentityDirectory('test') });
}
