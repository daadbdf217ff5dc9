// Writes packages/client/postman-collection.json from the published description of the REST API
// (services/gateway/openapi.json). `npm test` runs it with `--check`: then it writes nothing, and fails if the
// collection is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = `${root}packages/client/postman-collection.json`;
const written = `${JSON.stringify(collect(JSON.parse(readFileSync(`${root}services/gateway/openapi.json`, 'utf8'))), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, written);
} else if (readFileSync(file, 'utf8') !== written) {
  console.error(
    'packages/client/postman-collection.json is not what services/gateway/openapi.json says: write it again with `node tools/generate/postman-collection.mjs`.',
  );
  process.exitCode = 1;
}

/** Converts the API description to a Postman collection (format 2.1) with a folder for each tag. */
function collect({ info, tags = [], security = [], paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], ...operation }]) => ({
      path,
      method,
      operation: { security, ...operation, parameters: parameters.map((each) => referenced(each, components)) },
    })),
  );
  const folders = [...new Set(operations.map(({ operation }) => operation.tags[0]))];
  return {
    info: {
      name: info.title,
      description: `${info.description}\n\nSet the variables \`baseUrl\` and \`apiKey\` of the collection first.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8080/v1' },
      { key: 'apiKey', value: '' },
    ],
    item: folders.map((folder) => ({
      name: folder,
      ...description(tags.find(({ name }) => name === folder)),
      item: operations.filter(({ operation }) => operation.tags[0] === folder).map(toItem),
    })),
  };
}

/** Returns the API parameter that a reference names, or the parameter itself. */
function referenced(parameter, { parameters }) {
  return parameter.$ref === undefined ? parameter : parameters[parameter.$ref.split('/').at(-1)];
}

function toItem({ path, method, operation }) {
  const { summary, security, parameters, requestBody } = operation;
  const body = requestBody?.content['application/json'];
  const isXml = body === undefined && requestBody?.content['application/xml'] !== undefined;
  const isIn = (place) => parameters.filter((parameter) => parameter.in === place);
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      ...(security.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: [
        // The Postman collection sends a new Idempotency-Key with every request. Replace it with a fixed key to test a
        // repeated request.
        ...isIn('header').map(({ name, ...rest }) =>
          name === 'Idempotency-Key'
            ? { key: name, value: '{{$guid}}', ...description(rest) }
            : { key: name, value: '', disabled: true, ...description(rest) },
        ),
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...(isXml ? [{ key: 'Content-Type', value: 'application/xml' }] : []),
      ],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        query: isIn('query').map(({ name, ...rest }) => ({
          key: name,
          value: String(rest.example ?? ''),
          disabled: true,
          ...description(rest),
        })),
        variable: isIn('path').map(({ name, ...rest }) => ({
          key: name,
          value: String(rest.example ?? ''),
          ...description(rest),
        })),
      },
      ...bodyOf(requestBody),
      ...description(operation),
    },
    response: [],
  };
}

/**
 * Returns the body of a request in the Postman collection. If the body is neither JSON nor a form, it is a file. Users
 * choose the file and its type in Postman.
 */
function bodyOf(requestBody) {
  if (requestBody === undefined) return {};
  const form = requestBody.content['application/x-www-form-urlencoded'];
  if (form !== undefined) {
    const urlencoded = Object.entries(form.example ?? {}).map(([key, value]) => ({ key, value: String(value) }));
    return { body: { mode: 'urlencoded', urlencoded } };
  }
  const json = requestBody.content['application/json'];
  if (json === undefined) return { body: { mode: 'file', file: {} } };
  const raw = JSON.stringify(json.example ?? {}, null, 2);
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
}

function description(described) {
  const text = described?.description ?? described?.schema?.description;
  return text === undefined ? {} : { description: text };
}
