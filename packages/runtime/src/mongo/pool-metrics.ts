import type { MongoClient } from 'mongodb';
import { count, isTelemetryOn, record, reportGauges } from '../telemetry.js';

/**
 * Reports the connections of the pool and how long commands wait for one. While telemetry is off, the driver's events
 * have no listener.
 * @param service scope of the metrics, because services of one process have separate pools
 */
export function reportPool(client: MongoClient, service: string): () => void {
  if (!isTelemetryOn()) return () => {};
  let open = 0;
  let used = 0;
  client.on('connectionCreated', () => open++);
  client.on('connectionClosed', () => open--);
  client.on('connectionCheckedOut', ({ durationMS }) => {
    used++;
    record('db.client.connection.wait_time', durationMS / 1_000, {}, service);
  });
  client.on('connectionCheckedIn', () => used--);
  client.on('connectionCheckOutFailed', ({ reason }) => {
    if (reason === 'timeout') count('db.client.connection.timeouts', {}, 1, service);
  });
  return reportGauges(
    ['db.client.connection.count'],
    async () => [
      {
        attributes: { 'db.client.connection.state': 'idle' as const },
        values: { 'db.client.connection.count': open - used },
      },
      { attributes: { 'db.client.connection.state': 'used' as const }, values: { 'db.client.connection.count': used } },
    ],
    service,
  );
}
