/** Fields of every line, and the request and the trace that a line belongs to. */
const ofAllLines = 'time level service version instance msg requestId traceId spanId organizationId';
/** Kinds of work and things that a log line may name. */
const ofWork = [
  'route method status rpc job consumer subject stream step error durationMs stagesMs',
  'eventId invoiceId analysisId scanId submissionId connectionId endpointId deliveryId runId keyId',
].join(' ');
const ofDecisions = 'source decision score findingTypes riskEngine policy decisions rows skipped findings candidates';
const ofStarts = 'config address isReady failed dependency server indexes landlockVersion notDenied';

/**
 * Fields of log lines of the journeys in `telemetry.e2e.test.ts`. A person who searches the log of all services relies on
 * one name for each thing, so a new field is added here only if no field for the thing exists.
 */
export const logFields: ReadonlySet<string> = new Set(
  [ofAllLines, ofWork, ofDecisions, ofStarts].flatMap((names) => names.split(' ')),
);
