import { expect, test } from 'vitest';
import { prometheusLabel, prometheusName } from './prometheus-names.js';
import type { Instrument } from './schema.js';

test.each<[string, Instrument, string, string]>([
  ['http.server.request.duration', 'histogram', 's', 'http_server_request_duration_seconds'],
  ['http.server.active_requests', 'liveGauge', '{request}', 'http_server_active_requests'],
  ['invoicecontrol.http.body_bytes', 'gauge', 'By', 'invoicecontrol_http_body_bytes'],
  ['invoicecontrol.upload.bytes', 'counter', 'By', 'invoicecontrol_upload_bytes_total'],
  ['process.memory.usage', 'gauge', 'By', 'process_memory_usage_bytes'],
  ['process.cpu.time', 'counter', 's', 'process_cpu_time_seconds_total'],
  ['nodejs.eventloop.utilization', 'gauge', '1', 'nodejs_eventloop_utilization_ratio'],
  ['nodejs.eventloop.delay.p99', 'gauge', 's', 'nodejs_eventloop_delay_p99_seconds'],
  ['invoicecontrol.decisions', 'counter', '{decision}', 'invoicecontrol_decisions_total'],
  ['invoicecontrol.outbox.oldest_age', 'gauge', 's', 'invoicecontrol_outbox_oldest_age_seconds'],
  ['db.client.connection.count', 'gauge', '{connection}', 'db_client_connection_count'],
  ['invoicecontrol.dead_letters.resent', 'counter', '{event}', 'invoicecontrol_dead_letters_resent_total'],
])('%s is, as %s in %s, the metric %s', (name, instrument, unit, expected) => {
  expect(prometheusName(name, { instrument, unit })).toBe(expected);
});

test('dots of attributes become underscores', () => {
  expect(prometheusLabel('http.response.status_code')).toBe('http_response_status_code');
});
