import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import type { TestAnswer } from '../erp/testing.js';
import { TestClient } from './testing.js';

type Json = Readonly<Record<string, unknown>>;
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}
interface ContractOperation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: Json;
}

/** Published KSeF contract, reduced to the paths that the product calls. */
const contract = JSON.parse(
  readFileSync(new URL('../../../docs/reference/ksef-openapi.json', import.meta.url), 'utf8'),
) as Contract;
// The OpenAPI formats int32 and byte are unknown in JSON Schema, so they are ignored. Patterns and lengths express the
// same restrictions.
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(toJsonSchema({ $id: 'ksef', components: contract.components }) as Json);
const validators = new WeakMap<Json, ValidateFunction>();

/** A test client that fails if a response, or a request that was accepted, breaks the published KSeF contract. */
export class ContractClient extends TestClient {
  /** Operations of the KSeF contract (`METHOD path`) that returned a 2xx response. */
  readonly succeeded = new Set<string>();

  override async api(target: string, body?: unknown, bearer?: string | null): Promise<TestAnswer> {
    const answer = await super.api(target, body, bearer);
    const { name, operation } = findOperation(target);
    const isAccepted = answer.status < 300;
    const faults = [...(isAccepted ? faultsOfRequest(operation, body) : []), ...faultsOfAnswer(target, answer)];
    if (faults.length > 0)
      throw new Error(`The response ${answer.status} to ${name} breaks the contract: ${faults.join('; ')}`);
    if (isAccepted) this.succeeded.add(name);
    return answer;
  }
}

/** Lists the operations of the KSeF contract as `METHOD path`. */
export function contractOperations(): readonly string[] {
  return Object.entries(contract.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

function findOperation(target: string): { readonly name: string; readonly operation: ContractOperation } {
  const [method = '', below = ''] = target.split(' ');
  const path = `/${below.replace(/\?.*$/, '')}`;
  const found = Object.entries(contract.paths)
    // Paths of the KSeF contract without parameters are sorted before paths with parameters, so that they are matched
    // first.
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)
    .find(([template, operations]) => {
      const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
      return operations[method.toLowerCase()] !== undefined && pattern.test(path);
    });
  const operation = found?.[1][method.toLowerCase()];
  if (found === undefined || operation === undefined) throw new Error(`The contract has no ${method} ${path}.`);
  return { name: `${method} ${found[0]}`, operation };
}

function faultsOfRequest({ requestBody }: ContractOperation, body: unknown): readonly string[] {
  const schema = requestBody?.content?.[typeof body === 'string' ? 'application/xml' : 'application/json']?.schema;
  if (body === undefined) return requestBody === undefined ? [] : ['the request has no body'];
  return faultsOf(schema, body);
}

/** Lists the parts of a response to `METHOD path` that break the KSeF contract. */
export function faultsOfAnswer(target: string, { status, headers, text }: TestAnswer): readonly string[] {
  const response = findOperation(target).operation.responses[String(status)];
  if (response === undefined) return [`the contract has no status ${status}`];
  if (text === '') return response.content === undefined ? [] : ['the answer has no body'];
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const schema = response.content?.[type]?.schema;
  if (type === 'application/xml') return schema?.['type'] === 'string' ? [] : ['the contract allows no XML body here'];
  return faultsOf(schema, JSON.parse(text));
}

function faultsOf(schema: Json | undefined, value: unknown): readonly string[] {
  if (schema === undefined) return ['the contract has no body of this type'];
  const validate = validatorOf(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/**
 * Compiles each JSON schema of the KSeF contract once. A compilation takes about 5 ms of CPU time, and a test file
 * checks up to a thousand bodies.
 */
function validatorOf(schema: Json): ValidateFunction {
  const compiled = validators.get(schema) ?? ajv.compile(toJsonSchema(schema) as Json);
  validators.set(schema, compiled);
  return compiled;
}

/** Converts `nullable` in OpenAPI 3.0 to JSON Schema and resolves references to the registered contract. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string' ? value.replace(/^#/, 'ksef#') : toJsonSchema(value),
    ]),
  );
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}
