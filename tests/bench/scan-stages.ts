// Splits the time of one history scan into stages, from the lines that the gateway, scan and analysis services log
// about it.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { System } from './servers.js';

/**
 * Duration of the stages of a history scan in milliseconds, by `service: stage`. Stages that run at the same time
 * overlap.
 */
export type StagesMs = Readonly<Record<string, number>>;

interface LogLine {
  readonly msg?: string;
  readonly requestId?: string;
  readonly scanId?: string;
  readonly durationMs: number;
  readonly stagesMs: Readonly<Record<string, number>>;
}

const POLL_ATTEMPTS_MAX = 100;
const POLL_EACH_MS = 50;

/**
 * Reads the log lines of one history scan.
 * @param requestId the X-Request-Id with which the scan was posted
 */
export async function stagesOf(system: System, requestId: string, scanId: string): Promise<StagesMs> {
  const [gateway, scan, analysis] = await Promise.all([
    lineOf(system.gateway.logFile, (line) => line.msg === 'request' && line.requestId === requestId),
    lineOf(system.scan.logFile, (line) => line.msg === 'a scan is complete' && line.scanId === scanId),
    lineOf(system.analysis.logFile, (line) => line.msg === 'rows analyzed' && line.scanId === scanId),
  ]);
  const { handle = Number.NaN, ...ofGateway } = gateway.stagesMs;
  const { analyze = Number.NaN, ...ofScan } = scan.stagesMs;
  return {
    ...named('gateway', ofGateway),
    // Time that the scan service waits for the analysis service in addition to the logged work of the analysis service:
    // encoding, transfer, decoding, and the queue.
    'call of scan': handle - scan.durationMs,
    ...named('scan', ofScan),
    'call of analysis': analyze - analysis.durationMs,
    ...named('analysis', analysis.stagesMs),
    'analysis: in all': analysis.durationMs,
  };
}

function named(service: string, stagesMs: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(stagesMs).map(([stage, ms]) => [`${service}: ${stage}`, ms]));
}

/**
 * The service writes the log line of a history scan at about the time of the response, so the line may not exist yet.
 */
async function lineOf(logFile: string, isWanted: (line: LogLine) => boolean): Promise<LogLine> {
  for (let attempts = 0; attempts < POLL_ATTEMPTS_MAX; attempts++) {
    const lines = (await readFile(logFile, 'utf8')).split('\n').slice(0, -1);
    for (const text of lines.toReversed()) {
      if (!text.includes('"stagesMs"')) continue;
      const line = JSON.parse(text) as LogLine;
      if (isWanted(line)) return line;
    }
    await delay(POLL_EACH_MS);
  }
  throw new Error(`${logFile} has no line about the scan.`);
}
