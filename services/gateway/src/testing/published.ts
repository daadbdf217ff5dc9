import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describeApi } from '../http/description/openapi.js';
import { resources } from '../routes/table.js';
import { webhookEvents } from '../routes/webhooks/webhook-events.js';
import { unreferencedSchemas } from '../routes/unreferenced-schemas.js';

/** The parts of a schema in the API description that tests use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Content {
  /** JSON request body of a published operation. Absent if the body is a file. */
  readonly 'application/json'?: {
    readonly schema: Schema;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
  /** Request body of a published operation that is sent as XML. */
  readonly 'application/xml'?: object;
  /** Request body of a published operation that is sent as an HTML form. */
  readonly 'application/x-www-form-urlencoded'?: {
    readonly schema: Schema;
    readonly example?: Readonly<Record<string, string>>;
  };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly example?: string;
  readonly schema: Schema;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Published {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly servers: unknown;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, unknown>>;
  };
}

export const publishedText = describeApi(resources, webhookEvents, unreferencedSchemas);
export const published = JSON.parse(publishedText) as Published;

/** Returns the parameter of the OpenAPI description that a reference names. */
function referenced({ $ref }: { readonly $ref: string }): Parameter {
  const parameter = published.components.parameters[nameOf($ref)];
  if (parameter === undefined) throw new TypeError(`The OpenAPI description has no component ${$ref}.`);
  return parameter;
}

export const publishedOperations = Object.entries(published.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters = [], ...operation }]) => ({
    ...operation,
    parameters: parameters.map((parameter) => ('$ref' in parameter ? referenced(parameter) : parameter)),
    path,
    method: method.toUpperCase(),
  })),
);

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
formats.default(ajv);
ajv.addKeyword('components');
// In OpenAPI, `discriminator` names the alternative of `oneOf` that applies. The validator ignores it, because `oneOf`
// alone selects the same alternative.
ajv.addKeyword('discriminator');
ajv.addSchema({ $id: 'published', components: { schemas: rooted(published.components.schemas) } });

/**
 * Compiles a schema of the published API description to a validator. The validator does not use the code of the
 * gateway.
 */
export function validatorOf(schema: Schema): ValidateFunction {
  return ajv.compile(rooted(schema) as object);
}

/** Returns the schema of the API description that a `$ref` names, or the given schema if it is no reference. */
export function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (published.components.schemas[nameOf(schema.$ref)] ?? {});
}

export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Rewrites references in the API description so that they refer to the single schema that contains all components. */
function rooted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/components/', '"published#/components/'));
}
