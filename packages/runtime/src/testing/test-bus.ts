import { connectNats } from '../nats/connection.js';
import type { Bus, BusOptions } from '../nats/connection.js';
import { testIdentityDirectory } from './test-identities.js';

/** Connects a test to the broker, with the identity that may do everything there. */
export function connectTestNats(options: Omit<BusOptions, 'identity'>): Promise<Bus> {
  return connectNats({ ...options, identity: testIdentityDirectory('test') });
}
