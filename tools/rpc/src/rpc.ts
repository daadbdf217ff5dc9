// Runs a console for every RPC of the services. It reads the .proto files, so a new RPC needs no generated or compiled
// code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Metadata } from '@grpc/grpc-js';
import { openIdentity } from '@invoicecontrol/runtime/identity/identity';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { call, describeFailure, isServiceError } from './call.js';
import { contractsDirectory, findMethod, fullName, readCatalogue, requestFields, type Method } from './catalogue.js';

const TIMEOUT_MS = 10_000;

const help = `Calls one rpc of a running service and prints the response as JSON.

  npm run rpc -- <address> <Service.Method> ['<json>' | -]
  npm run rpc -- --list [part of a name]

  <address>          host:port of the service
  <Service.Method>   FindingService.ReviewFinding, or any unambiguous end of the full name
  <json>             the request with the field names of proto JSON (camelCase); {} when left out, - reads standard input.
                     For an rpc that takes a stream, pass a JSON list. Bytes are base64, enums are names,
                     times are { "seconds": 1767225600, "nanos": 0 }.

  -m, --metadata name=value   sent with the request; may be repeated
      --identity <directory>  tls.crt, tls.key and ca.crt of the caller (default: TLS_DIR, then those of the
                              operator while npm start runs)
      --timeout-ms <n>        cancels the call after this time (default ${TIMEOUT_MS})
      --list                  prints all rpcs with the fields of their requests
  -h, --help                  prints this

  npm run rpc -- 127.0.0.1:50051 grpc.health.v1.Health.Check '{ "service": "ready" }'
`;

try {
  await main();
} catch (error) {
  console.error(isServiceError(error) ? describeFailure(error) : error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      metadata: { type: 'string', short: 'm', multiple: true, default: [] },
      identity: { type: 'string' },
      'timeout-ms': { type: 'string', default: String(TIMEOUT_MS) },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(help);

  const catalogue = readCatalogue(contractsDirectory());
  if (values.list) return list(catalogue, positionals[0] ?? '');

  const [address, wanted, json = '{}'] = positionals;
  if (!address || !wanted) throw new Error(`Pass an address and the name of an rpc.\n\n${help}`);
  const timeoutMs = Number(values['timeout-ms']);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1)
    throw new Error('--timeout-ms must be a whole number of milliseconds, 1 or more.');

  const method = findMethod(catalogue, wanted);
  const requests = readRequests(json === '-' ? await text(process.stdin) : json, method);
  const identity = openIdentity({
    directory: values.identity ?? identityDirectory(),
    trustDomain: process.env['TRUST_DOMAIN'] || TRUST_DOMAIN_DEFAULT,
    logger: createLogger({ service: 'rpc', level: 'silent' }),
  });
  try {
    const metadata = readMetadata(values.metadata);
    await call(method, requests, { address, metadata, identity, timeoutMs }, (response) => {
      console.log(JSON.stringify(response, null, 2));
    });
  } finally {
    identity.close();
  }
}

/** Finds the identity of the operator in the file that `npm start` keeps in its data directory while it runs. */
function identityDirectory(): string {
  const file = join(process.env['DATA_DIR'] || '.data', 'dev.json');
  if (process.env['TLS_DIR']) return process.env['TLS_DIR'];
  if (!existsSync(file)) throw new Error(`${file} is missing. Run npm start, or pass --identity or TLS_DIR.`);
  const { operatorIdentity } = JSON.parse(readFileSync(file, 'utf8')) as { operatorIdentity: string };
  return operatorIdentity;
}

function list(catalogue: Method[], part: string): void {
  const listed = catalogue.filter((candidate) => fullName(candidate).toLowerCase().includes(part.toLowerCase()));
  for (const method of listed) {
    const { requestStream, responseStream } = method.definition;
    const request = `${requestStream ? 'stream of ' : ''}{ ${requestFields(method).join(', ')} }`;
    console.log(`${fullName(method)} ${request}${responseStream ? ', responds with a stream' : ''}`);
  }
}

function readRequests(json: string, method: Method): object[] {
  const takesStream = method.definition.requestStream;
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new Error(`The request is not JSON (${(cause as Error).message}). Put it in single quotes for the shell.`, {
      cause,
    });
  }
  const requests = takesStream && Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  if (!requests.every((request) => typeof request === 'object' && request !== null && !Array.isArray(request))) {
    throw new Error(
      takesStream ? 'The request must be a JSON object or a list of them.' : 'The request must be one JSON object.',
    );
  }
  // The gRPC library silently drops unknown fields of a request, so a misspelt field would seem to be a fault of the
  // service.
  const known = requestFields(method);
  const unknown = requests.flatMap((request) => Object.keys(request as object)).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no field ${unknown.join(', ')}: ${fullName(method)} takes ${known.join(', ') || 'none'}.`,
    );
  }
  return requests as object[];
}

function readMetadata(pairs: string[]): Metadata {
  const metadata = new Metadata();
  for (const pair of pairs) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new Error(`--metadata must be name=value, not ${pair}.`);
    metadata.add(name, value);
  }
  return metadata;
}
